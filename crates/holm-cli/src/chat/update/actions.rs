//! What slash commands do, and what sending a prompt does. Commands are parsed in `chat/slash.rs`;
//! work is only requested, as commands that `chat/chat_loop.rs` executes. A prompt goes to an idle
//! session as a turn, to a running one as steering, and to an opening one into
//! `chat/opening_queue.rs`.
//!
//! The mode never exceeds what the administrator allows. Files are attached only from text that the
//! user typed, never from a plan of the model.

use holm::grants::Mode;

use crate::approve::question_group::GroupAnswer;
use crate::cache_rate;
use crate::chat::{
    item::NoteTone,
    picker::{ListPicker, PickerAction, PickerRow},
    question::QuestionReply,
    slash::{PlanRevision, SlashCommand},
    state::{ChatCommand, ChatState, EditPurpose, ScreenOverlay, SessionOrigin, TranscriptSearch, UserText},
    tab::{AnswerFollowUp, DeliveryTiming, SessionTab, TabId, TabPhase},
    text::{clipped, one_line},
};

/// Note for a user who sends a prompt to a session that could not be opened.
pub(super) const UNUSABLE: &str = "this session cannot be used; /new starts another";

/// How much of a prompt a row shows.
const ROW_COLUMNS: usize = 120;

/// What the model is asked for before a session begins anew.
const SUMMARISE: &str = "Write a summary of this session for a reader who continues the work and knows \
    nothing about it: the request, the decisions and their reasons, the changes and their files, what is \
    open. Use no tools.";

impl ChatState {
    /// Does what a line with a slash says; none if it is no command.
    pub(super) fn slash(&mut self, line: &str) -> Option<Vec<ChatCommand>> {
        let command = match SlashCommand::parse(line, &self.customs)? {
            Ok(command) => command,
            Err(why) => return Some(self.told(&why)),
        };
        let speaks =
            matches!(command, SlashCommand::Plan(Some(_)) | SlashCommand::Say(_) | SlashCommand::Fill(..));
        if speaks && self.tab().is_some_and(|tab| tab.phase == TabPhase::Broken) {
            // The session cannot take it, so the text stays in the input.
            return Some(self.told(UNUSABLE));
        }
        self.took();
        Some(self.command(command))
    }

    fn command(&mut self, command: SlashCommand) -> Vec<ChatCommand> {
        let Some(tab) = self.tab() else { return Vec::new() };
        let (id, session, mode) = (tab.id, tab.session.clone(), tab.mode);
        match command {
            SlashCommand::Model(Some(model)) => {
                let open = self.open(SessionOrigin::New { model: Some(model) }, mode);
                if let Some(tab) = self.tab_mut() {
                    tab.back = Some(id);
                }
                return vec![open];
            }
            SlashCommand::Model(None) => {
                let text = format!("the model is {}; /model NAME starts a new session", tab.model);
                return self.told(&text);
            }
            SlashCommand::Compact => return self.compact(),
            SlashCommand::Undo if matches!(tab.phase, TabPhase::Running | TabPhase::Rewinding) => {
                return self.told("the run is still using these files; stop it first");
            }
            SlashCommand::Undo => {
                return session.map(|session| ChatCommand::Undo { tab: id, session }).into_iter().collect();
            }
            SlashCommand::Rewind => return self.rewind(),
            SlashCommand::Redo => return self.redo(),
            SlashCommand::Plan(text) => return self.plan(text),
            SlashCommand::Build(planned) => return self.build(planned),
            SlashCommand::Cost => self.cost(),
            SlashCommand::Mode(None) => return self.told(&format!("the mode is {mode}")),
            SlashCommand::Mode(Some(mode)) => return self.change_mode(mode),
            SlashCommand::Grant(grant) => return vec![ChatCommand::Grant { tab: id, grant, mode }],
            SlashCommand::Trust(level) => return vec![ChatCommand::Trust { tab: id, level, mode }],
            SlashCommand::Fork => self.choose_turn(),
            SlashCommand::Search(words) => self.search(words),
            SlashCommand::Find(words) => return self.request_list(ChatCommand::Find(words)),
            SlashCommand::Sessions | SlashCommand::Resume(None) => {
                return self.request_list(ChatCommand::List);
            }
            SlashCommand::Resume(Some(session)) => {
                return vec![self.open(SessionOrigin::Resume { session }, mode)];
            }
            SlashCommand::New => return vec![self.open(SessionOrigin::New { model: None }, mode)],
            SlashCommand::Close => return self.close(),
            SlashCommand::Export(path) => {
                return session
                    .map(|session| ChatCommand::Export { tab: id, session, path })
                    .into_iter()
                    .collect();
            }
            SlashCommand::Editor => return self.act(crate::chat::keys::KeyAction::Editor),
            SlashCommand::Detail => return self.act(crate::chat::keys::KeyAction::Detail),
            SlashCommand::Help => self.over = Some(ScreenOverlay::Help { scroll: 0 }),
            SlashCommand::Quit => return vec![ChatCommand::Leave],
            SlashCommand::Say(words) => return self.say(words),
            SlashCommand::Fill(alias, typed) => return vec![ChatCommand::Fill { alias, typed }],
        }
        Vec::new()
    }

