//! The key bindings, and the file in which the user changes them.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::theme::Shade;

/// An action that a key triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    Send,
    Queue,
    Newline,
    Stop,
    Leave,
    NewTab,
    NextTab,
    PreviousTab,
    CloseTab,
    ScrollUp,
    ScrollDown,
    PageUp,
    PageDown,
    Top,
    Bottom,
    NextMode,
    Detail,
    Editor,
    Complete,
    Sessions,
    Search,
    Fork,
    Help,
}

/// Every action with its name in the file, its key, and what it does in words.
#[rustfmt::skip]
const ACTIONS: [(Action, &str, &[&str], &str); 23] = [
    (Action::Send, "send", &["enter"], "send; during a run, the agent reads it before its next step"),
    (Action::Queue, "queue", &["ctrl-s"], "send it when the run has ended"),
    (Action::Newline, "newline", &["alt-enter", "ctrl-j", "shift-enter"], "start a new line"),
    (Action::Stop, "stop", &["ctrl-c"], "stop the run; press twice to quit"),
    (Action::Leave, "leave", &["ctrl-d"], "quit, when the input is empty"),
    (Action::NewTab, "new", &["ctrl-n"], "start another session"),
    (Action::NextTab, "next", &["ctrl-t", "alt-right"], "go to the next session"),
    (Action::PreviousTab, "previous", &["alt-left"], "go to the previous session"),
    (Action::CloseTab, "close", &["ctrl-x"], "close this session's tab"),
    (Action::ScrollUp, "scroll-up", &["alt-up", "shift-up"], "scroll up one line"),
    (Action::ScrollDown, "scroll-down", &["alt-down", "shift-down"], "scroll down one line"),
    (Action::PageUp, "page-up", &["pageup"], "scroll up one page"),
    (Action::PageDown, "page-down", &["pagedown"], "scroll down one page"),
    (Action::Top, "top", &["ctrl-home"], "scroll to the top"),
    (Action::Bottom, "bottom", &["ctrl-end"], "scroll to the end"),
    (Action::NextMode, "mode", &["backtab"], "change the mode: plan, default, accept-edits"),
    (Action::Detail, "detail", &["ctrl-o"], "show calls in full, or in brief"),
    (Action::Editor, "editor", &["ctrl-g"], "write in $EDITOR"),
    (Action::Complete, "complete", &["tab"], "complete a /command or an @file"),
    (Action::Sessions, "sessions", &["ctrl-r"], "show earlier sessions"),
    (Action::Search, "search", &["ctrl-f"], "search in this session"),
    (Action::Fork, "fork", &["ctrl-b"], "go back to a turn, in a new session"),
    (Action::Help, "help", &["f1"], "show this"),
];

/// A key with its modifiers.
type Key = (KeyCode, KeyModifiers);

/// Which key triggers which action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    actions: Vec<(Key, Action)>,
}

/// The user's preferences from `chat.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    pub(super) keys: Keys,
    pub(super) shade: Option<Shade>,
    /// Parts of the file that were not understood.
    pub(super) notes: Vec<String>,
}

impl Default for Keys {
    fn default() -> Self {
        let keys = ACTIONS
            .iter()
            .flat_map(|(action, _, keys, _)| keys.iter().filter_map(move |key| Some((parse(key)?, *action))));
        Self { actions: keys.collect() }
    }
}

impl Keys {
    /// What a key does, if it does something.
    pub(super) fn action(&self, key: KeyEvent) -> Option<Action> {
        let pressed = plain(key);
        self.actions.iter().find(|(known, _)| *known == pressed).map(|(_, action)| *action)
    }

    /// What there is to press, for the help.
    pub(super) fn help(&self) -> Vec<(String, &'static str)> {
        let line = |(action, _, _, about): &(Action, &str, &[&str], &'static str)| {
            let keys = self.actions.iter().filter(|(_, known)| known == action);
            let keys: Vec<String> = keys.map(|(key, _)| shown(*key)).collect();
            (keys.join(", "), *about)
        };
        ACTIONS.iter().map(line).collect()
    }
}

