//! Streams the events of a session, as server-sent events or over a WebSocket. Both use the same
//! watcher. A client that reconnects says which frame it saw last.
//!
//! Which frames there are is decided in `live/session_watcher.rs`. A client sends nothing here:
//! changes go through a POST. A stream ends as soon as its token is revoked.
//!
//! Input and cancellation are in `routes/work.rs`; tokens are revoked in `auth/token_registry.rs`.

use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use axum::{
    Extension,
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, rejection::WebSocketUpgradeRejection},
    },
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{SinkExt as _, Stream, StreamExt as _, stream};
use http::HeaderMap;
use serde::Deserialize;
use tokio::{sync::watch, task::JoinHandle};
use utoipa::IntoParams;

use crate::{
    ApiError, FeedCursor, FeedFrame, HolmServer, Problem, ServerMetrics, SessionId,
    auth::{AuthenticatedUser, TokenId, UserName},
    extract::{PathParam, QueryParams},
    live::SessionWatcher,
    request_guard::PROTOCOL,
    serve::ConnectionPermit,
    state::admit,
};

/// The keep-alive interval of a silent connection: shorter than the timeouts of proxies.
const ALIVE: Duration = Duration::from_secs(15);
/// How long a client may take to accept one frame before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often the server checks whether a terminal drives the session.
const LOOK: Duration = Duration::from_secs(2);
/// The largest message from a client, which only sends pings.
const MOST_HEARD: usize = 1_024;
/// The WebSocket close code that asks a client to reconnect.
const COME_AGAIN: u16 = 1_013;

/// The frame after which the stream starts.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WatchQuery {
    /// The id of the last frame that you received; from the beginning if not set. The header
    /// `last-event-id` does the same.
    after: Option<String>,
}

/// A watcher, together with its token, which may be revoked.
struct WatcherStream {
    watch: SessionWatcher,
    server: HolmServer,
    token: TokenId,
    _look: TerminalProbe,
    changes: watch::Receiver<u64>,
    left: WatcherDrainState,
}

/// Which frames a watcher still gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatcherDrainState {
    All,
    /// Frames from before the server began to stop.
    ToldBefore,
    Nothing,
}

/// Looks for a terminal that starts to drive the session, as long as a client watches. The terminal
/// link then adds its events to the feed.
struct TerminalProbe(JoinHandle<()>);

impl TerminalProbe {
    fn begin(server: HolmServer, user: UserName, id: SessionId) -> Self {
        Self(tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK).await;
                // The next attempt may succeed.
                let _ = server.terminal(&user, &id).await;
            }
        }))
    }
}

impl Drop for TerminalProbe {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl WatcherStream {
    /// The next frame; the last one says why the stream ends.
    async fn next(&mut self) -> Option<(FeedFrame, FeedCursor)> {
        while self.left == WatcherDrainState::All {
            tokio::select! {
                frame = self.watch.next() => return self.counted(frame),
                () = self.server.inner.hall.stopping() => self.left = WatcherDrainState::ToldBefore,
                changed = self.changes.changed() => {
                    if changed.is_err() || !self.server.inner.keyring.is_valid(self.token) {
                        return Some(self.closed());
                    }
                }
            }
        }
        if self.left == WatcherDrainState::Nothing {
            return None;
        }
        // The result of a run that ended just before the server stopped is still sent, if the token
        // is valid.
        match self.watch.next_available().await.filter(|_| self.server.inner.keyring.is_valid(self.token)) {
            None => Some(self.closed()),
            frame => self.counted(frame),
        }
    }

    fn counted(&self, frame: Option<(FeedFrame, FeedCursor)>) -> Option<(FeedFrame, FeedCursor)> {
        let metrics: &Arc<ServerMetrics> = &self.server.inner.metrics;
        metrics.frames.add(1);
        if matches!(frame, Some((FeedFrame::Lagged, _))) {
            metrics.lagged.add(1);
        }
        frame
    }

    fn closed(&mut self) -> (FeedFrame, FeedCursor) {
        self.left = WatcherDrainState::Nothing;
        (FeedFrame::Closed, FeedCursor::default())
    }

