//! A small driver for the tests: a scripted model, tools as closures, a clock that jumps to the next deadline.

use alloc::{
    boxed::Box,
    collections::VecDeque,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;

use crate::*;

/// What the scripted model does next.
pub(crate) enum Say {
    Text(&'static str),
    Call(&'static str, &'static str),
    Calls(Vec<(&'static str, &'static str)>),
    Result(ModelResult),
}

type ToolFn = Box<dyn FnMut(&ToolRequest) -> ToolOutput>;
type JudgeFn = Box<dyn FnMut(&Proposal) -> Verdict>;
type ConsultFn = Box<dyn FnMut(&Question) -> Answer>;
type CheckFn = Box<dyn FnMut(&CheckRequest) -> CheckRuling>;
type InterruptFn = Box<dyn FnMut(&Effect) -> Vec<Input>>;

pub(crate) struct Play {
    pub(crate) run: Run,
    /// What the run began with.
    pub(crate) began: Started,
    pub(crate) now: u64,
    pub(crate) script: VecDeque<Say>,
    pub(crate) tool: ToolFn,
    pub(crate) judge: JudgeFn,
    pub(crate) consult: ConsultFn,
    pub(crate) check: CheckFn,
    /// Facts that arrive just before an effect is performed.
    pub(crate) interrupt: InterruptFn,
    /// Effects that are left unperformed: a hanging tool.
    pub(crate) hang: Box<dyn FnMut(&Effect) -> bool>,
    pub(crate) events: Vec<Event>,
    pub(crate) endings: Vec<Ending>,
    pub(crate) ran: Vec<String>,
    pub(crate) asked: Vec<Proposal>,
    pub(crate) requests: Vec<(ModelCallId, Request)>,
    pub(crate) aborted: Vec<CallId>,
    pub(crate) spawned: Vec<SpawnRequest>,
    /// Every fact so far, with its time: the journal in short.
    pub(crate) log: Vec<(u64, Input)>,
    pub(crate) child: Box<dyn FnMut(&SpawnRequest) -> ChildResult>,
}

/// A tool that takes `{"text": …}`.
pub(crate) fn echo() -> ToolSpec {
    ToolSpec::new("echo", "Says it again.", text_schema()).level(Level::ReadOnly)
}

pub(crate) fn text_schema() -> Json {
    Json::parse(r#"{"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false}"#)
        .expect("a schema")
}

pub(crate) fn config() -> Config {
    let mut config = Config::new(ModelSpec::named("scripted/one"));
    config.tools = vec![echo()];
    config.mode = Mode::Full;
    config
}

/// A read-only tool of another name that takes `{"text": …}`.
pub(crate) fn tool(name: &str) -> ToolSpec {
    ToolSpec { name: name.into(), ..echo() }
}

/// The usual configuration with these tools.
pub(crate) fn config_with(tools: Vec<ToolSpec>) -> Config {
    Config { tools, ..config() }
}

impl Play {
    pub(crate) fn new(config: Config, script: Vec<Say>) -> Self {
        Self::seeded(7, config, script)
    }

    pub(crate) fn seeded(seed: u64, config: Config, script: Vec<Say>) -> Self {
        let began = Started::new("run-1", seed, config);
        let run = Run::start(began.clone(), Timestamp::new(0));
        Self {
            run,
            began,
            now: 0,
            script: script.into(),
            tool: Box::new(|request| ToolOutput::text(format!("out of {}", request.arguments))),
            judge: Box::new(|_| Verdict::allow()),
            consult: Box::new(|_| Answer::Nothing),
            check: Box::new(|_| CheckRuling::Passed),
            interrupt: Box::new(|_| Vec::new()),
            hang: Box::new(|_| false),
            events: Vec::new(),
            endings: Vec::new(),
            ran: Vec::new(),
            asked: Vec::new(),
            requests: Vec::new(),
            aborted: Vec::new(),
            spawned: Vec::new(),
            log: Vec::new(),
            child: Box::new(|_| ChildResult {
                output: ToolOutput::text("child done"),
                ..ChildResult::default()
            }),
        }
    }

    /// Prompts and plays to the end of the group.
    pub(crate) fn prompt(&mut self, text: &str) -> Ending {
        self.give(Input::Prompted(Prompt::text(text)));
        self.play();
        self.endings.last().cloned().expect("the group ended")
    }

    pub(crate) fn give(&mut self, input: Input) {
        self.log.push((self.now, input.clone()));
        self.run.handle(Timestamp::new(self.now), input).expect("a well-behaved host");
    }

    /// Performs effects until nothing is left to do.
    pub(crate) fn play(&mut self) {
        for _ in 0..20_000 {
            let effect = self.run.poll();
            if let Effect::Wait(deadline) = effect {
                let Some(deadline) = deadline else { return };
                self.now = self.now.max(deadline.value());
                self.give(Input::TimePassed);
                continue;
            }
            for input in (self.interrupt)(&effect) {
                self.give(input);
            }
            if !(self.hang)(&effect) {
                self.perform(effect);
            }
        }
        panic!("the run does not come to an end");
    }

    /// Takes the commands of the last facts without performing them; events and endings are kept as always.
    pub(crate) fn drain(&mut self) -> Vec<Effect> {
        let mut open = Vec::new();
        loop {
            match self.run.poll() {
                Effect::Wait(_) => return open,
                Effect::Emit(numbered) => self.events.push(numbered.event),
                Effect::Finish(ending) => self.endings.push(*ending),
                effect => open.push(effect),
            }
        }
    }

    /// Prompts, lets the model say its next line, and hands out what follows unperformed.
    pub(crate) fn first_effects(&mut self) -> Vec<Effect> {
        self.give(Input::Prompted(Prompt::text("go")));
        self.next_effects()
    }

    /// Lets the model say its next line, and hands out what follows unperformed.
    pub(crate) fn next_effects(&mut self) -> Vec<Effect> {
        for effect in self.drain() {
            assert!(matches!(effect, Effect::CallModel { .. } | Effect::Abort(_)), "{effect:?}");
            self.perform(effect);
        }
        self.drain()
    }

    pub(crate) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::CallModel { call, request } => {
                self.requests.push((call, request.clone()));
                let result = self.next_result();
                self.give(Input::ModelFinished { call, result });
            }
            Effect::Summarise { call, request } => {
                self.requests.push((call, request.clone()));
                let result = self.next_result();
                self.give(Input::Summarised { call, result });
            }
            Effect::RunTool { call, request } => {
                self.give(Input::Dispatched { call });
                self.ran.push(request.tool.to_string());
                let result = (self.tool)(&request);
                self.give(Input::ToolFinished { call, result });
            }
            Effect::Spawn { call, request } => {
                self.give(Input::ChildStarted { call, child: "child-1".into() });
                let result = (self.child)(&request);
                self.spawned.push(*request);
                self.give(Input::ChildFinished { call, result });
            }
            Effect::Abort(call) => self.aborted.push(call),
            Effect::Judge(proposal) => {
                let verdict = (self.judge)(&proposal);
                let call = proposal.call;
                self.asked.push(*proposal);
                self.give(Input::Judged { call, verdict });
            }
            Effect::Consult(consultation) => {
                let answer = (self.consult)(&consultation.question);
                self.give(Input::Consulted { call: consultation.call, answer });
            }
            Effect::Check { call, request } => {
                let ruling = (self.check)(&request);
                self.give(Input::Checked { call, ruling });
            }
            Effect::Emit(numbered) => self.events.push(numbered.event),
            Effect::Finish(ending) => self.endings.push(*ending),
            Effect::Wait(_) => {}
        }
    }

    fn next_result(&mut self) -> ModelResult {
        let usage = Usage { input: 100, output: 10, ..Usage::default() };
        let reply =
            |blocks: Vec<Block>, stop| ModelResult::Replied(Reply { blocks, usage, stop, model: None });
        let calls = |calls: Vec<(&str, &str)>| {
            let block = |(index, (name, arguments)): (usize, (&str, &str))| {
                Block::ToolCall(ToolCall {
                    id: format!("c{index}"),
                    name: name.into(),
                    arguments: arguments.into(),
                    replay: None,
                })
            };
            calls.into_iter().enumerate().map(block).collect()
        };
        match self.script.pop_front() {
            None => reply(vec![Block::Text("done".into())], StopReason::EndTurn),
            Some(Say::Text(text)) => reply(vec![Block::Text(text.into())], StopReason::EndTurn),
            Some(Say::Call(name, arguments)) => reply(calls(vec![(name, arguments)]), StopReason::ToolUse),
            Some(Say::Calls(list)) => reply(calls(list), StopReason::ToolUse),
            Some(Say::Result(result)) => result,
        }
    }

    /// The results of the transcript, without their envelopes.
    pub(crate) fn results(&self) -> Vec<(Outcome, String)> {
        let blocks = self.run.transcript().iter().flat_map(|message| message.blocks.iter());
        blocks
            .filter_map(|block| match block {
                Block::ToolResult(result) => {
                    Some((result.outcome, crate::envelope::open(&result.text).to_string()))
                }
                _ => None,
            })
            .collect()
    }

    pub(crate) fn last_text(&self) -> String {
        self.run.transcript().last().map(|message| message.plain_text()).unwrap_or_default()
    }
}

pub(crate) fn failure(class: FailureClass) -> Say {
    Say::Result(ModelResult::Failed(Failure {
        class,
        message: "no".into(),
        retry_after_ms: None,
        usage: Usage::default(),
    }))
}

pub(crate) fn answered(text: &str) -> Ending {
    Ending::Answered { text: text.into() }
}

/// A reply of these blocks that ended for this reason.
pub(crate) fn reply(blocks: Vec<Block>, stop: StopReason) -> Say {
    let usage = Usage { input: 100, output: 10, ..Usage::default() };
    Say::Result(ModelResult::Replied(Reply { blocks, usage, stop, model: None }))
}

/// A call as a block.
pub(crate) fn call_block(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into(), replay: None })
}

/// `count` turns that each call `echo` with words of their own, so that no two are alike.
pub(crate) fn different_turns(count: usize) -> Vec<Say> {
    (0..count).map(|turn| Say::Call("echo", format!(r#"{{"text":"turn {turn}"}}"#).leak())).collect()
}
