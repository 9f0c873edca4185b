use std::path::Path;

use holm::kernel::{Bound, Budget, Limits, NanoUsd};
use holm_server::{FolderLevel, SessionProviderError, auth::UserName};
use holm_tools::agents::AgentLimits;

use super::{CliSessionProvider, SessionStorage, catalogue::bounded};
use crate::{commands::run::RunArgs, holm_paths::HolmPaths};

fn house(options: &[&str], folder: &Path) -> (CliSessionProvider, HolmPaths) {
    let owner = HolmPaths::at(folder.join("data"), folder.join("work"));
    let options = RunArgs::behind("holm serve --", options.iter().copied()).unwrap();
    (CliSessionProvider::new(options, owner.clone(), SessionStorage::Files), owner)
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

#[test]
fn an_agent_that_somebody_writes_goes_no_further_than_the_usual_one() {
    let (turns, budget) = (Bound::AtMost(10), Budget { usd: Some(NanoUsd::new(100)) });
    let usual = Limits { turns, budget, ..Limits::default() };
    let wanted = |turns, spend: Option<u64>| {
        let spend = spend.map(NanoUsd::new);
        AgentLimits { turns, spend, ..AgentLimits::default() }
    };
    for (limits, fits) in [
        (wanted(None, None), true),
        (wanted(Some(10), Some(100)), true),
        (wanted(Some(11), None), false),
        (wanted(None, Some(101)), false),
    ] {
        let said = bounded(&usual, &limits);
        assert_eq!(said.is_ok(), fits, "{limits:?}");
        assert!(fits || matches!(said, Err(SessionProviderError::TooMuch(_))), "{limits:?}");
    }
    let usual = Limits { turns: Bound::Unbounded, budget: Budget::default(), ..usual };
    assert!(bounded(&usual, &wanted(Some(1_000), Some(1_000))).is_ok());
}

#[test]
fn the_level_of_the_folder_is_stored_for_the_owner_and_its_meaning_follows_the_flags() {
    for (flags, level, expect) in [
        ([].as_slice(), FolderLevel::Jail, "run commands in the jail"),
        (&[], FolderLevel::Look, "Agents read files here."),
        (&["--unconfined"], FolderLevel::Jail, "`edit` applies. Agents read and write files here."),
        (&["--unconfined"], FolderLevel::Look, "Agents read files here."),
        (&["--trust", "look"], FolderLevel::Jail, "started with --trust look"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (house, owner) = house(flags, folder.path());
        std::fs::create_dir_all(&owner.data).unwrap();
        std::fs::create_dir_all(&owner.work).unwrap();
        assert_eq!(house.show_folder_trust(&UserName::owner()).unwrap().level, None);
        let stored = house.store_folder_trust(&UserName::owner(), level).unwrap();
        assert_eq!((stored.level, stored.levels.len()), (Some(level), 4));
        assert!(stored.meaning.contains(expect), "{flags:?} {level:?}: {}", stored.meaning);
        assert_eq!(house.show_folder_trust(&UserName::owner()), Ok(stored));
        let missing = house.store_folder_trust(&"ada".parse().unwrap(), FolderLevel::Jail);
        assert!(matches!(missing, Err(SessionProviderError::Missing { .. })), "{missing:?}");
    }
}
