//! What keys do in the overlay, question or input that has the focus.

use std::{mem, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use holm::grants::Mode;

use super::act::{UNUSABLE, answered};
use crate::chat::{
    attach,
    draw::Areas,
    input::{Go, Input, Moved},
    item::Detail,
    keys::Action,
    picker::{Completion, Pick},
    question::{Asks, Reply, Turned, meant},
    slash::COMMANDS,
    state::{Command, How, Leaving, Over, Purpose, State, Words},
    tab::{Look, Phase},
};

/// How long the user must pause before a key answers a question that came while they were typing.
/// This is longer than a pause between two letters, and shorter than it takes to read a question.
const CALM: Duration = Duration::from_millis(700);

/// Whether the user had paused typing before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hand {
    Typing,
    Resting,
}

/// The direction in the history of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Earlier,
    Later,
}

impl State {
    pub(super) fn press(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let hand = self.hand();
        let action = self.keys.action(key);
        self.flash.clear();
        if action == Some(Action::Stop) {
            return self.stop();
        }
        self.leaving = Leaving::No;
        if self.over.is_some() {
            return self.press_over(key);
        }
        if self.is_for_question(hand) {
            return self.press_question(key, action);
        }
        if self.completion.is_some()
            && let Some(commands) = self.press_completion(key)
        {
            return commands;
        }
        if (key.code, key.modifiers) == (KeyCode::Tab, KeyModifiers::NONE)
            && let Some(question) = self.tab_mut().and_then(|tab| tab.questions.front_mut())
        {
            question.turned = Turned::ToIt;
            return Vec::new();
        }
        if self.search.is_some() && self.tab().is_some_and(|tab| tab.input.is_empty()) {
            match key.code {
                KeyCode::Enter | KeyCode::Up => return self.next_hit(-1),
                KeyCode::Down => return self.next_hit(1),
                KeyCode::Esc => {
                    self.search = None;
                    return Vec::new();
                }
                _ => {}
            }
        }
        match action {
            Some(action) => self.act(action),
            None => self.type_in(key),
        }
    }

    /// Takes note that something is typed, and of the questions that it passes by.
    pub(super) fn hand(&mut self) -> Hand {
        let before = self.pressed.replace(self.now);
        let rest = before.map_or(CALM, |before| self.now.saturating_sub(before));
        if let Some(tab) = self.tab_mut().filter(|tab| !tab.input.is_empty()) {
            let passed = tab.questions.iter_mut().filter(|question| question.turned == Turned::Away);
            passed.for_each(|question| question.turned = Turned::PassedBy);
        }
        if rest < CALM { Hand::Typing } else { Hand::Resting }
    }

    /// Whether the key is meant for the current question. A question that was ignored needs a pause
    /// first, even if it is shown: the first letters of the next line are not answers.
    pub(super) fn is_for_question(&mut self, hand: Hand) -> bool {
        let Some(tab) = self.tab_mut().filter(|tab| tab.asks().is_some()) else { return false };
        let Some(question) = tab.questions.front_mut() else { return false };
        match (question.turned, hand) {
            (Turned::Away | Turned::ToIt, _) => true,
            (Turned::PassedBy, Hand::Typing) => false,
            (Turned::PassedBy, Hand::Resting) => {
                question.turned = Turned::ToIt;
                true
            }
        }
    }

    /// The first Ctrl-C stops the run, or takes back prompts that wait for a session to open, or
    /// clears the input. The second quits, and then the cleared text is saved like all unsent text.
    fn stop(&mut self) -> Vec<Command> {
        if let Leaving::NextTime { taken_back } = mem::take(&mut self.leaving) {
            if let Some(tab) = self.tab_mut().filter(|tab| tab.input.is_empty()) {
                tab.input = Input::of(taken_back);
            }
            return vec![Command::Leave];
        }
        if self.over.take().is_some() {
            return Vec::new();
        }
        self.leaving = Leaving::NextTime { taken_back: String::new() };
        self.flash = "press it again to leave".into();
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        if tab.phase == Phase::Running {
            tab.questions.clear();
            tab.doing = "stops".into();
            tab.spoken = false;
            return vec![Command::Cancel(tab.id)];
        }
        if !tab.held.is_empty() {
            tab.give_back();
            return Vec::new();
        }
        let taken_back = tab.input.take();
        (self.completion, self.recalled) = (None, None);
        self.leaving = Leaving::NextTime { taken_back: taken_back.clone() };
        self.remember(taken_back);
        Vec::new()
    }

