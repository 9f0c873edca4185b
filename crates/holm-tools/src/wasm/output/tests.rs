use holm_grants::AccessRequest;
use holm_sandbox::{DeniedAction, DeniedReason, GuestUsage};

use super::*;

/// More than this a run does not keep of a tool's metadata.
const KEPT: usize = 64 << 10;

fn outcome(answer: &str, refusals: Vec<AccessDenied>) -> GuestOutcome {
    GuestOutcome {
        stop: GuestStop::Returned,
        reply: None,
        stdout: answer.as_bytes().to_vec(),
        stderr: vec![b'e'; 1 << 20],
        usage: GuestUsage::default(),
        refusals,
        unlisted_refusals: 3,
    }
}

fn long_path(number: usize) -> AccessDenied {
    let path = format!("secrets/{number}/{}", "deep/".repeat(220).trim_end_matches('/'));
    AccessDenied {
        wanted: DeniedAction::Request(AccessRequest::Read(path.parse().unwrap())),
        reason: DeniedReason::Missing,
    }
}

#[test]
fn a_tool_cannot_crowd_out_what_it_was_refused() {
    for (answer, refusals) in [
        (format!(r#"{{"content":"ok","metadata":"{}"}}"#, "x".repeat(70_000)), vec![long_path(0)]),
        (
            format!(r#"{{"content":"ok","metadata":"{}"}}"#, "x".repeat(30_000)),
            (0..64).map(long_path).collect(),
        ),
        (
            format!(r#"{{"content":"ok","metadata":{}1{}}}"#, "[".repeat(40), "]".repeat(40)),
            vec![long_path(0)],
        ),
        ("fine".to_owned(), (0..64).map(long_path).collect()),
    ] {
        let metadata = of(&outcome(&answer, refusals.clone())).metadata.unwrap();
        assert!(metadata.canonical().len() < KEPT, "{}", metadata.canonical().len());
        assert!(metadata.get("tool").is_none());
        let Some(Json::Array(listed)) = metadata.get("refused") else { panic!("nothing was refused") };
        let first = listed.first().and_then(Json::as_str).unwrap();
        assert!(first.starts_with("missing grant read:secrets/0/deep/"), "{first}");
        let more = metadata.get("refused_more").unwrap().canonical();
        assert_eq!(more, (refusals.len() - listed.len() + 3).to_string());
    }
}

#[test]
fn a_tools_own_metadata_is_kept_where_it_fits() {
    let metadata = of(&outcome(r#"{"content":"ok","metadata":{"rows":7}}"#, Vec::new())).metadata.unwrap();
    assert_eq!(metadata.get("tool").map(Json::canonical).as_deref(), Some(r#"{"rows":7}"#));
}
