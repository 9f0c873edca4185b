//! The open sessions, each driven by its own task. It opens, prompts, steers, stops and closes
//! runs, and watches their helpers. How a session is assembled is in
//! `commands/run/hosted_session.rs`; what the user sees of it, in `tab.rs`. It never touches the
//! state of the chat: everything is reported as a message.
//!
//! A cancel request of an earlier turn must not stop the next one. Leaving waits a bounded time
//! until the journals record that the work was stopped. A level that the user chooses with `/trust`
//! applies to this session and to all that are opened later; without a jail there is no level that
//! runs commands in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{Block, Effect, Event, Input, ModelCallId, ModelResult, Numbered, Prompt, journal},
    runtime::{DriveError, EventNotice, HandleError, JournalStore as _, RunHandle, RunReport},
    store::Store,
};
use holm_tools::{agents::AgentLoader, root::LiveGrants};
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use super::{
    chat_user::{ChatEventSink, ChatMessageSender, ChatUser, OpenQuestions},
    delta_budget::DeltaByteBudget,
    item::NoteTone,
    state::{ChatMessage, OpenSessionInfo, SessionOrigin},
    tab::{DeliveryTiming, INTERRUPTED, QueuedMessage, TabId},
    view_state::{SessionViewState, ViewStateStore},
};
use crate::{
    approve::UserPresence,
    commands::run::{self, RunSinks, mode_frees},
    exit::CommandError,
    folder_trust::{FolderAccess, FolderTrustFile, NO_JAIL_UNCONFINED, TrustLevel},
    holm_paths::HolmPaths,
    model::ModelMediaSupport,
    screen::TerminalOutput,
    session_sidecar::SessionSidecar,
};

/// How long to wait between two looks for a helper that was just started.
const LOOK: Duration = Duration::from_millis(20);
/// How many times: a helper that is not there by then has ended already.
const LOOKS: u32 = 100;

/// The answer to what only an open session can do.
const NOT_OPEN: &str = "the session is not open yet";

/// How long what is under way may take to come to its end when the person leaves.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// All open sessions of the chat.
pub(super) struct ChatSessions {
    args: run::RunArgs,
    places: HolmPaths,
    tell: ChatMessageSender,
    questions: Arc<OpenQuestions>,
    open: BTreeMap<TabId, ChatSession>,
    /// The tasks that drive the sessions, each until it has ended.
    works: JoinSet<()>,
    shared: SharedChatFacts,
}

/// What all sessions of a chat have in common. Clones share it.
#[derive(Clone, Default)]
struct SharedChatFacts {
    /// The level that the user chose in this chat.
    level: Arc<Mutex<Option<TrustLevel>>>,
    /// The notes that were shown. Each is shown once, however many sessions repeat it.
    notes: Arc<Mutex<BTreeSet<String>>>,
}

impl SharedChatFacts {
    fn level(&self) -> Option<TrustLevel> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn choose(&self, level: TrustLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Gives a session that was just opened the level that was chosen before: a flag of the chat,
    /// or the past of a fork, may have given it another one. Returns its mode then. A session that
    /// had the mode of the level and was lowered by the user stays so.
    fn applied(&self, run: &ChatRun, mode: Mode) -> Option<Mode> {
        let level = self.level()?;
        let was_lowered = run.has_mode_of(level) && mode < run.mode_of(level);
        for input in run.recorded_level(level, mode).ok()? {
            if !(was_lowered && matches!(input, Input::ModeChanged(_))) {
                run.handle.tell(input).ok()?;
            }
        }
        Some(if was_lowered || mode == Mode::Plan { mode } else { run.mode_of(level) })
    }

    /// Whether a note was not shown before.
    fn is_new(&self, note: &str) -> bool {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(note.to_owned())
    }
}

/// A session that is open or opening.
struct ChatSession {
    /// The run, once it is open.
    live: Arc<OnceLock<ChatRun>>,
    wishes: mpsc::UnboundedSender<ChatSessionRequest>,
    work: AbortHandle,
}

/// A request to a session, handled after the earlier ones.
enum ChatSessionRequest {
    Prompt(Prompt),
    /// Process prompts that arrived too late for the turn that has ended.
    CatchUp,
}

/// What senders of prompts need of a run.
struct ChatRun {
    session: String,
    places: HolmPaths,
    handle: RunHandle,
    takes: ModelMediaSupport,
    /// The grants of the run, and the most that it may have.
    grants: Mutex<GrantSet>,
    most: Mode,
    most_grants: Option<GrantSet>,
    /// Opens files that a grant names to its tools.
    live_grants: LiveGrants,
}

impl ChatRun {
    /// Changes the grants within the policy, and returns what the run has then.
    fn change_grants(&self, change: impl FnOnce(&GrantSet) -> GrantSet) -> GrantSet {
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = change(&grants);
        *grants = match &self.most_grants {
            // What it has already stays, such as the permission to call helpers.
            Some(most) => grants.meet(&wanted).iter().chain(most.meet(&wanted).iter()).cloned().collect(),
            None => wanted,
        };
        grants.clone()
    }

