//! The terminal's side: a process that drives a session lets servers of the same user watch and
//! steer it. The server's side is `link.rs`, the messages are in `messages.rs`, and the socket in
//! `session_socket.rs`. A server must show the key before anything else is read. A slow or lost
//! server never delays the session.

use std::{io, path::Path, sync::Arc, time::Duration};

use holm_kernel::{Numbered, Prompt};
use holm_runtime::{CancellationToken, DeltaSink, EventSink, RunHandle};
use tokio::{
    io::BufReader,
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Semaphore, mpsc},
    task::JoinHandle,
};

use super::{
    input_gate::RemoteInputGate,
    messages::{LinkHandshake, MOST_SAID, TerminalCommand, TerminalMessage, TerminalRequest, next, put},
    session_socket::{SessionSocket, same},
};
use crate::{
    ServerError,
    live::{FeedCursor, FeedStep, QuestionAttendance, QuestionBroker, SessionFeed},
};

/// Servers that watch at the same time: one, and a successor, with some reserve.
const MOST_LINKS: usize = 4;
/// How long a server may take to authenticate.
const KNOCKING: Duration = Duration::from_secs(5);
/// How long the last messages may take when a session ends.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Replies that may wait for a slow server.
const MOST_REPLIES: usize = 64;

/// Shares a session with servers: its feed, its questions and its input.
///
/// ```
/// use holm_server::terminal::TerminalHost;
///
/// let host = TerminalHost::new();
/// assert!(host.desk().open().is_empty(), "nobody is asked anything yet");
/// ```
#[derive(Debug, Clone)]
pub struct TerminalHost {
    feed: Arc<SessionFeed>,
    desk: Arc<QuestionBroker>,
    input_gate: Arc<RemoteInputGate>,
}

/// Lets servers watch the session until it is dropped.
#[derive(Debug)]
pub struct TerminalListener {
    socket: SessionSocket,
    accepting: JoinHandle<()>,
    connections: Arc<Semaphore>,
    stop: CancellationToken,
    input_gate: Arc<RemoteInputGate>,
}

/// The state of one connection.
struct TerminalConnection {
    host: TerminalHost,
    handle: RunHandle,
    key: String,
    stop: CancellationToken,
}

impl Default for TerminalHost {
    fn default() -> Self {
        Self::new()
    }
}

impl TerminalHost {
    /// Creates a host with an empty feed.
    pub fn new() -> Self {
        let feed = Arc::new(SessionFeed::new());
        let desk = Arc::new(QuestionBroker::new(Arc::clone(&feed), QuestionAttendance::Attended));
        Self { feed, desk, input_gate: Arc::default() }
    }

    /// The broker through which watchers answer questions.
    pub fn desk(&self) -> &Arc<QuestionBroker> {
        &self.desk
    }

    /// The sink for the session's events.
    pub fn events(&self) -> Arc<dyn EventSink> {
        let host = self.clone();
        Arc::new(move |event: &Numbered| {
            host.input_gate.hear(&event.event);
            host.feed.event(event);
        })
    }

    pub fn deltas(&self) -> Arc<dyn DeltaSink> {
        Arc::clone(&self.feed) as Arc<dyn DeltaSink>
    }

    /// Accepts servers that use this data folder. The driver of the session must call
    /// it within a runtime.
    ///
    /// # Errors
    /// [`ServerError::File`] if no socket can be created. The session works without it.
    pub fn listen(
        &self,
        data: &Path,
        session: &str,
        handle: RunHandle,
    ) -> Result<TerminalListener, ServerError> {
        let socket = SessionSocket::of(data, session);
        let (listener, key) = socket.listen(session)?;
        let (stop, connections) = (CancellationToken::new(), Arc::new(Semaphore::new(MOST_LINKS)));
        let serving = TerminalConnection { host: self.clone(), handle, key, stop: stop.clone() };
        let accepting = tokio::spawn(accept(listener, Arc::new(serving), Arc::clone(&connections)));
        Ok(TerminalListener {
            socket,
            accepting,
            connections,
            stop,
            input_gate: Arc::clone(&self.input_gate),
        })
    }
}

impl TerminalListener {
    /// Whether a server sent input that the turn that just ended may not have read. The driver
    /// then catches up ([`Session::catch_up`](holm_runtime::Session::catch_up)).
    ///
    /// Reports it once; no further input is accepted until the session works again.
    pub fn missed(&self) -> bool {
        self.input_gate.missed()
    }

