//! Threads on which guests run, so that no guest ever holds up the threads of the caller.
//!
//! It runs jobs and knows no guests: `sandbox.rs` posts them. Parties take turns, and none can fill
//! the queue or all threads (`owner_shares.rs`). How many guests may run at once, on these threads
//! or on a caller's own, is decided in `gate.rs`. A job that panics costs no thread.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::owner_shares::{CallOwner, OwnerShares};

/// Work for one thread.
type WorkerJob = Box<dyn FnOnce() + Send>;

/// A pool that grows up to its limit when all threads are busy, and shrinks when they are not.
#[derive(Debug)]
pub(crate) struct WorkerPool(Arc<WorkerPoolShared>);

struct WorkerPoolShared {
    queue: Mutex<WorkerQueue>,
    bell: Condvar,
    max: u32,
    /// How many jobs were ever posted, for threads that look out for the next one.
    posted: AtomicU64,
    /// How long a thread spins for its next job before it sleeps.
    lookout: Duration,
}

impl std::fmt::Debug for WorkerPoolShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPoolShared").field("max", &self.max).finish_non_exhaustive()
    }
}

struct WorkerQueue {
    waiting: WaitingJobs,
    /// How many busy threads each party has.
    shares: OwnerShares,
    threads: u32,
    /// Threads that sleep, and threads that look out and need not be woken.
    idle: u32,
    looking: u32,
    closed: bool,
}

impl WorkerQueue {
    fn next(&mut self) -> Option<(Option<CallOwner>, WorkerJob)> {
        self.waiting.next(&mut self.shares)
    }
}

/// Jobs that wait: a line for each party, and the parties take turns.
#[derive(Default)]
struct WaitingJobs {
    lines: HashMap<Option<CallOwner>, VecDeque<WorkerJob>>,
    turns: VecDeque<Option<CallOwner>>,
    jobs: usize,
}

impl WaitingJobs {
    /// Adds a job at the end of its party's line, if that has room.
    fn push(&mut self, party: Option<CallOwner>, job: WorkerJob) -> Result<(), WorkerPoolError> {
        let line = self.lines.entry(party).or_default();
        if self.jobs >= MAX_WAITING || (party.is_some() && line.len() >= MAX_LINE) {
            return Err(WorkerPoolError::Full);
        }
        if line.is_empty() {
            self.turns.push_back(party);
        }
        line.push_back(job);
        self.jobs += 1;
        Ok(())
    }

    /// The next job whose party may have one more thread. A party that may not is skipped
    /// and keeps its place.
    fn next(&mut self, shares: &mut OwnerShares) -> Option<(Option<CallOwner>, WorkerJob)> {
        let turn = self.turns.iter().position(|party| shares.has_room(*party))?;
        let party = self.turns.remove(turn)?;
        let line = self.lines.get_mut(&party)?;
        let job = line.pop_front()?;
        self.jobs = self.jobs.saturating_sub(1);
        if line.is_empty() {
            self.lines.remove(&party);
        } else {
            self.turns.push_back(party);
        }
        shares.take(party).then_some((party, job))
    }
}

/// Why a job was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkerPoolError {
    /// Too many wait already.
    Full,
    /// No thread could be started, and the pool is empty.
    NoThread,
}

/// How many jobs may wait. With more, the callers have stopped waiting for the answers.
const MAX_WAITING: usize = 10_000;
/// The most waiting jobs of one party, so that others still find room to wait.
const MAX_LINE: usize = MAX_WAITING / 4;
/// How long a thread looks out for its next job: a few times the cost of waking it, so that little
/// is lost if none comes.
const LOOKOUT: Duration = Duration::from_micros(30);
/// How long an idle thread stays.
const PATIENCE: Duration = Duration::from_secs(10);
/// A guest's own stack and the host's functions on top of it.
const STACK: usize = 4 << 20;

impl WorkerPool {
    pub(crate) fn new(max: u32) -> Self {
        let max = max.max(1);
        let queue = WorkerQueue {
            waiting: WaitingJobs::default(),
            shares: OwnerShares::new(max),
            threads: 0,
            idle: 0,
            looking: 0,
            closed: false,
        };
        // On a single processor, a thread that looks out keeps the next job from being posted.
        let alone = std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
        Self(Arc::new(WorkerPoolShared {
            queue: Mutex::new(queue),
            bell: Condvar::new(),
            max,
            posted: AtomicU64::new(0),
            lookout: if alone { Duration::ZERO } else { LOOKOUT },
        }))
    }

