use clap::Parser as _;

use super::House;
use crate::{bounds::Bounds, commands::serve::Options, places::Places};

#[test]
fn what_is_kept_of_a_user_does_not_hold_their_workspace_and_no_user_holds_another() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Places {
        data: folder.path().join("data"),
        work: folder.path().join("work"),
        brought: Vec::new(),
        bounds: Bounds::Anywhere,
    };
    let options = Options::try_parse_from(Vec::<String>::new()).unwrap();
    let house = House::new(options.run, owner.clone());
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