    /// The inputs that give the run the grants and the mode of a level, if it is in this mode now.
    /// Plan mode stays on until the user ends it.
    fn trusting(&self, level: TrustLevel, mode: Mode) -> Vec<Input> {
        let levels: GrantSet = TrustLevel::Jail.grants().into_iter().collect();
        let other = |grant: &&Grant| !levels.contains(grant);
        let grants =
            self.change_grants(|has| has.iter().filter(other).cloned().chain(level.grants()).collect());
        let changed = Some(self.mode_of(level)).filter(|_| mode != Mode::Plan).map(Input::ModeChanged);
        [Input::GrantsChanged(grants)].into_iter().chain(changed).collect()
    }

    /// The inputs that give the run a level, once that is recorded: a resumed session and a fork have
    /// then what the level of the folder gives at that time.
    ///
    /// # Errors
    /// If the run would have more and that cannot be recorded.
    fn recorded_level(&self, level: TrustLevel, mode: Mode) -> Result<Vec<Input>, CommandError> {
        let has_all = self.granted().contains_all(&level.grants().into_iter().collect());
        let of_level = self.mode_of(level);
        let recorded =
            SessionSidecar::change(&self.places, &self.session, |terms| terms.trust(level, of_level));
        if !has_all {
            recorded?;
        }
        Ok(self.trusting(level, mode))
    }

    /// Records a grant of the user.
    fn record_grant(&self, grant: &Grant) -> Result<(), CommandError> {
        SessionSidecar::change(&self.places, &self.session, |terms| terms.granted.push(grant.clone()))
    }

    fn granted(&self) -> GrantSet {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the session got the mode of this level before.
    fn has_mode_of(&self, level: TrustLevel) -> bool {
        let sidecar = SessionSidecar::of(&self.places, &self.session).ok().flatten();
        sidecar.is_some_and(|known| known.terms.level.mode == Some(self.mode_of(level)))
    }

    /// The mode of a level, as far as the policy allows it.
    fn mode_of(&self, level: TrustLevel) -> Mode {
        level.mode().min(self.most)
    }
}

/// The mode in which writes that the user has just granted run without a question. `None` if the mode
/// is not the one that asks about every write, and if the session may write elsewhere too: the user
/// did not say that those writes are free.
fn free_mode(grants: &GrantSet, given: &Grant, mode: Mode) -> Option<Mode> {
    let is_freed = |grant: &&Grant| mode_frees(grant);
    let given_alone: GrantSet = std::iter::once(given.clone()).collect();
    let is_alone = grants.iter().filter(is_freed).all(|grant| given_alone.contains(grant));
    (mode == Mode::Default && matches!(given, Grant::Write(_)) && is_alone).then_some(Mode::AcceptEdits)
}

/// The highest level whose grants a run has, and whose mode.
fn level_of(grants: &GrantSet, mode: Mode) -> TrustLevel {
    let has = |level: &TrustLevel| {
        mode >= level.mode() && grants.contains_all(&level.grants().into_iter().collect())
    };
    TrustLevel::ALL.into_iter().rev().find(has).unwrap_or(TrustLevel::Ask)
}

impl ChatSessions {
    pub(super) fn new(
        args: run::RunArgs,
        places: HolmPaths,
        tell: ChatMessageSender,
        questions: Arc<OpenQuestions>,
    ) -> Self {
        let (open, works, shared) = (BTreeMap::new(), JoinSet::new(), SharedChatFacts::default());
        Self { args, places, tell, questions, open, works, shared }
    }

