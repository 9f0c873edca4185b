//! The main loop of the chat. It takes keys, events and pieces of replies, executes the commands of
//! the update function, and draws at most about sixty frames a second, only when something changed.
//!
//! It decides nothing about behaviour: a reaction to a key or an event belongs in `update.rs`. Only
//! this file executes commands; runs belong to `sessions.rs`, and slow work to tasks of
//! `local_actions.rs`. The terminal is restored before the loop waits for running work, and the
//! draft is saved before an external editor starts.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crossterm::event::{Event, EventStream};
use futures::StreamExt as _;
use holm::store::Store;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc::{self, UnboundedReceiver},
    time::{Instant, sleep_until},
};

use super::{
    attachments,
    autosave::AutosaveBuffer,
    chat_user::{ChatMessageSender, OpenQuestions},
    draft::FolderDraft,
    frame_pacer::FramePacer,
    input::InputBuffer,
    item::NoteTone,
    keys::ChatPreferences,
    local_actions,
    sessions::ChatSessions,
    state::{
        ChatCommand, ChatMessage, ChatState, CustomCommand, CustomCommandText, EditPurpose, SessionOrigin,
        TerminalSize, UserText,
    },
    tab::{DeliveryTiming, QueuedMessage, TabId},
    terminal::ChatTerminal,
    theme::ThemeKind,
    view_state::ViewStateStore,
    wake_stream::WakeDrivenStream,
};
use crate::{
    commands::run,
    exit::CommandExit,
    holm_paths::{self, HolmPaths, quoted},
    model::SCRIPT,
    screen::TerminalOutput,
    settings::FolderSettings,
    skills::RunSkills,
};

/// How long after the last key it is written down what is typed, and where the person looks.
const DRAFT: Duration = Duration::from_millis(800);
/// How long the chat may take to shut down: longer than running work may take to end.
const LEAVING: Duration = Duration::from_secs(15);
/// How many things are taken in before a frame is drawn, so that no flood keeps the screen still.
const AT_ONCE: usize = 4_096;

/// Chats until the person leaves.
pub(crate) async fn execute(
    args: run::RunArgs,
    places: HolmPaths,
    shade: Option<ThemeKind>,
) -> anyhow::Result<CommandExit> {
    let wishes = wishes(&places);
    let shade =
        shade_of(shade, wishes.shade, std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty()));
    // A user who asks for colours by name gets them, regardless of other settings.
    if shade != ThemeKind::None {
        crossterm::style::force_color_output(true);
    }
    let store = Store::open(holm_paths::database(&places.data)?).await?;
    let (named, prompt) = args.named()?;
    let how = named.map_or(SessionOrigin::New { model: None }, |session| SessionOrigin::Resume {
        session: session.to_owned(),
    });
    let (mode, script) = (args.mode(), args.script().map(Path::to_owned));
    let (tell, heard) = mpsc::unbounded_channel();
    let canvas = ChatTerminal::take()?;
    let mut state = ChatState::new(canvas.size()?, shade, wishes.keys);
    state.customs = customs(&places);
    let questions = Arc::new(OpenQuestions::default());
    let (draft, view_states) = (FolderDraft::of(&places), ViewStateStore::of(&places));
    let sessions = ChatSessions::new(args, places.clone(), tell.clone(), Arc::clone(&questions));
    let first = state.open(how, mode);
    if prompt.is_some() {
        state.remember(draft.text().to_owned());
    }
    if let Some(tab) = state.tab_mut() {
        tab.input = InputBuffer::of(prompt.unwrap_or_else(|| draft.text().to_owned()));
        wishes.notes.iter().for_each(|note| tab.note(NoteTone::Warning, note));
    }
    let pad = AutosaveBuffer::new(draft, view_states);
    pad.note(&state);
    let (began, pace) = (Instant::now(), FramePacer::new(Duration::ZERO));
    let back = places.clone();
    let mut front = ChatLoop { state, canvas, sessions, questions, pad, store, places, tell, began, pace };
    let left = front.run(first, heard).await;
    let kept = front.leave().await;
    left?;
    let screen = TerminalOutput::default();
    for spoken in kept {
        screen.note(&format!("holm: to resume, run: {}", spoken.again(&back, script.as_deref())));
    }
    Ok(CommandExit::Done)
}

/// A session that received a prompt, so it can be resumed later.
#[derive(Debug)]
struct ResumableSession {
    session: String,
    model: String,
}

