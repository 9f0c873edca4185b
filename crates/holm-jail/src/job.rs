//! A running child as the host process sees it: its streams, its end, and how it is killed.
//!
//! It sends the order, reads the output within its limits, and hears how the job ended. Watching
//! and killing processes is done outside of this process (`launcher_side/supervisor.rs`). Dropping
//! a job must end the child and everything that it started. Starting is in `launcher.rs`, the
//! messages are in `order.rs`, the kept output is in `output.rs`.

use std::fs::File;
use std::io::{self, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::net::{Shutdown, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Plain;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::error::JailError;
use crate::jail::{OutputStreams, TaskInput};
use crate::order::{EndCause, JailOrder, MAX_ORDER, ProcessStatus, SupervisorMessage};
use crate::outcome::{JailEnding, JailOutcome, StartStage};
use crate::output::{CaptureOptions, CapturedOutput, JobStream};
use crate::suspected_denial::suspect;

/// How many bytes are read at once.
const PIECE: usize = 64 * 1024;
/// The largest frame that a supervisor sends: two paths and a few numbers.
const MAX_FRAME: usize = 16 * 1024;

/// A running child. Dropping it kills the child and everything that it started.
#[derive(Debug)]
pub struct JailJob {
    control: UnixStream,
    killer: JobKiller,
    streams: JobStreams,
    order: JailOrder,
    max_output: u64,
    heard: Vec<u8>,
    /// Over which the child sends the listener of its network, before it becomes the program.
    line: Option<Plain>,
}

/// Ends a job from elsewhere.
#[derive(Debug, Clone)]
pub struct JobKiller(Arc<Plain>);

impl JobKiller {
    /// Asks the supervisor to kill the job; its outcome then is [`JailEnding::Cancelled`].
    /// Later calls do nothing.
    pub fn kill(&self) {
        // A full socket means that it was asked before, a closed one that the job is over.
        let _ = (&*self.0).write(b"k");
    }
}

/// Our ends of a child's streams.
#[derive(Debug)]
pub(crate) struct JobStreams {
    stdin: Option<Sender>,
    bytes: Vec<u8>,
    stdout: Option<Receiver>,
    stderr: Option<Receiver>,
}

impl JobStreams {
    /// Opens the streams: our ends and the child's.
    pub(crate) fn open(input: &TaskInput, output: OutputStreams) -> io::Result<(Self, [OwnedFd; 3])> {
        let (stdin, theirs_in) = match input {
            TaskInput::Empty => (None, File::open("/dev/null")?.into()),
            TaskInput::Bytes(_) | TaskInput::Piped => {
                let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
                (Some(Sender::from_owned_fd(write)?), read)
            }
        };
        let (stdout, theirs_out) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, theirs_err) = match output {
            OutputStreams::Apart => {
                let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
                (Some(Receiver::from_owned_fd(read)?), write)
            }
            OutputStreams::Joined => (None, theirs_out.try_clone()?),
        };
        let bytes = if let TaskInput::Bytes(bytes) = input { bytes.clone() } else { Vec::new() };
        let stdout = Some(Receiver::from_owned_fd(stdout)?);
        Ok((Self { stdin, bytes, stdout, stderr }, [theirs_in, theirs_out, theirs_err]))
    }
}

impl JailJob {
    pub(crate) fn new(
        control: Plain,
        streams: JobStreams,
        order: JailOrder,
        max_output: u64,
        line: Option<Plain>,
    ) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        let killer = JobKiller(Arc::new(control.try_clone()?));
        let control = UnixStream::from_std(control)?;
        Ok(Self { control, killer, streams, order, max_output, heard: Vec::new(), line })
    }

    /// Sends the order and waits until the program runs.
    pub(crate) async fn begin(&mut self) -> Result<(), JailError> {
        let order = self.order.encode();
        if order.len() > MAX_ORDER {
            return Err(JailError::Argument(
                "more than sixteen megabytes of arguments, variables, paths and files",
            ));
        }
        let length = (order.len() as u64).to_le_bytes();
        let lost = |why: String| JailError::Start { stage: StartStage::Order, path: None, why };
        let sent = self.control.write_all(&[length.as_slice(), &order].concat()).await;
        sent.map_err(|error| lost(error.to_string()))?;
        match self.hear().await {
            Some(SupervisorMessage::Started) => Ok(()),
            Some(SupervisorMessage::Failed { stage, errno, path }) => Err(JailError::Start {
                stage: StartStage::from_number(stage).unwrap_or(StartStage::Order),
                path: (path != PathBuf::new()).then_some(path),
                why: io::Error::from_raw_os_error(errno).to_string(),
            }),
            Some(SupervisorMessage::Ended { .. } | SupervisorMessage::Appeared(_)) | None => {
                Err(lost("the supervisor ended without a report".into()))
            }
        }
    }

    /// Takes the listener of [`JailNetwork::Proxied`](crate::JailNetwork::Proxied), once. The
    /// process that accepts there is the child's only way out.
    pub fn take_listener(&mut self) -> Option<TcpListener> {
        let line = self.line.take()?;
        // It was sent before the program began, so this does not wait.
        line.set_nonblocking(true).ok()?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut rights = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        recvmsg(&line, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC).ok()?;
        let mut fds = rights.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => Some(fds),
            _ => None,
        });
        fds.next()?.next().map(TcpListener::from)
    }

    /// A handle that ends the job from elsewhere.
    #[must_use]
    pub fn killer(&self) -> JobKiller {
        self.killer.clone()
    }

    /// Takes the program's input, if the task asked for it and it is not taken yet. Dropping
    /// it ends the input.
    pub fn take_stdin(&mut self) -> Option<Sender> {
        self.streams.stdin.take()
    }

    /// Takes the program's output, for a caller that talks with it. It is then no longer
    /// captured, counted or bounded.
    pub fn take_stdout(&mut self) -> Option<Receiver> {
        self.streams.stdout.take()
    }

    /// Takes the program's standard error, for a caller that reads it as it comes.
    pub fn take_stderr(&mut self) -> Option<Receiver> {
        self.streams.stderr.take()
    }

    /// Waits for the end and captures the output meanwhile.
    pub async fn finish(mut self, mut capture: CaptureOptions) -> JailOutcome {
        let mut captured = [CapturedOutput::default(), CapturedOutput::default()];
        let mut appeared = Vec::new();
        let mut over = false;
        let stdin = self.streams.stdin.take();
        let bytes = std::mem::take(&mut self.streams.bytes);
        let feed = tokio::spawn(feed(stdin, bytes));
        let mut take = |captured: &mut [CapturedOutput; 2], stream: JobStream, piece: &[u8]| -> bool {
            let [out, err] = captured;
            let one = if stream == JobStream::Out { &mut *out } else { &mut *err };
            one.push(piece, capture.keep);
            let spilled = capture.spill.as_mut().is_none_or(|spill| spill(stream, piece).is_ok());
            spilled && out.total + err.total <= self.max_output
        };
        let mut out = self.streams.stdout.take();
        let mut err = self.streams.stderr.take();
        let (mut piece, mut other) = (vec![0; PIECE], vec![0; PIECE]);
        let told = loop {
            let (stream, read) = tokio::select! {
                told = hear(&mut self.control, &mut self.heard) => match told {
                    Some(SupervisorMessage::Appeared(name)) => {
                        appeared.push(name);
                        continue;
                    }
                    told => break told,
                },
                read = read(&mut out, &mut piece) => (JobStream::Out, read),
                read = read(&mut err, &mut other) => (JobStream::Err, read),
            };
            let from = if stream == JobStream::Out { &piece } else { &other };
            // After too much output, the rest is read and dropped, so that no process is stuck in a
            // full pipe.
            if !over && !take(&mut captured, stream, from.get(..read).unwrap_or_default()) {
                over = true;
                self.killer.kill();
            }
        };
        if told.is_some() && !over {
            // All writers are dead, so the pipes end.
            for (stream, pipe) in [(JobStream::Out, &mut out), (JobStream::Err, &mut err)] {
                while let Some(open) = pipe
                    && let Ok(read @ 1..) = open.read(&mut piece).await
                    && !over
                {
                    over = !take(&mut captured, stream, piece.get(..read).unwrap_or_default());
                }
            }
        }
        feed.abort();
        let [stdout, stderr] = captured;
        let suspicions = suspect(&self.order, &[stderr.end(), b"\n", stdout.end()].concat());
        JailOutcome { ending: ending(told.as_ref(), over), stdout, stderr, appeared, suspicions }
    }

    async fn hear(&mut self) -> Option<SupervisorMessage> {
        hear(&mut self.control, &mut self.heard).await
    }
}