    /// Says something to the session that is looked at.
    pub(super) fn say(&mut self, words: UserText) -> Vec<ChatCommand> {
        let id = self.tab().map(|tab| tab.id);
        id.map_or_else(Vec::new, |id| self.say_to(id, words))
    }

    /// Sends a prompt. An idle session starts a turn, a running one takes it before the next step,
    /// and an opening one takes it once it is open.
    pub(super) fn say_to(&mut self, id: TabId, words: UserText) -> Vec<ChatCommand> {
        // The line that said it was taken just now, so it is the last that is remembered.
        let line = self.history.last().cloned();
        let Some(tab) = self.find(id) else { return Vec::new() };
        match tab.phase {
            TabPhase::Idle => {
                tab.phase = TabPhase::Running;
                let past = tab.carried.take();
                vec![ChatCommand::Prompt { tab: tab.id, words, past }]
            }
            TabPhase::Running => {
                tab.waits(DeliveryTiming::Soon, words.text.clone());
                vec![ChatCommand::Steer { tab: tab.id, words }]
            }
            TabPhase::Opening | TabPhase::Rewinding => {
                let line = line.unwrap_or_else(|| words.typed.clone());
                tab.held.say(words, line);
                Vec::new()
            }
            TabPhase::Broken => self.told("this session cannot receive messages"),
        }
    }

    /// Changes what is asked in the session that is looked at.
    pub(super) fn change_mode(&mut self, mode: Mode) -> Vec<ChatCommand> {
        let id = self.tab().map(|tab| tab.id);
        id.map_or_else(Vec::new, |id| self.change_mode_of(id, mode))
    }

    /// Changes the mode, as far as an administrator allows; for a session that is opening,
    /// once it is open.
    pub(super) fn change_mode_of(&mut self, id: TabId, mode: Mode) -> Vec<ChatCommand> {
        if mode > self.widest {
            return self.told(&format!("the policy of this machine allows at most mode {}", self.widest));
        }
        let Some(tab) = self.find(id) else { return Vec::new() };
        if mode == Mode::Plan && tab.mode != Mode::Plan {
            tab.before_plan = tab.mode;
        }
        tab.mode = mode;
        if tab.phase == TabPhase::Opening {
            tab.held.mode = Some(mode);
            return Vec::new();
        }
        vec![ChatCommand::Mode { tab: id, mode }]
    }

    fn plan(&mut self, text: Option<String>) -> Vec<ChatCommand> {
        let mut commands = self.change_mode(Mode::Plan);
        if let Some(text) = text {
            let asked = format!("Make a plan, change nothing, and answer with the plan: {text}");
            commands.extend(self.say(UserText::around(asked, &text)));
        }
        commands
    }

    /// Has the plan that was just answered carried out.
    fn build(&mut self, planned: PlanRevision) -> Vec<ChatCommand> {
        let plans = |tab: &&SessionTab| tab.mode == Mode::Plan && tab.phase == TabPhase::Idle;
        let found = self.tab().filter(plans).and_then(|tab| Some((tab.id, tab.last_reply()?.to_owned())));
        let is_running = self.tab().is_some_and(|tab| tab.phase == TabPhase::Running);
        match (found, planned) {
            (None, _) if is_running => self.told("the plan is not ready yet; the agent is still working"),
            (None, _) => self.told("there is no plan to carry out; /plan TEXT asks for one"),
            (Some((_, plan)), PlanRevision::AsAnswered) => self.carry_out(&plan),
            // Files end with a line's end, and what is added to one begins a line.
            (Some((id, plan)), PlanRevision::Edited) => {
                vec![ChatCommand::Edit {
                    purpose: EditPurpose::Build(id),
                    text: format!("{}\n", plan.trim_end()),
                }]
            }
        }
    }

    /// Goes on with a plan, in the mode that there was before it.
    pub(super) fn carry_out(&mut self, plan: &str) -> Vec<ChatCommand> {
        let before = self.tab().map_or(Mode::Default, |tab| tab.before_plan);
        let mut commands = self.change_mode(before);
        commands.extend(self.say(carrying_out(plan)));
        commands
    }

    fn compact(&mut self) -> Vec<ChatCommand> {
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        if tab.phase != TabPhase::Idle || tab.turns.is_empty() {
            return self.told("nothing to summarise, or the run is still going");
        }
        tab.then = AnswerFollowUp::BeginAnew;
        self.say(UserText::around(SUMMARISE.to_owned(), ""))
    }

