//! What keys do in the overlay, question or input that has the focus. Which key means which action
//! is in `chat/keys.rs`; what an action of a slash command does is in `chat/update/actions.rs`;
//! editing text is in `chat/input.rs`.
//!
//! A key answers a question only if the user meant it: a question that came while they typed needs
//! a pause or Tab first, and a letter with Control or Alt is no answer. A letter counts once no
//! other key has followed it for a moment, or with Enter. Otherwise it begins a word, which goes to
//! the input. No key alone leads to the mode that asks about nothing.

use std::{mem, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use holm::grants::Mode;

use super::actions::{UNUSABLE, answered};
use crate::chat::{
    attachments,
    draw::ScreenAreas,
    input::{CursorMove, CursorMoveResult, InputBuffer},
    item::DetailLevel,
    keys::KeyAction,
    picker::{PickerAction, WordCompletion},
    question::{KeyMeaning, QuestionBody, QuestionFocus, QuestionReply, meant},
    slash::COMMANDS,
    state::{
        ChatCommand, ChatState, EditPurpose, ListRequest, PendingAnswer, QuitConfirmation, ScreenOverlay,
        SessionOrigin, UserText,
    },
    tab::{ScrollPosition, TabPhase},
};

/// How long the user must pause before a key answers a question that came while they were typing.
/// This is longer than a pause between two letters, and shorter than it takes to read a question.
const CALM: Duration = Duration::from_millis(700);

/// How long no other key may follow a letter that answers a question. The letters
/// of a word follow each other faster.
pub(super) const ALONE: Duration = Duration::from_millis(250);

/// Whether the user had paused typing before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypingState {
    Typing,
    Resting,
}

/// The direction in the history of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryDirection {
    Earlier,
    Later,
}

