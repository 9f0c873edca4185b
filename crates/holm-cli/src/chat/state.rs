//! The state of the chat, the messages that change it, and the commands that it returns. Nothing
//! here reads, writes or waits.

use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};
use holm::{
    grants::Mode,
    kernel::{CallId, Numbered, Seq},
};

use super::{
    item::{Detail, Tone},
    keys::Keys,
    left::Left,
    picker::{Completion, Picker},
    question::{Question, QuestionId, Reply},
    room::Weight,
    tab::{Piece, Tab, TabId, Waiting},
    theme::{Shade, Theme},
};
use crate::prompt::Around;

/// The whole state of the chat.
pub(super) struct State {
    pub(super) tabs: Vec<Tab>,
    /// The index of the visible tab.
    pub(super) current: usize,
    next: u64,
    pub(super) size: Size,
    pub(super) theme: Theme,
    pub(super) keys: Keys,
    pub(super) detail: Detail,
    /// The overlay, if one is open.
    pub(super) over: Option<Over>,
    pub(super) completion: Option<Completion>,
    pub(super) search: Option<Search>,
    /// What the next Ctrl-C does.
    pub(super) leaving: Leaving,
    /// Commands from settings and skills.
    pub(super) customs: Vec<Custom>,
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
}

/// The size of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: u16,
    pub(super) rows: u16,
}

/// An overlay over the chat.
#[derive(Debug)]
pub(super) enum Over {
    Help { scroll: usize },
    Picker(Picker),
}

/// Whether the next Ctrl-C quits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Leaving {
    #[default]
    No,
    NextTime {
        /// What the first Ctrl-C removed from the input. Leaving must not discard it.
        taken_back: String,
    },
}

/// A search in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Search {
    pub(super) words: String,
    /// The items that contain the words.
    pub(super) hits: Vec<usize>,
    pub(super) at: usize,
}

/// A command from settings or skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Custom {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) says: Says,
}

/// The prompt text of a custom command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    /// This text, with the typed text in place of `{{content}}`.
    Text(String),
    /// The text of an alias, whose variables are looked up when it is sent.
    Alias(String),
}

/// A message to the update function: something that happened.
#[derive(Debug)]
pub(super) enum Msg {
    Key(KeyEvent),
    Pasted(String),
    Mouse(MouseEvent),
    Resized(Size),
    /// A session is open.
    Opened {
        tab: TabId,
        opened: Box<Opened>,
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
        piece: Piece,
        /// The bytes that it holds until it is shown.
        _weight: Weight,
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
        question: Box<Question>,
    },
    /// The asker no longer waits for the answer.
    Withdrawn {
        question: QuestionId,
    },
    Noted {
        tab: TabId,
        tone: Tone,
        text: String,
    },
    /// A running turn did not take a prompt.
    NotHeard {
        tab: TabId,
        refused: Waiting,
        why: String,
    },
    /// Sessions, or places in them, to choose from.
    Found(Picker),
    Files(Vec<String>),
    /// An alias was filled, or one of its variables has no value.
    Filled(Result<Words, String>),
    /// The external editor was closed; `None` if nothing was changed.
    Edited {
        purpose: Purpose,
        text: Option<String>,
    },
}

/// What the chat learns of a session when it opens.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) session: String,
    pub(super) model: String,
    pub(super) mode: Mode,
    pub(super) window: Option<u64>,
    /// The widest mode that is allowed.
    pub(super) widest: Mode,
    /// The events of its history.
    pub(super) history: Vec<Numbered>,
    /// Whether it continues unfinished work by itself.
    pub(super) goes_on: bool,
    /// Its stored view state.
    pub(super) left: Left,
}

/// A command to the loop: work that the update function requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Command {
    Open {
        tab: TabId,
        how: How,
    },
    Close(TabId),
    /// Sends a prompt to an idle session, after a summary of its past if there is one.
    Prompt {
        tab: TabId,
        words: Words,
        past: Option<String>,
    },
    /// Has a session process prompts that arrived too late for the turn that has ended.
    CatchUp(TabId),
    /// Sends a prompt to a running turn.
    Steer {
        tab: TabId,
        words: Words,
    },
    FollowUp {
        tab: TabId,
        words: Words,
    },
    /// Looks up the variables of an alias; the result is sent as a prompt.
    Fill {
        alias: Around,
        typed: String,
    },
    Cancel(TabId),
    Mode {
        tab: TabId,
        mode: Mode,
    },
    Answer {
        question: QuestionId,
        reply: Reply,
    },
    Edit {
        purpose: Purpose,
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
    Repaint,
    Leave,
}

/// A prompt for a session. Only files that the user typed are attached, never files that a plan of
/// the model, a template or a skill names: reading on behalf of others requires grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) text: String,
    /// The part of it that the user typed.
    pub(super) typed: String,
}

impl Words {
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
pub(super) enum How {
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
pub(super) enum Purpose {
    Input(TabId),
    Plan {
        tab: TabId,
        question: QuestionId,
    },
    /// The plan, which is carried out afterwards.
    Build(TabId),
}

impl State {
    /// A chat of this size, without a session yet.
    pub(super) fn new(size: Size, shade: Shade, keys: Keys) -> Self {
        Self {
            tabs: Vec::new(),
            current: 0,
            next: 1,
            size,
            theme: Theme::of(shade),
            keys,
            detail: Detail::Few,
            over: None,
            completion: None,
            search: None,
            leaving: Leaving::No,
            customs: Vec::new(),
            files: None,
            history: Vec::new(),
            recalled: None,
            aside: String::new(),
            flash: String::new(),
            widest: Mode::Full,
            now: Duration::ZERO,
            pressed: None,
        }
    }

    /// Another session, which is looked at from now on.
    pub(super) fn open(&mut self, how: How, mode: Mode) -> Command {
        let id = TabId(self.next);
        self.next += 1;
        self.tabs.push(Tab::new(id, mode));
        self.current = self.tabs.len() - 1;
        self.search = None;
        Command::Open { tab: id, how }
    }

    /// The session that is looked at.
    pub(super) fn tab(&self) -> Option<&Tab> {
        self.tabs.get(self.current)
    }

    /// The same, to change it.
    pub(super) fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.current)
    }

    /// One of the sessions.
    pub(super) fn find(&mut self, id: TabId) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.id == id)
    }

    /// What is typed and not said yet.
    pub(super) fn draft(&self) -> &str {
        self.tab().map_or("", |tab| tab.input.text())
    }

    /// What is kept of all that is typed and not said: what is looked at, else the first that there is.
    pub(super) fn unsaid(&self) -> String {
        let mut texts = self.tab().into_iter().chain(&self.tabs).map(Tab::unsaid);
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Keeps what was typed, so that it can be had again.
    pub(super) fn remember(&mut self, text: String) {
        if !text.is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }
}