    /// All frames as a stream. A stream keeps a pending read of the journal when
    /// something else happens first.
    fn frames(self) -> impl Stream<Item = (FeedFrame, FeedCursor)> + Send {
        stream::unfold(self, |mut watching| async move { Some((watching.next().await?, watching)) })
    }
}

/// Streams a session as server-sent events.
///
/// Each event has an `id`. Send it back as `last-event-id` to continue from there.
#[utoipa::path(get, path = "/api/sessions/{id}/events", params(("id" = String, Path), WatchQuery),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn events(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    QueryParams(from): QueryParams<WatchQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok()).map(str::to_owned);
    let watching = begin(&server, &who, id, last.or(from.after)).await?;
    let frames = watching.frames().map(|(frame, cursor)| {
        let mut event = Event::default().event(frame.name()).data(frame.data());
        if !matches!(frame, FeedFrame::Closed) {
            event = event.id(cursor.to_string());
        }
        Ok::<_, Infallible>(event)
    });
    let mut answer = Sse::new(frames).keep_alive(KeepAlive::new().interval(ALIVE)).into_response();
    // A buffering proxy would show nothing until the end of the response.
    answer.headers_mut().insert("x-accel-buffering", http::HeaderValue::from_static("no"));
    Ok(answer)
}

/// Streams a session over a WebSocket.
///
/// Each frame is one JSON text: `{"type", "id", "data"}`.
#[utoipa::path(get, path = "/api/sessions/{id}/socket", params(("id" = String, Path), WatchQuery),
    responses((status = 101), (status = 400, body = Problem), (status = 404, body = Problem), (status = 426, body = Problem)))]
pub(crate) async fn socket(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    QueryParams(from): QueryParams<WatchQuery>,
    permit: Option<Extension<ConnectionPermit>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| {
        ApiError::new(http::StatusCode::UPGRADE_REQUIRED, "not_a_socket", "ask for a WebSocket here")
    })?;
    let watching = begin(&server, &who, id, from.after).await?;
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(MOST_HEARD).max_frame_size(MOST_HEARD);
    Ok(upgrade.on_upgrade(move |socket| async move {
        send_frames(socket, watching).await;
        drop(permit);
    }))
}

async fn begin(
    server: &HolmServer,
    who: &AuthenticatedUser,
    id: SessionId,
    after: Option<String>,
) -> Result<WatcherStream, ApiError> {
    admit(who, &id)?;
    let cursor = after.map_or(Ok(FeedCursor::default()), |after| after.parse())?;
    let changes = server.inner.keyring.changes();
    let store = server.inner.workshop.home(&who.user).await?.store;
    let hall = &server.inner.hall;
    let desk = hall.find(&who.user, &id).await.map(|live_session| Arc::clone(&live_session.desk));
    let feed = hall.feed(&who.user, &id);
    let watch = SessionWatcher::new(feed, desk, store, id.clone(), cursor);
    if let Some(link) = server.terminal(&who.user, &id).await? {
        link.repeat_questions();
    }
    // The feed may not have everything that the journal has, so the watcher starts with the
    // journal.
    let watch = watch.polling(server.config().takeover).with_past().await?;
    let look = TerminalProbe::begin(server.clone(), who.user.clone(), id);
    Ok(WatcherStream {
        watch,
        server: server.clone(),
        token: who.token,
        _look: look,
        changes,
        left: WatcherDrainState::All,
    })
}

/// Sends frames until the client leaves or the stream ends.
async fn send_frames(socket: WebSocket, watching: WatcherStream) {
    let (mut sink, mut incoming) = socket.split();
    let mut frames = pin!(watching.frames());
    let mut alive = tokio::time::interval(ALIVE);
    loop {
        let message = tokio::select! {
            frame = frames.next() => match frame {
                Some((frame, cursor)) => Message::text(frame.message(&cursor)),
                None => break,
            },
            _ = alive.tick() => Message::Ping(axum::body::Bytes::new()),
            received = incoming.next() => match received {
                // Pongs, and pings of the client, which the library answers.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                // A client sends no data here: changes go through a POST.
                Some(Ok(Message::Text(_) | Message::Binary(_) | Message::Close(_)) | Err(_)) | None => break,
            },
        };
        // A client that reads nothing delays only its own frames, and only for a limited time.
        match tokio::time::timeout(PATIENCE, sink.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
    let close = CloseFrame { code: COME_AGAIN, reason: "reconnect from the last id".into() };
    let _ = tokio::time::timeout(PATIENCE, sink.send(Message::Close(Some(close)))).await;
}
