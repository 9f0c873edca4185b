//! A chat without a terminal and without a run, for tests.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crossterm::event::{KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use holm::{
    grants::{Level, Mode},
    kernel::{
        AskReason, Author, Block, CallId, Ending, Event, EventId, Marks, Message, MessageId, NanoUsd,
        Numbered, Outcome, Proposal, QuestionId, Role, Seq, Timestamp, ToolCallId, Usage,
    },
};
use holm_tools::shell::{AnswerFamily, ApprovalOffer};

use super::{
    delta_budget::DeltaByteReservation,
    keys::{KeyBindings, parse},
    question::{ChatQuestion, ChatQuestionId},
    sessions::SessionPast,
    state::{ChatCommand, ChatMessage, ChatState, OpenSessionInfo, SessionOrigin, TerminalSize},
    tab::{ReplyPiece, TabId},
    theme::ThemeKind,
    view_state::SessionViewState,
};
use crate::folder_trust::TrustLevel;

pub(super) struct ChatHarness {
    pub(super) state: ChatState,
    record: u64,
}

impl ChatHarness {
    /// A chat of 80 by 24 with one session, which is open.
    pub(super) fn open() -> Self {
        let mut state =
            ChatState::new(TerminalSize { columns: 80, rows: 24 }, ThemeKind::Dark, KeyBindings::default());
        state.open(SessionOrigin::New { model: None }, Mode::Default);
        let mut chat = Self { state, record: 1 };
        chat.opened("session-1", Vec::new());
        chat
    }

    pub(super) fn opened(&mut self, session: &str, history: Vec<Numbered>) -> Vec<ChatCommand> {
        self.opens(session, history, SessionViewState::default())
    }

    /// A session is there again as it was left.
    pub(super) fn opened_as(&mut self, session: &str, left: SessionViewState) {
        self.opens(session, Vec::new(), left);
    }

    /// A session is there that is not looked at.
    pub(super) fn opened_in(&mut self, tab: TabId, session: &str) -> Vec<ChatCommand> {
        self.opens_in(tab, session, Vec::new(), SessionViewState::default())
    }

    fn opens(&mut self, session: &str, history: Vec<Numbered>, left: SessionViewState) -> Vec<ChatCommand> {
        self.opens_in(self.tab(), session, history, left)
    }

    fn opens_in(
        &mut self,
        tab: TabId,
        session: &str,
        history: Vec<Numbered>,
        left: SessionViewState,
    ) -> Vec<ChatCommand> {
        let opened = OpenSessionInfo {
            session: session.into(),
            model: "openai/gpt-5-mini".into(),
            mode: Mode::Default,
            level: TrustLevel::Ask,
            window: Some(200_000),
            widest: Mode::Full,
            history: SessionPast { events: history, stopped: BTreeMap::new() },
            goes_on: false,
            left,
        };
        self.tells(ChatMessage::Opened { tab, opened: Box::new(opened) })
    }

    pub(super) fn tab(&self) -> TabId {
        self.state.tab().unwrap().id
    }

    pub(super) fn tells(&mut self, msg: ChatMessage) -> Vec<ChatCommand> {
        self.state.update(msg)
    }

    /// Nothing happens for so long.
    pub(super) fn rests(&mut self, millis: u64) {
        self.state.now += Duration::from_millis(millis);
    }

    pub(super) fn hears(&mut self, event: Event) {
        let tab = self.tab();
        self.record += 1;
        let event = numbered(self.record, event);
        // A prompt begins its turn.
        if let Event::MessageAdded { message } = &event.event
            && message.role == Role::User
        {
            let started = numbered(self.record, Event::GroupStarted { group: 1 });
            self.tells(ChatMessage::Event { tab, event: Box::new(started) });
        }
        self.tells(ChatMessage::Event { tab, event: Box::new(event) });
    }

    pub(super) fn piece(&mut self, text: &str) {
        let tab = self.tab();
        self.tells(ChatMessage::Piece {
            tab,
            call: CallId::new(99),
            piece: ReplyPiece::Text(text.into()),
            _weight: DeltaByteReservation::default(),
        });
    }

    pub(super) fn presses(&mut self, keys: &str) -> Vec<ChatCommand> {
        let (code, modifiers) = parse(keys).unwrap();
        self.tells(ChatMessage::Key(KeyEvent::new(code, modifiers)))
    }

    /// Presses a letter and waits until it counts.
    pub(super) fn answers(&mut self, key: &str) -> Vec<ChatCommand> {
        let mut commands = self.presses(key);
        self.rests(250);
        commands.extend(self.tells(ChatMessage::TimePassed));
        commands
    }

    pub(super) fn types(&mut self, text: &str) -> Vec<ChatCommand> {
        let mut commands = Vec::new();
        for c in text.chars() {
            let key = KeyEvent::new(crossterm::event::KeyCode::Char(c), crossterm::event::KeyModifiers::NONE);
            commands.extend(self.tells(ChatMessage::Key(key)));
        }
        commands
    }

    /// Types a line and sends it.
    pub(super) fn says(&mut self, text: &str) -> Vec<ChatCommand> {
        let tab = self.state.tab_mut().unwrap();
        tab.input.take();
        tab.input.insert(text);
        self.state.completion = None;
        self.presses("enter")
    }