    /// Opens one; it is told when it is there.
    pub(super) fn open(&mut self, tab: TabId, how: SessionOrigin) {
        let (wishes, asked) = mpsc::unbounded_channel();
        let live = Arc::new(OnceLock::new());
        let known = Arc::clone(&live);
        let opening = ChatSessionOpener {
            tab,
            args: self.args.clone(),
            places: self.places.clone(),
            tell: self.tell.clone(),
            questions: Arc::clone(&self.questions),
            shared: self.shared.clone(),
        };
        if let SessionOrigin::Resume { session } = &how {
            self.args.forget_flags_of(session);
        }
        while self.works.try_join_next().is_some() {}
        let work = self.works.spawn(async move {
            let tell = opening.tell.clone();
            if let Err(error) = opening.live(how, &live, asked).await {
                let _ = tell.send(ChatMessage::Failed { tab, why: format!("{error:#}") });
            }
        });
        self.open.insert(tab, ChatSession { live: known, wishes, work });
    }

    /// Stops one and lets it go; its journal stays.
    pub(super) fn close(&mut self, tab: TabId) {
        self.cancel(tab);
        self.open.remove(&tab);
    }

    /// Stops all sessions and waits until their journals record it: after leaving the chat, the
    /// work must not continue the next time.
    pub(super) async fn leave(mut self) {
        // One that is not there yet has nothing to bring to an end, and may wait for a server for long.
        self.open.values().filter(|open| open.live.get().is_none()).for_each(|open| open.work.abort());
        let tabs: Vec<TabId> = self.open.keys().copied().collect();
        tabs.into_iter().for_each(|tab| self.close(tab));
        let mut works = self.works;
        let ended = async { while works.join_next().await.is_some() {} };
        // A session that takes longer ends with the process, and is resumed as after a crash.
        let _ = tokio::time::timeout(LAST_WORDS, ended).await;
    }

    /// Asks one that stands still for something.
    pub(super) fn prompt(&self, tab: TabId, prompt: Prompt) {
        // Earlier cancel requests were meant for the turn that has ended, not for this one.
        if let Some(live) = self.live(tab) {
            live.handle.take_back_cancel();
        }
        self.wish(tab, ChatSessionRequest::Prompt(prompt));
    }

    /// Has one hear what was said to it too late for the turn that has ended; it is told when it has.
    pub(super) fn catch_up(&self, tab: TabId) {
        self.wish(tab, ChatSessionRequest::CatchUp);
    }

    fn wish(&self, tab: TabId, wish: ChatSessionRequest) {
        let sent = self.open.get(&tab).map(|open| open.wishes.send(wish));
        if !matches!(sent, Some(Ok(()))) {
            let problem = Some("the session ended; /resume continues it".to_owned());
            let _ = self.tell.send(ChatMessage::Ended { tab, problem });
        }
    }

    pub(super) fn cancel(&self, tab: TabId) {
        self.say(tab, |handle| handle.cancel(INTERRUPTED));
    }

    /// Sends a prompt to a running turn. If the run does not take it, the tab is told which
    /// of its `waits` failed.
    pub(super) fn add(&self, tab: TabId, prompt: Prompt, waits: QueuedMessage) {
        let say: fn(&RunHandle, Prompt) -> Result<(), HandleError> = match waits.when {
            DeliveryTiming::Soon => RunHandle::steer,
            DeliveryTiming::Afterwards => RunHandle::follow_up,
        };
        let why = match self.live(tab) {
            None => Some(NOT_OPEN.to_owned()),
            Some(live) => say(&live.handle, prompt).err().map(|error| error.to_string()),
        };
        if let Some(why) = why {
            let _ = self.tell.send(ChatMessage::NotHeard { tab, refused: waits, why });
        }
    }

    pub(super) fn change_mode(&self, tab: TabId, mode: Mode) {
        self.say(tab, |handle| handle.tell(Input::ModeChanged(mode)));
    }

    /// Grants something to a session in this mode, as far as a policy allows it.
    pub(super) fn grant(&self, tab: TabId, grant: &Grant, mode: Mode) {
        let Some(live) = self.live(tab) else { return self.note(tab, NOT_OPEN.into()) };
        let grants = live.change_grants(|has| has.iter().cloned().chain([grant.clone()]).collect());
        let is_given = grants.contains(grant);
        if is_given {
            live.live_grants.add(grant);
            // Without the record, the session may have less when it is resumed.
            let _ = live.record_grant(grant);
        }
        let free = free_mode(&grants, grant, mode).filter(|_| is_given).map(|free| free.min(live.most));
        self.say(tab, |handle| handle.tell(Input::GrantsChanged(grants)));
        if let Some(free) = free {
            self.change_mode(tab, free);
        }
        self.note(
            tab,
            if is_given {
                format!(
                    "{grant} is granted for this session. What your earlier answers granted is withdrawn."
                )
            } else {
                format!("the policy of this machine does not allow {grant}")
            },
        );
    }

