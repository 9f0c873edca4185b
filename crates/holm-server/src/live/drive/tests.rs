use holm_runtime::{CancellationToken, DriveError, JournalStorageError};
use tokio::sync::{mpsc, oneshot};

use super::{QueuedPrompt, is_final, is_left, last, unwritten};
use crate::{ApiError, ServerLimits, live::RunAdmission};

fn ask() -> QueuedPrompt {
    let admission = RunAdmission::new(&ServerLimits::default());
    let ticket = admission.queue(&"ada".parse().unwrap()).unwrap();
    let ((done, _), (kept, _)) = (oneshot::channel(), oneshot::channel());
    QueuedPrompt { prompt: None, ticket, give_up: CancellationToken::new(), kept, done }
}

#[test]
fn what_was_heard_just_before_nobody_listens_any_more_is_still_served_and_nothing_after_it() {
    let (asks, mut asked) = mpsc::channel(1);
    assert!(asks.try_send(ask()).is_ok());
    assert!(last(&mut asked).is_some());
    assert!(
        matches!(asks.try_send(ask()), Err(mpsc::error::TrySendError::Closed(_))),
        "it is not lost unheard"
    );
    assert!(last(&mut asked).is_none());
}

#[test]
fn a_run_whose_journal_could_not_be_written_is_left_to_whoever_can() {
    let lost = || Err(DriveError::Lost);
    let busy =
        Err(DriveError::Journal(JournalStorageError::Busy { run: "s-1".into(), holder: "another".into() }));
    let damaged = Err(DriveError::OtherRun { wanted: "s-1".into(), found: "s-2".into() });
    for (id, outcome, left) in [
        ("s-1", lost(), true),
        ("s-1", busy, true),
        ("s-1", Err(DriveError::Journal(JournalStorageError::LeaseLost)), true),
        ("s-1", damaged, false),
        ("s-1", Ok(()), false),
        ("job.a.b", lost(), false),
    ] {
        assert_eq!(is_left(&id.parse().unwrap(), &outcome), left, "{id} {outcome:?}");
    }
}

#[test]
fn an_accepted_prompt_is_given_up_only_if_there_is_no_money_for_it() {
    let no_money = ApiError::new(http::StatusCode::PAYMENT_REQUIRED, "over_budget", "spent");
    assert!(is_final(&no_money));
    let busy = ApiError::new(http::StatusCode::SERVICE_UNAVAILABLE, "busy", "another server counts");
    for refusal in [ApiError::lease_lost(), ApiError::failed("the store"), busy, unwritten(DriveError::Lost)]
    {
        assert!(!is_final(&refusal), "{refusal:?}");
    }
}

#[test]
fn a_client_is_told_that_the_lease_was_lost_and_that_the_run_is_resumed() {
    let error = unwritten(DriveError::Journal(JournalStorageError::LeaseLost));
    assert_eq!((error.status, error.code), (http::StatusCode::SERVICE_UNAVAILABLE, "lease_lost"));
    assert!(error.message.contains("stopped the run and its tools"), "{}", error.message);
    assert!(error.retry_after.is_some());
    assert_eq!(unwritten(DriveError::Lost).code, "failed");
}
