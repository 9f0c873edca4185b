//! The supervisor of one job: watches one child, and kills every process that it leaves behind.
//!
//! It reads the order, forks the child, and waits for the first of these: the program ends, its
//! time is over, memory is exceeded, a protected name appears, or the host asks for the end. It
//! confines nothing itself and has the user's rights, so it must not follow a path that the job can
//! change. Whatever ends the job, all descendants are killed and reaped before the end is reported.
//!
//! Limits and rights are set in `launcher_side/child.rs`, which becomes the program. Descendants
//! are killed and measured in `launcher_side/sweep.rs`. Protected names that appear are handled in
//! `launcher_side/missing_names.rs`, and the extra step for many mounts in `launcher_side/gate.rs`.
//! The messages are in `order.rs`, and the host's side is `job.rs`.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};

use super::child::{self, ChildLaunchError};
use super::gate;
use super::missing_names::MissingProtectedNames;
use super::sweep;
use super::sys::{ForkSide, end_after, fork};
use crate::engine::JailEngine;
use crate::order::{EndCause, JailOrder, MAX_ORDER, ProcessStatus, SupervisorMessage};
use crate::outcome::StartStage;

/// How often a waiting supervisor checks the time, and measures the memory of all processes together.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The least time that a job has to start, however short its own time is: the machine may be busy.
const MIN_START_TIME: Duration = Duration::from_secs(5);
/// The most time that a job has to start: a server may run for ever, but starts like any other job.
const MAX_START_TIME: Duration = Duration::from_secs(60);

/// The message of the process that has made the mounts behind a gate.
const GATE_IS_OPEN: &[u8] = b"o";

/// Runs one job from its order to its end.
pub(super) fn supervise(control: OwnedFd, streams: [OwnedFd; 3], listener_socket: Option<OwnedFd>) {
    let mut control = UnixStream::from(control);
    // A descendant that loses its parent becomes a child of this process, wherever it hid.
    let _ = set_child_subreaper(Some(getpid()));
    let message = match read_order(&mut control) {
        None => failure_message(&ChildLaunchError::new(
            StartStage::Order,
            &io::Error::from(io::ErrorKind::InvalidData),
        )),
        Some(order) => run(&mut control, &order, streams, listener_socket),
    };
    let _ = control.write_all(&message.encode());
}

fn failure_message(failure: &ChildLaunchError) -> SupervisorMessage {
    SupervisorMessage::Failed {
        stage: failure.stage.number(),
        errno: failure.errno,
        path: failure.path.clone(),
    }
}

/// Reads the order from the host. Returns `None` if it is too long or not exactly one order.
pub(super) fn read_order(control: &mut UnixStream) -> Option<JailOrder> {
    let mut length = [0; 8];
    control.read_exact(&mut length).ok()?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok().filter(|length| *length <= MAX_ORDER)?;
    let mut bytes = vec![0; length];
    control.read_exact(&mut bytes).ok()?;
    JailOrder::decode(&bytes)
}