    /// Shows the level of the folder, or chooses one for it, for this session, which is in this
    /// mode, and for all that this chat opens later.
    pub(super) fn trust(&mut self, tab: TabId, level: Option<TrustLevel>, mode: Mode) {
        let Some(level) = level else {
            let text = match FolderAccess::of(&self.places) {
                Ok(access @ FolderAccess::Trusted(level)) => {
                    format!("{}: {}", level.name(), access.meaning())
                }
                Ok(access @ (FolderAccess::Reads | FolderAccess::None)) => {
                    format!("no level chosen. {}", access.meaning())
                }
                Err(error) => error.to_string(),
            };
            return self.note(tab, text);
        };
        if self.args.is_unconfined() && level == TrustLevel::Jail {
            return self.note(tab, NO_JAIL_UNCONFINED.into());
        }
        let stored =
            FolderTrustFile::open(&self.places).and_then(|mut file| file.set(&self.places.work, Some(level)));
        if let Err(error) = stored {
            return self.note(tab, error.to_string());
        }
        self.shared.choose(level);
        self.places.folder_access = FolderAccess::Trusted(level);
        if let Some(live) = self.live(tab) {
            let inputs = match live.recorded_level(level, mode) {
                Ok(inputs) => inputs,
                Err(error) => return self.note(tab, error.to_string()),
            };
            let mode = live.mode_of(level);
            self.say(tab, |handle| inputs.into_iter().try_for_each(|input| handle.tell(input)));
            let _ = self.tell.send(ChatMessage::LevelChosen { tab, level, mode });
        }
        let others = if self.open.len() > 1 { " The other open tabs keep their level." } else { "" };
        let plans = if mode == Mode::Plan { " Plan mode stays on." } else { "" };
        self.note(tab, format!("{}: {}{plans}{others}", level.name(), level.meaning()));
    }

    fn note(&self, tab: TabId, text: String) {
        let _ = self.tell.send(ChatMessage::Noted { tab, tone: NoteTone::Quiet, text });
    }

    /// What the model of a session is shown.
    pub(super) fn takes(&self, tab: TabId) -> ModelMediaSupport {
        self.live(tab).map(|live| live.takes.clone()).unwrap_or_default()
    }

    /// The run of a session, once there is one.
    fn live(&self, tab: TabId) -> Option<&ChatRun> {
        self.open.get(&tab)?.live.get()
    }

    fn say(&self, tab: TabId, say: impl FnOnce(&RunHandle) -> Result<(), HandleError>) {
        let Some(live) = self.live(tab) else { return };
        if let Err(error) = say(&live.handle) {
            let _ =
                self.tell.send(ChatMessage::Noted { tab, tone: NoteTone::Warning, text: error.to_string() });
        }
    }
}

/// The parts that are needed to open one session.
struct ChatSessionOpener {
    tab: TabId,
    args: run::RunArgs,
    places: HolmPaths,
    tell: ChatMessageSender,
    questions: Arc<OpenQuestions>,
    shared: SharedChatFacts,
}

impl ChatSessionOpener {
    /// A screen whose notes go to the tab.
    fn notes(&self) -> TerminalOutput {
        let (tab, tell, shared) = (self.tab, self.tell.clone(), self.shared.clone());
        TerminalOutput::elsewhere(move |text: &str| {
            let text = text.strip_prefix("holm: ").unwrap_or(text).to_owned();
            if shared.is_new(&text) {
                let _ = tell.send(ChatMessage::Noted { tab, tone: NoteTone::Quiet, text });
            }
        })
    }

