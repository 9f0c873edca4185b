//! Another session, which calls an honest guest all the time and notes how long that takes; and
//! what memory this process has.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::kit::{ECHO, bare, load, sandbox, text};

/// The other session.
pub(crate) struct Neighbour {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    gone: AtomicBool,
    failed: AtomicU64,
    times: Mutex<Vec<Duration>>,
}

impl Neighbour {
    pub(crate) fn move_in() -> Self {
        let shared = Arc::new(Shared::default());
        let (seen, guest) = (Arc::clone(&shared), load(&text(ECHO)));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            while !seen.gone.load(Ordering::Relaxed) {
                let began = Instant::now();
                let outcome = runtime.block_on(sandbox().run(&guest, bare().input("hello")));
                seen.times.lock().unwrap().push(began.elapsed());
                if outcome.reply != Some(Ok("hello".to_owned())) {
                    seen.failed.fetch_add(1, Ordering::Relaxed);
                }
                // A session also thinks.
                std::thread::sleep(Duration::from_micros(500));
            }
        });
        Self { shared, thread }
    }

    /// Begins to note.
    pub(crate) fn listen(&self) {
        self.shared.times.lock().unwrap().clear();
    }

    /// How many calls there were since, at least one, and how long the one in the middle took.
    pub(crate) fn heard(&self) -> (usize, Duration) {
        // An attack that is refused at first sight is over before the next call; then that one is waited for.
        loop {
            let mut times = std::mem::take(&mut *self.shared.times.lock().unwrap());
            times.sort();
            if let Some(middle) = times.get(times.len() / 2) {
                return (times.len(), *middle);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// How many calls failed in all.
    pub(crate) fn leave(self) -> u64 {
        self.shared.gone.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        self.shared.failed.load(Ordering::Relaxed)
    }
}

/// The memory of this process that is in use.
pub(crate) fn memory() -> u64 {
    status("VmRSS:")
}

/// The most that was in use since [`forget_peak`].
pub(crate) fn peak() -> u64 {
    status("VmHWM:")
}

/// Lets the system count the peak anew.
pub(crate) fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}
