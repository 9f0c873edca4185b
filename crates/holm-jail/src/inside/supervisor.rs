//! Watches one child, and kills whatever it leaves.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};

use super::child::{self, Failure};
use super::protect::Placeholders;
use super::sweep;
use super::sys::{Fork, fork};
use crate::engine::Engine;
use crate::order::{Cause, MAX_ORDER, Order, Status, Told};
use crate::outcome::Stage;

/// How often the memory of all processes together is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Runs one job from its order to its end.
pub(super) fn supervise(control: OwnedFd, streams: [OwnedFd; 3], line: Option<OwnedFd>) {
    let mut control = UnixStream::from(control);
    // Whoever loses its parent becomes a child of this process, wherever it hid.
    let _ = set_child_subreaper(Some(getpid()));
    let told = match read_order(&mut control) {
        None => failed(&Failure::new(Stage::Order, &io::Error::from(io::ErrorKind::InvalidData))),
        Some(order) => run(&mut control, &order, streams, line),
    };
    let _ = control.write_all(&told.encode());
}

fn failed(failure: &Failure) -> Told {
    Told::Failed { stage: failure.stage.number(), errno: failure.errno, path: failure.path.clone() }
}

fn read_order(control: &mut UnixStream) -> Option<Order> {
    let mut length = [0; 8];
    control.read_exact(&mut length).ok()?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok().filter(|length| *length <= MAX_ORDER)?;
    let mut bytes = vec![0; length];
    control.read_exact(&mut bytes).ok()?;
    Order::decode(&bytes)
}

fn run(control: &mut UnixStream, order: &Order, streams: [OwnedFd; 3], line: Option<OwnedFd>) -> Told {
    // They are taken away again when this returns, after everybody inside is dead.
    let _placeholders = match Placeholders::make(order) {
        Ok(made) => made,
        Err(failure) => return failed(&failure),
    };
    let Ok((report, theirs)) = pipe_with(PipeFlags::CLOEXEC) else {
        return failed(&Failure::new(Stage::Fork, &io::Error::last_os_error()));
    };
    let child = match fork() {
        Ok(Fork::Child) => {
            drop(report);
            child::become_program(order, &streams, &theirs, line.as_ref());
        }
        Ok(Fork::Parent(pid)) => pid,
        Err(error) => return failed(&Failure::new(Stage::Fork, &error)),
    };
    drop((streams, theirs, line));
    // Kept until the end: bubblewrap writes there once more before it leaves.
    let mut report = File::from(report);
    if let Err(failure) = started(order, &mut report) {
        sweep::all(child);
        return failed(&failure);
    }
    if control.write_all(&Told::Started.encode()).is_err() {
        // Nobody listens any more; the loop below sees that too.
    }
    let cause = watch(control, order, child);
    let status = sweep::all(child);
    Told::Ended { cause, status: status.unwrap_or(Status::Signalled(libc::SIGKILL)) }
}

/// Waits until the child has become the program, or says why it has not.
fn started(order: &Order, report: &mut File) -> Result<(), Failure> {
    let mut said = Vec::new();
    match &order.engine {
        // The pipe closes when the program is started.
        Engine::Landlock | Engine::Unconfined => {
            let _ = report.read_to_end(&mut said);
        }
        // Bubblewrap writes a line once its namespaces stand.
        Engine::Bubblewrap(_) => {
            let mut piece = [0; 4096];
            if let Ok(read) = report.read(&mut piece) {
                said.extend_from_slice(piece.get(..read).unwrap_or_default());
            }
            if said.first() == Some(&b'{') {
                return Ok(());
            }
            if said.is_empty() {
                let why = io::Error::from_raw_os_error(libc::EPERM);
                return Err(Failure::at(Stage::Namespace, &why, &order.cwd));
            }
        }
    }
    Failure::decode(&said).map_or(Ok(()), Err)
}

/// Waits for whatever ends the job first.
fn watch(control: &UnixStream, order: &Order, child: Pid) -> Cause {
    let deadline = Instant::now().checked_add(Duration::from_millis(order.bounds.wall_ms));
    let Ok(process) = pidfd_open(child, PidfdFlags::empty()) else { return Cause::Itself };
    let mut looked = Instant::now();
    loop {
        let left = deadline.map_or(LOOK_EVERY, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Cause::Clock;
        }
        let mut ready = [PollFd::new(&process, PollFlags::IN), PollFd::new(control, PollFlags::IN)];
        let patience = Timespec::try_from(left.min(LOOK_EVERY)).ok();
        let polled = poll(&mut ready, patience.as_ref());
        let [process, control] = ready.map(|one| !one.revents().is_empty());
        match polled {
            Ok(_) if process => return Cause::Itself,
            // A byte asks for the end, and so does the end of the line.
            Ok(_) if control => return Cause::Asked,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Cause::Asked,
        }
        if looked.elapsed() >= LOOK_EVERY {
            looked = Instant::now();
            if sweep::resident(getpid()) > order.bounds.memory {
                return Cause::Memory;
            }
        }
    }
}
