//! The state of the chat, the messages that change it, and the commands that it returns. Nothing
//! here reads, writes or waits, and not even the clock is read: the sender of a message sets the
//! time. How a message changes the state is in `update.rs`; commands are executed in
//! `chat_loop.rs`; the state of a single session is in `tab.rs`.

use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};
use holm::{
    grants::{Grant, Mode},
    kernel::{CallId, Numbered, Seq},
};

use super::{
    delta_budget::DeltaByteReservation,
    item::{DetailLevel, NoteTone},
    keys::KeyBindings,
    picker::{ListPicker, WordCompletion},
    question::{ChatQuestion, ChatQuestionId, KeyMeaning, QuestionReply},
    rewind::{DoneRewind, RewindScope, RewindTarget, RewindTask, RewoundFiles},
    sessions::SessionPast,
    tab::{QueuedMessage, ReplyPiece, SessionTab, TabId},
    theme::{ChatTheme, ThemeKind},
    view_state::SessionViewState,
};
use crate::folder_trust::TrustLevel;
use crate::prompt::PromptTemplate;

/// The whole state of the chat.
pub(super) struct ChatState {
    pub(super) tabs: Vec<SessionTab>,
    /// The index of the visible tab.
    pub(super) current: usize,
    next: u64,
    pub(super) size: TerminalSize,
    pub(super) theme: ChatTheme,
    pub(super) keys: KeyBindings,
    pub(super) detail: DetailLevel,
    /// The overlay, if one is open.
    pub(super) over: Option<ScreenOverlay>,
    pub(super) completion: Option<WordCompletion>,
    pub(super) search: Option<TranscriptSearch>,
    /// What the next Ctrl-C does.
    pub(super) leaving: QuitConfirmation,
    /// Commands from settings and skills.
    pub(super) customs: Vec<CustomCommand>,
    /// The files of the folder, for completion; `None` until they were requested.
    pub(super) files: Option<Vec<String>>,
    /// Earlier prompts, the latest last.
    pub(super) history: Vec<String>,
    pub(super) recalled: Option<usize>,
    /// The typed text before an earlier prompt was recalled.
    pub(super) aside: String,
    /// A note in the status line until the next key.
    pub(super) flash: String,
    /// The widest mode that an administrator allows.
    pub(super) widest: Mode,
    /// Time since the chat started. The sender of a message sets it.
    pub(super) now: Duration,
    /// When the last key was typed.
    pub(super) pressed: Option<Duration>,
    /// A letter that answers a question unless another key follows.
    pub(super) pending: Option<PendingAnswer>,
    /// Whether a list of sessions was requested.
    pub(super) list: ListRequest,
    /// A list that came while the user typed something else. It waits until Tab shows it.
    pub(super) listed: Option<ListPicker>,
    /// The rewinds of this chat, the last one last.
    pub(super) rewinds: Vec<DoneRewind>,
}

/// A letter that was pressed at a question. It answers the question if no other key follows soon;
/// otherwise it is the beginning of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PendingAnswer {
    pub(super) letter: char,
    /// What it means for the question as it was shown then.
    pub(super) meaning: KeyMeaning,
    pub(super) questions: Vec<ChatQuestionId>,
    /// The time at which it counts, unless another key comes before.
    pub(super) due: Duration,
}

/// Whether the user waits for a list of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ListRequest {
    #[default]
    None,
    Requested,
    /// It was requested, and then the user typed something else.
    TypedOn,
}

/// The size of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TerminalSize {
    pub(super) columns: u16,
    pub(super) rows: u16,
}

/// An overlay over the chat.
#[derive(Debug)]
pub(super) enum ScreenOverlay {
    Help { scroll: usize },
    Picker(ListPicker),
}

/// Whether the next Ctrl-C quits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum QuitConfirmation {
    #[default]
    No,
    NextTime {
        /// What the first Ctrl-C removed from the input. Leaving must not discard it.
        taken_back: String,
    },
}

/// A search in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TranscriptSearch {
    pub(super) words: String,
    /// The items that contain the words.
    pub(super) hits: Vec<usize>,
    pub(super) at: usize,
}