impl Drop for JailJob {
    /// Closes the connection, which tells the supervisor to kill the remaining processes.
    fn drop(&mut self) {
        let _ = self.killer.0.shutdown(Shutdown::Both);
    }
}

fn ending(told: Option<&SupervisorMessage>, over: bool) -> JailEnding {
    match told {
        _ if over => JailEnding::OutOfOutput,
        Some(SupervisorMessage::Ended { cause: EndCause::Clock, .. }) => JailEnding::TimedOut,
        Some(SupervisorMessage::Ended { cause: EndCause::Asked, .. }) => JailEnding::Cancelled,
        Some(SupervisorMessage::Ended { cause: EndCause::Memory, .. }) => JailEnding::OutOfMemory,
        Some(SupervisorMessage::Ended { cause: EndCause::Protected, .. }) => JailEnding::MadeProtected,
        Some(SupervisorMessage::Ended { cause: EndCause::Itself, status: ProcessStatus::Exited(code) }) => {
            JailEnding::Exited(*code)
        }
        Some(SupervisorMessage::Ended {
            cause: EndCause::Itself,
            status: ProcessStatus::Signalled(signal),
        }) => JailEnding::Signalled(*signal),
        Some(
            SupervisorMessage::Started | SupervisorMessage::Failed { .. } | SupervisorMessage::Appeared(_),
        )
        | None => JailEnding::Lost,
    }
}

/// Writes the input and closes it. A program that does not read it to the end is its own business.
async fn feed(stdin: Option<Sender>, bytes: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(&bytes).await;
    }
}

/// Reads from a pipe. If the pipe is closed or taken, never returns, so that the
/// other events are awaited.
async fn read(pipe: &mut Option<Receiver>, into: &mut [u8]) -> usize {
    if let Some(open) = pipe
        && let Ok(read @ 1..) = open.read(into).await
    {
        return read;
    }
    *pipe = None;
    std::future::pending().await
}

/// The next frame from the supervisor; `None` when it is gone. If this is dropped, the bytes read
/// so far are kept.
async fn hear(control: &mut UnixStream, heard: &mut Vec<u8>) -> Option<SupervisorMessage> {
    loop {
        if let Some((head, rest)) = heard.split_first_chunk::<4>() {
            let length =
                usize::try_from(u32::from_le_bytes(*head)).ok().filter(|length| *length <= MAX_FRAME)?;
            if let Some(body) = rest.get(..length) {
                let told = SupervisorMessage::decode(body);
                heard.drain(..4 + length);
                return told;
            }
        }
        let mut piece = [0; 256];
        match control.read(&mut piece).await {
            Ok(read @ 1..) => heard.extend_from_slice(piece.get(..read).unwrap_or_default()),
            Ok(0) | Err(_) => return None,
        }
    }
}
