use alloc::string::ToString;
use alloc::vec;

use super::{Reason, Ruling, RulingChain, Severity, excerpt};

fn reason(guard: &str) -> Reason {
    Reason::new(guard, "because")
}

#[test]
fn a_chain_without_guards_accepts() {
    assert_eq!(RulingChain::new().ruling(), Ruling::Accept);
}

#[test]
fn a_chain_stops_at_the_first_rejection_and_the_second_guard_is_never_called() {
    let mut called = false;
    let chain = RulingChain::new().then(|| Ruling::Reject(reason("first"))).then(|| {
        called = true;
        Ruling::Reject(reason("second"))
    });
    assert_eq!(chain.ruling(), Ruling::Reject(reason("first")));
    assert!(!called);
}

#[test]
fn a_chain_says_whether_it_goes_on() {
    let mut chain = RulingChain::new();
    assert!(chain.ask(|| Ruling::Accept));
    assert!(chain.ask(|| Ruling::Warn(reason("doubt"))));
    assert!(!chain.ask(|| Ruling::Reject(reason("no"))));
    assert!(!chain.ask(|| Ruling::Accept));
}

#[test]
fn warnings_do_not_stop_a_chain_and_all_of_them_are_kept() {
    let chain = RulingChain::new()
        .then(|| Ruling::Warn(reason("a")))
        .then(|| Ruling::Accept)
        .then(|| Ruling::Warn(reason("b")));
    assert_eq!(chain.warnings(), vec![reason("a"), reason("b")]);
    assert_eq!(chain.ruling(), Ruling::Warn(reason("a")));
}

#[test]
fn the_stronger_of_two_rulings_wins_and_the_first_of_equals() {
    let (warn, reject) = (Ruling::Warn(reason("w")), Ruling::Reject(reason("r")));
    let cases = [
        (Ruling::Accept, warn.clone(), warn.clone()),
        (warn.clone(), reject.clone(), reject.clone()),
        (reject.clone(), warn.clone(), reject.clone()),
        (reject.clone(), Ruling::Reject(reason("later")), reject),
        (warn.clone(), Ruling::Warn(reason("later")), warn),
    ];
    for (first, later, expect) in cases {
        assert_eq!(first.and(later), expect);
    }
}

#[test]
fn a_severity_nobody_chose_rejects() {
    assert_eq!(Ruling::by(Severity::default(), reason("g")), Ruling::Reject(reason("g")));
}

#[test]
fn rulings_have_a_stable_serde_form() {
    let ruling = Ruling::Reject(reason("g"));
    let text = serde_json::to_string(&ruling).unwrap();
    assert_eq!(text, r#"{"reject":{"guard":"g","message":"because"}}"#);
    assert_eq!(serde_json::from_str::<Ruling>(&text).unwrap(), ruling);
    assert_eq!(serde_json::to_string(&Ruling::Accept).unwrap(), r#""accept""#);
    assert_eq!(serde_json::to_string(&Severity::Warn).unwrap(), r#""warn""#);
    assert_eq!(reason("g").to_string(), "g: because");
}

#[test]
fn an_excerpt_is_one_bounded_line_without_escapes() {
    assert_eq!(excerpt("  a\u{1b}[31m\nb "), "a [31m b");
    let long = excerpt(&"é".repeat(500));
    assert_eq!(long.chars().count(), 121);
    assert!(long.ends_with('…'));
}