impl ChatState {
    pub(super) fn press(&mut self, key: KeyEvent) -> Vec<ChatCommand> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let mut commands = self.time_passed();
        commands.extend(self.press_now(key));
        commands
    }

    fn press_now(&mut self, key: KeyEvent) -> Vec<ChatCommand> {
        let pending = self.pending.take();
        if let Some(pending) = pending.as_ref().filter(|_| is_letter(key)) {
            self.type_out(pending);
        }
        let hand = self.hand();
        let action = self.keys.action(key);
        self.flash.clear();
        if action == Some(KeyAction::Stop) {
            return self.stop();
        }
        self.leaving = QuitConfirmation::No;
        if self.over.is_some() {
            return self.press_over(key);
        }
        if let Some(pending) = pending.filter(|_| (key.code, key.modifiers) == ENTER) {
            return self.confirm(&pending);
        }
        if self.is_for_question(hand) {
            return self.press_question(key, action);
        }
        if self.completion.is_some()
            && let Some(commands) = self.press_completion(key)
        {
            return commands;
        }
        if (key.code, key.modifiers) == (KeyCode::Tab, KeyModifiers::NONE) {
            if let Some(question) = self.tab_mut().and_then(|tab| tab.questions.front_mut()) {
                question.turned = QuestionFocus::ToIt;
                return Vec::new();
            }
            if let Some(picker) = self.listed.take() {
                self.over = Some(ScreenOverlay::Picker(picker));
                return Vec::new();
            }
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
    pub(super) fn hand(&mut self) -> TypingState {
        if self.list == ListRequest::Requested {
            self.list = ListRequest::TypedOn;
        }
        let before = self.pressed.replace(self.now);
        let rest = before.map_or(CALM, |before| self.now.saturating_sub(before));
        if let Some(tab) = self.tab_mut().filter(|tab| !tab.input.is_empty()) {
            let passed = tab.questions.iter_mut().filter(|question| question.turned == QuestionFocus::Away);
            passed.for_each(|question| question.turned = QuestionFocus::PassedBy);
        }
        if rest < CALM { TypingState::Typing } else { TypingState::Resting }
    }

    /// Whether the key is meant for the current question. A question that was ignored needs a pause
    /// first, even if it is shown: the first letters of the next line are not answers.
    pub(super) fn is_for_question(&mut self, hand: TypingState) -> bool {
        let Some(tab) = self.tab_mut().filter(|tab| tab.asks().is_some()) else { return false };
        let Some(question) = tab.questions.front_mut() else { return false };
        match (question.turned, hand) {
            (QuestionFocus::Away | QuestionFocus::ToIt, _) => true,
            (QuestionFocus::PassedBy, TypingState::Typing) => false,
            (QuestionFocus::PassedBy, TypingState::Resting) => {
                question.turned = QuestionFocus::ToIt;
                true
            }
        }
    }

    /// The first Ctrl-C stops the run, or takes back prompts that wait for a session to open, or
    /// clears the input. The second quits, and then the cleared text is saved like all unsent text.
    fn stop(&mut self) -> Vec<ChatCommand> {
        if let QuitConfirmation::NextTime { taken_back } = mem::take(&mut self.leaving) {
            if let Some(tab) = self.tab_mut().filter(|tab| tab.input.is_empty()) {
                tab.input = InputBuffer::of(taken_back);
            }
            return vec![ChatCommand::Leave];
        }
        if self.over.take().is_some() {
            return Vec::new();
        }
        self.leaving = QuitConfirmation::NextTime { taken_back: String::new() };
        self.flash = "Press Ctrl-C again to quit.".into();
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        if tab.phase == TabPhase::Running {
            tab.questions.clear();
            tab.doing = "stops".into();
            tab.spoken = false;
            return vec![ChatCommand::Cancel(tab.id)];
        }
        if !tab.held.is_empty() {
            tab.give_back();
            return Vec::new();
        }
        let taken_back = tab.input.take();
        (self.completion, self.recalled) = (None, None);
        self.leaving = QuitConfirmation::NextTime { taken_back: taken_back.clone() };
        self.remember(taken_back);
        Vec::new()
    }

    pub(super) fn act(&mut self, action: KeyAction) -> Vec<ChatCommand> {
        let page = isize::try_from(ScreenAreas::of(self).transcript.height.saturating_sub(1)).unwrap_or(1);
        match action {
            KeyAction::Send => return self.send(),
            KeyAction::Queue => return self.queue(),
            KeyAction::Newline => self.typed("\n"),
            // Looked at before anything else.
            KeyAction::Stop => return self.stop(),
            KeyAction::Leave if self.draft().is_empty() => return vec![ChatCommand::Leave],
            KeyAction::Leave => self.delete(CursorMove::Right),
            KeyAction::NewTab => {
                let mode = self.tab().map_or(Mode::Default, |tab| tab.mode);
                return vec![self.open(SessionOrigin::New { model: None }, mode)];
            }
            KeyAction::NextTab => self.turn_to(self.current + 1),
            KeyAction::PreviousTab => self.turn_to(self.current + self.tabs.len().saturating_sub(1)),
            KeyAction::CloseTab => return self.close(),
            KeyAction::ScrollUp => self.scroll(-1),
            KeyAction::ScrollDown => self.scroll(1),
            KeyAction::PageUp => self.scroll(-page),
            KeyAction::PageDown => self.scroll(page),
            KeyAction::Top => self.look(ScrollPosition::At { item: 0, row: 0 }),
            KeyAction::Bottom => self.look(ScrollPosition::End),
            KeyAction::NextMode => return self.next_mode(),
            KeyAction::Detail => {
                self.detail =
                    if self.detail == DetailLevel::Few { DetailLevel::All } else { DetailLevel::Few };
            }
            KeyAction::Editor => {
                let Some(tab) = self.tab() else { return Vec::new() };
                let (purpose, text) = (EditPurpose::Input(tab.id), tab.input.text().to_owned());
                return vec![ChatCommand::Edit { purpose, text }];
            }
            KeyAction::Complete => self.complete(),
            KeyAction::Sessions => return self.request_list(ChatCommand::List),
            KeyAction::Search => self.begin("/search "),
            KeyAction::Fork => self.choose_turn(),
            KeyAction::Help => self.over = Some(ScreenOverlay::Help { scroll: 0 }),
        }
        Vec::new()
    }

    /// Has a list of sessions made. It is shown if the user waits for it.
    pub(super) fn request_list(&mut self, command: ChatCommand) -> Vec<ChatCommand> {
        (self.list, self.listed) = (ListRequest::Requested, None);
        vec![command]
    }

    pub(super) fn turn_to(&mut self, tab: usize) {
        self.pending = None;
        self.current = tab % self.tabs.len().max(1);
        (self.search, self.completion, self.recalled) = (None, None, None);
    }

    fn look(&mut self, look: ScrollPosition) {
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
    fn next_mode(&mut self) -> Vec<ChatCommand> {
        let mode = match self.tab().map(|tab| tab.mode) {
            Some(Mode::Plan | Mode::Full) => Mode::Default,
            Some(Mode::Default) => Mode::AcceptEdits,
            Some(Mode::AcceptEdits) => Mode::Plan,
            None => return Vec::new(),
        };
        self.change_mode(if mode > self.widest { Mode::Plan } else { mode })
    }

    /// Says what is typed.
    fn send(&mut self) -> Vec<ChatCommand> {
        let Some(tab) = self.tab() else { return Vec::new() };
        let text = tab.input.text().trim().to_owned();
        if text.is_empty() {
            return Vec::new();
        }
        if let Some(commands) = self.slash(&text) {
            return commands;
        }
        match self.tab().map(|tab| tab.phase) {
            Some(TabPhase::Opening | TabPhase::Idle | TabPhase::Running | TabPhase::Rewinding) => {
                self.took();
                self.say(UserText::typed(text))
            }
            Some(TabPhase::Broken) | None => self.told(UNUSABLE),
        }
    }

    /// Says it when the run is done; to one that stands still, now.
    fn queue(&mut self) -> Vec<ChatCommand> {
        let Some(tab) = self.tab() else { return Vec::new() };
        if tab.phase != TabPhase::Running {
            return self.send();
        }
        let (id, text) = (tab.id, tab.input.text().trim().to_owned());
        if text.is_empty() {
            return Vec::new();
        }
        self.took();
        if let Some(tab) = self.tab_mut() {
            tab.waits(crate::chat::tab::DeliveryTiming::Afterwards, text.clone());
        }
        vec![ChatCommand::FollowUp { tab: id, words: UserText::typed(text) }]
    }

    /// What was typed is taken; it can be had again.
    pub(super) fn took(&mut self) {
        self.completion = None;
        self.recalled = None;
        self.listed = None;
        if let Some(tab) = self.tab_mut() {
            tab.look = ScrollPosition::End;
            let text = tab.input.take();
            self.remember(text);
        }
    }

    pub(super) fn told(&mut self, text: &str) -> Vec<ChatCommand> {
        text.clone_into(&mut self.flash);
        Vec::new()
    }

    pub(super) fn typed(&mut self, text: &str) {
        if let Some(tab) = self.tab_mut() {
            tab.input.insert(text);
        }
    }

    fn delete(&mut self, go: CursorMove) {
        if let Some(tab) = self.tab_mut() {
            tab.input.delete(go);
        }
    }

    fn go(&mut self, go: CursorMove) {
        if let Some(tab) = self.tab_mut() {
            tab.input.go(go);
        }
    }

    fn type_in(&mut self, key: KeyEvent) -> Vec<ChatCommand> {
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
            KeyCode::Char('a') if control => self.go(CursorMove::LineStart),
            KeyCode::Char('e') if control => self.go(CursorMove::LineEnd),
            KeyCode::Char('w') if control => self.delete(CursorMove::WordLeft),
            KeyCode::Char('u') if control => self.delete(CursorMove::LineStart),
            KeyCode::Char('k') if control => self.delete(CursorMove::LineEnd),
            KeyCode::Char('l') if control => return vec![ChatCommand::Repaint],
            KeyCode::Char('b') if alt => self.go(CursorMove::WordLeft),
            KeyCode::Char('f') if alt => self.go(CursorMove::WordRight),
            KeyCode::Char(c) if !control && !alt => self.typed(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if alt || control => self.delete(CursorMove::WordLeft),
            KeyCode::Backspace => self.delete(CursorMove::Left),
            KeyCode::Delete => self.delete(CursorMove::Right),
            KeyCode::Left if control => self.go(CursorMove::WordLeft),
            KeyCode::Right if control => self.go(CursorMove::WordRight),
            KeyCode::Left => self.go(CursorMove::Left),
            KeyCode::Right => self.go(CursorMove::Right),
            KeyCode::Home => self.go(CursorMove::LineStart),
            KeyCode::End => self.go(CursorMove::LineEnd),
            KeyCode::Up => self.recall(HistoryDirection::Earlier),
            KeyCode::Down => self.recall(HistoryDirection::Later),
            _ => return Vec::new(),
        }
        self.complete();
        if !self.wants_files() {
            return Vec::new();
        }
        // They are asked for once; until they are here there are none.
        self.files = Some(Vec::new());
        vec![ChatCommand::Files]
    }

    /// Moves within what is typed, and beyond its ends through what was said before.
    fn recall(&mut self, way: HistoryDirection) {
        let Some(tab) = self.tabs.get_mut(self.current) else { return };
        let moved = match way {
            HistoryDirection::Earlier => tab.input.up(),
            HistoryDirection::Later => tab.input.down(),
        };
        if moved == CursorMoveResult::Yes {
            return;
        }
        let last = self.history.len();
        let at = match (self.recalled, way) {
            (None, HistoryDirection::Earlier) => last.checked_sub(1),
            (Some(at), HistoryDirection::Earlier) => Some(at.saturating_sub(1)),
            (Some(at), HistoryDirection::Later) => Some(at + 1),
            (None, HistoryDirection::Later) => None,
        };
        let Some(at) = at else { return };
        if self.recalled.is_none() {
            self.aside = tab.input.take();
        }
        self.recalled = (at < last).then_some(at);
        let text = self.history.get(at).cloned();
        tab.input = InputBuffer::of(text.unwrap_or_else(|| std::mem::take(&mut self.aside)));
    }

    /// What is typed before the cursor of a file's name, and how many bytes that takes.
    fn file_word(&self) -> Option<(&str, usize)> {
        attachments::begun(self.tab()?.input.before())
    }

    fn wants_files(&self) -> bool {
        self.files.is_none() && self.file_word().is_some()
    }

    /// Looks what the word before the cursor could become.
    pub(super) fn complete(&mut self) {
        let Some(tab) = self.tab() else { return };
        let before = tab.input.before();
        let found = if let Some((word, taken)) = self.file_word() {
            let names = self.files.iter().flatten().filter_map(|name| attachments::typed(name));
            WordCompletion::of(word, taken, names.map(|name| (format!("@{name}"), String::new())))
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
            WordCompletion::of(&format!("/{word}"), word.len() + 1, own.chain(customs))
        } else {
            None
        };
        self.completion = found;
    }

    /// What a key does while completions stand there; none where it does what it always does.
    fn press_completion(&mut self, key: KeyEvent) -> Option<Vec<ChatCommand>> {
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

    /// Does what the chosen row of a list says.
    pub(super) fn pick(&mut self) -> Vec<ChatCommand> {
        let Some(ScreenOverlay::Picker(picker)) = &self.over else { return Vec::new() };
        let Some(row) = picker.chosen().cloned() else { return Vec::new() };
        if row.pick != PickerAction::Nothing {
            self.over = None;
        }
        match row.pick {
            PickerAction::Open { how, typed } => {
                let mode = self.tab().map_or(Mode::Default, |tab| tab.mode);
                let open = self.open(how, mode);
                self.typed(&typed);
                vec![open]
            }
            PickerAction::RewindTo(target) => self.rewind_to(target),
            PickerAction::Rewind { target, scope } => self.rewind_now(target, scope),
            PickerAction::Nothing => Vec::new(),
        }
    }

    fn press_over(&mut self, key: KeyEvent) -> Vec<ChatCommand> {
        let Some(over) = &mut self.over else { return Vec::new() };
        match (over, key.code) {
            (_, KeyCode::Esc) | (ScreenOverlay::Help { .. }, KeyCode::Enter | KeyCode::Char('q')) => {
                self.over = None;
            }
            (_, KeyCode::Up) => self.scroll(-1),
            (_, KeyCode::Down) => self.scroll(1),
            (_, KeyCode::PageUp) => self.scroll(-10),
            (_, KeyCode::PageDown) => self.scroll(10),
            (ScreenOverlay::Picker(_), KeyCode::Enter) => return self.pick(),
            (ScreenOverlay::Picker(picker), KeyCode::Char(c)) => picker.narrow(c),
            (ScreenOverlay::Picker(picker), KeyCode::Backspace) => picker.widen(),
            (ScreenOverlay::Picker(_) | ScreenOverlay::Help { .. }, _) => {}
        }
        Vec::new()
    }

    fn press_question(&mut self, key: KeyEvent, action: Option<KeyAction>) -> Vec<ChatCommand> {
        let elsewhere = [
            KeyAction::NextTab,
            KeyAction::PreviousTab,
            KeyAction::NewTab,
            KeyAction::Detail,
            KeyAction::Help,
        ];
        if let Some(action) = action.filter(|action| elsewhere.contains(action)) {
            return self.act(action);
        }
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        let Some(question) = tab.questions.front_mut() else { return Vec::new() };
        let (asked, scroll) = (question.id, question.scroll);
        // A letter with Control or Alt is a command, not an answer: Ctrl-A means the
        // beginning of the line.
        if matches!(key.code, KeyCode::Char(_)) && !is_letter(key) {
            return Vec::new();
        }
        match (&mut question.asks, key.code) {
            (_, KeyCode::PageDown) => question.scroll = scroll.saturating_add(8),
            (_, KeyCode::PageUp) => question.scroll = scroll.saturating_sub(8),
            (QuestionBody::Words { choices, input, .. }, KeyCode::Enter) => {
                let reply = QuestionReply::Words(meant(input.text(), choices));
                tab.questions.pop_front();
                return vec![ChatCommand::Answer { question: asked, reply }];
            }
            (QuestionBody::Words { .. }, KeyCode::Esc) => {
                tab.questions.pop_front();
                return vec![ChatCommand::Answer { question: asked, reply: QuestionReply::Words(None) }];
            }
            (QuestionBody::Words { input, .. }, KeyCode::Char(c)) => input.insert(c.encode_utf8(&mut [0; 4])),
            (QuestionBody::Words { input, .. }, KeyCode::Backspace) => input.delete(CursorMove::Left),
            (QuestionBody::Words { input, .. }, KeyCode::Left) => input.go(CursorMove::Left),
            (QuestionBody::Words { input, .. }, KeyCode::Right) => input.go(CursorMove::Right),
            (QuestionBody::Words { .. }, _) => {}
            (_, KeyCode::Down) => question.scroll = scroll.saturating_add(1),
            (_, KeyCode::Up) => question.scroll = scroll.saturating_sub(1),
            (_, KeyCode::Char(letter)) => return self.press_letter(key, letter),
            (QuestionBody::Call(_) | QuestionBody::Group(_), _) => {}
        }
        Vec::new()
    }

    /// A letter at a question about calls waits for the next key: alone it is an answer, or says
    /// that it is not one. Any other character begins a word.
    fn press_letter(&mut self, key: KeyEvent, letter: char) -> Vec<ChatCommand> {
        let due = self.now.saturating_add(ALONE);
        let Some(question) = self.tab_mut().and_then(|tab| tab.questions.front_mut()) else {
            return Vec::new();
        };
        if let Some(meaning) = question.meaning(letter) {
            self.pending = Some(PendingAnswer { letter, meaning, questions: question.ids(), due });
            return Vec::new();
        }
        if letter.is_whitespace() {
            return Vec::new();
        }
        question.turned = QuestionFocus::PassedBy;
        self.type_in(key)
    }

    /// The letter was the beginning of a word: it goes to the input, and the question waits.
    pub(super) fn type_out(&mut self, pending: &PendingAnswer) {
        if let Some(question) = self.tab_mut().and_then(|tab| tab.questions.front_mut()) {
            question.turned = QuestionFocus::PassedBy;
        }
        self.typed(pending.letter.encode_utf8(&mut [0; 4]));
    }

    /// Gives the answer of a letter that no other key has followed.
    pub(super) fn time_passed(&mut self) -> Vec<ChatCommand> {
        let now = self.now;
        let due = self.pending.take_if(|pending| pending.due <= now);
        due.map_or_else(Vec::new, |pending| self.confirm(&pending))
    }

    /// Gives the answer that a letter stands for, if the question is still the one that the user
    /// saw when they pressed it.
    fn confirm(&mut self, pending: &PendingAnswer) -> Vec<ChatCommand> {
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        let id = tab.id;
        let Some(question) = tab.questions.front().filter(|open| open.ids() == pending.questions) else {
            return Vec::new();
        };
        match (&pending.meaning, &question.asks) {
            (KeyMeaning::Details, _) => {
                if let Some(question) = tab.questions.front_mut() {
                    question.toggle_details();
                }
                Vec::new()
            }
            (KeyMeaning::NotOffered, _) => {
                let text = format!("`{}` is not an answer here; nothing was answered", pending.letter);
                self.told(&text)
            }
            (KeyMeaning::TooEarly, _) => self.told("PgDn shows the rest of the question first"),
            (KeyMeaning::Edit, QuestionBody::Call(wanted)) => {
                let purpose = EditPurpose::Plan { tab: id, question: question.id };
                let edit = |text| ChatCommand::Edit { purpose, text };
                wanted.plan.clone().map(edit).into_iter().collect()
            }
            (KeyMeaning::Edit, _) => Vec::new(),
            // A group that changed must be read again.
            (meaning @ KeyMeaning::Answer(answer), _)
                if question.meaning(pending.letter).as_ref() == Some(meaning) =>
            {
                answered(tab, answer)
            }
            (KeyMeaning::Answer(_), _) => Vec::new(),
        }
    }
}

const ENTER: (KeyCode, KeyModifiers) = (KeyCode::Enter, KeyModifiers::NONE);

/// Whether a key types a letter, rather than a command with Control or Alt.
fn is_letter(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char(_))
        && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}
