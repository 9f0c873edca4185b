//! The update function: a message changes the state and returns the commands to execute. It neither
//! reads nor writes nor waits. `chat_loop.rs` executes the commands and sets the time; `state.rs`
//! defines messages and commands. No other code reacts to a message. Only drawing changes the state
//! too, by what it records about the screen (`draw.rs`).
//!
//! Pasted text is typed text and never a command or a yes.
//!
//! Where things are:
//! - `update/key_presses.rs`: what keys do.
//! - `update/mouse.rs`: what the mouse does.
//! - `update/rewind.rs`: what `/rewind` and `/redo` do.
//! - `update/actions.rs`: what slash commands do, and what sending a prompt does.

mod actions;
mod key_presses;
mod mouse;
mod rewind;

use super::{
    draw::ScreenAreas,
    input::InputBuffer,
    item::NoteTone,
    picker::ListPicker,
    question::QuestionReply,
    state::{
        ChatCommand, ChatMessage, ChatState, EditPurpose, ListRequest, OpenSessionInfo, QuitConfirmation,
        ScreenOverlay, SessionOrigin,
    },
    tab::{AnswerFollowUp, SessionTab, TabId, TabPhase},
    view::TranscriptViewport,
    view_state::SessionViewState,
};

impl ChatState {
    /// Takes one thing that happened.
    pub(super) fn update(&mut self, msg: ChatMessage) -> Vec<ChatCommand> {
        match msg {
            ChatMessage::Key(key) => return self.press(key),
            ChatMessage::Pasted(text) => self.pasted(&text),
            ChatMessage::TimePassed => return self.time_passed(),
            ChatMessage::Mouse(mouse) => return self.mouse(mouse),
            ChatMessage::Resized(size) => {
                self.size = size;
                self.over_the_end();
            }
            ChatMessage::Opened { tab, opened } => return self.opened(tab, *opened),
            ChatMessage::Failed { tab, why } => return self.failed(tab, &why),
            ChatMessage::Event { tab, event } => self.with(tab, |tab| tab.hear(&event)),
            ChatMessage::Child { tab, child, event } => self.with(tab, |tab| tab.child(&child, &event)),
            ChatMessage::Piece { tab, call, piece, .. } => self.with(tab, |tab| tab.piece(call, &piece)),
            ChatMessage::Ended { tab, problem } => return self.ended(tab, problem.as_deref()),
            ChatMessage::CaughtUp { tab } => return self.find(tab).map(rest).unwrap_or_default(),
            ChatMessage::Asked { tab, mut question } => {
                self.completion = None;
                question.arrived = self.now;
                self.with(tab, |tab| tab.asked(*question));
            }
            ChatMessage::Withdrawn { question } => {
                self.tabs.iter_mut().for_each(|tab| tab.withdraw_question(question));
            }
            ChatMessage::LevelChosen { tab, level, mode } => self.with(tab, |tab| tab.trusted(level, mode)),
            ChatMessage::NotHeard { tab, refused, why } => self.with(tab, |tab| {
                tab.not_heard(&refused);
                tab.note(NoteTone::Warning, &why);
            }),
            ChatMessage::Noted { tab, tone, text } => self.with(tab, |tab| tab.note(tone, &text)),
            ChatMessage::Rewound { target, scope, files } => return self.rewound(target, scope, files),
            ChatMessage::Redone { tab, done, files } => return self.redone(tab, &done, files),
            ChatMessage::Found(picker) => self.found(picker),
            ChatMessage::Files(files) => {
                self.files = Some(files);
                self.complete();
            }
            ChatMessage::Filled(Ok(words)) => return self.say(words),
            ChatMessage::Filled(Err(why)) => {
                let tab = self.tab().map(|tab| tab.id);
                tab.into_iter().for_each(|tab| self.with(tab, |tab| tab.note(NoteTone::Warning, &why)));
            }
            ChatMessage::Edited { purpose, text } => return self.edited(purpose, text),
        }
        Vec::new()
    }

    fn with(&mut self, id: TabId, change: impl FnOnce(&mut SessionTab)) {
        if let Some(tab) = self.find(id) {
            change(tab);
            tab.forget_lines();
        }
    }

