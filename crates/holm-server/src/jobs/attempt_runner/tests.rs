use holm_kernel::{Ending, Event, EventId, NanoUsd, Numbered, Seq, Timestamp, Usage};

use super::{AttemptOutcome, Outcome, ending_of, turned_away};
use crate::ApiError;

fn told(events: impl IntoIterator<Item = Event>) -> Vec<Numbered> {
    let numbered = |(record, event)| {
        let id = EventId { record: Seq::new(record), index: 0 };
        Numbered { id, at: Timestamp::new(0), event }
    };
    (0..).zip(events).map(numbered).collect()
}

#[test]
fn how_a_try_ended_is_what_the_journal_says_of_what_was_begun_last() {
    let begins = |group| Event::GroupStarted { group };
    let ends = |text: &str| {
        let ending = Box::new(Ending::Answered { text: text.into() });
        let (usage, spent) = (Usage::default(), NanoUsd::new(7));
        Event::GroupEnded { ending, last: None, usage, spent }
    };
    let answered =
        |text: &str| AttemptOutcome::Ended { outcome: Outcome::answered(text), spent: NanoUsd::new(7) };
    for (events, expect) in [
        (vec![], None),
        (vec![begins(1)], None),
        (vec![begins(1), ends("a")], Some(answered("a"))),
        (vec![begins(1), ends("a"), Event::GrantsChanged], Some(answered("a"))),
        (vec![begins(1), ends("a"), begins(2), ends("b")], Some(answered("b"))),
        // What was answered before is no answer to what is under way.
        (vec![begins(1), ends("a"), begins(2)], None),
    ] {
        let events = told(events);
        assert_eq!(ending_of(&events), expect, "{events:?}");
    }
}

#[test]
fn a_try_that_another_server_has_begun_is_no_failure_and_is_not_tried_again() {
    let reason = || "why".to_owned();
    for (refusal, expect) in [
        (ApiError::conflict("exists", reason()), AttemptOutcome::Elsewhere),
        (ApiError::conflict("driven_elsewhere", reason()), AttemptOutcome::Elsewhere),
        (ApiError::busy("stopping", reason(), 1), AttemptOutcome::Parked),
        (ApiError::busy("full", reason(), 1), AttemptOutcome::ended(Outcome::Failed { reason: reason() })),
        (ApiError::bad("refused", reason()), AttemptOutcome::ended(Outcome::Refused { reason: reason() })),
    ] {
        assert_eq!(turned_away(&refusal), expect, "{refusal:?}");
    }
}
