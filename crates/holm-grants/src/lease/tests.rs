use super::{GrantLease, GrantLeases};
use crate::grant::Grant;

fn grant(text: &str) -> Grant {
    text.parse().unwrap()
}

fn leases(list: &[(&str, Option<u64>)]) -> GrantLeases {
    let mut leases = GrantLeases::default();
    for (text, until) in list {
        leases.give(GrantLease { grant: grant(text), until: *until });
    }
    leases
}

#[test]
fn a_temporary_grant_ends_at_its_moment() {
    let leases = leases(&[("read:a", Some(10)), ("read:b", None)]);
    assert_eq!(leases.active_at(9).len(), 2);
    assert_eq!(leases.active_at(10).len(), 1);
    assert_eq!(leases.active_at(u64::MAX).len(), 1);
}

#[test]
fn a_revoked_grant_takes_everything_beneath_it_along() {
    let mut leases =
        leases(&[("write:src/a", None), ("write:src/b", Some(5)), ("write:**", None), ("read:src/a", None)]);
    assert_eq!(leases.revoke(&grant("write:src/")), 2);
    assert_eq!(leases.active_at(0), [grant("write:**"), grant("read:src/a")].into_iter().collect());
}

#[test]
fn the_newest_end_of_a_grant_counts() {
    let mut leases = leases(&[("read:a", None), ("read:a", Some(3))]);
    assert_eq!(leases.active_at(3).len(), 0);
    assert_eq!(leases.next_end(0), Some(3));
    assert_eq!(leases.next_end(3), None);
    leases.expire(3);
    assert_eq!(leases.iter().count(), 0);
}

#[test]
fn leases_are_stored_in_a_stable_form() {
    let leases = leases(&[("read:a", None), ("read:b", Some(3))]);
    let json = serde_json::to_string(&leases).unwrap();
    assert_eq!(json, r#"[{"grant":"read:a"},{"grant":"read:b","until":3}]"#);
    assert_eq!(serde_json::from_str::<GrantLeases>(&json).unwrap(), leases);
}
