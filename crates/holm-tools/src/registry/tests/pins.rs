//! Which code was confirmed.

use std::path::Path;
use std::sync::Arc;

use holm_runtime::BoxFuture;

use super::super::{
    Folder, Folders, Found, LoadError, Loader, Offer, OpenGate, PinFile, Pins, Rank, Registry, Standing,
};

#[test]
fn the_first_code_at_a_place_is_remembered_and_another_must_be_confirmed() {
    let home = tempfile::tempdir().unwrap();
    let tool = home.path().join("a.wasm");
    let pins = PinFile::new(home.path().join("pins"));
    let check = |hash: u8, standing| assert_eq!(pins.standing(&tool, &[hash; 32]), standing, "{hash}");
    check(1, Standing::Confirmed);
    check(2, Standing::Replaced);
    check(1, Standing::Confirmed);
    PinFile::new(home.path().join("pins")).confirm(&tool, &[2; 32]).unwrap();
    check(2, Standing::Confirmed);
    check(1, Standing::Replaced);
    let other = home.path().join("b.wasm");
    assert_eq!(pins.standing(&other, &[1; 32]), Standing::Confirmed, "every place has its own");
}

#[test]
fn where_nothing_can_be_remembered_nothing_counts_as_confirmed() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("file"), "").unwrap();
    let pins = PinFile::new(home.path().join("file/pins"));
    assert_eq!(pins.standing(Path::new("a.wasm"), &[1; 32]), Standing::Replaced);
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
                    let pins = PinFile::new(file);
                    pins.standing(&home.join(format!("{number}.wasm")), &[number; 32]);
                    pins.standing(&home.join("same.wasm"), &[number; 32])
                })
            })
            .collect();
        pinning.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(
        confirmed.iter().filter(|standing| **standing == Standing::Confirmed).count(),
        1,
        "{confirmed:?}"
    );
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.lines().count(), 9, "{text}");
}

#[test]
fn what_is_forgotten_is_the_first_again_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let pins = PinFile::new(folder.path().join("pins"));
    let places = [folder.path().join("sea.mcp.json"), "mcp:sea:echo".into(), "mcp:seaside:echo".into()];
    for place in &places {
        assert_eq!(pins.standing(place, &[1; 32]), Standing::Confirmed);
    }
    pins.forget(&places[0], "mcp:sea:").unwrap();
    let standing: Vec<Standing> = places.iter().map(|place| pins.standing(place, &[2; 32])).collect();
    assert_eq!(standing, [Standing::Confirmed, Standing::Confirmed, Standing::Replaced]);
}

/// While it loads a file, a person confirms what lies there; then it fails.
struct Fails(Arc<PinFile>);

impl Loader for Fails {
    fn claims(&self, _path: &Path, _head: &[u8]) -> bool {
        true
    }

    fn load<'a>(&'a self, found: Found<'a>) -> BoxFuture<'a, Result<Vec<Offer>, LoadError>> {
        Box::pin(async move {
            self.0.confirm(found.path, found.sha256).unwrap();
            Err(LoadError::unavailable("it said nothing"))
        })
    }
}

#[tokio::test]
async fn a_load_that_fails_takes_no_confirmation_away() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("slow.say");
    std::fs::write(&file, "one").unwrap();
    let pins = Arc::new(PinFile::new(home.path().join("pins")));
    let registry = Registry::new();
    let shared: Arc<PinFile> = Arc::clone(&pins);
    let watched = Folder::new(folder.path(), Rank::User, OpenGate).pins(shared);
    Folders::new(&registry).loader(Fails(Arc::clone(&pins))).folder(watched).load().await;
    assert_eq!(registry.snapshot().problems().len(), 1);
    assert!(pins.knows(&file));
    assert_eq!(pins.standing(&file, &[7; 32]), Standing::Replaced, "another code is not the first");
}