/// A command from settings or skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CustomCommand {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) says: CustomCommandText,
}

/// The prompt text of a custom command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CustomCommandText {
    /// This text, with the typed text in place of `{{content}}`.
    Text(String),
    /// The text of an alias, whose variables are looked up when it is sent.
    Alias(String),
}

/// A message to the update function: something that happened.
#[derive(Debug)]
pub(super) enum ChatMessage {
    Key(KeyEvent),
    Pasted(String),
    /// Nothing happened, but it is later now.
    TimePassed,
    Mouse(MouseEvent),
    Resized(TerminalSize),
    /// A session is open.
    Opened {
        tab: TabId,
        opened: Box<OpenSessionInfo>,
    },
    /// A session cannot be opened.
    Failed {
        tab: TabId,
        why: String,
    },
    Event {
        tab: TabId,
        event: Box<Numbered>,
    },
    /// An event of a helper's session.
    Child {
        tab: TabId,
        child: String,
        event: Box<Numbered>,
    },
    Piece {
        tab: TabId,
        call: CallId,
        piece: ReplyPiece,
        /// The bytes that it holds until it is shown.
        _weight: DeltaByteReservation,
    },
    /// A turn has ended.
    Ended {
        tab: TabId,
        problem: Option<String>,
    },
    /// A session that was asked to catch up had no missed prompts.
    CaughtUp {
        tab: TabId,
    },
    Asked {
        tab: TabId,
        question: Box<ChatQuestion>,
    },
    /// The asker no longer waits for the answer.
    Withdrawn {
        question: ChatQuestionId,
    },
    /// The user chose a level for the folder, and the session has it.
    LevelChosen {
        tab: TabId,
        level: TrustLevel,
        mode: Mode,
    },
    Noted {
        tab: TabId,
        tone: NoteTone,
        text: String,
    },
    /// A running turn did not take a prompt.
    NotHeard {
        tab: TabId,
        refused: QueuedMessage,
        why: String,
    },
    /// The files of a rewind were restored, or could not be.
    Rewound {
        target: RewindTarget,
        scope: RewindScope,
        files: Result<RewoundFiles, String>,
    },
    /// The files of a rewind are as before it again, or could not be.
    Redone {
        tab: TabId,
        done: DoneRewind,
        files: Result<String, String>,
    },
    /// Sessions, or places in them, to choose from.
    Found(ListPicker),
    Files(Vec<String>),
    /// An alias was filled, or one of its variables has no value.
    Filled(Result<UserText, String>),
    /// The external editor was closed; `None` if nothing was changed.
    Edited {
        purpose: EditPurpose,
        text: Option<String>,
    },
}

/// What the chat learns of a session when it opens.
#[derive(Debug)]
pub(super) struct OpenSessionInfo {
    pub(super) session: String,
    pub(super) model: String,
    pub(super) mode: Mode,
    /// What agents may do in it without asking.
    pub(super) level: TrustLevel,
    pub(super) window: Option<u64>,
    /// The widest mode that is allowed.
    pub(super) widest: Mode,
    pub(super) history: SessionPast,
    /// Whether it continues unfinished work by itself.
    pub(super) goes_on: bool,
    /// Its stored view state.
    pub(super) left: SessionViewState,
}

/// A command to the loop: work that the update function requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ChatCommand {
    /// Grants something to a session in this mode.
    Grant {
        tab: TabId,
        grant: Grant,
        mode: Mode,
    },
    /// Shows or chooses what agents may do in the folder, for a session in this mode.
    Trust {
        tab: TabId,
        level: Option<TrustLevel>,
        mode: Mode,
    },
    Open {
        tab: TabId,
        how: SessionOrigin,
    },
    Close(TabId),
    /// Sends a prompt to an idle session, after a summary of its past if there is one.
    Prompt {
        tab: TabId,
        words: UserText,
        past: Option<String>,
    },
    /// Has a session process prompts that arrived too late for the turn that has ended.
    CatchUp(TabId),
    /// Sends a prompt to a running turn.
    Steer {
        tab: TabId,
        words: UserText,
    },
    FollowUp {
        tab: TabId,
        words: UserText,
    },
    /// Looks up the variables of an alias; the result is sent as a prompt.
    Fill {
        alias: PromptTemplate,
        typed: String,
    },
    Cancel(TabId),
    Mode {
        tab: TabId,
        mode: Mode,
    },
    Answer {
        question: ChatQuestionId,
        reply: QuestionReply,
    },
    Edit {
        purpose: EditPurpose,
        text: String,
    },
    List,
    Find(String),
    /// Lists the files of the folder.
    Files,
    Export {
        tab: TabId,
        session: String,
        path: Option<String>,
    },
    /// Restores the files of the last turn.
    Undo {
        tab: TabId,
        session: String,
    },
    /// Reads prompts and their changes, or restores files.
    Rewind(RewindTask),
    Repaint,
    Leave,
}

