//! Which code was confirmed.

use std::path::Path;

use super::super::{PinFile, Pins, Standing};

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