impl ResumableSession {
    /// The command that takes it up again. One that a script answers is asked for its script then.
    fn again(&self, places: &HolmPaths, script: Option<&Path>) -> String {
        let script = script.filter(|_| self.model == SCRIPT);
        let script =
            script.map(|path| format!(" --script {}", quoted(&path.to_string_lossy()))).unwrap_or_default();
        places.typed(&format!("chat --session {} --resume{script}", quoted(&self.session)))
    }
}

/// The parts of `chat.toml` that have no meaning, for `holm check`.
pub(crate) fn remarks(places: &HolmPaths) -> Vec<String> {
    wishes(places).notes
}

/// What the person says about keys and colours.
fn wishes(places: &HolmPaths) -> ChatPreferences {
    std::fs::read_to_string(places.data.join("chat.toml"))
        .map_or_else(|_| ChatPreferences::default(), |text| ChatPreferences::read(&text))
}

/// Which colours: the flag, then that there should be none, then the file.
fn shade_of(flag: Option<ThemeKind>, file: Option<ThemeKind>, no_color: bool) -> ThemeKind {
    match flag {
        Some(shade) => shade,
        None if no_color => ThemeKind::None,
        None => file.unwrap_or_default(),
    }
}

/// The commands that the settings and skills bring.
fn customs(places: &HolmPaths) -> Vec<CustomCommand> {
    let mut customs = Vec::new();
    if let Ok(here) = FolderSettings::find(places) {
        let settings = here.loaded.layers.settle(holm_config::ConfigSettings::default());
        customs.extend(settings.aliases.into_iter().map(|(name, alias)| CustomCommand {
            name,
            about: alias.value.description,
            says: CustomCommandText::Alias(alias.value.template),
        }));
    }
    let skills = RunSkills::find(places, &[]);
    let known: Vec<CustomCommand> = skills
        .listed()
        .filter(|skill| customs.iter().all(|custom| custom.name != skill.name))
        .filter_map(|skill| {
            // One with so many places cannot be filled with anything.
            let says = CustomCommandText::Text(skill.filled("{{content}}").ok()?);
            Some(CustomCommand { name: skill.name.clone(), about: skill.description.clone(), says })
        })
        .collect();
    customs.extend(known);
    customs
}

/// The events of the terminal; `None` while an editor has it.
type KeyStream = Option<WakeDrivenStream<EventStream>>;

fn key_stream() -> KeyStream {
    Some(WakeDrivenStream::new(EventStream::new()))
}

async fn next_key(keys: &mut KeyStream) -> Option<io::Result<Event>> {
    match keys {
        Some(keys) => keys.next().await,
        None => std::future::pending().await,
    }
}

/// The main loop of the chat, with everything that it owns.
struct ChatLoop {
    state: ChatState,
    canvas: ChatTerminal,
    sessions: ChatSessions,
    questions: Arc<OpenQuestions>,
    pad: AutosaveBuffer,
    store: Store,
    places: HolmPaths,
    tell: ChatMessageSender,
    began: Instant,
    /// Decides when frames are drawn, counted from `began`.
    pace: FramePacer,
}

/// Whether the loop continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopControl {
    On,
    Away,
}

/// Ends the process when a signal asked it to end and the loop did not react: reading keys from a
/// closed terminal may block forever. The draft is saved at once. Prompts are in the journals, and
/// running work is resumed as after a crash.
async fn leave_at_last(pad: AutosaveBuffer) {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut end), Ok(mut hangup)) = signals else { return };
    tokio::select! {
        _ = end.recv() => {}
        _ = hangup.recv() => {}
    }
    pad.write();
    tokio::time::sleep(LEAVING).await;
    std::process::exit(i32::from(CommandExit::Cancelled.code()));
}

