use super::{Finished, Outcome, turned_away};
use crate::Refusal;

#[test]
fn a_try_that_another_server_has_begun_is_no_failure_and_is_not_tried_again() {
    let reason = || "why".to_owned();
    for (refusal, expect) in [
        (Refusal::conflict("exists", reason()), Finished::Elsewhere),
        (Refusal::conflict("driven_elsewhere", reason()), Finished::Elsewhere),
        (Refusal::busy("stopping", reason(), 1), Finished::Parked),
        (Refusal::busy("full", reason(), 1), Finished::ended(Outcome::Failed { reason: reason() })),
        (Refusal::bad("refused", reason()), Finished::ended(Outcome::Refused { reason: reason() })),
    ] {
        assert_eq!(turned_away(&refusal), expect, "{refusal:?}");
    }
}
