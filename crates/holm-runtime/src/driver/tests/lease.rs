//! A driver that loses the lease on its run stops what runs before another process may resume it.

use tokio_util::sync::CancellationToken;

use super::*;
use crate::BoxFuture;

/// A journal in memory whose lease can be lost.
struct Leased {
    journal: MemoryJournal,
    lost: CancellationToken,
    /// The append that never ends, counted from one; none ends them all.
    hangs: Option<u64>,
}

impl Journal for Leased {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        if let Some(left) = &mut self.hangs {
            *left -= 1;
            if *left == 0 {
                return Box::pin(std::future::pending());
            }
        }
        self.journal.append(lines, durability)
    }

    fn lost(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.lost.clone().cancelled_owned())
    }
}

/// Sets a token when it is dropped.
struct Dropped(CancellationToken);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn lost() -> Result<Ending, DriveError> {
    Err(DriveError::Journal(JournalStorageError::LeaseLost))
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_stops_the_tool_that_runs_and_nothing_begins_after_it() {
    let (lost_lease, stopped) = (CancellationToken::new(), CancellationToken::new());
    let (loses, seen) = (lost_lease.clone(), stopped.clone());
    let tool = tool_fn(declared("deploys"), move |job: ToolInvocation| {
        let (loses, seen) = (loses.clone(), seen.clone());
        async move {
            loses.cancel();
            job.stop.cancelled().await;
            // What a tool does to end its processes.
            tokio::time::sleep(Duration::from_millis(100)).await;
            seen.cancel();
            ToolOutput::text("stopped")
        }
    });
    let journal = MemoryJournal::new();
    let leased = Leased { journal: journal.clone(), lost: lost_lease, hangs: None };
    let host = RunHost::new(plays([calls(&["deploys"]), says("never said")])).tool(tool).journal(leased);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    assert_eq!(driver.prompt("go").await, lost());
    assert!(stopped.is_cancelled(), "the tool has ended before the driver says that the lease is lost");
    let text = journal.text();
    assert!(text.contains("\"dispatched\"") && !text.contains("tool_finished"), "{text}");
    assert_eq!(driver.prompt("again").await, Err(DriveError::Lost));
    assert_eq!(driver.go_on().await, Err(DriveError::Lost));
    assert_eq!(journal.text(), text, "nothing is written and so nothing begins");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_hear_that_the_lease_is_lost_is_dropped() {
    let (lost_lease, dropped) = (CancellationToken::new(), CancellationToken::new());
    let (loses, seen) = (lost_lease.clone(), dropped.clone());
    let tool = tool_fn(declared("deaf"), move |_: ToolInvocation| {
        let (loses, seen) = (loses.clone(), Dropped(seen.clone()));
        async move {
            loses.cancel();
            let () = std::future::pending().await;
            drop(seen);
            ToolOutput::text("never")
        }
    });
    let leased = Leased { journal: MemoryJournal::new(), lost: lost_lease, hangs: None };
    let host = RunHost::new(plays([calls(&["deaf"])])).tool(tool).journal(leased);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    assert_eq!(driver.prompt("go").await, lost());
    assert!(dropped.is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn an_append_that_hangs_when_the_lease_is_lost_keeps_no_tool_running() {
    let (lost_lease, stopped) = (CancellationToken::new(), CancellationToken::new());
    let (loses, seen) = (lost_lease.clone(), stopped.clone());
    let slow = tool_fn(declared("slow"), move |job: ToolInvocation| {
        let seen = seen.clone();
        async move {
            job.stop.cancelled().await;
            seen.cancel();
            ToolOutput::text("stopped")
        }
    });
    let fast = tool_fn(declared("fast"), move |_: ToolInvocation| {
        let loses = loses.clone();
        async move {
            // Its result is what the append hangs at.
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                loses.cancel();
            });
            ToolOutput::text("done")
        }
    });
    // Started, prompted, the reply with both dispatches; the fourth is the fast tool's result.
    let leased = Leased { journal: MemoryJournal::new(), lost: lost_lease, hangs: Some(4) };
    let host = RunHost::new(plays([calls(&["slow", "fast"])])).tool(slow).tool(fast).journal(leased);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    assert_eq!(driver.prompt("go").await, lost());
    assert!(stopped.is_cancelled());
}
