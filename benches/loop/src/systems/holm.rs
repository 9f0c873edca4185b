//! Holm's kernel, driven as a host drives it.
//!
//! Every call is validated against the tool's schema, judged (its need is filled in from the arguments and compared
//! with denials and grants), dispatched, and its result guarded and sealed. Every drain goes to `Wait` before the
//! next fact, as a host must that writes the journal in between. The loop detector is on.

use holm_bench_kit::{
    Outcome, Session,
    holm::{self, Body, Variant},
    script,
};
use holm_kernel::{
    Effect, Ending, Input, ModelCallId, ModelResult, Prompt, Request, Run, Started, Timestamp, ToolCallId,
    ToolOutput, ToolRequest,
};

pub(super) struct Holm {
    turns: u64,
    run: Run,
    body: Body,
    /// Work that a drain brought up; kept for its memory.
    todo: Vec<Effect>,
    calls: u64,
    answer: String,
    clock: u64,
}

impl Holm {
    pub(super) fn new(turns: u64, variant: Variant) -> Self {
        let mut config = holm::config(variant);
        config.tools = vec![holm::tool(variant)];
        let started = Started::new("bench", 7, config);
        let mut run = Run::start(started, Timestamp::new(0));
        while !matches!(run.poll(), Effect::Wait(_)) {}
        Self {
            turns,
            run,
            body: Body::default(),
            todo: Vec::with_capacity(4),
            calls: 0,
            answer: String::new(),
            clock: 0,
        }
    }

    /// Hands a fact in and drains what follows from it.
    fn tell(&mut self, input: Input) {
        self.clock += 1;
        let receipt = self.run.handle(Timestamp::new(self.clock), input).expect("the host makes no mistake");
        self.body.sponge.count(receipt.effects);
        loop {
            match self.run.poll() {
                Effect::Wait(_) => return,
                Effect::Emit(_) => {}
                Effect::Finish(ending) => self.finish(*ending),
                work => self.todo.push(work),
            }
        }
    }

    fn finish(&mut self, ending: Ending) {
        match ending {
            Ending::Answered { text } => self.answer = text,
            other => panic!("the script ends with an answer, not with {other:?}"),
        }
    }

    fn call_model(&mut self, call: ModelCallId, request: &Request) {
        self.body.consume(request, self.run.messages(request));
        let reply = if self.calls < self.turns { holm::calling(self.calls) } else { holm::answering() };
        self.tell(Input::ModelFinished { call, result: ModelResult::Replied(reply) });
    }

    fn run_tool(&mut self, call: ToolCallId, request: &ToolRequest) {
        self.tell(Input::Dispatched { call });
        let text = script::echo(&request.arguments).expect("only valid arguments reach the tool");
        self.calls += 1;
        self.tell(Input::ToolFinished { call, result: ToolOutput::text(text) });
    }
}

impl Session for Holm {
    fn run(&mut self) -> Outcome {
        self.tell(Input::Prompted(Prompt::text(script::PROMPT)));
        while let Some(work) = self.todo.pop() {
            match work {
                Effect::CallModel { call, request } => self.call_model(call, &request),
                Effect::RunTool { call, request } => self.run_tool(call, &request),
                Effect::Spawn { .. } | Effect::Abort(_) | Effect::Judge(_) | Effect::Consult(_) => {
                    panic!("the script gives no reason to spawn, stop or ask");
                }
                Effect::Check { .. } | Effect::Summarise { .. } => {
                    panic!("the configuration has neither checks nor summaries");
                }
                Effect::Emit(_) | Effect::Finish(_) | Effect::Wait(_) => {
                    unreachable!("the drain takes these")
                }
            }
        }
        Outcome { calls: self.calls, answer: self.answer.clone(), consumed: self.body.sponge.value() }
    }

    fn body(&self) -> &[u8] {
        &self.body.bytes
    }
}