    /// Does `job` on some thread, as soon as one is free and the party has not
    /// got its share already.
    pub(crate) fn submit(
        &self,
        party: Option<CallOwner>,
        job: impl FnOnce() + Send + 'static,
    ) -> Result<(), WorkerPoolError> {
        let mut queue = self.0.lock();
        queue.waiting.push(party, Box::new(job))?;
        self.0.posted.fetch_add(1, Ordering::Release);
        if ((queue.idle + queue.looking) as usize) < queue.waiting.jobs && queue.threads < self.0.max {
            let shared = Arc::clone(&self.0);
            let spawned = std::thread::Builder::new()
                .name("holm-guest".to_owned())
                .stack_size(STACK)
                .spawn(move || shared.work());
            match spawned {
                Ok(_) => queue.threads += 1,
                Err(_) if queue.threads == 0 => {
                    // No other job waits, or there would be a thread for it.
                    queue.waiting = WaitingJobs::default();
                    return Err(WorkerPoolError::NoThread);
                }
                // Another thread takes it when it is free.
                Err(_) => {}
            }
        }
        let must_wake = queue.idle > 0 && queue.waiting.jobs > queue.looking as usize;
        drop(queue);
        if must_wake {
            self.0.bell.notify_one();
        }
        Ok(())
    }
}

impl WorkerPoolShared {
    fn lock(&self) -> MutexGuard<'_, WorkerQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a moment for the next job without asking the system; whether one was posted.
    fn look_out(&self, posted: u64) -> bool {
        let began = Instant::now();
        while began.elapsed() < self.lookout {
            for _ in 0..32 {
                if self.posted.load(Ordering::Acquire) != posted {
                    return true;
                }
                std::hint::spin_loop();
            }
        }
        false
    }

    fn work(&self) {
        let mut queue = self.lock();
        let mut looks_out = false;
        loop {
            if let Some((party, job)) = queue.next() {
                drop(queue);
                // A job reports its own panics; this only keeps the thread.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                queue = self.lock();
                queue.shares.give(party);
                looks_out = true;
                continue;
            }
            if queue.closed {
                break;
            }
            // Calls often come one after the other, and waking a thread takes longer than running a
            // small guest.
            if std::mem::take(&mut looks_out) {
                queue.looking += 1;
                let posted = self.posted.load(Ordering::Acquire);
                drop(queue);
                looks_out = self.look_out(posted);
                queue = self.lock();
                queue.looking -= 1;
                continue;
            }
            queue.idle += 1;
            let (guard, waited) =
                self.bell.wait_timeout(queue, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            queue = guard;
            queue.idle -= 1;
            if waited.timed_out() && queue.waiting.jobs == 0 {
                break;
            }
        }
        queue.threads -= 1;
    }
}

impl Drop for WorkerPool {
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
        let workers = WorkerPool::new(2);
        let (sender, receiver) = mpsc::channel();
        for number in 0..100 {
            let sender = sender.clone();
            workers
                .submit(None, move || {
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
        let workers = WorkerPool::new(2);
        let (hold, held) = mpsc::channel::<()>();
        workers.submit(None, move || assert!(held.recv().is_err())).unwrap();
        let (sender, receiver) = mpsc::channel();
        workers.submit(None, move || sender.send(1).unwrap()).unwrap();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(1));
        drop(hold);
    }

    /// Blocks until `held` is let go, on as many threads as a greedy party gets.
    fn hold(workers: &WorkerPool, party: Option<CallOwner>, times: u32) -> mpsc::Sender<()> {
        let (hold, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..times {
            let held = Arc::clone(&held);
            workers.submit(party, move || assert!(held.lock().unwrap().recv().is_err())).unwrap();
        }
        hold
    }

    #[test]
    fn a_party_that_blocks_all_it_gets_does_not_hold_up_another() {
        let workers = WorkerPool::new(4);
        let hold = hold(&workers, Some(CallOwner::named("greedy")), 100);
        let (sender, receiver) = mpsc::channel();
        for number in 0..10 {
            let sender = sender.clone();
            workers.submit(Some(CallOwner::named("modest")), move || sender.send(number).unwrap()).unwrap();
        }
        for _ in 0..10 {
            assert!(receiver.recv_timeout(Duration::from_secs(30)).is_ok());
        }
        drop(hold);
    }

    #[test]
    fn a_party_cannot_fill_the_line_for_everybody() {
        let workers = WorkerPool::new(1);
        let greedy = Some(CallOwner::named("greedy"));
        let hold = hold(&workers, None, 1);
        let refused = (0..=MAX_LINE).find_map(|_| workers.submit(greedy, || {}).err());
        assert_eq!(refused, Some(WorkerPoolError::Full));
        assert_eq!(workers.submit(Some(CallOwner::named("other")), || {}), Ok(()));
        drop(hold);
    }
}
