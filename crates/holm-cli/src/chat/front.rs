//! The main loop of the chat. It takes keys, events and pieces of replies, and draws at most about
//! sixty frames a second, only when something changed.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crossterm::event::{Event as Happened, EventStream};
use futures::StreamExt as _;
use holm::store::Store;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc::{self, UnboundedReceiver},
    time::{Instant, sleep_until},
};

use super::{
    attach,
    draft::Draft,
    errands,
    input::Input,
    item::Tone,
    keys::Wishes,
    left::Shelf,
    pace::Pace,
    pad::Pad,
    seat::{Desk, Tell},
    sessions::Sessions,
    state::{Command, Custom, How, Msg, Purpose, Says, Size, State, Words},
    tab::{TabId, Waiting, When},
    terminal::Canvas,
    theme::Shade,
    woken::Woken,
};
use crate::{
    commands::run,
    exit::Exit,
    model::SCRIPT,
    places::{self, Places, quoted},
    screen::Screen,
    settings::Here,
    skills::Skills,
};

/// How long after the last key it is written down what is typed, and where the person looks.
const DRAFT: Duration = Duration::from_millis(800);
/// How long the chat may take to shut down: longer than running work may take to end.
const LEAVING: Duration = Duration::from_secs(15);
/// How many things are taken in before a frame is drawn, so that no flood keeps the screen still.
const AT_ONCE: usize = 4_096;

/// Chats until the person leaves.
pub(crate) async fn execute(args: run::Args, places: Places, shade: Option<Shade>) -> anyhow::Result<Exit> {
    let wishes = wishes(&places);
    let shade =
        shade_of(shade, wishes.shade, std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty()));
    // A user who asks for colours by name gets them, regardless of other settings.
    if shade != Shade::None {
        crossterm::style::force_color_output(true);
    }
    let store = Store::open(places::database(&places.data)?).await?;
    let (named, prompt) = args.named()?;
    let how = named.map_or(How::New { model: None }, |session| How::Resume { session: session.to_owned() });
    let (mode, script) = (args.mode(), args.script().map(Path::to_owned));
    let (tell, heard) = mpsc::unbounded_channel();
    let canvas = Canvas::take()?;
    let mut state = State::new(canvas.size()?, shade, wishes.keys);
    state.customs = customs(&places);
    let desk = Arc::new(Desk::default());
    let (draft, shelf) = (Draft::of(&places), Shelf::of(&places));
    let sessions = Sessions::new(args, places.clone(), tell.clone(), Arc::clone(&desk));
    let first = state.open(how, mode);
    if prompt.is_some() {
        state.remember(draft.text().to_owned());
    }
    if let Some(tab) = state.tab_mut() {
        tab.input = Input::of(prompt.unwrap_or_else(|| draft.text().to_owned()));
        wishes.notes.iter().for_each(|note| tab.note(Tone::Warning, note));
    }
    let pad = Pad::new(draft, shelf);
    pad.note(&state);
    let (began, pace) = (Instant::now(), Pace::new(Duration::ZERO));
    let back = places.clone();
    let mut front = Front { state, canvas, sessions, desk, pad, store, places, tell, began, pace };
    let left = front.run(first, heard).await;
    let kept = front.leave().await;
    left?;
    let screen = Screen::default();
    for spoken in kept {
        screen.note(&format!("holm: to resume, run: {}", spoken.again(&back, script.as_deref())));
    }
    Ok(Exit::Done)
}

/// A session that received a prompt, so it can be resumed later.
#[derive(Debug)]
struct Spoken {
    session: String,
    model: String,
}

impl Spoken {
    /// The command that takes it up again. One that a script answers is asked for its script then.
    fn again(&self, places: &Places, script: Option<&Path>) -> String {
        let script = script.filter(|_| self.model == SCRIPT);
        let script =
            script.map(|path| format!(" --script {}", quoted(&path.to_string_lossy()))).unwrap_or_default();
        places.typed(&format!("chat --session {} --resume{script}", quoted(&self.session)))
    }
}

/// The parts of `chat.toml` that have no meaning, for `holm check`.
pub(crate) fn remarks(places: &Places) -> Vec<String> {
    wishes(places).notes
}

/// What the person says about keys and colours.
fn wishes(places: &Places) -> Wishes {
    std::fs::read_to_string(places.data.join("chat.toml"))
        .map_or_else(|_| Wishes::default(), |text| Wishes::read(&text))
}

/// Which colours: the flag, then that there should be none, then the file.
fn shade_of(flag: Option<Shade>, file: Option<Shade>, no_color: bool) -> Shade {
    match flag {
        Some(shade) => shade,
        None if no_color => Shade::None,
        None => file.unwrap_or_default(),
    }
}