impl ChatLoop {
    async fn run(
        &mut self,
        first: ChatCommand,
        mut heard: UnboundedReceiver<ChatMessage>,
    ) -> anyhow::Result<()> {
        let mut keys = key_stream();
        let (mut end, mut hangup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        // Ctrl-C is a key here. It is a signal only while an editor has the terminal, and then it
        // is meant for the editor: it does not end the chat.
        let _interrupts = signal(SignalKind::interrupt())?;
        tokio::spawn(leave_at_last(self.pad.clone()));
        self.draw()?;
        self.perform(first, &mut keys)?;
        let mut save: Option<Instant> = None;
        loop {
            // Checked here and not when the timer fires: timers are up to two milliseconds late,
            // and the frame should include what happens meanwhile.
            if self.pace.is_due(self.began.elapsed()) {
                self.draw()?;
            }
            let frame = self.pace.next().map(|due| self.began + due);
            let answer = self.state.pending.as_ref().map(|pending| self.began + pending.due);
            let far = Instant::now() + Duration::from_secs(3_600);
            let goes = tokio::select! {
                happened = next_key(&mut keys) => {
                    save = Some(Instant::now() + DRAFT);
                    match happened {
                        Some(Ok(happened)) => {
                            let goes = self.happened(happened, &mut keys)?;
                            self.pad.note(&self.state);
                            goes
                        }
                        Some(Err(_)) | None => LoopControl::Away,
                    }
                }
                Some(msg) = heard.recv() => {
                    let mut goes = self.take(msg, &mut keys)?;
                    for _ in 0..AT_ONCE {
                        let Ok(msg) = heard.try_recv() else { break };
                        if self.take(msg, &mut keys)? == LoopControl::Away {
                            goes = LoopControl::Away;
                        }
                    }
                    self.pace.changed();
                    goes
                }
                _ = end.recv() => LoopControl::Away,
                _ = hangup.recv() => LoopControl::Away,
                () = sleep_until(frame.unwrap_or(far)), if frame.is_some() => LoopControl::On,
                () = sleep_until(answer.unwrap_or(far)), if answer.is_some() => {
                    self.pace.changed();
                    self.take(ChatMessage::TimePassed, &mut keys)?
                }
                () = sleep_until(save.unwrap_or(far)), if save.is_some() => {
                    save = None;
                    self.keep();
                    LoopControl::On
                }
            };
            if goes == LoopControl::Away {
                return Ok(());
            }
        }
    }

    /// Draws a frame of all that is known.
    fn draw(&mut self) -> anyhow::Result<()> {
        self.canvas.draw(&mut self.state)?;
        self.pace.drew(self.began.elapsed());
        Ok(())
    }

    fn happened(&mut self, happened: Event, keys: &mut KeyStream) -> anyhow::Result<LoopControl> {
        let (msg, is_typed) = match happened {
            Event::Key(key) => (ChatMessage::Key(key), true),
            Event::Paste(text) => (ChatMessage::Pasted(text), true),
            Event::Mouse(mouse) => (ChatMessage::Mouse(mouse), false),
            Event::Resize(columns, rows) => (ChatMessage::Resized(TerminalSize { columns, rows }), false),
            Event::FocusGained | Event::FocusLost => return Ok(LoopControl::On),
        };
        // Mouse wheels and window edges send hundreds of steps a second, and each
        // changes the whole screen.
        if is_typed {
            self.pace.pressed(self.began.elapsed());
        } else {
            self.pace.changed();
        }
        self.take(msg, keys)
    }

    fn take(&mut self, msg: ChatMessage, keys: &mut KeyStream) -> anyhow::Result<LoopControl> {
        let mut goes = LoopControl::On;
        // What waited for it is said now, or stands where it was typed.
        let settles = matches!(msg, ChatMessage::Opened { .. } | ChatMessage::Failed { .. });
        self.state.now = self.began.elapsed();
        for command in self.state.update(msg) {
            if self.perform(command, keys)? == LoopControl::Away {
                goes = LoopControl::Away;
            }
        }
        if settles {
            self.keep();
        }
        Ok(goes)
    }

    fn perform(&mut self, command: ChatCommand, keys: &mut KeyStream) -> anyhow::Result<LoopControl> {
        match command {
            ChatCommand::Open { tab, how } => self.sessions.open(tab, how),
            ChatCommand::Close(tab) => self.sessions.close(tab),
            ChatCommand::Prompt { tab, words, past } => {
                let said = self.read(tab, &words, past.as_deref());
                self.sessions.prompt(tab, said);
            }
            ChatCommand::CatchUp(tab) => self.sessions.catch_up(tab),
            ChatCommand::Steer { tab, words } => {
                let said = self.read(tab, &words, None);
                self.sessions.add(tab, said, QueuedMessage { when: DeliveryTiming::Soon, text: words.text });
            }
            ChatCommand::FollowUp { tab, words } => {
                let said = self.read(tab, &words, None);
                self.sessions.add(
                    tab,
                    said,
                    QueuedMessage { when: DeliveryTiming::Afterwards, text: words.text },
                );
            }
            ChatCommand::Fill { alias, typed } => {
                let file = attachments::first(&typed, &self.places.work);
                let filled = alias.filled(&typed, &self.places.work, file.as_deref());
                let words =
                    filled.map(|text| UserText::around(text, &typed)).map_err(|error| error.to_string());
                return self.take(ChatMessage::Filled(words), keys);
            }
            ChatCommand::Cancel(tab) => self.sessions.cancel(tab),
            ChatCommand::Mode { tab, mode } => self.sessions.change_mode(tab, mode),
            ChatCommand::Grant { tab, grant, mode } => self.sessions.grant(tab, &grant, mode),
            ChatCommand::Trust { tab, level, mode } => self.sessions.trust(tab, level, mode),
            ChatCommand::Answer { question, reply } => self.questions.answer(question, reply),
            ChatCommand::Edit { purpose, text } => return self.edit(purpose, &text, keys),
            ChatCommand::List => {
                let places = self.places.clone();
                self.errand(|store, _| async move {
                    local_actions::list(&store, &places).await.map(ChatMessage::Found)
                });
            }
            ChatCommand::Find(words) => {
                let places = self.places.clone();
                self.errand(|store, _| async move {
                    local_actions::find(&store, &places, &words).await.map(ChatMessage::Found)
                });
            }
            ChatCommand::Files => {
                self.errand(|_, work| async move {
                    let files = tokio::task::spawn_blocking(move || local_actions::files(&work)).await;
                    files.map(ChatMessage::Files).map_err(|error| error.to_string())
                });
            }
            ChatCommand::Export { tab, session, path } => {
                self.errand(move |store, work| async move {
                    let text = local_actions::export(&store, &session, path, &work).await?;
                    Ok(ChatMessage::Noted { tab, tone: NoteTone::Quiet, text })
                });
            }
            ChatCommand::Undo { tab, session } => {
                let places = self.places.clone();
                self.errand(move |_, _| async move {
                    let undone =
                        tokio::task::spawn_blocking(move || local_actions::undo(tab, &session, &places))
                            .await;
                    undone.map_err(|error| error.to_string())
                });
            }
            ChatCommand::Rewind(task) => {
                let places = self.places.clone();
                self.errand(|store, _| async move { task.perform(&store, places).await });
            }
            ChatCommand::Repaint => self.canvas.repaint()?,
            ChatCommand::Leave => return Ok(LoopControl::Away),
        }
        Ok(LoopControl::On)
    }

    /// What is said, with its files.
    fn read(&self, tab: TabId, words: &UserText, past: Option<&str>) -> holm::kernel::Prompt {
        let said = attachments::read(words, past, &self.places.work, &self.sessions.takes(tab));
        for text in said.notes {
            let _ = self.tell.send(ChatMessage::Noted { tab, tone: NoteTone::Warning, text });
        }
        said.prompt
    }

    /// Does something beside everything else; what comes of it is told.
    fn errand<F>(&self, work: impl FnOnce(Store, PathBuf) -> F)
    where
        F: Future<Output = Result<ChatMessage, String>> + Send + 'static,
    {
        let tab = self.state.tab().map_or(TabId(0), |tab| tab.id);
        let (tell, errand) = (self.tell.clone(), work(self.store.clone(), self.places.work.clone()));
        tokio::spawn(async move {
            let msg =
                errand.await.unwrap_or_else(|text| ChatMessage::Noted { tab, tone: NoteTone::Warning, text });
            let _ = tell.send(msg);
        });
    }

    /// Lends the terminal to an editor. Keys are not read meanwhile: they are the editor's.
    fn edit(
        &mut self,
        purpose: EditPurpose,
        text: &str,
        keys: &mut KeyStream,
    ) -> anyhow::Result<LoopControl> {
        let tab = match &purpose {
            EditPurpose::Input(tab) | EditPurpose::Build(tab) | EditPurpose::Plan { tab, .. } => *tab,
        };
        // Nothing else is done while the editor is there, however it ends.
        self.keep();
        // The stream reads in the background while it exists, so it is dropped before the editor
        // starts. A second one can be made only after that: it would wait for the first.
        *keys = None;
        let places = &self.places;
        let edited = self.canvas.lend(|| local_actions::edit(text, places));
        *keys = key_stream();
        let edited = edited?;
        let text = edited.unwrap_or_else(|why| {
            let _ = self.tell.send(ChatMessage::Noted { tab, tone: NoteTone::Warning, text: why });
            None
        });
        self.take(ChatMessage::Edited { purpose, text }, keys)
    }

    /// Writes down what is typed and where the person looks.
    fn keep(&self) {
        self.pad.note(&self.state);
        self.pad.write();
    }

    /// Saves the input, restores the terminal, and stops running work. Returns the sessions
    /// that received a prompt.
    async fn leave(self) -> Vec<ResumableSession> {
        self.keep();
        let Self { state, canvas, sessions, .. } = self;
        // The terminal is the person's again before anything is waited for.
        drop(canvas);
        sessions.leave().await;
        let spoken = state.tabs.into_iter().filter(|tab| !tab.turns.is_empty());
        spoken.filter_map(|tab| Some(ResumableSession { session: tab.session?, model: tab.model })).collect()
    }
}