impl Wishes {
    /// Reads the file: `theme = "light"`, and under `[keys]` a name of an action with its keys.
    pub(super) fn read(text: &str) -> Self {
        let mut wishes = Self::default();
        let table: toml::Table = match toml::from_str(text) {
            Ok(table) => table,
            Err(error) => {
                wishes.notes.push(format!("chat.toml is not used: {}", error.message()));
                return wishes;
            }
        };
        for (name, value) in &table {
            match (name.as_str(), value) {
                ("theme", toml::Value::String(theme)) => match Shade::named(theme) {
                    Some(shade) => wishes.shade = Some(shade),
                    None => wishes
                        .notes
                        .push(format!("chat.toml: unknown theme `{theme}`; use dark, light or none")),
                },
                ("keys", toml::Value::Table(keys)) => wishes.rebind(keys),
                _ => wishes.notes.push(format!("chat.toml: unknown setting `{name}`")),
            }
        }
        wishes
    }

    fn rebind(&mut self, keys: &toml::Table) {
        let mut wanted: BTreeMap<Action, Vec<Key>> = BTreeMap::new();
        for (name, value) in keys {
            let Some((action, ..)) = ACTIONS.iter().find(|(_, known, ..)| known == name) else {
                self.notes.push(format!("chat.toml: no action is called `{name}`; /help shows them"));
                continue;
            };
            let texts = match value {
                toml::Value::String(key) => vec![key.as_str()],
                toml::Value::Array(keys) => keys.iter().filter_map(toml::Value::as_str).collect(),
                _ => Vec::new(),
            };
            for text in texts {
                match parse(text) {
                    Some(key) => wanted.entry(*action).or_default().push(key),
                    None => self.notes.push(format!("chat.toml: `{text}` is not a key")),
                }
            }
        }
        for (action, keys) in wanted {
            // A key does one thing, and the last word on it is the person's.
            self.keys.actions.retain(|(key, known)| *known != action && !keys.contains(key));
            self.keys.actions.extend(keys.into_iter().map(|key| (key, action)));
        }
    }
}

/// A key without the differences between terminals: a letter's case is in the letter, and Shift-Tab
/// is its own key.
fn plain(key: KeyEvent) -> Key {
    let shift = KeyModifiers::SHIFT;
    let modifiers = match key.code {
        KeyCode::Char(_) | KeyCode::BackTab => key.modifiers - shift,
        _ => key.modifiers,
    };
    (key.code, modifiers)
}

/// A key by its name, such as `ctrl-x`, `alt-enter`, `f1` or `pageup`.
pub(super) fn parse(text: &str) -> Option<Key> {
    let text = text.to_lowercase();
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = text.as_str();
    loop {
        let (modifier, after) = if let Some(after) = rest.strip_prefix("ctrl-") {
            (KeyModifiers::CONTROL, after)
        } else if let Some(after) = rest.strip_prefix("alt-") {
            (KeyModifiers::ALT, after)
        } else if let Some(after) = rest.strip_prefix("shift-") {
            (KeyModifiers::SHIFT, after)
        } else {
            break;
        };
        modifiers |= modifier;
        rest = after;
    }
    let code = match NAMED.iter().find(|(_, name)| *name == rest) {
        Some((code, _)) => *code,
        None => match (rest.strip_prefix('f').and_then(|number| number.parse().ok()), rest.chars().count()) {
            (Some(number), _) => KeyCode::F(number),
            (None, 1) => KeyCode::Char(rest.chars().next()?),
            (None, _) => return None,
        },
    };
    Some((code, modifiers))
}

/// Keys that have names.
const NAMED: [(KeyCode, &str); 15] = [
    (KeyCode::Enter, "enter"),
    (KeyCode::Tab, "tab"),
    (KeyCode::BackTab, "backtab"),
    (KeyCode::Esc, "esc"),
    (KeyCode::Backspace, "backspace"),
    (KeyCode::Delete, "delete"),
    (KeyCode::Up, "up"),
    (KeyCode::Down, "down"),
    (KeyCode::Left, "left"),
    (KeyCode::Right, "right"),
    (KeyCode::Home, "home"),
    (KeyCode::End, "end"),
    (KeyCode::PageUp, "pageup"),
    (KeyCode::PageDown, "pagedown"),
    (KeyCode::Char(' '), "space"),
];

fn shown((code, modifiers): Key) -> String {
    let mut text = String::new();
    for (modifier, name) in
        [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")]
    {
        if modifiers.contains(modifier) {
            text.push_str(name);
        }
    }
    match (NAMED.iter().find(|(known, _)| *known == code), code) {
        (Some((_, name)), _) => text.push_str(name),
        (None, KeyCode::F(number)) => text.push_str(&format!("f{number}")),
        (None, KeyCode::Char(c)) => text.push(c),
        (None, _) => text.push('?'),
    }
    text
}

#[cfg(test)]
mod tests;
