use holm_runtime::CancellationToken;
use tokio::sync::{mpsc, oneshot};

use super::{Ask, last};
use crate::{Limits, live::Admission};

fn ask() -> Ask {
    let admission = Admission::new(&Limits::default());
    let ticket = admission.queue(&"ada".parse().unwrap()).unwrap();
    let ((done, _), (kept, _)) = (oneshot::channel(), oneshot::channel());
    Ask { prompt: None, ticket, give_up: CancellationToken::new(), kept, done }
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
