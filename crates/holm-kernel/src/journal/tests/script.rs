//! Scripted runs: a host that answers what the run asks for, well or badly, late or twice.

use alloc::{format, string::String, vec, vec::Vec};

use holm_guards::json::Json;
use proptest::prelude::*;

use crate::journal::{JournalRecord, JournalWriter, StepError, begin, decode_strict, step};
use crate::{
    Block, Config, Effect, Failure, FailureClass, Input, ModelCallId, ModelResult, ModelSpec, Prompt,
    QuestionId, Reply, Run, Seq, Started, StopReason, Timestamp, ToolCall, ToolCallId, ToolOutput, ToolSpec,
    Usage, Verdict,
};

/// What the host does next. A move that has nothing to answer lets time pass.
#[derive(Debug, Clone)]
pub(super) enum Move {
    Say(String),
    Steer(String),
    FollowUp(String),
    Reply(String),
    CallTools(u64),
    Fail(FailureClass),
    Judge(bool),
    Dispatch,
    Finish(String),
    Late(u64),
    Cancel,
    Wait(u64),
    Resume,
}

pub(super) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let text = || "[ -~é]{0,12}";
    let failures = vec![FailureClass::Overloaded, FailureClass::Auth, FailureClass::ContextOverflow];
    let one = prop_oneof![
        2 => text().prop_map(Move::Say),
        1 => text().prop_map(Move::Steer),
        1 => text().prop_map(Move::FollowUp),
        4 => text().prop_map(Move::Reply),
        4 => (1_u64..4).prop_map(Move::CallTools),
        1 => prop::sample::select(failures).prop_map(Move::Fail),
        3 => prop::bool::weighted(0.8).prop_map(Move::Judge),
        4 => Just(Move::Dispatch),
        4 => text().prop_map(Move::Finish),
        1 => (0_u64..4).prop_map(Move::Late),
        1 => Just(Move::Cancel),
        2 => (0_u64..100_000).prop_map(Move::Wait),
        1 => Just(Move::Resume),
    ];
    prop::collection::vec(one, 0..24)
}

/// A run with everything that it has written and asked for.
pub(super) struct Driven {
    pub(super) run: Run,
    pub(super) writer: JournalWriter,
    pub(super) text: String,
    /// Each effect as JSON, with the record that caused it.
    pub(super) effects: Vec<(Seq, String)>,
    now: u64,
    models: Vec<ModelCallId>,
    judged: Vec<QuestionId>,
    waiting: Vec<ToolCallId>,
    running: Vec<ToolCallId>,
}

impl Driven {
    pub(super) fn begin() -> Self {
        let schema = Json::parse(r#"{"type":"object"}"#).unwrap();
        let mut config = Config::new(ModelSpec::named("scripted/one"));
        config.tools = vec![ToolSpec::new("echo", "Says it again.", schema)];
        let started = Started::new("run-1", 7, config);
        let (run, writer, text) = begin(started, Timestamp::new(1_000)).unwrap();
        let mut driven = Self {
            run,
            writer,
            text,
            effects: Vec::new(),
            now: 1_000,
            models: Vec::new(),
            judged: Vec::new(),
            waiting: Vec::new(),
            running: Vec::new(),
        };
        driven.drain();
        driven
    }

    pub(super) fn play(moves: &[Move]) -> Self {
        let mut driven = Self::begin();
        for next in moves {
            driven.make(next);
        }
        driven
    }

    pub(super) fn records(&self) -> Vec<JournalRecord> {
        decode_strict(self.text.as_bytes()).unwrap()
    }

    /// Handles one input and drains; a host's mistake is no record.
    pub(super) fn handle(&mut self, input: Input) -> Result<(), StepError> {
        self.text += &step(&mut self.run, &mut self.writer, Timestamp::new(self.now), input)?;
        self.drain();
        Ok(())
    }

    pub(super) fn make(&mut self, next: &Move) {
        let input = self.input(next).unwrap_or(Input::TimePassed);
        let before = (self.run.receipt(), self.writer.head(), self.text.len());
        if self.handle(input).is_err() {
            assert_eq!((self.run.receipt(), self.writer.head(), self.text.len()), before);
        }
    }

    fn input(&mut self, next: &Move) -> Option<Input> {
        let prompt = |text: &String| Prompt::text(text.as_str());
        Some(match next {
            Move::Say(text) => Input::Prompted(prompt(text)),
            Move::Steer(text) => Input::Steered(prompt(text)),
            Move::FollowUp(text) => Input::FollowedUp(prompt(text)),
            Move::Reply(text) => self.replied(vec![Block::Text(text.clone())], StopReason::EndTurn)?,
            Move::CallTools(count) => {
                let calls = (0..*count).map(|n| call(&format!("c{n}"), n)).collect();
                self.replied(calls, StopReason::ToolUse)?
            }
            Move::Fail(class) => {
                let failure = Failure {
                    class: *class,
                    message: "no".into(),
                    retry_after_ms: None,
                    usage: Usage::default(),
                };
                Input::ModelFinished { call: self.models.pop()?, result: ModelResult::Failed(failure) }
            }
            Move::Judge(allowed) => {
                let verdict = if *allowed { Verdict::allow() } else { Verdict::deny("not now") };
                Input::Judged { call: self.judged.pop()?, verdict }
            }
            Move::Dispatch => {
                let call = self.waiting.pop()?;
                self.running.push(call);
                Input::Dispatched { call }
            }
            Move::Finish(text) => {
                Input::ToolFinished { call: self.running.pop()?, result: ToolOutput::text(text.as_str()) }
            }
            Move::Late(call) => {
                Input::ToolFinished { call: ToolCallId::new(*call), result: ToolOutput::failed("late") }
            }
            Move::Cancel => Input::Cancelled { reason: "enough".into() },
            // Clocks are set back too: the run clamps.
            Move::Wait(millis) if millis % 3 == 0 => {
                self.now = self.now.saturating_sub(*millis);
                Input::TimePassed
            }
            Move::Wait(millis) => {
                self.now += millis;
                Input::TimePassed
            }
            Move::Resume => Input::Resumed { host: "another".into() },
        })
    }

    fn replied(&mut self, blocks: Vec<Block>, stop: StopReason) -> Option<Input> {
        let reply = Reply { blocks, stop, ..Reply::default() };
        Some(Input::ModelFinished { call: self.models.pop()?, result: ModelResult::Replied(reply) })
    }

    fn drain(&mut self) {
        loop {
            let effect = self.run.poll();
            self.effects.push((self.run.receipt().seq, serde_json::to_string(&effect).unwrap()));
            match effect {
                Effect::CallModel { call, .. } | Effect::Summarise { call, .. } => {
                    self.models.push(call);
                }
                Effect::RunTool { call, .. } => self.waiting.push(call),
                Effect::Judge(proposal) => self.judged.push(proposal.call),
                Effect::Wait(_) => return,
                Effect::Spawn { .. }
                | Effect::Abort(_)
                | Effect::Consult(_)
                | Effect::Check { .. }
                | Effect::Emit(_)
                | Effect::Finish(_) => {}
            }
        }
    }
}

fn call(id: &str, n: u64) -> Block {
    Block::ToolCall(ToolCall {
        id: id.into(),
        name: "echo".into(),
        arguments: format!(r#"{{"n":{n}}}"#),
        replay: None,
    })
}
