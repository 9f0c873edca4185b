use super::*;

#[track_caller]
fn check(wanted: Wanted, reason: Reason, text: &str) {
    assert_eq!(Refusal { wanted, reason }.to_string(), text);
}

#[test]
fn a_refusal_names_the_missing_grant() {
    let read = || Wanted::Request("read:secret/key".parse().unwrap());
    check(read(), Reason::Missing, "missing grant read:secret/key");
    check(read(), Reason::Denied("path:secret/".into()), "read:secret/key is denied by path:secret/");
    check(Wanted::Lookup("db.lan".into()), Reason::Missing, "missing grant fetch:tcp://db.lan:*");
    check(
        Wanted::Connect("10.0.0.1:22".parse().unwrap()),
        Reason::NoNetwork,
        "fetch:tcp://10.0.0.1:22 is refused: the call has no network",
    );
    check(Wanted::Link("a".into()), Reason::Never, "refused to make the link a");
}

#[test]
fn the_same_refusal_is_written_down_once_and_a_flood_is_counted() {
    let audit = Audit::default();
    for _ in 0..10 {
        audit.refuse(Wanted::Link("a".into()), Reason::Never);
    }
    for number in 0..100 {
        audit.refuse(Wanted::Device(number.to_string()), Reason::Never);
    }
    let (refusals, unlisted) = audit.take();
    assert_eq!((refusals.len(), unlisted), (MAX_REFUSALS, 101 - MAX_REFUSALS as u64));
    assert_eq!(audit.take(), (Vec::new(), 0));
}

#[test]
fn a_guest_cannot_make_a_refusal_heavy() {
    let audit = Audit::default();
    let long = "ä".repeat(1 << 20);
    for wanted in [
        Wanted::Lookup(long.clone()),
        Wanted::Link(long.clone()),
        Wanted::Outside(long.clone()),
        Wanted::Device(long),
    ] {
        audit.refuse(wanted, Reason::Never);
    }
    let (refusals, _) = audit.take();
    assert_eq!(refusals.len(), 4);
    assert!(refusals.iter().all(|refusal| refusal.to_string().len() < 400));
}