    /// Opens the session and serves requests until no more can come.
    async fn live(
        self,
        how: SessionOrigin,
        known: &OnceLock<ChatRun>,
        mut asked: mpsc::UnboundedReceiver<ChatSessionRequest>,
    ) -> anyhow::Result<()> {
        let (tab, tell) = (self.tab, self.tell.clone());
        let live = Arc::new(AtomicBool::new(false));
        let screen = Arc::new(self.notes());
        let watch = ChatEventSink {
            tab,
            tell: tell.clone(),
            live: Arc::clone(&live),
            room: DeltaByteBudget::default(),
        };
        let sinks = RunSinks { events: vec![Arc::new(watch.clone())], deltas: Some(Arc::new(watch)) };
        let person = UserPresence::Elsewhere(Arc::new(ChatUser::new(tab, tell.clone(), self.questions)));
        let left = match &how {
            SessionOrigin::Resume { session } => ViewStateStore::of(&self.places).find(session),
            SessionOrigin::New { .. } | SessionOrigin::Fork { .. } => SessionViewState::default(),
        };
        let args = match how {
            SessionOrigin::New { model } => self.args.anew(model).paced_by_a_person(),
            SessionOrigin::Resume { session } => self.args.resuming(session),
            SessionOrigin::Fork { session, at } => self.args.branching(session, at),
        };
        let mut opened = args.open(self.places, &screen, person, sinks).await?;
        // Only this task sets it.
        let _ = known.set(ChatRun {
            session: opened.session.id().to_owned(),
            places: opened.places.clone(),
            handle: opened.session.handle(),
            takes: opened.takes.clone(),
            grants: Mutex::new(opened.session.run().grants().clone()),
            most: opened.most,
            most_grants: opened.most_grants.clone(),
            live_grants: opened.made.live_grants.clone(),
        });
        let mode = known.get().and_then(|run| self.shared.applied(run, opened.session.run().mode()));
        // The tab was closed: no user can stop the work or answer questions any more.
        if asked.is_closed() {
            opened.session.close().await;
            return Ok(());
        }
        let session = &mut opened.session;
        let config = session.run().config();
        let model = config.models.first();
        let goes_on = !session.run().is_idle();
        let mode = mode.unwrap_or_else(|| session.run().mode());
        let level = known.get().map(|run| level_of(&run.granted(), mode));
        let told = OpenSessionInfo {
            session: session.id().to_owned(),
            model: model.map(|model| model.name.clone()).unwrap_or_default(),
            mode,
            level: level.unwrap_or(TrustLevel::Ask),
            window: model.and_then(|model| model.window),
            widest: opened.most,
            history: history(&opened.made.store, session.id()).await,
            goes_on,
            left,
        };
        let _ = tell.send(ChatMessage::Opened { tab, opened: Box::new(told) });
        live.store(true, Ordering::Release);
        let watching = tokio::spawn(watch_children(
            HelperWatcher {
                tab,
                tell: tell.clone(),
                crew: opened.made.crew.clone(),
                store: opened.made.store.clone(),
            },
            session.handle(),
        ));
        if goes_on {
            let ended = session.go_on().await;
            let ended = caught_up(&mut opened, ended).await.map(|_| ());
            let _ =
                tell.send(ChatMessage::Ended { tab, problem: ended.err().map(|error| error.to_string()) });
        }
        while let Some(wish) = asked.recv().await {
            let done = match wish {
                ChatSessionRequest::Prompt(prompt) => opened.prompt(prompt).await.map(Some),
                ChatSessionRequest::CatchUp => opened.session.catch_up().await,
            };
            let _ = tell.send(match caught_up(&mut opened, done).await {
                Ok(Some(_)) => ChatMessage::Ended { tab, problem: None },
                Ok(None) => ChatMessage::CaughtUp { tab },
                Err(error) => ChatMessage::Ended { tab, problem: Some(error.to_string()) },
            });
        }
        watching.abort();
        opened.session.close().await;
        Ok(())
    }
}

/// Processes prompts that another client sent just as a turn ended, of which this
/// chat does not know.
async fn caught_up(
    opened: &mut run::HostedSession,
    done: Result<Option<RunReport>, DriveError>,
) -> Result<Option<RunReport>, DriveError> {
    let mut done = done?;
    while let Some(report) = &done
        && opened.has_missed(&report.ending)
    {
        let late = opened.session.catch_up().await?;
        done = late.or(done);
    }
    Ok(done)
}

/// The past of a session.
#[derive(Debug, Default)]
pub(super) struct SessionPast {
    pub(super) events: Vec<Numbered>,
    /// The beginnings of replies that were stopped, by their calls.
    pub(super) stopped: BTreeMap<ModelCallId, String>,
}

/// Everything that happened in a session, from its journal; nothing where it cannot be read.
pub(super) async fn history(store: &Store, session: &str) -> SessionPast {
    let mut past = SessionPast::default();
    let Ok(text) = store.read(session).await else { return past };
    let Ok(tail) = journal::decode(&text) else { return past };
    // Records, text and events are each as long as the session: no more of them at once than needed.
    drop(text);
    // What cannot be told again is left out; the session itself says why when it is taken up.
    let _ = journal::replay_with(&tail.records, |_, effect| {
        if let Effect::Emit(event) = effect {
            past.events.push(event.clone());
        }
    });
    past.stopped = tail.records.iter().filter_map(|record| stopped(record.payload().input().ok()?)).collect();
    past
}

/// The text of a reply that was stopped while it arrived.
fn stopped(input: Input) -> Option<(ModelCallId, String)> {
    let Input::ModelFinished { call, result: ModelResult::Aborted(reply) } = input else { return None };
    let texts: Vec<&str> = reply.blocks.iter().filter_map(Block::as_text).collect();
    Some((call, texts.join("\n"))).filter(|(_, text)| !text.is_empty())
}

/// Watches the helpers of a session and forwards their events to its tab.
#[derive(Clone)]
struct HelperWatcher {
    tab: TabId,
    tell: ChatMessageSender,
    crew: AgentLoader,
    store: Store,
}

/// Watches the helpers of a run, and theirs.
async fn watch_children(children: HelperWatcher, handle: RunHandle) {
    let mut events = handle.events();
    while let Some(notice) = events.next().await {
        if let EventNotice::Event(event) = notice {
            children.begin(&event.event);
        }
    }
}

impl HelperWatcher {
    /// Begins to watch a helper, if one was begun.
    fn begin(&self, event: &Event) {
        if let Event::ChildStarted { child, .. } = event {
            tokio::spawn(self.clone().watch(child.clone()));
        }
    }

