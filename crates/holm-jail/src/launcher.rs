//! The launcher as the host process sees it: a small process that starts children.
//!
//! The host itself never forks, because copying its page tables takes long and its threads would
//! make that unsafe. It sends the streams of a job over a socket, and the order follows in
//! `job.rs`; nothing of it appears in arguments or in the environment. The other side is
//! `launcher_side/launcher.rs`.

use std::ffi::OsString;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::engine::JailEngine;
use crate::error::JailError;
use crate::jail::{Jail, JailNetwork, JailTask};
use crate::job::{JailJob, JobStreams};
use crate::launcher_side::LAUNCHER_ARGUMENT;

/// Starts jobs. Cheap to clone; clones share one process, which is started for the first job and
/// ends with the last clone.
#[derive(Debug, Clone)]
pub struct JailLauncher(Arc<LauncherShared>);

#[derive(Debug)]
struct LauncherShared {
    program: PathBuf,
    args: Vec<OsString>,
    process: Mutex<Option<LauncherProcess>>,
}

#[derive(Debug)]
struct LauncherProcess {
    child: Child,
    control: UnixStream,
}

impl JailLauncher {
    /// The launcher program at this path.
    #[must_use]
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self::with_args(program, [])
    }

    /// Uses this very executable, whose `main` must call
    /// [`crate::launch_if_asked`] before anything else.
    #[must_use]
    pub fn this_executable() -> Self {
        // Not the path, which may by now be another file.
        Self::with_args("/proc/self/exe", [LAUNCHER_ARGUMENT.into()])
    }

    /// Uses a program that becomes the launcher, for example one that first gives up privileges.
    #[must_use]
    pub fn with_args(program: impl Into<PathBuf>, args: impl IntoIterator<Item = OsString>) -> Self {
        let args = args.into_iter().collect();
        Self(Arc::new(LauncherShared { program: program.into(), args, process: Mutex::new(None) }))
    }

    /// Starts a job in this launcher.
    ///
    /// The child runs when this returns. Dropping the [`JailJob`], or the future, ends it.
    ///
    /// # Errors
    ///
    /// If the order is wrong, or the child could not be confined; then nothing of it ran.
    pub async fn spawn(
        &self,
        engine: &JailEngine,
        jail: &Jail,
        task: &JailTask,
    ) -> Result<JailJob, JailError> {
        let order = jail.order(engine, task)?;
        let broken = |error: io::Error| self.broken(&error);
        let (ours, theirs) = UnixStream::pair().map_err(broken)?;
        let (streams, child_ends) = JobStreams::open(&task.input, task.output).map_err(broken)?;
        let [stdin, stdout, stderr] = child_ends.each_ref().map(AsFd::as_fd);
        let mut fds = vec![theirs.as_fd(), stdin, stdout, stderr];
        let line = match order.network {
            JailNetwork::Proxied => Some(UnixStream::pair().map_err(broken)?),
            JailNetwork::None | JailNetwork::Open => None,
        };
        fds.extend(line.as_ref().map(|(_, theirs)| theirs.as_fd()));
        self.hand_over(&fds).map_err(broken)?;
        drop(fds);
        // The child's ends must be closed here, or no stream would ever end.
        drop((theirs, child_ends));
        let line = line.map(|(ours, _)| ours);
        let mut job = JailJob::new(ours, streams, order, jail.bounds().output, line).map_err(broken)?;
        job.begin().await?;
        Ok(job)
    }

    /// Sends the ends of a job's streams to the launcher, which is started if it does not run.
    fn hand_over(&self, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut process = self.0.process.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*process {
            match send(&running.control, fds) {
                Ok(()) => return Ok(()),
                // The process is gone. Start another one, for any cause.
                Err(_) => drop(process.take()),
            }
        }
        // A process that ended before it took anything has started nothing: on a machine that is short
        // of processes or namespaces for a moment, the next one lives.
        let first = self.start()?;
        let sent = send(&first.control, fds);
        let taken = if sent.is_ok() { first } else { self.start()? };
        let taken = process.insert(taken);
        if sent.is_err() { send(&taken.control, fds).map_err(|error| taken.ended(&error)) } else { sent }
    }

    /// Without `pre_exec`, so that the standard library uses `posix_spawn` and nothing is copied.
    fn start(&self) -> io::Result<LauncherProcess> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = Command::new(&self.0.program)
            .args(&self.0.args)
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(LauncherProcess { child, control: ours })
    }

    fn broken(&self, error: &io::Error) -> JailError {
        JailError::Launcher { program: self.0.program.clone(), why: error.to_string() }
    }
}

impl LauncherProcess {
    /// Why it takes nothing, with the way in which it ended.
    fn ended(&mut self, error: &io::Error) -> io::Error {
        match self.child.try_wait() {
            Ok(Some(status)) => io::Error::other(format!("{error}; it ended with {status}")),
            Ok(None) | Err(_) => io::Error::other(error.to_string()),
        }
    }
}

impl Drop for LauncherProcess {
    /// Lets the process end by itself, since running jobs have supervisors of their own,
    /// and leaves no zombie.
    fn drop(&mut self) {
        // The end of the stream is its signal to leave.
        let _ = self.control.shutdown(std::net::Shutdown::Both);
        let _ = self.child.wait();
    }
}

fn send(control: &UnixStream, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(5))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    if !rights.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::other("too many streams for one job"));
    }
    sendmsg(control, &[IoSlice::new(b"j")], &mut rights, SendFlags::NOSIGNAL)?;
    Ok(())
}
