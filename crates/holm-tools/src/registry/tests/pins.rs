//! Which code was confirmed.

use std::path::Path;
use std::sync::Arc;

use holm_runtime::BoxFuture;

use super::super::{
    AllowAllGate, PinFileStore, PinStatus, PinStore, SourceRank, ToolFile, ToolFolder, ToolFolders,
    ToolLoadError, ToolLoader, ToolOffer, ToolRegistry,
};

#[test]
fn the_first_code_at_a_place_is_remembered_and_another_must_be_confirmed() {
    let home = tempfile::tempdir().unwrap();
    let tool = home.path().join("a.wasm");
    let pins = PinFileStore::new(home.path().join("pins"));
    let check = |hash: u8, standing| assert_eq!(pins.standing(&tool, &[hash; 32]), standing, "{hash}");
    check(1, PinStatus::Confirmed);
    check(2, PinStatus::Replaced);
    check(1, PinStatus::Confirmed);
    PinFileStore::new(home.path().join("pins")).confirm(&tool, &[2; 32]).unwrap();
    check(2, PinStatus::Confirmed);
    check(1, PinStatus::Replaced);
    let other = home.path().join("b.wasm");
    assert_eq!(pins.standing(&other, &[1; 32]), PinStatus::Confirmed, "every place has its own");
}

#[test]
fn where_nothing_can_be_remembered_nothing_counts_as_confirmed() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("file"), "").unwrap();
    let pins = PinFileStore::new(home.path().join("file/pins"));
    assert_eq!(pins.standing(Path::new("a.wasm"), &[1; 32]), PinStatus::Replaced);
    assert!(pins.confirm(Path::new("a.wasm"), &[1; 32]).is_err());
}

#[test]
fn of_many_who_pin_at_once_none_is_lost_and_one_is_first() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("pins");
    let confirmed = std::thread::scope(|scope| {
        let pinning: Vec<_> = (0..8_u8)
            .map(|number| {
                let (file, home) = (file.clone(), home.path());
                // Each has a file of its own, as processes have.
                scope.spawn(move || {
                    let pins = PinFileStore::new(file);
                    pins.standing(&home.join(format!("{number}.wasm")), &[number; 32]);
                    pins.standing(&home.join("same.wasm"), &[number; 32])
                })
            })
            .collect();
        pinning.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(
        confirmed.iter().filter(|standing| **standing == PinStatus::Confirmed).count(),
        1,
        "{confirmed:?}"
    );
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.lines().count(), 9, "{text}");
}

#[test]
fn what_is_forgotten_is_the_first_again_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let pins = PinFileStore::new(folder.path().join("pins"));
    let places = [folder.path().join("sea.mcp.json"), "mcp:sea:echo".into(), "mcp:seaside:echo".into()];
    for place in &places {
        assert_eq!(pins.standing(place, &[1; 32]), PinStatus::Confirmed);
    }
    pins.forget(&places[0], "mcp:sea:").unwrap();
    let standing: Vec<PinStatus> = places.iter().map(|place| pins.standing(place, &[2; 32])).collect();
    assert_eq!(standing, [PinStatus::Confirmed, PinStatus::Confirmed, PinStatus::Replaced]);
}

/// While it loads a file, a person confirms what lies there; then it fails.
struct Fails(Arc<PinFileStore>);

impl ToolLoader for Fails {
    fn claims(&self, _path: &Path, _head: &[u8]) -> bool {
        true
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            self.0.confirm(found.path, found.sha256).unwrap();
            Err(ToolLoadError::unavailable("it said nothing"))
        })
    }
}

#[tokio::test]
async fn a_load_that_fails_takes_no_confirmation_away() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("slow.say");
    std::fs::write(&file, "one").unwrap();
    let pins = Arc::new(PinFileStore::new(home.path().join("pins")));
    let registry = ToolRegistry::new();
    let shared: Arc<PinFileStore> = Arc::clone(&pins);
    let watched = ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate).pins(shared);
    ToolFolders::new(&registry).loader(Fails(Arc::clone(&pins))).folder(watched).load().await;
    assert_eq!(registry.snapshot().problems().len(), 1);
    assert!(pins.knows(&file));
    assert_eq!(pins.standing(&file, &[7; 32]), PinStatus::Replaced, "another code is not the first");
}