/// A prompt for a session. Only files that the user typed are attached, never files that a plan of
/// the model, a template or a skill names: reading on behalf of others requires grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserText {
    pub(super) text: String,
    /// The part of it that the user typed.
    pub(super) typed: String,
}

impl UserText {
    /// Words that the person typed, all of them.
    pub(super) fn typed(text: String) -> Self {
        Self { typed: text.clone(), text }
    }

    /// Text by another author, with this text of the user in it.
    pub(super) fn around(text: String, typed: &str) -> Self {
        Self { text, typed: typed.to_owned() }
    }
}

/// How a session is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SessionOrigin {
    /// A new session, with another model if one is named.
    New {
        model: Option<String>,
    },
    Resume {
        session: String,
    },
    /// A fork of another session, up to a record.
    Fork {
        session: String,
        at: Seq,
    },
}

/// The purpose of a text in the external editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditPurpose {
    Input(TabId),
    Plan {
        tab: TabId,
        question: ChatQuestionId,
    },
    /// The plan, which is carried out afterwards.
    Build(TabId),
}

impl ChatState {
    /// A chat of this size, without a session yet.
    pub(super) fn new(size: TerminalSize, shade: ThemeKind, keys: KeyBindings) -> Self {
        Self {
            tabs: Vec::new(),
            current: 0,
            next: 1,
            size,
            theme: ChatTheme::of(shade),
            keys,
            detail: DetailLevel::Few,
            over: None,
            completion: None,
            search: None,
            leaving: QuitConfirmation::No,
            customs: Vec::new(),
            files: None,
            history: Vec::new(),
            recalled: None,
            aside: String::new(),
            flash: String::new(),
            widest: Mode::Full,
            now: Duration::ZERO,
            pressed: None,
            pending: None,
            list: ListRequest::None,
            listed: None,
            rewinds: Vec::new(),
        }
    }

    /// Another session, which is looked at from now on.
    pub(super) fn open(&mut self, how: SessionOrigin, mode: Mode) -> ChatCommand {
        let id = TabId(self.next);
        self.next += 1;
        self.tabs.push(SessionTab::new(id, mode));
        self.current = self.tabs.len() - 1;
        self.search = None;
        ChatCommand::Open { tab: id, how }
    }

    /// The session that is looked at.
    pub(super) fn tab(&self) -> Option<&SessionTab> {
        self.tabs.get(self.current)
    }

    /// The same, to change it.
    pub(super) fn tab_mut(&mut self) -> Option<&mut SessionTab> {
        self.tabs.get_mut(self.current)
    }

    /// One of the sessions.
    pub(super) fn find(&mut self, id: TabId) -> Option<&mut SessionTab> {
        self.tabs.iter_mut().find(|tab| tab.id == id)
    }

    /// What is typed and not said yet.
    pub(super) fn draft(&self) -> &str {
        self.tab().map_or("", |tab| tab.input.text())
    }

    /// What is kept of all that is typed and not said: what is looked at, else the first that there is.
    pub(super) fn unsaid(&self) -> String {
        let mut texts = self.tab().into_iter().chain(&self.tabs).map(SessionTab::unsaid);
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Keeps what was typed, so that it can be had again.
    pub(super) fn remember(&mut self, text: String) {
        if !text.is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }
}
