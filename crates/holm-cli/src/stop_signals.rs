//! The signals that ask a command to end: Ctrl-C, SIGTERM, and SIGHUP when its terminal is closed.
//! All three end a run in the same way: running commands are ended, what they left in the workspace
//! is checked, and the journal says that the run was cancelled.
//!
//! A process that dies by the default action of a signal checks nothing. The chat has its own
//! handling (`chat/chat_loop.rs`), because Ctrl-C is a key there.
//!
//! Cancelling a run is done by the kernel (`holm-kernel/src/run/stop.rs`); commands are ended in
//! `holm-tools/src/shell/`.

use std::{
    fs, future, io,
    sync::Arc,
    time::{Duration, Instant},
};

use holm::runtime::RunHandle;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{exit::CommandExit, screen::TerminalOutput};

/// How long a run may take to stop before a further signal of any kind quits at once.
const STOPPING: Duration = Duration::from_secs(10);

/// The number of SIGHUP on every Unix.
const HANGUP: u32 = 1;

/// A signal that asks the command to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopSignal {
    Interrupt,
    Terminate,
    Hangup,
}

impl StopSignal {
    /// The reason in the journal.
    fn reason(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupted",
            Self::Terminate => "interrupted by SIGTERM",
            Self::Hangup => "interrupted: the terminal was closed",
        }
    }
}

impl StopSignal {
    /// What the user is told. Only one at the keyboard can press Ctrl-C again.
    const fn note(self) -> &'static str {
        match self {
            Self::Interrupt => "holm: stopping; press Ctrl-C again to quit at once",
            Self::Terminate => "holm: stopping, because of SIGTERM",
            Self::Hangup => "holm: stopping, because the terminal was closed",
        }
    }
}

/// The signals from now on.
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    /// Missing where the caller has the process ignore it, as `nohup` does.
    hangup: Option<Signal>,
}

impl StopSignals {
    /// Starts to listen. From now on these signals no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        let hangup = if is_ignored(HANGUP) { None } else { Some(signal(SignalKind::hangup())?) };
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate, hangup })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> StopSignal {
        let Self { interrupt, terminate, hangup } = self;
        let hangup = async {
            match hangup {
                Some(hangup) => hangup.recv().await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => StopSignal::Interrupt,
            _ = terminate.recv() => StopSignal::Terminate,
            _ = hangup => StopSignal::Hangup,
        }
    }
}

/// The first signal stops the run, which ends as cancelled with everything in its journal. A
/// further Ctrl-C quits at once. Other signals do so only after a while, because a closed terminal
/// and service managers send several together.
pub(crate) async fn cancel_on_signal(handle: RunHandle, screen: Arc<TerminalOutput>) {
    // One set of streams for all: the second signal is not lost, however soon it comes.
    let Ok(mut signals) = StopSignals::listen() else { return };
    let first = signals.next().await;
    screen.note_of_the_end(first.note());
    // A run that has ended needs no stopping.
    let _ = handle.cancel(first.reason());
    quit_on_another(signals).await;
}

/// Waits for the first signal, on which the caller stops its work.
/// A further one quits as in [`cancel_on_signal`].
pub(crate) async fn first_signal() {
    // Without signals the process ends by their default action.
    let Ok(mut signals) = StopSignals::listen() else { return future::pending().await };
    signals.next().await;
    tokio::spawn(quit_on_another(signals));
}

async fn quit_on_another(mut signals: StopSignals) {
    let stopped = Instant::now();
    while signals.next().await != StopSignal::Interrupt && stopped.elapsed() < STOPPING {}
    std::process::exit(i32::from(CommandExit::Cancelled.code()));
}

/// Whether this process ignores a signal. Where the system does not say so, it does not.
fn is_ignored(number: u32) -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, number))
}

fn ignores(status: &str, number: u32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    number.checked_sub(1).and_then(|bit| mask.checked_shr(bit)).is_some_and(|rest| rest & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_the_caller_has_ignored_is_found_in_the_status_of_the_process() {
        let status = |mask: &str| format!("Name:\tholm\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\n");
        assert!(ignores(&status("0000000000000001"), HANGUP));
        assert!(ignores(&status("0000000000001003"), HANGUP));
        assert!(!ignores(&status("0000000000001000"), HANGUP));
        assert!(!ignores(&status("nothing"), HANGUP));
        assert!(!ignores("", HANGUP));
    }
}