    pub(super) fn wheel(&mut self, kind: MouseEventKind) {
        self.mouse(kind, 0, 5);
    }

    /// Clicks on a cell.
    pub(super) fn clicks(&mut self, column: u16, row: u16) -> Vec<ChatCommand> {
        self.mouse(MouseEventKind::Down(MouseButton::Left), column, row)
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> Vec<ChatCommand> {
        self.tells(ChatMessage::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    }
}

pub(super) fn numbered(record: u64, event: Event) -> Numbered {
    Numbered { id: EventId { record: Seq::new(record), index: 0 }, at: Timestamp::new(0), event }
}

fn message(role: Role, blocks: Vec<Block>) -> Event {
    let message = Message { id: MessageId::new(1), role, blocks, author: Author::Speaker };
    Event::MessageAdded { message: Arc::new(message) }
}

pub(super) fn prompted(_turn: u64, text: &str) -> Event {
    message(Role::User, vec![Block::Text(text.into())])
}

pub(super) fn answer(text: &str) -> Event {
    message(Role::Assistant, vec![Block::Text(text.into())])
}

pub(super) fn called(call: u64, tool: &str, arguments: &str) -> Event {
    Event::CallProposed {
        call: ToolCallId::new(call),
        tool: tool.into(),
        arguments: arguments.into(),
        fixes: Vec::new(),
    }
}

pub(super) fn finished(call: u64, id: &str, millis: u64) -> Event {
    Event::CallFinished {
        call: ToolCallId::new(call),
        id: id.into(),
        outcome: Outcome::Succeeded,
        bytes: 1,
        millis,
        metadata: None,
    }
}

pub(super) fn ended() -> Event {
    Event::GroupEnded {
        ending: Box::new(Ending::Answered { text: String::new() }),
        last: None,
        usage: Usage { input: 1_200, output: 34, ..Usage::default() },
        spent: NanoUsd::new(1_500_000),
    }
}

/// A question about a shell command; tab 1.
pub(super) fn asked(id: u64, command: &str, prefix: Option<&str>) -> ChatMessage {
    let proposal = Proposal {
        call: QuestionId::new(50),
        tool_call: ToolCallId::new(51),
        tool: "shell".into(),
        arguments: "{}".into(),
        level: Level::Execute,
        needs: vec!["exec:rm".into()],
        missing: vec!["exec:rm".into()],
        hands_on: Vec::new(),
        reasons: vec![AskReason::Level, AskReason::MissingGrant],
        marks: Marks::default(),
        digest: String::new(),
    };
    let offer = ApprovalOffer {
        change: None,
        family: None,
        prefix: prefix.map(|rule| rule.parse().unwrap()),
        command: Some(holm::kernel::visible(command)),
        helper: None,
    };
    ChatMessage::Asked {
        tab: TabId(1),
        question: Box::new(ChatQuestion::call(ChatQuestionId(id), &proposal, &offer)),
    }
}

/// A question about a write to a file, as the call of this number in a reply; tab 1.
pub(super) fn write_asked(id: u64, call: u64, path: &str) -> ChatMessage {
    let proposal = Proposal {
        call: QuestionId::new(100 + call),
        tool_call: ToolCallId::new(call),
        tool: "write".into(),
        arguments: serde_json::json!({ "path": path, "content": "x\n" }).to_string(),
        level: Level::Write,
        needs: vec![format!("write:{path}")],
        missing: vec![format!("write:{path}")],
        hands_on: Vec::new(),
        reasons: vec![AskReason::Level, AskReason::MissingGrant],
        marks: Marks::default(),
        digest: String::new(),
    };
    let family = AnswerFamily::of(&proposal);
    let offer = ApprovalOffer { change: None, family, prefix: None, command: None, helper: None };
    ChatMessage::Asked {
        tab: TabId(1),
        question: Box::new(ChatQuestion::call(ChatQuestionId(id), &proposal, &offer)),
    }
}

/// A plan that waits for a yes; tab 1.
pub(super) fn plan_asked(id: u64, plan: &str) -> ChatMessage {
    let proposal = Proposal {
        call: QuestionId::new(50),
        tool_call: ToolCallId::new(51),
        tool: "exit_plan".into(),
        arguments: serde_json::json!({ "plan": plan }).to_string(),
        level: Level::None,
        needs: Vec::new(),
        missing: Vec::new(),
        hands_on: Vec::new(),
        reasons: vec![AskReason::LeavesPlan],
        marks: Marks::default(),
        digest: String::new(),
    };
    let offer = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    ChatMessage::Asked {
        tab: TabId(1),
        question: Box::new(ChatQuestion::call(ChatQuestionId(id), &proposal, &offer)),
    }
}

/// A question of the model; tab 1.
pub(super) fn words_asked(id: u64, question: &str, choices: &[&str]) -> ChatMessage {
    let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
    ChatMessage::Asked {
        tab: TabId(1),
        question: Box::new(ChatQuestion::words(ChatQuestionId(id), question, &choices)),
    }
}
