//! Turns panics of foreign code into values.
//!
//! It is for code of tools (`tool/containment.rs`, `tool/threads.rs`). Hooks are caught in
//! `hook/hook_calls.rs`, children in `child/panic_result.rs`. A long message is cut between words:
//! half a secret would not be recognised and removed.

use std::{
    any::Any,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use crate::BoxFuture;

/// A panic's message is cut here, between two words: half a secret would not be recognised.
const LONGEST: usize = 2000;

/// The result of the work, or the message of its panic.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // State that the code left half changed is its own: it is never called again for this call.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(payload.as_ref()))
}

/// A future that returns panics as values.
pub(super) struct PanicCatcher<T>(pub(super) BoxFuture<'static, T>);

impl<T> Future for PanicCatcher<T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match caught(|| self.0.as_mut().poll(context)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("it did not say why");
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
    let whole_words =
        head.rfind(char::is_whitespace).and_then(|end| head.get(..end)).unwrap_or_default().trim_end();
    format!("{whole_words} …")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_two_words() {
        let key = "k".repeat(60);
        let message =
            caught(|| std::panic::panic_any(format!("{} {key} {}", "w ".repeat(980), "z".repeat(500))));
        assert_eq!(message, Err::<(), _>(format!("{}…", "w ".repeat(980))));
        let one_word = caught(|| std::panic::panic_any("w".repeat(LONGEST + 1)));
        assert_eq!(one_word, Err::<(), _>(" …".into()));
    }
}