    pub(super) fn act(&mut self, action: Action) -> Vec<Command> {
        let page = isize::try_from(Areas::of(self).transcript.height.saturating_sub(1)).unwrap_or(1);
        match action {
            Action::Send => return self.send(),
            Action::Queue => return self.queue(),
            Action::Newline => self.typed("\n"),
            // Looked at before anything else.
            Action::Stop => return self.stop(),
            Action::Leave if self.draft().is_empty() => return vec![Command::Leave],
            Action::Leave => self.delete(Go::Right),
            Action::NewTab => {
                let mode = self.tab().map_or(Mode::Default, |tab| tab.mode);
                return vec![self.open(How::New { model: None }, mode)];
            }
            Action::NextTab => self.turn_to(self.current + 1),
            Action::PreviousTab => self.turn_to(self.current + self.tabs.len().saturating_sub(1)),
            Action::CloseTab => return self.close(),
            Action::ScrollUp => self.scroll(-1),
            Action::ScrollDown => self.scroll(1),
            Action::PageUp => self.scroll(-page),
            Action::PageDown => self.scroll(page),
            Action::Top => self.look(Look::At { item: 0, row: 0 }),
            Action::Bottom => self.look(Look::End),
            Action::NextMode => return self.next_mode(),
            Action::Detail => {
                self.detail = if self.detail == Detail::Few { Detail::All } else { Detail::Few };
            }
            Action::Editor => {
                let Some(tab) = self.tab() else { return Vec::new() };
                let (purpose, text) = (Purpose::Input(tab.id), tab.input.text().to_owned());
                return vec![Command::Edit { purpose, text }];
            }
            Action::Complete => self.complete(),
            Action::Sessions => return vec![Command::List],
            Action::Search => self.begin("/search "),
            Action::Fork => self.choose_turn(),
            Action::Help => self.over = Some(Over::Help { scroll: 0 }),
        }
        Vec::new()
    }

    pub(super) fn turn_to(&mut self, tab: usize) {
        self.current = tab % self.tabs.len().max(1);
        (self.search, self.completion, self.recalled) = (None, None, None);
    }

    fn look(&mut self, look: Look) {
        if let Some(tab) = self.tab_mut() {
            tab.look = look;
        }
        self.scroll(0);
    }

    fn begin(&mut self, text: &str) {
        if let Some(tab) = self.tab_mut().filter(|tab| tab.input.is_empty()) {
            tab.input.insert(text);
        }
    }

    /// The next mode. The one that asks about nothing is never come to by a key alone.
    fn next_mode(&mut self) -> Vec<Command> {
        let mode = match self.tab().map(|tab| tab.mode) {
            Some(Mode::Plan | Mode::Full) => Mode::Default,
            Some(Mode::Default) => Mode::AcceptEdits,
            Some(Mode::AcceptEdits) => Mode::Plan,
            None => return Vec::new(),
        };
        self.change_mode(if mode > self.widest { Mode::Plan } else { mode })
    }

    /// Says what is typed.
    fn send(&mut self) -> Vec<Command> {
        let Some(tab) = self.tab() else { return Vec::new() };
        let text = tab.input.text().trim().to_owned();
        if text.is_empty() {
            return Vec::new();
        }
        if let Some(commands) = self.slash(&text) {
            return commands;
        }
        match self.tab().map(|tab| tab.phase) {
            Some(Phase::Opening | Phase::Idle | Phase::Running) => {
                self.took();
                self.say(Words::typed(text))
            }
            Some(Phase::Broken) | None => self.told(UNUSABLE),
        }
    }

    /// Says it when the run is done; to one that stands still, now.
    fn queue(&mut self) -> Vec<Command> {
        let Some(tab) = self.tab() else { return Vec::new() };
        if tab.phase != Phase::Running {
            return self.send();
        }
        let (id, text) = (tab.id, tab.input.text().trim().to_owned());
        if text.is_empty() {
            return Vec::new();
        }
        self.took();
        if let Some(tab) = self.tab_mut() {
            tab.waits(crate::chat::tab::When::Afterwards, text.clone());
        }
        vec![Command::FollowUp { tab: id, words: Words::typed(text) }]
    }

    /// What was typed is taken; it can be had again.
    pub(super) fn took(&mut self) {
        self.completion = None;
        self.recalled = None;
        if let Some(tab) = self.tab_mut() {
            tab.look = Look::End;
            let text = tab.input.take();
            self.remember(text);
        }
    }

    pub(super) fn told(&mut self, text: &str) -> Vec<Command> {
        text.clone_into(&mut self.flash);
        Vec::new()
    }

    fn typed(&mut self, text: &str) {
        if let Some(tab) = self.tab_mut() {
            tab.input.insert(text);
        }
    }

    fn delete(&mut self, go: Go) {
        if let Some(tab) = self.tab_mut() {
            tab.input.delete(go);
        }
    }

