//! A stream that is polled only after it was woken. Polling the terminal for keys is expensive. Its
//! reader holds a lock while no key is pressed, and a second reader yields the processor several
//! times before it gives up. The loop would do so with every piece of a reply, and on a busy
//! machine it would mostly wait. `SelectAll` does not help: it polls with a new waker after each
//! item, but the terminal keeps the first waker.
//!
//! It knows nothing about keys; `chat_loop.rs` uses it for them. The waker must be registered
//! before the flag is read, or a key could be lost until the next one.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures::{Stream, task::AtomicWaker};

/// Polls another stream once, and then only after that stream has woken it.
pub(super) struct WakeDrivenStream<S> {
    stream: S,
    bell: Arc<WakeFlag>,
    /// The waker for the stream. It is always the same, so it does not matter which
    /// one the stream kept.
    rings: Waker,
}

/// Set when the stream wakes, and wakes the task that polls.
struct WakeFlag {
    is_rung: AtomicBool,
    waits: AtomicWaker,
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_rung.store(true, Ordering::Release);
        self.waits.wake();
    }
}

impl<S> WakeDrivenStream<S> {
    pub(super) fn new(stream: S) -> Self {
        // The stream has not woken anyone before its first poll.
        let bell = Arc::new(WakeFlag { is_rung: AtomicBool::new(true), waits: AtomicWaker::new() });
        Self { stream, rings: Waker::from(Arc::clone(&bell)), bell }
    }
}

impl<S: Stream + Unpin> Stream for WakeDrivenStream<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let Self { stream, bell, rings } = self.get_mut();
        // Register before the flag is read: a wake from here on reaches the current task.
        bell.waits.register(context.waker());
        if !bell.is_rung.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let said = Pin::new(stream).poll_next(&mut Context::from_waker(rings));
        if said.is_ready() {
            // There may be more items, and the stream does not wake for items
            // that are already there.
            bell.is_rung.store(true, Ordering::Release);
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        sync::{Mutex, atomic::AtomicUsize},
    };

    use futures::{StreamExt as _, stream};

    use super::*;

    /// Keys that were pressed and not read yet, and how often the stream was polled.
    #[derive(Default)]
    struct Terminal {
        keys: VecDeque<u8>,
        asked: usize,
        waker: Option<Waker>,
    }

    fn keys_of(terminal: Arc<Mutex<Terminal>>) -> WakeDrivenStream<impl Stream<Item = u8> + Unpin> {
        WakeDrivenStream::new(stream::poll_fn(move |context| {
            let mut terminal = terminal.lock().unwrap();
            terminal.asked += 1;
            let key = terminal.keys.pop_front();
            if key.is_none() {
                terminal.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(key)
        }))
    }

    fn press(terminal: &Mutex<Terminal>, key: u8) {
        let mut held = terminal.lock().unwrap();
        held.keys.push_back(key);
        let waker = held.waker.take();
        drop(held);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// A task that waits for keys, and how often it was woken.
    #[derive(Default)]
    struct Loop(AtomicUsize);

    impl Wake for Loop {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Loop {
        fn woken(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn ask(keys: &mut (impl Stream<Item = u8> + Unpin), by: &Arc<Loop>) -> Poll<Option<u8>> {
        let waker = Waker::from(Arc::clone(by));
        Pin::new(keys).poll_next(&mut Context::from_waker(&waker))
    }

    #[test]
    fn the_terminal_is_asked_only_when_it_has_rung() {
        let (terminal, front) = (Arc::<Mutex<Terminal>>::default(), Arc::<Loop>::default());
        let mut keys = keys_of(Arc::clone(&terminal));
        for _ in 0..100 {
            assert_eq!(ask(&mut keys, &front), Poll::Pending);
        }
        assert_eq!((terminal.lock().unwrap().asked, front.woken()), (1, 0));
        press(&terminal, 7);
        assert_eq!(front.woken(), 1);
        assert_eq!(ask(&mut keys, &front), Poll::Ready(Some(7)));
        for _ in 0..100 {
            assert_eq!(ask(&mut keys, &front), Poll::Pending);
        }
        assert_eq!(terminal.lock().unwrap().asked, 3);
    }

    #[test]
    fn all_that_was_pressed_is_had_however_often_the_terminal_has_rung() {
        let (terminal, front) = (Arc::<Mutex<Terminal>>::default(), Arc::<Loop>::default());
        let mut keys = keys_of(Arc::clone(&terminal));
        (1..4).for_each(|key| press(&terminal, key));
        (1..4).for_each(|key| {
            assert_eq!(ask(&mut keys, &front), Poll::Ready(Some(key)), "before the first question");
        });
        assert_eq!(ask(&mut keys, &front), Poll::Pending);
        (4..8).for_each(|key| press(&terminal, key));
        assert_eq!(front.woken(), 1, "it rings once");
        (4..8).for_each(|key| assert_eq!(ask(&mut keys, &front), Poll::Ready(Some(key))));
        assert_eq!(ask(&mut keys, &front), Poll::Pending);
    }

    #[test]
    fn a_ring_that_comes_while_the_terminal_is_asked_is_not_lost() {
        let mut asked = 0;
        let mut keys = WakeDrivenStream::new(stream::poll_fn(move |context| {
            asked += 1;
            if asked == 1 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(Some(asked))
        }));
        let front = Arc::<Loop>::default();
        assert_eq!(ask(&mut keys, &front), Poll::Pending);
        assert_eq!(front.woken(), 1);
        assert_eq!(ask(&mut keys, &front), Poll::Ready(Some(2)));
    }

    #[test]
    fn whoever_asked_last_is_woken_though_the_terminal_was_not_asked_for_them() {
        let (terminal, first, last) =
            (Arc::<Mutex<Terminal>>::default(), Arc::<Loop>::default(), Arc::<Loop>::default());
        let mut keys = keys_of(Arc::clone(&terminal));
        assert_eq!(ask(&mut keys, &first), Poll::Pending);
        assert_eq!(ask(&mut keys, &last), Poll::Pending);
        press(&terminal, 1);
        assert_eq!((first.woken(), last.woken()), (0, 1));
    }

    #[tokio::test]
    async fn every_key_of_another_thread_arrives() {
        let (pressed, keys) = futures::channel::mpsc::unbounded();
        let hand = std::thread::spawn(move || {
            for key in 0..20_000_u32 {
                pressed.unbounded_send(key).unwrap();
            }
        });
        let heard: Vec<u32> = WakeDrivenStream::new(keys).collect().await;
        assert!(heard.into_iter().eq(0..20_000));
        hand.join().unwrap();
    }
}