    fn cost(&mut self) {
        let Some(tab) = self.tab_mut() else { return };
        let usage = tab.meter.usage;
        let spent = tab.meter.priced.show(tab.meter.spent, usage);
        let mut text = format!(
            "{} tokens in ({} of them cached), {} out, {spent}; the last request had {} tokens",
            usage.input, usage.cached, usage.output, tab.meter.context
        );
        if let Some(rate) = cache_rate::rate(usage).filter(|_| usage.cached > 0 || usage.cache_write > 0) {
            let breaks = tab.meter.breaks;
            text += &format!("; cache rate {rate}, cache breaks: {}", cache_rate::breaks(breaks));
            if breaks.tokens > 0 {
                text += &format!(", {} tokens read again", breaks.tokens);
            }
        }
        if usage.is_estimated() {
            text += &format!("; {} tokens are an estimate, since no provider reported them", usage.estimated);
        }
        tab.note(NoteTone::Quiet, &text);
    }

    /// Closes what is looked at. What runs there is stopped; the session is kept.
    pub(super) fn close(&mut self) -> Vec<ChatCommand> {
        if self.tabs.len() < 2 {
            return self.told("this is the only session; /quit leaves");
        }
        let mut tab = self.tabs.remove(self.current);
        self.current = self.current.min(self.tabs.len() - 1);
        self.search = None;
        // What was typed there can be had again.
        self.remember(tab.input.take());
        vec![ChatCommand::Close(tab.id)]
    }

    /// Shows the turns of this session, the last one first. The chosen prompt is sent again,
    /// in a forked session.
    pub(super) fn choose_turn(&mut self) {
        let Some(tab) = self.tab() else { return };
        let Some(session) = tab.session.clone() else { return };
        let row = |(number, turn): (usize, &crate::chat::tab::TranscriptTurn)| {
            let how = SessionOrigin::Fork { session: session.clone(), at: turn.before? };
            Some(PickerRow {
                label: format!("{}", number + 1),
                about: clipped(&one_line(&turn.prompt), ROW_COLUMNS),
                pick: PickerAction::Open { how, typed: turn.prompt.clone() },
            })
        };
        let rows: Vec<PickerRow> = tab.turns.iter().enumerate().rev().filter_map(row).collect();
        if rows.is_empty() {
            self.told("no turn to go back to yet");
            return;
        }
        self.over = Some(ScreenOverlay::Picker(ListPicker::new("go back to before this message", rows)));
    }

    fn search(&mut self, words: String) {
        let wanted = words.to_lowercase();
        let Some(tab) = self.tab() else { return };
        let found = tab.items.iter().enumerate();
        let hits: Vec<usize> = found
            .filter(|(_, item)| item.words().to_lowercase().contains(&wanted))
            .map(|(at, _)| at)
            .collect();
        if hits.is_empty() {
            self.told(&format!("`{words}` was not found in this session"));
            return;
        }
        let at = hits.len();
        self.search = Some(TranscriptSearch { words, hits, at });
        self.next_hit(-1);
    }

    /// Goes to the hit before or after.
    pub(super) fn next_hit(&mut self, by: isize) -> Vec<ChatCommand> {
        let Some(search) = &mut self.search else { return Vec::new() };
        let last = search.hits.len().saturating_sub(1);
        search.at = match (search.at, by < 0) {
            (0, true) => last,
            (at, true) => (at - 1).min(last),
            (at, false) if at >= last => 0,
            (at, false) => at + 1,
        };
        let (at, count) = (search.at, search.hits.len());
        let Some(item) = search.hits.get(at).copied() else { return Vec::new() };
        self.through(|glass, tab| glass.show(tab, item));
        self.told(&format!("{} of {count}; Enter shows the next, Esc ends the search", at + 1))
    }
}

/// Answers the current question about calls, or has each call asked about by itself.
pub(super) fn answered(tab: &mut SessionTab, answer: &GroupAnswer) -> Vec<ChatCommand> {
    let Some(asked) = tab.questions.pop_front() else { return Vec::new() };
    match answer {
        GroupAnswer::OneByOne => {
            asked.one_by_one().into_iter().rev().for_each(|question| tab.questions.push_front(question));
            Vec::new()
        }
        GroupAnswer::All(answer) => {
            let reply =
                |question| ChatCommand::Answer { question, reply: QuestionReply::Call(answer.clone()) };
            asked.ids().into_iter().map(reply).collect()
        }
    }
}

/// What a run is told about a plan that a person has agreed to.
fn carrying_out(plan: &str) -> UserText {
    UserText::around(format!("Carry out this plan:\n\n{}", plan.trim()), "")
}
