//! Threads on which guests run, so that no guest ever holds up the threads that serve everybody.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is to be done on a thread.
type Job = Box<dyn FnOnce() + Send>;

/// A pool that grows up to its limit when all threads are busy, and shrinks when they are not.
#[derive(Debug)]
pub(crate) struct Workers(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    bell: Condvar,
    max: u32,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("max", &self.max).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: u32,
    idle: u32,
    closed: bool,
}

/// Why a job was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Busy {
    /// Too many wait already.
    Full,
    /// No thread could be started, and none is there.
    NoThread,
}

/// How many jobs may wait. More means that nobody is waiting for the answers any more.
const MAX_WAITING: usize = 10_000;
/// How long a thread without work stays.
const PATIENCE: Duration = Duration::from_secs(10);
/// A guest's own stack and the host's functions on top of it.
const STACK: usize = 4 << 20;

impl Workers {
    pub(crate) fn new(max: u32) -> Self {
        let max = max.max(1);
        Self(Arc::new(Shared { queue: Mutex::default(), bell: Condvar::new(), max }))
    }

    /// Does `job` on some thread, as soon as one is free.
    pub(crate) fn submit(&self, job: impl FnOnce() + Send + 'static) -> Result<(), Busy> {
        let mut queue = self.0.lock();
        if queue.jobs.len() >= MAX_WAITING {
            return Err(Busy::Full);
        }
        queue.jobs.push_back(Box::new(job));
        if (queue.idle as usize) < queue.jobs.len() && queue.threads < self.0.max {
            let shared = Arc::clone(&self.0);
            let spawned = std::thread::Builder::new()
                .name("holm-guest".to_owned())
                .stack_size(STACK)
                .spawn(move || shared.work());
            match spawned {
                Ok(_) => queue.threads += 1,
                Err(_) if queue.threads == 0 => {
                    queue.jobs.pop_back();
                    return Err(Busy::NoThread);
                }
                // Another thread takes it when it is free.
                Err(_) => {}
            }
        }
        drop(queue);
        self.0.bell.notify_one();
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // A job tells its own panics; this one only keeps the thread.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                queue = self.lock();
                continue;
            }
            if queue.closed {
                break;
            }
            queue.idle += 1;
            let (guard, waited) =
                self.bell.wait_timeout(queue, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            queue = guard;
            queue.idle -= 1;
            if waited.timed_out() && queue.jobs.is_empty() {
                break;
            }
        }
        queue.threads -= 1;
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.bell.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn many_jobs_run_on_few_threads_and_a_panic_takes_none_away() {
        let workers = Workers::new(2);
        let (sender, receiver) = mpsc::channel();
        for number in 0..100 {
            let sender = sender.clone();
            workers
                .submit(move || {
                    sender.send(number).unwrap();
                    assert!(number % 10 != 0, "a job that fails");
                })
                .unwrap();
        }
        drop(sender);
        let mut seen: Vec<u32> = receiver.iter().collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
        assert!(workers.0.lock().threads <= 2);
    }

    #[test]
    fn a_blocked_job_does_not_hold_up_the_next() {
        let workers = Workers::new(2);
        let (hold, held) = mpsc::channel::<()>();
        workers.submit(move || assert!(held.recv().is_err())).unwrap();
        let (sender, receiver) = mpsc::channel();
        workers.submit(move || sender.send(1).unwrap()).unwrap();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(1));
        drop(hold);
    }
}
