//! A model that manages others, and those whom it manages, as a double plays them.

use std::{
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};

use holm_testkit::double::Act;

/// What there is to look into.
pub(crate) const PARTS: [&str; 4] = ["part-a", "part-b", "part-c", "part-d"];

/// Delegates four parts, delegates a failed part again, and cites all findings that it received.
pub(crate) fn manager(body: &str) -> Act {
    let task = |part: &str| format!(r#"{{"task":"{part}"}}"#);
    if !body.contains("finding of") {
        let tasks = PARTS.map(task);
        let calls: Vec<_> = tasks.iter().zip(PARTS).map(|(task, id)| (id, "executor", &**task)).collect();
        return Act::calls(&calls);
    }
    if !body.contains("once again") {
        assert!(body.contains("the helper `executor` failed"), "{body}");
        return Act::calls(&[("again", "executor", &task("part-c once again"))]);
    }
    let cited = PARTS.iter().filter(|part| body.contains(&format!("finding of {part}")));
    Act::says(&format!("From {}.", cited.copied().collect::<Vec<_>>().join(", ")))
}

/// Those whom it manages, and how many of them were at work.
#[derive(Debug, Default)]
pub(crate) struct Executors {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Executors {
    /// One of them finds what it was asked for, except that part C calls a tool that is not there until it is asked once
    /// again.
    pub(crate) fn answer(&self, body: &str) -> Act {
        self.peak.fetch_max(self.now.fetch_add(1, SeqCst) + 1, SeqCst);
        // The first one waits for a second beside it; then each takes a moment, in which a third could be seen.
        let began = Instant::now();
        while self.peak() < 2 && began.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(30));
        self.now.fetch_sub(1, SeqCst);
        let part = PARTS.iter().find(|part| body.contains(**part)).unwrap();
        if *part == "part-c" && !body.contains("once again") {
            return Act::calls(&[("x", "shell", "{}")]);
        }
        Act::says(&format!("finding of {part}"))
    }

    /// How many there were at once at the most.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(SeqCst)
    }
}