/// The commands that the settings and skills bring.
fn customs(places: &Places) -> Vec<Custom> {
    let mut customs = Vec::new();
    if let Ok(here) = Here::find(places) {
        let settings = here.loaded.layers.settle(holm_config::Settings::default());
        customs.extend(settings.aliases.into_iter().map(|(name, alias)| Custom {
            name,
            about: alias.value.description,
            says: Says::Alias(alias.value.template),
        }));
    }
    let skills = Skills::find(places, &[]);
    let known: Vec<Custom> = skills
        .listed()
        .filter(|skill| customs.iter().all(|custom| custom.name != skill.name))
        .filter_map(|skill| {
            // One with so many places cannot be filled with anything.
            let says = Says::Text(skill.filled("{{content}}").ok()?);
            Some(Custom { name: skill.name.clone(), about: skill.description.clone(), says })
        })
        .collect();
    customs.extend(known);
    customs
}

/// The events of the terminal.
type KeyStream = Woken<EventStream>;

fn key_stream() -> KeyStream {
    Woken::new(EventStream::new())
}

/// The main loop of the chat, with everything that it owns.
struct Front {
    state: State,
    canvas: Canvas,
    sessions: Sessions,
    desk: Arc<Desk>,
    pad: Pad,
    store: Store,
    places: Places,
    tell: Tell,
    began: Instant,
    /// Decides when frames are drawn, counted from `began`.
    pace: Pace,
}

/// Whether the loop continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    Away,
}

/// Ends the process when a signal asked it to end and the loop did not react: reading keys from a
/// closed terminal may block forever. The draft is saved at once. Prompts are in the journals, and
/// running work is resumed as after a crash.
async fn leave_at_last(pad: Pad) {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut end), Ok(mut hangup)) = signals else { return };
    tokio::select! {
        _ = end.recv() => {}
        _ = hangup.recv() => {}
    }
    pad.write();
    tokio::time::sleep(LEAVING).await;
    std::process::exit(i32::from(Exit::Cancelled.code()));
}