    fn go(&mut self, go: Go) {
        if let Some(tab) = self.tab_mut() {
            tab.input.go(go);
        }
    }

    fn type_in(&mut self, key: KeyEvent) -> Vec<Command> {
        let (control, alt) =
            (key.modifiers.contains(KeyModifiers::CONTROL), key.modifiers.contains(KeyModifiers::ALT));
        match key.code {
            KeyCode::Char(digit @ '1'..='9') if alt => {
                let tab = digit.to_digit(10).map_or(0, |digit| digit as usize - 1);
                if tab < self.tabs.len() {
                    self.turn_to(tab);
                }
                return Vec::new();
            }
            KeyCode::Char('a') if control => self.go(Go::LineStart),
            KeyCode::Char('e') if control => self.go(Go::LineEnd),
            KeyCode::Char('w') if control => self.delete(Go::WordLeft),
            KeyCode::Char('u') if control => self.delete(Go::LineStart),
            KeyCode::Char('k') if control => self.delete(Go::LineEnd),
            KeyCode::Char('l') if control => return vec![Command::Repaint],
            KeyCode::Char('b') if alt => self.go(Go::WordLeft),
            KeyCode::Char('f') if alt => self.go(Go::WordRight),
            KeyCode::Char(c) if !control && !alt => self.typed(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if alt || control => self.delete(Go::WordLeft),
            KeyCode::Backspace => self.delete(Go::Left),
            KeyCode::Delete => self.delete(Go::Right),
            KeyCode::Left if control => self.go(Go::WordLeft),
            KeyCode::Right if control => self.go(Go::WordRight),
            KeyCode::Left => self.go(Go::Left),
            KeyCode::Right => self.go(Go::Right),
            KeyCode::Home => self.go(Go::LineStart),
            KeyCode::End => self.go(Go::LineEnd),
            KeyCode::Up => self.recall(Way::Earlier),
            KeyCode::Down => self.recall(Way::Later),
            _ => return Vec::new(),
        }
        self.complete();
        if !self.wants_files() {
            return Vec::new();
        }
        // They are asked for once; until they are here there are none.
        self.files = Some(Vec::new());
        vec![Command::Files]
    }

    /// Moves within what is typed, and beyond its ends through what was said before.
    fn recall(&mut self, way: Way) {
        let Some(tab) = self.tabs.get_mut(self.current) else { return };
        let moved = match way {
            Way::Earlier => tab.input.up(),
            Way::Later => tab.input.down(),
        };
        if moved == Moved::Yes {
            return;
        }
        let last = self.history.len();
        let at = match (self.recalled, way) {
            (None, Way::Earlier) => last.checked_sub(1),
            (Some(at), Way::Earlier) => Some(at.saturating_sub(1)),
            (Some(at), Way::Later) => Some(at + 1),
            (None, Way::Later) => None,
        };
        let Some(at) = at else { return };
        if self.recalled.is_none() {
            self.aside = tab.input.take();
        }
        self.recalled = (at < last).then_some(at);
        let text = self.history.get(at).cloned();
        tab.input = Input::of(text.unwrap_or_else(|| std::mem::take(&mut self.aside)));
    }

    /// What is typed before the cursor of a file's name, and how many bytes that takes.
    fn file_word(&self) -> Option<(&str, usize)> {
        attach::begun(self.tab()?.input.before())
    }

    fn wants_files(&self) -> bool {
        self.files.is_none() && self.file_word().is_some()
    }

    /// Looks what the word before the cursor could become.
    pub(super) fn complete(&mut self) {
        let Some(tab) = self.tab() else { return };
        let before = tab.input.before();
        let found = if let Some((word, taken)) = self.file_word() {
            let names = self.files.iter().flatten().filter_map(|name| attach::typed(name));
            Completion::of(word, taken, names.map(|name| (format!("@{name}"), String::new())))
        } else if let Some(word) = before.strip_prefix('/').filter(|word| !word.contains(char::is_whitespace))
        {
            let own = COMMANDS.iter().map(|(name, takes, about)| {
                (
                    format!("/{name}"),
                    if takes.is_empty() { (*about).to_owned() } else { format!("{takes}: {about}") },
                )
            });
            let customs =
                self.customs.iter().map(|custom| (format!("/{}", custom.name), custom.about.clone()));
            Completion::of(&format!("/{word}"), word.len() + 1, own.chain(customs))
        } else {
            None
        };
        self.completion = found;
    }

    /// What a key does while completions stand there; none where it does what it always does.
    fn press_completion(&mut self, key: KeyEvent) -> Option<Vec<Command>> {
        let completion = self.completion.as_mut()?;
        match key.code {
            KeyCode::Down => completion.next(),
            KeyCode::Up => completion.previous(),
            KeyCode::Esc => self.completion = None,
            KeyCode::Tab | KeyCode::Enter if key.modifiers.is_empty() => {
                let (replaces, chosen) = (completion.replaces, completion.chosen()?.to_owned());
                // What is whole already is sent.
                let is_whole = self.tab()?.input.before().ends_with(&chosen) && replaces == chosen.len();
                if key.code == KeyCode::Enter && is_whole {
                    self.completion = None;
                    return None;
                }
                self.accept();
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Has the word become what is chosen.
    pub(super) fn accept(&mut self) {
        let Some(completion) = self.completion.take() else { return };
        let (Some(chosen), Some(tab)) = (completion.chosen(), self.tabs.get_mut(self.current)) else {
            return;
        };
        tab.input.replace_before(completion.replaces, &format!("{chosen} "));
    }

    /// Opens what is chosen of a list.
    pub(super) fn pick(&mut self) -> Vec<Command> {
        let Some(Over::Picker(picker)) = &self.over else { return Vec::new() };
        let Some(row) = picker.chosen().cloned() else { return Vec::new() };
        self.over = None;
        let Pick::Open { how, typed } = row.pick;
        let mode = self.tab().map_or(Mode::Default, |tab| tab.mode);
        let open = self.open(how, mode);
        self.typed(&typed);
        vec![open]
    }

    fn press_over(&mut self, key: KeyEvent) -> Vec<Command> {
        let Some(over) = &mut self.over else { return Vec::new() };
        match (over, key.code) {
            (_, KeyCode::Esc) | (Over::Help { .. }, KeyCode::Enter | KeyCode::Char('q')) => self.over = None,
            (_, KeyCode::Up) => self.scroll(-1),
            (_, KeyCode::Down) => self.scroll(1),
            (_, KeyCode::PageUp) => self.scroll(-10),
            (_, KeyCode::PageDown) => self.scroll(10),
            (Over::Picker(_), KeyCode::Enter) => return self.pick(),
            (Over::Picker(picker), KeyCode::Char(c)) => picker.narrow(c),
            (Over::Picker(picker), KeyCode::Backspace) => picker.widen(),
            (Over::Picker(_) | Over::Help { .. }, _) => {}
        }
        Vec::new()
    }

    fn press_question(&mut self, key: KeyEvent, action: Option<Action>) -> Vec<Command> {
        let elsewhere = [Action::NextTab, Action::PreviousTab, Action::NewTab, Action::Detail, Action::Help];
        if let Some(action) = action.filter(|action| elsewhere.contains(action)) {
            return self.act(action);
        }
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        let id = tab.id;
        let Some(question) = tab.questions.front_mut() else { return Vec::new() };
        let (asked, scroll) = (question.id, question.scroll);
        // A letter with Control or Alt is a command, not an answer: Ctrl-A means the
        // beginning of the line.
        let is_letter = matches!(key.code, KeyCode::Char(_));
        if is_letter && key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Vec::new();
        }
        match (&mut question.asks, key.code) {
            (_, KeyCode::PageDown) => question.scroll = scroll.saturating_add(8),
            (_, KeyCode::PageUp) => question.scroll = scroll.saturating_sub(8),
            (Asks::Call(_), KeyCode::Down) => question.scroll = scroll.saturating_add(1),
            (Asks::Call(_), KeyCode::Up) => question.scroll = scroll.saturating_sub(1),
            (Asks::Call(wanted), KeyCode::Char('e')) => {
                let Some(text) = wanted.plan.clone() else { return Vec::new() };
                return vec![Command::Edit { purpose: Purpose::Plan { tab: id, question: asked }, text }];
            }
            (Asks::Call(_), KeyCode::Char(c)) => {
                let Some(answer) = question.answer(c) else { return Vec::new() };
                return answered(tab, answer);
            }
            (Asks::Words { choices, input, .. }, KeyCode::Enter) => {
                let reply = Reply::Words(meant(input.text(), choices));
                tab.questions.pop_front();
                return vec![Command::Answer { question: asked, reply }];
            }
            (Asks::Words { .. }, KeyCode::Esc) => {
                tab.questions.pop_front();
                return vec![Command::Answer { question: asked, reply: Reply::Words(None) }];
            }
            (Asks::Words { input, .. }, KeyCode::Char(c)) => input.insert(c.encode_utf8(&mut [0; 4])),
            (Asks::Words { input, .. }, KeyCode::Backspace) => input.delete(Go::Left),
            (Asks::Words { input, .. }, KeyCode::Left) => input.go(Go::Left),
            (Asks::Words { input, .. }, KeyCode::Right) => input.go(Go::Right),
            (Asks::Call(_) | Asks::Words { .. }, _) => {}
        }
        Vec::new()
    }
}
