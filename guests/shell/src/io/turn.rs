//! A cooperative executor: runs futures in one thread, without outside events that could wake them.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// A future that may borrow and stays in this thread.
pub(crate) type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs a future to its end. A future that waits is polled again in a later turn.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Runs futures in turns until each has ended, and returns their results in order.
///
/// A finished future is dropped at once, because others may wait for a handle that it holds open.
pub(crate) async fn join<T>(futures: Vec<LocalFuture<'_, T>>) -> Vec<T> {
    let mut running: Vec<Option<LocalFuture<'_, T>>> = futures.into_iter().map(Some).collect();
    let mut ended: Vec<Option<T>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        // From the last stage to the first, so that readers are known to wait before a writer
        // writes.
        for (slot, result) in running.iter_mut().zip(ended.iter_mut()).rev() {
            let Some(future) = slot else { continue };
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                *result = Some(value);
                *slot = None;
            }
        }
        if running.iter().any(Option::is_some) {
            return Poll::Pending;
        }
        Poll::Ready(ended.iter_mut().filter_map(Option::take).collect())
    })
    .await
}