impl Front {
    async fn run(&mut self, first: Command, mut heard: UnboundedReceiver<Msg>) -> anyhow::Result<()> {
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
            let far = Instant::now() + Duration::from_secs(3_600);
            let goes = tokio::select! {
                happened = keys.next() => {
                    save = Some(Instant::now() + DRAFT);
                    match happened {
                        Some(Ok(happened)) => {
                            let goes = self.happened(happened, &mut keys)?;
                            self.pad.note(&self.state);
                            goes
                        }
                        Some(Err(_)) | None => Goes::Away,
                    }
                }
                Some(msg) = heard.recv() => {
                    let mut goes = self.take(msg, &mut keys)?;
                    for _ in 0..AT_ONCE {
                        let Ok(msg) = heard.try_recv() else { break };
                        if self.take(msg, &mut keys)? == Goes::Away {
                            goes = Goes::Away;
                        }
                    }
                    self.pace.changed();
                    goes
                }
                _ = end.recv() => Goes::Away,
                _ = hangup.recv() => Goes::Away,
                () = sleep_until(frame.unwrap_or(far)), if frame.is_some() => Goes::On,
                () = sleep_until(save.unwrap_or(far)), if save.is_some() => {
                    save = None;
                    self.keep();
                    Goes::On
                }
            };
            if goes == Goes::Away {
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

    fn happened(&mut self, happened: Happened, keys: &mut KeyStream) -> anyhow::Result<Goes> {
        let (msg, is_typed) = match happened {
            Happened::Key(key) => (Msg::Key(key), true),
            Happened::Paste(text) => (Msg::Pasted(text), true),
            Happened::Mouse(mouse) => (Msg::Mouse(mouse), false),
            Happened::Resize(columns, rows) => (Msg::Resized(Size { columns, rows }), false),
            Happened::FocusGained | Happened::FocusLost => return Ok(Goes::On),
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

    fn take(&mut self, msg: Msg, keys: &mut KeyStream) -> anyhow::Result<Goes> {
        let mut goes = Goes::On;
        // What waited for it is said now, or stands where it was typed.
        let settles = matches!(msg, Msg::Opened { .. } | Msg::Failed { .. });
        self.state.now = self.began.elapsed();
        for command in self.state.update(msg) {
            if self.perform(command, keys)? == Goes::Away {
                goes = Goes::Away;
            }
        }
        if settles {
            self.keep();
        }
        Ok(goes)
    }

    fn perform(&mut self, command: Command, keys: &mut KeyStream) -> anyhow::Result<Goes> {
        match command {
            Command::Open { tab, how } => self.sessions.open(tab, how),
            Command::Close(tab) => self.sessions.close(tab),
            Command::Prompt { tab, words, past } => {
                let said = self.read(tab, &words, past.as_deref());
                self.sessions.prompt(tab, said);
            }
            Command::CatchUp(tab) => self.sessions.catch_up(tab),
            Command::Steer { tab, words } => {
                let said = self.read(tab, &words, None);
                self.sessions.add(tab, said, Waiting { when: When::Soon, text: words.text });
            }
            Command::FollowUp { tab, words } => {
                let said = self.read(tab, &words, None);
                self.sessions.add(tab, said, Waiting { when: When::Afterwards, text: words.text });
            }
            Command::Fill { alias, typed } => {
                let file = attach::first(&typed, &self.places.work);
                let filled = alias.filled(&typed, &self.places.work, file.as_deref());
                let words = filled.map(|text| Words::around(text, &typed)).map_err(|error| error.to_string());
                return self.take(Msg::Filled(words), keys);
            }
            Command::Cancel(tab) => self.sessions.cancel(tab),
            Command::Mode { tab, mode } => self.sessions.change_mode(tab, mode),
            Command::Answer { question, reply } => self.desk.answer(question, reply),
            Command::Edit { purpose, text } => return self.edit(purpose, &text, keys),
            Command::List => {
                let places = self.places.clone();
                self.errand(|store, _| async move { errands::list(&store, &places).await.map(Msg::Found) });
            }
            Command::Find(words) => {
                let places = self.places.clone();
                self.errand(|store, _| async move {
                    errands::find(&store, &places, &words).await.map(Msg::Found)
                });
            }
            Command::Files => {
                self.errand(|_, work| async move {
                    let files = tokio::task::spawn_blocking(move || errands::files(&work)).await;
                    files.map(Msg::Files).map_err(|error| error.to_string())
                });
            }
            Command::Export { tab, session, path } => {
                self.errand(move |store, work| async move {
                    let text = errands::export(&store, &session, path, &work).await?;
                    Ok(Msg::Noted { tab, tone: Tone::Quiet, text })
                });
            }
            Command::Undo { tab, session } => {
                let places = self.places.clone();
                self.errand(move |_, _| async move {
                    let undone =
                        tokio::task::spawn_blocking(move || errands::undo(tab, &session, &places)).await;
                    undone.map_err(|error| error.to_string())
                });
            }
            Command::Repaint => self.canvas.repaint()?,
            Command::Leave => return Ok(Goes::Away),
        }
        Ok(Goes::On)
    }

    /// What is said, with its files.
    fn read(&self, tab: TabId, words: &Words, past: Option<&str>) -> holm::kernel::Prompt {
        let said = attach::read(words, past, &self.places.work, &self.sessions.takes(tab));
        for text in said.notes {
            let _ = self.tell.send(Msg::Noted { tab, tone: Tone::Warning, text });
        }
        said.prompt
    }

    /// Does something beside everything else; what comes of it is told.
    fn errand<F>(&self, work: impl FnOnce(Store, PathBuf) -> F)
    where
        F: Future<Output = Result<Msg, String>> + Send + 'static,
    {
        let tab = self.state.tab().map_or(TabId(0), |tab| tab.id);
        let (tell, errand) = (self.tell.clone(), work(self.store.clone(), self.places.work.clone()));
        tokio::spawn(async move {
            let msg = errand.await.unwrap_or_else(|text| Msg::Noted { tab, tone: Tone::Warning, text });
            let _ = tell.send(msg);
        });
    }

    /// Lends the terminal to an editor. Keys are not read meanwhile: they are the editor's.
    fn edit(&mut self, purpose: Purpose, text: &str, keys: &mut KeyStream) -> anyhow::Result<Goes> {
        let tab = match &purpose {
            Purpose::Input(tab) | Purpose::Build(tab) | Purpose::Plan { tab, .. } => *tab,
        };
        // Nothing else is done while the editor is there, however it ends.
        self.keep();
        // The stream reads in the background while it exists, so it is dropped
        // before the editor starts.
        let edited = {
            let places = &self.places;
            drop(std::mem::replace(keys, key_stream()));
            self.canvas.lend(|| errands::edit(text, places))?
        };
        let text = edited.unwrap_or_else(|why| {
            let _ = self.tell.send(Msg::Noted { tab, tone: Tone::Warning, text: why });
            None
        });
        self.take(Msg::Edited { purpose, text }, keys)
    }

    /// Writes down what is typed and where the person looks.
    fn keep(&self) {
        self.pad.note(&self.state);
        self.pad.write();
    }

    /// Saves the input, restores the terminal, and stops running work. Returns the sessions
    /// that received a prompt.
    async fn leave(self) -> Vec<Spoken> {
        self.keep();
        let Self { state, canvas, sessions, .. } = self;
        // The terminal is the person's again before anything is waited for.
        drop(canvas);
        sessions.leave().await;
        let spoken = state.tabs.into_iter().filter(|tab| !tab.turns.is_empty());
        spoken.filter_map(|tab| Some(Spoken { session: tab.session?, model: tab.model })).collect()
    }
}