    /// Accepts no more connections, and waits until the watchers have seen the end.
    pub async fn end(self) {
        self.accepting.abort();
        self.stop.cancel();
        let all = u32::try_from(MOST_LINKS).unwrap_or(u32::MAX);
        // Slower watchers read the rest in the journal.
        let _ = tokio::time::timeout(LAST_WORDS, self.connections.acquire_many(all)).await;
    }
}

impl Drop for TerminalListener {
    fn drop(&mut self) {
        self.accepting.abort();
        self.stop.cancel();
        self.socket.clear();
    }
}

async fn accept(listener: UnixListener, serving: Arc<TerminalConnection>, connections: Arc<Semaphore>) {
    while let Ok((stream, _)) = listener.accept().await {
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else { continue };
        let serving = Arc::clone(&serving);
        tokio::spawn(async move {
            // A disconnected server does not affect the session.
            let _ = serving.serve(stream).await;
            drop(permit);
        });
    }
}

impl TerminalConnection {
    async fn serve(&self, stream: UnixStream) -> io::Result<()> {
        let (read, write) = stream.into_split();
        let mut read = BufReader::new(read);
        let knock: Option<LinkHandshake> =
            tokio::time::timeout(KNOCKING, next(&mut read, MOST_SAID)).await??;
        if !knock.is_some_and(|knock| same(&knock.key, &self.key)) {
            return Ok(());
        }
        let (replies, to_write) = mpsc::channel(MOST_REPLIES);
        tokio::select! {
            received = self.read_requests(read, replies) => received,
            sent = self.write_messages(write, to_write) => sent,
        }
    }

    async fn read_requests(
        &self,
        mut read: BufReader<OwnedReadHalf>,
        replies: mpsc::Sender<TerminalMessage>,
    ) -> io::Result<()> {
        while let Some(TerminalRequest { number, what: command }) = next(&mut read, MOST_SAID).await? {
            let refused = self.act(command).err();
            if replies.send(TerminalMessage::Heard { number, refused }).await.is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Carries out the command of a watcher, or returns why it cannot.
    fn act(&self, command: TerminalCommand) -> Result<(), String> {
        let (input_gate, handle) = (&self.host.input_gate, &self.handle);
        match command {
            TerminalCommand::Steer(text) => {
                input_gate.say(|| handle.steer(Prompt::text(text)).map_err(|error| error.to_string()))
            }
            TerminalCommand::FollowUp(text) => {
                input_gate.say(|| handle.follow_up(Prompt::text(text)).map_err(|error| error.to_string()))
            }
            TerminalCommand::Cancel(reason) => {
                input_gate.stop(|| handle.cancel(reason).map_err(|error| error.to_string()))
            }
            TerminalCommand::Answer { question, answer } => {
                self.host.desk.answer(question, answer).map_err(|refusal| refusal.message)
            }
        }
    }

    async fn write_messages(
        &self,
        mut write: OwnedWriteHalf,
        mut replies: mpsc::Receiver<TerminalMessage>,
    ) -> io::Result<()> {
        let feed = &self.host.feed;
        let mut changes = feed.bell();
        let last = feed.latest().event;
        // The whole reply that is arriving, and the events from now on.
        let mut position = feed.position(FeedCursor { event: last, reply: None });
        put(&mut write, &TerminalMessage::Hello { last, works: self.host.input_gate.works() }).await?;
        for posed in self.host.desk.open() {
            put(&mut write, &TerminalMessage::Asked(Box::new((*posed).clone()))).await?;
        }
        let mut rest = HostDrainState::More;
        loop {
            changes.borrow_and_update();
            match feed.step(&mut position) {
                FeedStep::Frames(frames) => {
                    for message in frames.into_iter().filter_map(|(frame, _)| TerminalMessage::of(frame)) {
                        put(&mut write, &message).await?;
                    }
                }
                FeedStep::Behind => {
                    let last = feed.latest().event;
                    position = feed.position(FeedCursor { event: last, reply: None });
                    put(&mut write, &TerminalMessage::Gap(last)).await?;
                }
                FeedStep::Wait if rest == HostDrainState::ToldBefore => break,
                FeedStep::Wait => tokio::select! {
                    Some(reply) = replies.recv() => put(&mut write, &reply).await?,
                    // The feed is held here, so its sender exists.
                    _ = changes.changed() => {}
                    // Frames that arrived since the last look are sent before the end.
                    () = self.stop.cancelled() => rest = HostDrainState::ToldBefore,
                },
            }
        }
        // Requests that were read get their reply.
        while let Ok(reply) = replies.try_recv() {
            put(&mut write, &reply).await?;
        }
        Ok(())
    }
}

/// Which frames are still to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostDrainState {
    More,
    /// Frames from before the end of the session.
    ToldBefore,
}