    /// Shows a list, unless the user has typed something else since: then the
    /// keys are not meant for the list.
    fn found(&mut self, picker: ListPicker) {
        let request = std::mem::take(&mut self.list);
        if picker.shown().is_empty() {
            self.flash = "nothing was found".into();
        } else if request == ListRequest::TypedOn {
            self.listed = Some(picker);
        } else {
            self.over = Some(ScreenOverlay::Picker(picker));
        }
    }

    /// A session cannot be opened. If it was to continue another one with another model, that one
    /// stays as it is, with what was typed meanwhile.
    fn failed(&mut self, id: TabId, why: &str) -> Vec<ChatCommand> {
        let at = self.tabs.iter().position(|tab| tab.id == id);
        let back = at.and_then(|at| self.tabs.get(at)).and_then(|tab| tab.back);
        let back = back.filter(|back| self.tabs.iter().any(|tab| tab.id == *back));
        let (Some(at), Some(back)) = (at, back) else {
            self.with(id, |tab| {
                tab.phase = TabPhase::Broken;
                tab.give_back();
                tab.note(NoteTone::Error, why);
            });
            return Vec::new();
        };
        let seen = self.tab().map_or(back, |tab| if tab.id == id { back } else { tab.id });
        let unsaid = self.tabs.remove(at).unsaid();
        self.turn_to(self.tabs.iter().position(|tab| tab.id == seen).unwrap_or(0));
        self.remember(unsaid.clone());
        self.with(back, |tab| {
            if tab.input.is_empty() {
                tab.input = InputBuffer::of(unsaid);
            }
            tab.note(NoteTone::Error, why);
            if !tab.model.is_empty() {
                let text = format!("the model of this session is still {}", tab.model);
                tab.note(NoteTone::Quiet, &text);
            }
        });
        vec![ChatCommand::Close(id)]
    }

    fn opened(&mut self, id: TabId, opened: OpenSessionInfo) -> Vec<ChatCommand> {
        self.widest = self.widest.min(opened.widest);
        let SessionViewState { draft, spot } = opened.left;
        let typed = self.find(id).map(|tab| tab.input.text().to_owned()).unwrap_or_default();
        // What is typed already stays, and what was typed before can be had again.
        if !typed.is_empty() && typed != draft {
            self.remember(draft.clone());
        }
        self.with(id, |tab| {
            tab.recall(&opened.history);
            if let Some(spot) = spot {
                tab.look_at(spot);
            }
            // What was said meanwhile is no draft any more.
            if typed.is_empty() && tab.held.lines().all(|line| line.trim() != draft.trim()) {
                tab.input = InputBuffer::of(draft);
            }
            (tab.session, tab.mode) = (Some(opened.session), opened.mode);
            tab.model = opened.model;
            tab.level = opened.level;
            tab.back = None;
            tab.meter.window = opened.window;
            tab.phase = if opened.goes_on { TabPhase::Running } else { TabPhase::Idle };
        });
        self.catch_up(id)
    }

    /// Does what was wished of a session and said to it while it was opened.
    fn catch_up(&mut self, id: TabId) -> Vec<ChatCommand> {
        let Some(tab) = self.find(id) else { return Vec::new() };
        let (mode, words) = (tab.held.mode.take(), tab.held.take());
        let mode = mode.filter(|mode| *mode != tab.mode);
        let mut commands = mode.map_or_else(Vec::new, |mode| self.change_mode_of(id, mode));
        commands.extend(words.into_iter().flat_map(|words| self.say_to(id, words)));
        commands
    }

    fn ended(&mut self, id: TabId, problem: Option<&str>) -> Vec<ChatCommand> {
        let Some(tab) = self.find(id) else { return Vec::new() };
        tab.ended(problem);
        let mut commands = rest(tab);
        let then = std::mem::take(&mut tab.then);
        // An older answer is no summary.
        let (answer, mode) = (tab.last_reply().map(str::to_owned), tab.mode);
        match (then, answer) {
            (AnswerFollowUp::BeginAnew, Some(summary)) if problem.is_none() => {
                let open = self.open(SessionOrigin::New { model: None }, mode);
                if let Some(tab) = self.tab_mut() {
                    tab.note(NoteTone::Quiet, "this session starts with a summary of the previous one:");
                    tab.note(NoteTone::Quiet, &summary);
                    tab.carried = Some(summary);
                    // The work goes on, so it goes on in the same mode.
                    tab.held.mode = Some(mode);
                }
                commands.push(open);
            }
            (AnswerFollowUp::BeginAnew, _) => {
                tab.note(NoteTone::Warning, "no summary was made; the session is unchanged");
            }
            (AnswerFollowUp::Nothing, _) => {}
        }
        commands
    }

