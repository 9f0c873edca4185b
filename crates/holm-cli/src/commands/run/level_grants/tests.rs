use super::*;

#[test]
fn the_budget_of_a_server_raises_no_budget_that_a_session_has_of_its_own() {
    let usd = NanoUsd::new;
    for (flag, own, began, expect) in [
        // A job, or a session that began at a terminal.
        (50, Some(10), Some(50), 10),
        (50, Some(10), None, 10),
        (5, Some(10), Some(50), 5),
        // It began with the server's, which changed.
        (80, Some(50), Some(50), 80),
        (20, Some(50), Some(50), 20),
        (50, None, None, 50),
    ] {
        assert_eq!(served_budget(usd(flag), own.map(usd), began.map(usd)), usd(expect), "{flag} {own:?}");
    }
}
