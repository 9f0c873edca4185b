use holm::{grants::Mode, kernel::NanoUsd};

use super::*;

#[test]
fn what_was_kept_is_read_again_and_holds_in_its_folder_alone() {
    let data = tempfile::tempdir().unwrap();
    let here = HolmPaths::at(data.path(), "/srv/one");
    assert_eq!(SessionSidecar::of(&here, "a/b").unwrap(), None);
    let terms = SessionTerms {
        granted: vec!["exec:git".parse().unwrap()],
        level: LevelTerms { grants: vec!["read:**".parse().unwrap()], mode: Some(Mode::AcceptEdits) },
        denied: vec!["git push".parse().unwrap()],
        server_budget: Some(NanoUsd::new(7)),
    };
    let began = SessionSidecar::here(&here, terms.clone());
    began.keep(&here, "a/b").unwrap();
    let elsewhere = HolmPaths::at(data.path(), "/srv/two");
    assert_eq!(SessionSidecar::of(&elsewhere, "a/b").unwrap(), Some(began.clone()));
    assert_eq!(SessionSidecar::of(&elsewhere, "a/c").unwrap(), None);
    assert_eq!(SessionSidecar::past(&here, "a/b").unwrap(), PastTerms::Known(Box::new(terms)));
    assert_eq!(SessionSidecar::past(&here, "a/c").unwrap(), PastTerms::Lost);
    assert!(SessionSidecar::past(&elsewhere, "a/b").is_err(), "a fork works in the same folder too");
    assert!(began.check(&here, "a/b").is_ok());
    let refused = began.check(&elsewhere, "a/b").unwrap_err().to_string();
    assert!(refused.contains("works in /srv/one, but you are in /srv/two"), "{refused}");
}

#[test]
fn a_fork_knows_the_session_that_it_comes_from() {
    let data = tempfile::tempdir().unwrap();
    let here = HolmPaths::at(data.path(), "/srv/one");
    let forked = SessionSidecar::here(&here, SessionTerms::default()).forked("old".into(), 7);
    forked.keep(&here, "new").unwrap();
    let known = SessionSidecar::of(&here, "new").unwrap().unwrap();
    assert_eq!(known.forked_from, Some(("old".to_owned(), 7)));
    // It is resumed.
    SessionSidecar::here(&here, SessionTerms::default()).keep(&here, "new").unwrap();
    assert_eq!(SessionSidecar::of(&here, "new").unwrap(), Some(known));
}

#[test]
fn a_file_that_cannot_be_read_is_no_reason_to_forbid_less() {
    let data = tempfile::tempdir().unwrap();
    let here = HolmPaths::at(data.path(), "/srv/one");
    SessionSidecar::here(&here, SessionTerms::default()).keep(&here, "s").unwrap();
    for text in [
        "",
        "{",
        "{}",
        r#"{"folder":7}"#,
        r#"{"folder":"/srv/one","deny":["  "]}"#,
        r#"{"folder":"/srv/one","deny":7}"#,
        r#"{"folder":"/srv/one","deny":[],"level_grants":["grant everything"]}"#,
        r#"{"folder":"/srv/one","granted":["grant everything"]}"#,
        r#"{"folder":"/srv/one","level_mode":"whatever"}"#,
    ] {
        fs::write(file(&here, "s"), text).unwrap();
        assert!(SessionSidecar::of(&here, "s").is_err(), "{text}");
    }
}