/// Forks the child, waits for its start and its end, and kills its descendants.
fn run(
    control: &mut UnixStream,
    order: &JailOrder,
    streams: [OwnedFd; 3],
    listener_socket: Option<OwnedFd>,
) -> SupervisorMessage {
    let patience = Duration::from_millis(order.bounds.wall_ms).clamp(MIN_START_TIME, MAX_START_TIME);
    // No program runs yet, and only this process touches files that others may have made to wait. A
    // file system that does not answer ends it, and its socket reports that.
    end_after(Some(u32::try_from(patience.as_secs()).unwrap_or(u32::MAX)));
    let mut missing = MissingProtectedNames::watch(order);
    end_after(None);
    let Ok((report, report_end)) = pipe_with(PipeFlags::CLOEXEC) else {
        return failure_message(&ChildLaunchError::new(StartStage::Fork, &io::Error::last_os_error()));
    };
    let gate = if gate::is_needed(order) { UnixStream::pair().ok() } else { None };
    let (gate_socket, gate) = gate.map(|(outside, inside)| (outside, OwnedFd::from(inside))).unzip();
    let child = match fork() {
        Ok(ForkSide::Child) => {
            drop((report, gate_socket));
            child::become_program(order, &streams, &report_end, listener_socket.as_ref(), gate.as_ref());
        }
        Ok(ForkSide::Parent(pid)) => pid,
        Err(error) => return failure_message(&ChildLaunchError::new(StartStage::Fork, &error)),
    };
    drop((streams, report_end, listener_socket, gate));
    // Kept until the end: bubblewrap writes there once more before it leaves.
    let mut report = File::from(report);
    let deadline = Instant::now().checked_add(patience);
    let mut start = wait_for_start(control, order, &mut report, deadline);
    if let (ChildStart::Running, Some(gate)) = (&start, gate_socket) {
        start = open_gate(control, order, gate, deadline);
    }
    if let ChildStart::Failed(failure) = &start {
        sweep::all(child);
        return failure_message(failure);
    }
    if control.write_all(&SupervisorMessage::Started.encode()).is_err() {
        // The host no longer listens; the loop below notices that too.
    }
    let cause = match start {
        ChildStart::Ended(cause) => cause,
        ChildStart::Running | ChildStart::Failed(_) => watch(control, order, child, &mut missing),
    };
    let status = sweep::all(child);
    for name in missing.settle() {
        let _ = control.write_all(&SupervisorMessage::Appeared(name).encode());
    }
    SupervisorMessage::Ended { cause, status: status.unwrap_or(ProcessStatus::Signalled(libc::SIGKILL)) }
}

/// Whether the child has become the program.
enum ChildStart {
    Running,
    Failed(ChildLaunchError),
    /// Something ended the job before the program ran.
    Ended(EndCause),
}

/// Waits until the child has become the program, its report says why it has not, or the waiting is ended.
fn wait_for_start(
    control: &UnixStream,
    order: &JailOrder,
    report: &mut File,
    deadline: Option<Instant>,
) -> ChildStart {
    let mut received = Vec::new();
    loop {
        if let Some(cause) = wait_for_report(control, report, deadline) {
            return ChildStart::Ended(cause);
        }
        let mut piece = [0; 4096];
        let read = report.read(&mut piece).unwrap_or_default();
        received.extend_from_slice(piece.get(..read).unwrap_or_default());
        match &order.engine {
            // The pipe closes when the program is started.
            JailEngine::Landlock | JailEngine::Unconfined if read > 0 => {}
            JailEngine::Landlock | JailEngine::Unconfined => break,
            // Bubblewrap writes a line once its namespaces stand.
            JailEngine::Bubblewrap(_) if received.first() == Some(&b'{') => return ChildStart::Running,
            JailEngine::Bubblewrap(_) if received.is_empty() => {
                let why = io::Error::from_raw_os_error(libc::EPERM);
                return ChildStart::Failed(ChildLaunchError::at(StartStage::Namespace, &why, &order.cwd));
            }
            JailEngine::Bubblewrap(_) => break,
        }
    }
    ChildLaunchError::decode(&received).map_or(ChildStart::Running, ChildStart::Failed)
}

