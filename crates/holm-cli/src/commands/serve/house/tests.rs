use std::path::Path;

use super::{House, Stores};
use crate::{bounds::Bounds, commands::run::Args, places::Places};

fn house(options: &[&str], folder: &Path) -> (House, Places) {
    let owner = Places {
        data: folder.join("data"),
        work: folder.join("work"),
        brought: Vec::new(),
        bounds: Bounds::Anywhere,
    };
    let options = Args::behind("holm serve --", options.iter().copied()).unwrap();
    (House::new(options, owner.clone(), Stores::Files), owner)
}

#[test]
fn where_commands_have_no_jail_there_is_nobody_but_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let (house, owner) = house(&["--unconfined"], folder.path());
    assert_eq!(house.places_of(&"owner".parse().unwrap()).unwrap(), owner);
    assert!(house.places_of(&"ada".parse().unwrap()).is_err());
    assert!(!owner.data.join("users").exists());
}

#[test]
fn what_is_kept_of_a_user_does_not_hold_their_workspace_and_no_user_holds_another() {
    let folder = tempfile::tempdir().unwrap();
    let (house, owner) = house(&[], folder.path());
    let of = |name: &str| house.places_of(&name.parse().unwrap()).unwrap();
    let (ada, bob) = (of("ada"), of("bob"));
    for (one, other) in [(&ada, &bob), (&bob, &ada), (&ada, &owner), (&bob, &owner)] {
        assert!(!one.work.starts_with(&one.data) && !one.data.starts_with(&one.work), "{one:?}");
        assert!(
            !one.work.starts_with(&other.work) && !one.data.starts_with(&other.work),
            "{one:?} {other:?}"
        );
    }
    assert_eq!(of("owner"), owner);
}
