//! Finds and kills descendants.
//!
//! Only *direct* children are killed: only their parent can free their process ids, so a reused id
//! never hits an unrelated process. A killed child's own children come to this process, which is
//! their reaper, and are killed next.
//!
//! When to kill is decided in `launcher_side/supervisor.rs`. The hunt is bounded in time, and the
//! program's own exit status is taken before anything is killed. This file also measures the memory
//! of all descendants.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, wait};

use crate::order::ProcessStatus;

/// How long to chase descendants that fork as fast as they are killed.
const HUNT: Duration = Duration::from_secs(5);
/// The pause between two passes, so that killed processes can die.
const REST: Duration = Duration::from_micros(200);

/// Kills and reaps every descendant; how `main` ended, if it did.
pub(super) fn all(main: Pid) -> Option<ProcessStatus> {
    let mut status = None;
    let until = Instant::now() + HUNT;
    // If the program has ended by itself, its status is available and must not be replaced by a
    // kill.
    reap(main, &mut status);
    if status.is_none() {
        let _ = kill_process_group(main, Signal::KILL);
        let _ = kill_process(main, Signal::KILL);
    }
    while !reap(main, &mut status) && Instant::now() < until {
        for child in
            processes().iter().filter(|(_, process)| process.parent == getpid().as_raw_nonzero().get())
        {
            if let Some(pid) = Pid::from_raw(*child.0) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        std::thread::sleep(REST);
    }
    status
}

/// Reaps dead children. Returns whether no child is left.
fn reap(main: Pid, status: &mut Option<ProcessStatus>) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, ended))) if pid == main => *status = read(ended),
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

fn read(ended: WaitStatus) -> Option<ProcessStatus> {
    ended
        .exit_status()
        .map(ProcessStatus::Exited)
        .or_else(|| ended.terminating_signal().map(ProcessStatus::Signalled))
}

/// The resident memory of all descendants of a process, in bytes. Shared memory
/// is counted for each.
pub(super) fn resident(of: Pid) -> u64 {
    let all = processes();
    let is_below = |mut pid: i32| {
        // Bounded, because the list is not taken at one moment and may hold a circle.
        for _ in 0..64 {
            let Some(process) = all.get(&pid) else { return false };
            if process.parent == of.as_raw_nonzero().get() {
                return true;
            }
            pid = process.parent;
        }
        false
    };
    let pages: u64 = all.iter().filter(|(pid, _)| is_below(**pid)).map(|(_, process)| process.resident).sum();
    pages.saturating_mul(rustix::param::page_size() as u64)
}

/// The facts about a process.
struct ProcessInfo {
    parent: i32,
    /// Resident memory, counted in pages.
    resident: u64,
}

fn processes() -> BTreeMap<i32, ProcessInfo> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter_map(|pid| Some((pid, process(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// Reads a line of `/proc/PID/stat`; the name in parentheses may hold anything, also parentheses.
fn process(stat: &str) -> Option<ProcessInfo> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let parent = fields.nth(1)?.parse().ok()?;
    let resident = fields.nth(19)?.parse().ok()?;
    Some(ProcessInfo { parent, resident })
}

#[cfg(test)]
mod tests;