    fn edited(&mut self, purpose: EditPurpose, text: Option<String>) -> Vec<ChatCommand> {
        let Some(text) = text else { return vec![ChatCommand::Repaint] };
        // An emptied file means that nothing should be carried out.
        if text.trim().is_empty() && !matches!(purpose, EditPurpose::Input(_)) {
            self.told("the plan is empty; keeping the old one");
            return vec![ChatCommand::Repaint];
        }
        match purpose {
            EditPurpose::Input(id) => {
                if let Some(tab) = self.find(id) {
                    tab.input = InputBuffer::of(text.trim_end());
                }
                vec![ChatCommand::Repaint]
            }
            EditPurpose::Build(id) => {
                let carried_out = if self.tab().is_some_and(|tab| tab.id == id) {
                    self.carry_out(&text)
                } else {
                    Vec::new()
                };
                [ChatCommand::Repaint].into_iter().chain(carried_out).collect()
            }
            EditPurpose::Plan { tab: id, question } => {
                let Some(tab) = self.find(id) else { return vec![ChatCommand::Repaint] };
                let open = tab.questions.iter().find(|open| open.id == question);
                let Some(answer) = open.and_then(|open| open.with_plan(&text)) else {
                    self.told("this plan is no longer waiting for an answer");
                    return vec![ChatCommand::Repaint];
                };
                tab.questions.retain(|open| open.id != question);
                vec![
                    ChatCommand::Repaint,
                    ChatCommand::Answer { question, reply: QuestionReply::Call(answer) },
                ]
            }
        }
    }

    /// What was pasted is typed, wherever something is typed, and never a command by itself.
    fn pasted(&mut self, text: &str) {
        self.leaving = QuitConfirmation::No;
        if let Some(pending) = self.pending.take() {
            self.type_out(&pending);
        }
        let hand = self.hand();
        if let Some(ScreenOverlay::Picker(picker)) = &mut self.over {
            text.chars().filter(|c| !c.is_control()).for_each(|c| picker.narrow(c));
            return;
        }
        let is_asked = self.is_for_question(hand);
        let Some(tab) = self.tab_mut() else { return };
        match tab.questions.front_mut().filter(|_| is_asked).map(|question| &mut question.asks) {
            Some(super::question::QuestionBody::Words { input, .. }) => input.insert(text),
            // A yes is pressed, never pasted.
            Some(super::question::QuestionBody::Call(_) | super::question::QuestionBody::Group(_)) => {}
            None => tab.input.insert(text),
        }
        self.complete();
    }

    /// Scrolls the overlay, or else the transcript.
    fn scroll(&mut self, by: isize) {
        match &mut self.over {
            Some(ScreenOverlay::Help { scroll }) => *scroll = scroll.saturating_add_signed(by),
            Some(ScreenOverlay::Picker(picker)) if by < 0 => picker.up(by.unsigned_abs()),
            Some(ScreenOverlay::Picker(picker)) => picker.down(by.unsigned_abs()),
            None => self.scroll_transcript(by),
        }
    }

    fn scroll_transcript(&mut self, by: isize) {
        self.through(|glass, tab| glass.scroll(tab, by));
    }

    /// Changes the transcript through its current viewport.
    fn through(&mut self, change: impl FnOnce(TranscriptViewport<'_>, &mut SessionTab)) {
        let area = ScreenAreas::of(self).transcript;
        let glass = TranscriptViewport {
            width: usize::from(area.width),
            height: usize::from(area.height),
            theme: &self.theme,
            detail: self.detail,
        };
        if let Some(tab) = self.tabs.get_mut(self.current) {
            change(glass, tab);
        }
    }

    /// Keeps the scroll position within the transcript after a resize.
    fn over_the_end(&mut self) {
        self.scroll_transcript(0);
    }
}

/// What is to be done when a session has come to the end of a turn.
fn rest(tab: &mut SessionTab) -> Vec<ChatCommand> {
    if tab.rests() == TabPhase::Running { vec![ChatCommand::CatchUp(tab.id)] } else { Vec::new() }
}

#[cfg(test)]
mod tests;
