//! Handles the requests of one editor connection and owns its sessions. What a session does with a
//! prompt is in `acp_session.rs`; opening one is `commands/run/hosted_session.rs`, as for the chat.
//!
//! Steps that need an order happen before `take` returns, because the next message of the editor
//! may depend on them; everything slow runs in a task. The number of open sessions is bounded. When
//! the editor disconnects, running work is stopped and every journal is kept.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agent_client_protocol::{
    Agent, Client, ConnectTo, Error,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo, Responder,
        schema::{
            AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest, AuthenticateResponse,
            CancelNotification, ClientCapabilities, ClientRequest, CloseSessionResponse, Implementation,
            InitializeRequest, InitializeResponse, LoadSessionResponse, McpCapabilities, McpServer,
            NewSessionResponse, PromptCapabilities, PromptRequest, ResumeSessionResponse,
            SessionCapabilities, SessionCloseCapabilities, SessionId, SessionListCapabilities,
            SessionResumeCapabilities, SetSessionModeResponse,
        },
    },
};
use holm::{
    kernel::{Effect, journal},
    runtime::JournalStore as _,
    store::Store,
};
use serde::Serialize;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{
    acp_session::AcpSession,
    call_display::{DisplayFolder, FileFreshness},
    editor::EditorClient,
    editor_event_sink::EditorEventSink,
    editor_servers::EditorMcpServers,
    editor_user::EditorUser,
    listing,
    prompt_gate::PromptGate,
    refusal::{failed, invalid, refused},
    update_translator::{UpdateTiming, UpdateTranslator},
};
use crate::screen::DisplayablePath as _;
use crate::{
    approve::UserPresence,
    commands::run::{self, RunSinks},
    exit::CommandError,
    folder_trust::FolderAccess,
    holm_paths::HolmPaths,
    log::ActivityLog,
    screen::TerminalOutput,
};

/// How the one way to be known is named.
const KEYS: &str = "keys";

/// How many sessions may be open at once: each has its tools and servers.
const MOST_OPEN: usize = 64;

/// How long what is under way may take to come to its end when the editor goes away.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// The sessions of one editor connection.
pub(crate) struct AcpSessionManager {
    /// The other options of `holm run`.
    options: Vec<String>,
    data: Option<PathBuf>,
    /// The log that also receives all events.
    log: ActivityLog,
    can: Mutex<Arc<ClientCapabilities>>,
    seats: Mutex<BTreeMap<String, Arc<AcpSession>>>,
    /// Tasks whose answers are sent later.
    works: Mutex<JoinSet<()>>,
}

/// A request of the editor to open a session.
struct AcpOpenRequest {
    cwd: PathBuf,
    servers: Vec<McpServer>,
    /// An existing session to resume.
    session: Option<SessionId>,
    history: HistoryReplay,
}

/// Whether the history of the session is sent to the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryReplay {
    Told,
    Untold,
}

impl AcpOpenRequest {
    fn new(cwd: PathBuf, servers: Vec<McpServer>) -> Self {
        Self { cwd, servers, session: None, history: HistoryReplay::Untold }
    }

    fn again(self, session: SessionId, history: HistoryReplay) -> Self {
        Self { session: Some(session), history, ..self }
    }
}

impl AcpSessionManager {
    /// Sessions that are made with these options.
    ///
    /// # Errors
    /// Options that are none, or that sessions say for themselves.
    pub(crate) fn new(
        options: Vec<String>,
        data: Option<&Path>,
        log: &ActivityLog,
    ) -> Result<Self, CommandError> {
        let house = Self {
            options,
            data: data.map(Path::to_owned),
            log: log.clone(),
            can: Mutex::default(),
            seats: Mutex::default(),
            works: Mutex::default(),
        };
        house.args()?.check_shared()?;
        Ok(house)
    }