    async fn watch(self, child: String) {
        for _ in 0..LOOKS {
            if let Some(live) = self.crew.live().into_iter().find(|live| live.id == child) {
                return self.follow(child, &live.handle).await;
            }
            tokio::time::sleep(LOOK).await;
        }
        // It has ended already: what it did is in its journal.
        for event in history(&self.store, &child).await.events {
            self.told(&child, event);
        }
    }

    async fn follow(self, child: String, handle: &RunHandle) {
        let mut events = handle.events();
        let mut last = None;
        for event in history(&self.store, &child).await.events {
            last = Some(event.id);
            self.told(&child, event.clone());
            self.begin(&event.event);
        }
        while let Some(notice) = events.next().await {
            let EventNotice::Event(event) = notice else { continue };
            if last.is_none_or(|last| event.id > last) {
                self.told(&child, (*event).clone());
                self.begin(&event.event);
            }
        }
    }

    fn told(&self, child: &str, event: Numbered) {
        let _ = self.tell.send(ChatMessage::Child {
            tab: self.tab,
            child: child.to_owned(),
            event: Box::new(event),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_shown_once_in_a_chat() {
        let shared = SharedChatFacts::default();
        assert!(shared.is_new("no key for openai"));
        assert!(!shared.clone().is_new("no key for openai"), "another session has the same note");
        assert!(shared.is_new("AGENTS.md is not trusted"));
    }

    #[test]
    fn a_granted_write_is_free_unless_other_writes_would_be_too() {
        let check = |has: &[&str], given: &str, mode: Mode, expect: Option<Mode>| {
            let given: Grant = given.parse().unwrap();
            let has = has.iter().map(|grant| grant.parse().unwrap()).chain([given.clone()]).collect();
            assert_eq!(free_mode(&has, &given, mode), expect, "{given} {mode:?}");
        };
        check(&["read:**"], "write:src/**", Mode::Default, Some(Mode::AcceptEdits));
        check(&["write:docs/**"], "write:src/**", Mode::Default, None);
        check(&["fetch:https://docs.rs"], "write:src/**", Mode::Default, None);
        check(&[], "fetch:https://docs.rs", Mode::Default, None);
        for mode in [Mode::Plan, Mode::AcceptEdits, Mode::Full] {
            check(&[], "write:src/**", mode, None);
        }
    }

    #[test]
    fn the_level_of_a_run_is_the_highest_whose_grants_and_mode_it_has() {
        let check = |grants: &[&str], mode: Mode, expect: TrustLevel| {
            let grants: GrantSet = grants.iter().map(|grant| grant.parse().unwrap()).collect();
            assert_eq!(level_of(&grants, mode), expect);
        };
        check(&[], Mode::AcceptEdits, TrustLevel::Ask);
        check(&["read:src/**"], Mode::Default, TrustLevel::Ask);
        check(&["read:**"], Mode::Default, TrustLevel::Look);
        for level in TrustLevel::ALL {
            let grants: GrantSet = level.grants().into_iter().collect();
            assert_eq!(level_of(&grants, level.mode()), level);
        }
    }
}
