use super::{GrantPolicy, PolicyDecision};
use crate::denial::DenialSet;
use crate::set::{AddressDenied, GrantSet};
use crate::template::NeedTemplate;

fn policy(grants: &[&str], denials: &[&str]) -> GrantPolicy {
    GrantPolicy {
        grants: GrantSet::parse(grants.iter().copied()).unwrap(),
        denials: DenialSet::parse(denials.iter().copied()).unwrap(),
    }
}

#[test]
fn a_denial_is_final() {
    let policy = policy(&["read:**", "read:.env"], &["path:**/.env"]);
    assert!(matches!(policy.decide(&"read:.env".parse().unwrap()), PolicyDecision::Denied(_)));
    assert!(matches!(policy.decide(&"write:.env".parse().unwrap()), PolicyDecision::Denied(_)));
    assert!(matches!(policy.decide(&"read:a".parse().unwrap()), PolicyDecision::Granted(_)));
    assert_eq!(policy.decide(&"write:a".parse().unwrap()), PolicyDecision::Missing);
}

#[test]
fn a_need_for_a_folder_is_denied_only_where_the_whole_folder_is() {
    let policy = policy(&["read:**"], &["path:**/.git/"]);
    let template: NeedTemplate = "read:{path}/".parse().unwrap();
    let decide = |path| {
        let needs = template.needs(|_| alloc::vec![path]).unwrap();
        let [need] = needs.as_slice() else { panic!("one need") };
        match policy.decide_need(need) {
            PolicyDecision::Granted(_) => "granted",
            PolicyDecision::Denied(_) => "denied",
            PolicyDecision::Missing => "missing",
        }
    };
    assert_eq!(decide("."), "granted");
    assert_eq!(decide(".git/hooks"), "denied");
    assert_eq!(decide("/etc"), "missing");
}

#[test]
fn a_child_has_no_more_grants_and_no_fewer_denials() {
    let parent = policy(&["read:src/"], &["path:**/.env"]);
    let child = parent.attenuate(&policy(&["read:**", "write:**"], &["exec:rm"]));
    assert_eq!(child, policy(&["read:src/"], &["path:**/.env", "exec:rm"]));
}

#[test]
fn a_denied_address_is_denied_under_every_name() {
    let policy = policy(&["fetch:https://*"], &["fetch:*://93.184.216.34"]);
    let url = "https://example.com/".parse().unwrap();
    assert_eq!(policy.reach(&url, "93.184.216.34".parse().unwrap()), Err(AddressDenied::Denied));
    assert_eq!(policy.reach(&url, "93.184.216.35".parse().unwrap()), Ok(()));
}

#[test]
fn an_empty_policy_decides_nothing_and_stores_little() {
    let json = serde_json::to_string(&GrantPolicy::default()).unwrap();
    assert_eq!(json, r#"{"grants":[]}"#);
    assert_eq!(serde_json::from_str::<GrantPolicy>(r#"{"later":1}"#).unwrap(), GrantPolicy::default());
}
