use holm_grants::AccessRequest;

use super::*;

#[test]
fn a_call_holds_what_it_was_allowed_and_no_more_of_the_same_host() {
    let check = |need: CallNeed, request: &str, holds: bool| {
        let request: AccessRequest = request.parse().unwrap();
        assert_eq!(grants(std::slice::from_ref(&need)).admits(&request), holds, "{need}: {request}");
    };
    let asked = |text: &str| CallNeed::Request(text.parse().unwrap());
    let granted = |text: &str| CallNeed::Grant(text.parse().unwrap());
    for page in [asked("fetch:https://h.example/pub/a?q=1"), granted("fetch:https://h.example/pub/a")] {
        check(page.clone(), "fetch:https://h.example/pub/a", true);
        check(page.clone(), "fetch:https://h.example/secret", false);
        check(page.clone(), "fetch:https://h.example/", false);
        // A raw connection has no path to be held to.
        check(page, "fetch:tcp://h.example:443", false);
    }
    check(asked("fetch:https://h.example"), "fetch:https://h.example/anything", true);
    check(asked("read:a/*"), "read:a/b", false);
    // What no pattern can spell is not given, and neither is its host.
    check(asked("fetch:https://h.example/a;b"), "fetch:https://h.example/a;b", false);
}
