use std::collections::BTreeSet;

use holm_kernel::NanoUsd;

use super::{AccessToken, Role, TokenRegistry, TokenScope, UserName};

fn open() -> (tempfile::TempDir, TokenRegistry) {
    let folder = tempfile::tempdir().unwrap();
    let keyring = TokenRegistry::open(&folder.path().join("server")).unwrap();
    (folder, keyring)
}

fn first(keyring: &TokenRegistry) -> AccessToken {
    AccessToken::read(&std::fs::read_to_string(keyring.first()).unwrap()).unwrap()
}

#[test]
fn the_first_start_makes_a_token_for_the_owner_that_nobody_else_can_read() {
    let (_folder, keyring) = open();
    let who = keyring.find(&first(&keyring)).unwrap();
    assert_eq!((who.user, who.role, who.scope), (UserName::owner(), Role::Admin, TokenScope::All));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for name in ["token", "tokens.json"] {
            let path = keyring.first().with_file_name(name);
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
}

#[test]
fn a_second_start_keeps_the_tokens() {
    let (folder, keyring) = open();
    let token = first(&keyring);
    drop(keyring);
    let again = TokenRegistry::open(&folder.path().join("server")).unwrap();
    assert!(again.find(&token).is_some());
    assert_eq!(again.cards().len(), 1);
}

#[test]
fn a_token_in_clear_is_in_no_file_but_the_owners() {
    let (_folder, keyring) = open();
    let (_, token) = keyring.issue("ada".parse().unwrap(), Role::Viewer, TokenScope::All).unwrap();
    let kept = std::fs::read_to_string(keyring.first().with_file_name("tokens.json")).unwrap();
    assert!(!kept.contains(token.reveal()));
    assert!(!format!("{token:?}{:?}", token.digest()).contains(token.reveal()));
}

#[test]
fn a_token_that_was_taken_back_is_nobodys_and_its_number_is_not_used_again() {
    let (_folder, keyring) = open();
    let (card, token) = keyring.issue("ada".parse().unwrap(), Role::Operator, TokenScope::All).unwrap();
    assert!(keyring.is_valid(card.id));
    assert!(keyring.revoke(card.id).unwrap());
    assert!(!keyring.revoke(card.id).unwrap());
    assert!(keyring.find(&token).is_none() && !keyring.is_valid(card.id));
    let (next, _) = keyring.issue("ada".parse().unwrap(), Role::Operator, TokenScope::All).unwrap();
    assert_ne!(next.id, card.id);
}

#[test]
fn what_forgotten_sessions_cost_stays_spent_also_at_the_next_start() {
    let (folder, keyring) = open();
    let ada: UserName = "ada".parse().unwrap();
    keyring.issue(ada.clone(), Role::Operator, TokenScope::All).unwrap();
    keyring.forget(&ada, NanoUsd::new(30)).unwrap();
    assert_eq!(keyring.budget(&ada), None, "no bound is no bound");
    keyring.set_budget(&ada, Some(NanoUsd::new(100))).unwrap();
    assert_eq!(keyring.budget(&ada), Some(NanoUsd::new(70)));
    keyring.forget(&ada, NanoUsd::new(20)).unwrap();
    keyring.remember(&ada, NanoUsd::new(20)).unwrap();
    assert_eq!(keyring.budget(&ada), Some(NanoUsd::new(70)), "it is still there");
    keyring.forget(&ada, NanoUsd::new(90)).unwrap();
    drop(keyring);
    let again = TokenRegistry::open(&folder.path().join("server")).unwrap();
    assert_eq!(again.budget(&ada), Some(NanoUsd::new(0)));
}

#[test]
fn what_is_no_token_is_not_looked_up() {
    for text in ["", "holm_", "secret", "holm_a b", "holm_ä", &format!("holm_{}", "a".repeat(200))] {
        assert!(AccessToken::read(text).is_none(), "{text}");
    }
    let (_folder, keyring) = open();
    assert!(keyring.find(&AccessToken::read("holm_wrong").unwrap()).is_none());
}

#[test]
fn a_scope_admits_its_own_sessions() {
    let scope = TokenScope::Only(BTreeSet::from(["a".parse().unwrap()]));
    assert!(scope.admits(&"a".parse().unwrap()));
    assert!(!scope.admits(&"b".parse().unwrap()));
}

#[test]
fn a_user_is_named_plainly() {
    for bad in ["", ".", "..", "a/b", "Ada", "-a", "ä", "a b", &"a".repeat(33)] {
        assert!(bad.parse::<UserName>().is_err(), "{bad}");
    }
    assert!("ada-2".parse::<UserName>().is_ok());
}
