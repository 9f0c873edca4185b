use super::*;

#[track_caller]
fn check(wanted: DeniedAction, reason: DeniedReason, text: &str) {
    assert_eq!(AccessDenied { wanted, reason }.to_string(), text);
}

#[test]
fn a_refusal_names_the_missing_grant() {
    let read = || DeniedAction::Request("read:secret/key".parse().unwrap());
    check(read(), DeniedReason::Missing, "missing grant read:secret/key");
    check(read(), DeniedReason::Denied("path:secret/".into()), "read:secret/key is denied by path:secret/");
    check(DeniedAction::Lookup("db.lan".into()), DeniedReason::Missing, "missing grant fetch:tcp://db.lan:*");
    check(
        DeniedAction::Connect("10.0.0.1:22".parse().unwrap()),
        DeniedReason::NoNetwork,
        "fetch:tcp://10.0.0.1:22 is refused: the call has no network",
    );
    check(DeniedAction::Link("a".into()), DeniedReason::Never, "refused to make the link a");
}

#[test]
fn the_same_refusal_is_written_down_once_and_a_flood_is_counted() {
    let audit = DenialLog::default();
    for _ in 0..10 {
        audit.refuse(DeniedAction::Link("a".into()), DeniedReason::Never);
    }
    for number in 0..100 {
        audit.refuse(DeniedAction::Device(number.to_string()), DeniedReason::Never);
    }
    let (refusals, unlisted) = audit.take();
    assert_eq!((refusals.len(), unlisted), (MAX_REFUSALS, 101 - MAX_REFUSALS as u64));
    assert_eq!(audit.take(), (Vec::new(), 0));
}

#[test]
fn a_guest_cannot_make_a_refusal_heavy() {
    let audit = DenialLog::default();
    let long = "ä".repeat(1 << 20);
    for wanted in [
        DeniedAction::Lookup(long.clone()),
        DeniedAction::Link(long.clone()),
        DeniedAction::Outside(long.clone()),
        DeniedAction::Device(long),
    ] {
        audit.refuse(wanted, DeniedReason::Never);
    }
    let (refusals, _) = audit.take();
    assert_eq!(refusals.len(), 4);
    assert!(refusals.iter().all(|refusal| refusal.to_string().len() < 400));
}