/// Lets a new process make the mounts inside the view that bubblewrap has built, and waits until the
/// gate has become the program (`launcher_side/gate.rs`).
fn open_gate(
    control: &UnixStream,
    order: &JailOrder,
    mut gate: UnixStream,
    deadline: Option<Instant>,
) -> ChildStart {
    let fork_failed = |error: &io::Error| ChildStart::Failed(ChildLaunchError::new(StartStage::Fork, error));
    let (report, report_end) = match pipe_with(PipeFlags::CLOEXEC) {
        Ok(ends) => ends,
        Err(error) => return fork_failed(&error.into()),
    };
    match fork() {
        Ok(ForkSide::Child) => {
            drop(report);
            let answer = match gate::open(&mut gate, order) {
                Ok(()) => GATE_IS_OPEN.to_vec(),
                Err(failure) => failure.encode(),
            };
            let _ = rustix::io::write(report_end, &answer);
            std::process::exit(0)
        }
        Ok(ForkSide::Parent(_)) => drop((report_end, gate)),
        Err(error) => return fork_failed(&error),
    }
    let mut report = File::from(report);
    let mut received = Vec::new();
    loop {
        if let Some(cause) = wait_for_report(control, &report, deadline) {
            return ChildStart::Ended(cause);
        }
        let mut piece = [0; 4096];
        match report.read(&mut piece).unwrap_or_default() {
            0 => break,
            read => received.extend_from_slice(piece.get(..read).unwrap_or_default()),
        }
    }
    if received == GATE_IS_OPEN {
        return ChildStart::Running;
    }
    let ended = || {
        ChildLaunchError::at(StartStage::Namespace, &io::Error::from_raw_os_error(libc::EPERM), &order.cwd)
    };
    ChildStart::Failed(ChildLaunchError::decode(&received).unwrap_or_else(ended))
}

/// Waits until the report has data or closes: then it returns `None`. Otherwise it returns
/// what ended the waiting.
fn wait_for_report(control: &UnixStream, report: &File, deadline: Option<Instant>) -> Option<EndCause> {
    loop {
        let left =
            deadline.map_or(POLL_INTERVAL, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Some(EndCause::Clock);
        }
        let mut ready = [PollFd::new(report, PollFlags::IN), PollFd::new(control, PollFlags::IN)];
        let patience = Timespec::try_from(left.min(POLL_INTERVAL)).ok();
        let polled = poll(&mut ready, patience.as_ref());
        let [report, control] = ready.map(|one| !one.revents().is_empty());
        match polled {
            Ok(_) if report => return None,
            // A byte asks for the end, and so does a closed socket.
            Ok(_) if control => return Some(EndCause::Asked),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Some(EndCause::Asked),
        }
    }
}

/// Waits for the first event that ends the job.
fn watch(
    control: &UnixStream,
    order: &JailOrder,
    child: Pid,
    missing: &mut MissingProtectedNames,
) -> EndCause {
    let deadline = Instant::now().checked_add(Duration::from_millis(order.bounds.wall_ms));
    // Folders in memory belong to no process, so they are subtracted from the limit as if full.
    let most = match &order.engine {
        JailEngine::Bubblewrap(_) => order.bounds.resident(),
        JailEngine::Landlock | JailEngine::Unconfined => order.bounds.memory,
    };
    let Ok(process) = pidfd_open(child, PidfdFlags::empty()) else { return EndCause::Itself };
    let (process_fd, control_fd) = (process.as_fd(), control.as_fd());
    let mut measured = Instant::now();
    loop {
        let left =
            deadline.map_or(POLL_INTERVAL, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return EndCause::Clock;
        }
        let appears = missing.notifier();
        // Without a watch the process descriptor takes its place, which changes nothing.
        let appears = appears.as_ref().unwrap_or(&process_fd);
        let mut ready = [&process_fd, &control_fd, appears].map(|fd| PollFd::new(fd, PollFlags::IN));
        let patience = Timespec::try_from(left.min(POLL_INTERVAL)).ok();
        let polled = poll(&mut ready, patience.as_ref());
        let [process, control, appeared] = ready.map(|one| !one.revents().is_empty());
        match polled {
            Ok(_) if appeared && missing.handle() => return EndCause::Protected,
            Ok(_) if process => return EndCause::Itself,
            // A byte asks for the end, and so does a closed socket.
            Ok(_) if control => return EndCause::Asked,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return EndCause::Asked,
        }
        if measured.elapsed() >= POLL_INTERVAL {
            measured = Instant::now();
            if sweep::resident(getpid()) > most {
                return EndCause::Memory;
            }
        }
    }
}
