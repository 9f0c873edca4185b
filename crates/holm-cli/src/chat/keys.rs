//! The key bindings, and `chat.toml`, in which the user changes them. It only maps a key to an
//! action; what the action does is in `update/key_presses.rs`. A new action needs an entry in
//! `ACTIONS`, which is also its help text. A mistake in the file becomes a note, and the chat
//! starts anyway.
//!
//! Keys are read from the terminal in `chat_loop.rs`; keys of questions outside the chat are in
//! `keyboard.rs`.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::theme::ThemeKind;

/// An action that a key triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyAction {
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
const ACTIONS: [(KeyAction, &str, &[&str], &str); 23] = [
    (KeyAction::Send, "send", &["enter"], "send; during a run, the agent reads it before its next step"),
    (KeyAction::Queue, "queue", &["ctrl-s"], "send it when the run has ended"),
    (KeyAction::Newline, "newline", &["alt-enter", "ctrl-j", "shift-enter"], "start a new line"),
    (KeyAction::Stop, "stop", &["ctrl-c"], "stop the run; press twice to quit"),
    (KeyAction::Leave, "leave", &["ctrl-d"], "quit, when the input is empty"),
    (KeyAction::NewTab, "new", &["ctrl-n"], "start another session"),
    (KeyAction::NextTab, "next", &["ctrl-t", "alt-right"], "go to the next session"),
    (KeyAction::PreviousTab, "previous", &["alt-left"], "go to the previous session"),
    (KeyAction::CloseTab, "close", &["ctrl-x"], "close this session's tab"),
    (KeyAction::ScrollUp, "scroll-up", &["alt-up", "shift-up"], "scroll up one line"),
    (KeyAction::ScrollDown, "scroll-down", &["alt-down", "shift-down"], "scroll down one line"),
    (KeyAction::PageUp, "page-up", &["pageup"], "scroll up one page"),
    (KeyAction::PageDown, "page-down", &["pagedown"], "scroll down one page"),
    (KeyAction::Top, "top", &["ctrl-home"], "scroll to the top"),
    (KeyAction::Bottom, "bottom", &["ctrl-end"], "scroll to the end"),
    (KeyAction::NextMode, "mode", &["shift-tab"], "change the mode: plan, default, accept-edits"),
    (KeyAction::Detail, "detail", &["ctrl-o"], "show calls in full, or in brief"),
    (KeyAction::Editor, "editor", &["ctrl-g"], "write in $EDITOR"),
    (KeyAction::Complete, "complete", &["tab"], "complete a /command or an @file"),
    (KeyAction::Sessions, "sessions", &["ctrl-r"], "show earlier sessions"),
    (KeyAction::Search, "search", &["ctrl-f"], "search in this session"),
    (KeyAction::Fork, "fork", &["ctrl-b"], "edit an earlier message, in a new session"),
    (KeyAction::Help, "help", &["f1"], "show this"),
];

/// A key with its modifiers.
type KeyCombination = (KeyCode, KeyModifiers);

/// Which key triggers which action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyBindings {
    actions: Vec<(KeyCombination, KeyAction)>,
}

/// The user's preferences from `chat.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChatPreferences {
    pub(super) keys: KeyBindings,
    pub(super) shade: Option<ThemeKind>,
    /// Parts of the file that were not understood.
    pub(super) notes: Vec<String>,
}

impl Default for KeyBindings {
    fn default() -> Self {
        let keys = ACTIONS
            .iter()
            .flat_map(|(action, _, keys, _)| keys.iter().filter_map(move |key| Some((parse(key)?, *action))));
        Self { actions: keys.collect() }
    }
}

impl KeyBindings {
    /// What a key does, if it does something.
    pub(super) fn action(&self, key: KeyEvent) -> Option<KeyAction> {
        let pressed = plain(key);
        self.actions.iter().find(|(known, _)| *known == pressed).map(|(_, action)| *action)
    }

    /// What there is to press, for the help.
    pub(super) fn help(&self) -> Vec<(String, &'static str)> {
        let line = |(action, _, _, about): &(KeyAction, &str, &[&str], &'static str)| {
            let keys = self.actions.iter().filter(|(_, known)| known == action);
            let keys: Vec<String> = keys.map(|(key, _)| shown(*key)).collect();
            (keys.join(", "), *about)
        };
        ACTIONS.iter().map(line).collect()
    }
}

impl ChatPreferences {
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
                ("theme", toml::Value::String(theme)) => match ThemeKind::named(theme) {
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
        let mut wanted: BTreeMap<KeyAction, Vec<KeyCombination>> = BTreeMap::new();
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
fn plain(key: KeyEvent) -> KeyCombination {
    let shift = KeyModifiers::SHIFT;
    let modifiers = match key.code {
        KeyCode::Char(_) | KeyCode::BackTab => key.modifiers - shift,
        _ => key.modifiers,
    };
    (key.code, modifiers)
}

/// A key by its name, such as `ctrl-x`, `alt-enter`, `f1` or `pageup`.
pub(super) fn parse(text: &str) -> Option<KeyCombination> {
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
    // Terminals send it as a key of its own.
    if rest == "tab" && modifiers.contains(KeyModifiers::SHIFT) {
        return Some((KeyCode::BackTab, modifiers - KeyModifiers::SHIFT));
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

fn shown((code, modifiers): KeyCombination) -> String {
    let mut text = String::new();
    for (modifier, name) in
        [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")]
    {
        if modifiers.contains(modifier) {
            text.push_str(name);
        }
    }
    match (NAMED.iter().find(|(known, _)| *known == code), code) {
        (_, KeyCode::BackTab) => text.push_str("shift-tab"),
        (Some((_, name)), _) => text.push_str(name),
        (None, KeyCode::F(number)) => text.push_str(&format!("f{number}")),
        (None, KeyCode::Char(c)) => text.push(c),
        (None, _) => text.push('?'),
    }
    text
}

#[cfg(test)]
mod tests;