    /// Serves an editor until it disconnects or `stop` completes; then all running work is stopped,
    /// and stays in its journal.
    ///
    /// # Errors
    /// Why the connection broke.
    pub(crate) async fn serve(
        self,
        transport: impl ConnectTo<Agent> + 'static,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<(), Error> {
        let house = Arc::new(self);
        let (asked, stopped) = (Arc::clone(&house), Arc::clone(&house));
        Agent
            .v1()
            .name("holm")
            .on_receive_request(
                async move |request: ClientRequest, responder, client| {
                    asked.take(request, responder, client);
                    Ok(())
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_notification(
                async move |stop: CancelNotification, _| {
                    // A session that is not open has nothing to stop.
                    if let Ok(seat) = stopped.seat(&stop.session_id) {
                        seat.stop();
                    }
                    Ok(())
                },
                agent_client_protocol::on_receive_notification!(),
            )
            .connect_with(transport, async |client| {
                tokio::select! {
                    () = client.incoming_closed() => {}
                    () = stop => {}
                }
                house.leave().await;
                Ok(())
            })
            .await
    }

    /// Answers a request at once, or later if it takes time. Steps that need an order
    /// happen before this returns.
    fn take(
        self: &Arc<Self>,
        request: ClientRequest,
        responder: Responder<Value>,
        client: ConnectionTo<Client>,
    ) {
        let house = Arc::clone(self);
        match request {
            ClientRequest::InitializeRequest(request) => respond(responder, Ok(self.initialize(request))),
            ClientRequest::AuthenticateRequest(request) => respond(responder, self.authenticate(&request)),
            ClientRequest::NewSessionRequest(request) => {
                let wanted = AcpOpenRequest::new(request.cwd, request.mcp_servers);
                house.open_for(responder, client, wanted, |id, seat| {
                    serde_json::to_value(NewSessionResponse::new(id).modes(seat.modes()))
                });
            }
            ClientRequest::LoadSessionRequest(request) => {
                let wanted = AcpOpenRequest::new(request.cwd, request.mcp_servers);
                let wanted = wanted.again(request.session_id, HistoryReplay::Told);
                house.open_for(responder, client, wanted, |_, seat| {
                    serde_json::to_value(LoadSessionResponse::new().modes(seat.modes()))
                });
            }
            ClientRequest::ResumeSessionRequest(request) => {
                let wanted = AcpOpenRequest::new(request.cwd, request.mcp_servers);
                let wanted = wanted.again(request.session_id, HistoryReplay::Untold);
                house.open_for(responder, client, wanted, |_, seat| {
                    serde_json::to_value(ResumeSessionResponse::new().modes(seat.modes()))
                });
            }
            ClientRequest::ListSessionsRequest(request) => {
                self.later(async move {
                    respond(responder, listing::page(request, house.data.as_deref()).await);
                });
            }
            ClientRequest::CloseSessionRequest(request) => match self.seat(&request.session_id) {
                Ok(seat) => {
                    self.seats().remove(&*request.session_id.0);
                    self.later(async move {
                        seat.leave().await;
                        respond(responder, Ok(CloseSessionResponse::new()));
                    });
                }
                Err(error) => respond::<()>(responder, Err(error)),
            },
            ClientRequest::SetSessionModeRequest(request) => {
                let changed =
                    self.seat(&request.session_id).and_then(|seat| seat.change_mode(&request.mode_id));
                respond(responder, changed.map(|()| SetSessionModeResponse::new()));
            }
            ClientRequest::PromptRequest(request) => self.prompt(request, responder),
            _ => respond::<()>(responder, Err(Error::method_not_found())),
        }
    }

    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        *self.can.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(request.client_capabilities);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let able = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
            .session_capabilities(sessions);
        let how = "In a terminal: holm keys add PROVIDER. Or give the provider's variable to Holm in the editor's settings.";
        let keys = AuthMethodAgent::new(KEYS, "Keep a provider's key").description(how.to_owned());
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(able)
            .auth_methods(vec![AuthMethod::Agent(keys)])
            .agent_info(Implementation::new("holm", env!("CARGO_PKG_VERSION")).title("Holm".to_owned()))
    }

    /// Identifies no user. It only checks whether a model would answer now.
    fn authenticate(&self, request: &AuthenticateRequest) -> Result<AuthenticateResponse, Error> {
        if &*request.method_id.0 != KEYS {
            return Err(invalid(format!("unknown authentication method `{}`", request.method_id.0)));
        }
        let screen = Arc::new(TerminalOutput::default());
        let checked = HolmPaths::find(self.data.as_deref())
            .and_then(|places| self.args().map_err(anyhow::Error::new)?.check_model(places, &screen));
        checked.map(|()| AuthenticateResponse::new()).map_err(|error| refused(&error))
    }

    fn prompt(&self, request: PromptRequest, responder: Responder<Value>) {
        let begun = self.seat(&request.session_id).and_then(|seat| {
            let prompt = seat.begin(request.prompt)?;
            Ok((seat, prompt))
        });
        match begun {
            Ok((seat, prompt)) => {
                let asked = responder.cancellation();
                self.later(async move { respond(responder, seat.work(prompt, asked).await) });
            }
            Err(error) => respond::<()>(responder, Err(error)),
        }
    }

    /// Opens a session, answers, and tells what can be said to it.
    fn open_for(
        self: Arc<Self>,
        responder: Responder<Value>,
        client: ConnectionTo<Client>,
        wanted: AcpOpenRequest,
        answer: impl FnOnce(SessionId, &AcpSession) -> serde_json::Result<Value> + Send + 'static,
    ) {
        let house = Arc::clone(&self);
        self.later(async move {
            match house.open(client, wanted).await {
                Ok((id, seat)) => {
                    respond(responder, answer(id, &seat).map_err(Error::into_internal_error));
                    seat.introduce();
                }
                Err(error) => respond::<()>(responder, Err(error)),
            }
        });
    }

    async fn open(
        &self,
        client: ConnectionTo<Client>,
        wanted: AcpOpenRequest,
    ) -> Result<(SessionId, Arc<AcpSession>), Error> {
        if self.seats().len() >= MOST_OPEN {
            return Err(too_many());
        }
        let places = self.places(&wanted.cwd)?;
        let args = match &wanted.session {
            Some(id) => {
                self.make_free(id).await;
                // It keeps what it has: the options are those of new sessions.
                self.args().map(|args| args.resuming(id.0.to_string()))
            }
            None => self.args().map(run::RunArgs::paced_by_a_person),
        };
        let args = args.map_err(|trouble| refused(&trouble.into()))?;
        let can = Arc::clone(&self.can.lock().unwrap_or_else(PoisonError::into_inner));
        let editor = EditorClient::new(client, can);
        let folder = |files| DisplayFolder::new(&places.work, files);
        let telling =
            UpdateTranslator::new(UpdateTiming::Now, folder(FileFreshness::Present), editor.notices());
        let telling = Arc::new(Mutex::new(telling));
        let (asking, turn) =
            (EditorUser::new(editor.clone(), Arc::clone(&telling)), Arc::new(PromptGate::default()));
        let watcher = EditorEventSink {
            editor: editor.clone(),
            telling: Arc::clone(&telling),
            turn: Arc::clone(&turn),
        };
        let sinks = RunSinks { events: vec![Arc::new(watcher.clone())], deltas: Some(Arc::new(watcher)) };
        let args = args.bringing(Arc::new(EditorMcpServers::new(wanted.servers, asking.clone())));
        let person = UserPresence::Elsewhere(Arc::new(asking));
        let opened = args.open(places.clone(), &screen(&editor), person, sinks).await;
        let opened = opened.map_err(|error| refused(&error))?;
        telling.lock().unwrap_or_else(PoisonError::into_inner).of_run(opened.session.run());
        let id = SessionId::new(opened.session.id());
        editor.seated(id.clone());
        if wanted.history == HistoryReplay::Told {
            let again =
                UpdateTranslator::new(UpdateTiming::Before, folder(FileFreshness::Past), editor.notices());
            let store = opened.made.store.clone();
            tell_again(&store, &id, again, &editor).await?;
        }
        let seat = Arc::new(AcpSession::new(editor, turn, opened));
        if !self.take_in(&id, &seat) {
            seat.leave().await;
            return Err(too_many());
        }
        Ok((id, seat))
    }

    /// Has a session among those that are open, unless others have come meanwhile and there is no room.
    fn take_in(&self, id: &SessionId, seat: &Arc<AcpSession>) -> bool {
        let mut seats = self.seats();
        let has_room = seats.len() < MOST_OPEN;
        if has_room {
            seats.insert(id.0.to_string(), Arc::clone(seat));
        }
        has_room
    }

    /// A session that is open here is let go before it is taken up again.
    async fn make_free(&self, id: &SessionId) {
        let open = self.seats().remove(&*id.0);
        if let Some(seat) = open {
            seat.leave().await;
        }
    }

    /// The session of an id, if it is open here.
    fn seat(&self, id: &SessionId) -> Result<Arc<AcpSession>, Error> {
        let seat = self.seats().get(&*id.0).cloned();
        seat.ok_or_else(|| agent_client_protocol::v1::schema::Error::session_not_found(id.clone()).into())
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<String, Arc<AcpSession>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The arguments of a new session.
    fn args(&self) -> Result<run::RunArgs, CommandError> {
        let words = self.options.iter().map(String::as_str);
        Ok(run::RunArgs::behind("holm acp --", words)?.logging(&self.log))
    }

    /// The places of a session that works in this folder.
    fn places(&self, cwd: &Path) -> Result<HolmPaths, Error> {
        if !cwd.is_absolute() {
            return Err(invalid("the folder of a session must be an absolute path"));
        }
        let unusable = |error: std::io::Error| invalid(format!("{} cannot be used: {error}", cwd.shown()));
        let work = cwd.canonicalize().map_err(unusable)?;
        if !work.is_dir() {
            return Err(invalid(format!("{} is not a folder", cwd.shown())));
        }
        let places = HolmPaths::find(self.data.as_deref()).map_err(|error| refused(&error))?;
        let places = HolmPaths { work, ..places };
        let folder_access = FolderAccess::of(&places).map_err(|error| refused(&error.into()))?;
        Ok(HolmPaths { folder_access, ..places })
    }

    /// Does something that is answered when it is done.
    fn later(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        while works.try_join_next().is_some() {}
        works.spawn(work);
    }

    /// Shuts down: pending requests are answered, running work is stopped, and
    /// every journal is kept.
    async fn leave(&self) {
        let mut works = std::mem::take(&mut *self.works.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = async {
            loop {
                self.seats().values().for_each(|seat| seat.stop());
                if works.join_next().await.is_none() {
                    break;
                }
            }
        };
        // A session that takes longer ends with the process, and is resumed as after a crash.
        let _ = tokio::time::timeout(LAST_WORDS, ended).await;
        let seats = std::mem::take(&mut *self.seats());
        for seat in seats.into_values() {
            seat.leave().await;
        }
    }
}

fn too_many() -> Error {
    invalid(format!("{MOST_OPEN} sessions are open already; close one first"))
}

/// Tells an editor what a journal holds.
async fn tell_again(
    store: &Store,
    session: &SessionId,
    mut telling: UpdateTranslator,
    editor: &EditorClient,
) -> Result<(), Error> {
    let broken = |error: String| failed(format!("the journal cannot be read: {error}"));
    let text = store.read(&session.0).await.map_err(|error| broken(error.to_string()))?;
    let records = journal::decode(&text).map_err(|error| broken(error.to_string()))?.records;
    let told = journal::replay_with(&records, |_, effect| {
        if let Effect::Emit(event) = effect {
            telling.event(&event.event).into_iter().for_each(|update| editor.tell(update));
        }
    });
    told.map(drop).map_err(|error| broken(error.to_string()))
}

/// Notes go to standard error, and to an editor that shows them.
fn screen(editor: &EditorClient) -> Arc<TerminalOutput> {
    let (terminal, editor) = (TerminalOutput::default(), editor.clone());
    Arc::new(TerminalOutput::elsewhere(move |text| {
        terminal.note(text);
        editor.note(text);
    }))
}

fn respond<T: Serialize>(responder: Responder<Value>, answer: Result<T, Error>) {
    let answer = answer.and_then(|answer| serde_json::to_value(answer).map_err(Error::into_internal_error));
    // An editor that has disconnected needs no answer.
    let _ = responder.respond_with_result(answer);
}
