//! Real journals, made by the kernel with a scripted model and tool.

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, CallId, Config, Effect, Input, ModelCallId, ModelResult, ModelSpec, Price, Prompt, Reply, Run,
    Started, StopReason, Timestamp, ToolCall, ToolCallId, ToolOutput, ToolSpec, Usage,
    journal::{self, JournalWriter},
};

pub(crate) const DAY: u64 = 86_400_000;

/// A run that is played by hand.
pub(crate) struct Script {
    run: Run,
    writer: JournalWriter,
    at: u64,
    call: CallId,
    pub(crate) lines: Vec<String>,
}

impl Script {
    pub(crate) fn new(id: &str) -> Self {
        Self::at(id, 20_000 * DAY)
    }

    pub(crate) fn at(id: &str, at: u64) -> Self {
        let price = Price { input: 3_000_000_000, output: 15_000_000_000, ..Price::default() };
        let mut config = Config::new(ModelSpec { price: Some(price), ..ModelSpec::named("test/one") });
        config.name = "tester".into();
        config.mode = Mode::Full;
        for name in ["look", "search"] {
            let tool = ToolSpec::new(name, "For tests.", Json::object([("type", "object".into())]));
            config.tools.push(tool.level(Level::ReadOnly));
        }
        let (mut run, writer, line) =
            journal::begin(Started::new(id, 7, config), Timestamp::new(at)).unwrap();
        while !matches!(run.poll(), Effect::Wait(_)) {}
        Self { run, writer, at, call: CallId::new(0), lines: vec![line] }
    }

    /// Handles a fact, a millisecond later, and remembers the last call that was asked for.
    pub(crate) fn fact(&mut self, input: Input) -> &mut Self {
        self.at += 1;
        let at = Timestamp::new(self.at);
        self.lines.push(journal::step(&mut self.run, &mut self.writer, at, input).unwrap());
        loop {
            match self.run.poll() {
                Effect::Wait(_) => return self,
                Effect::CallModel { call, .. } => self.call = call.into(),
                Effect::RunTool { call, .. } => self.call = call.into(),
                _ => {}
            }
        }
    }

    pub(crate) fn later(&mut self, millis: u64) -> &mut Self {
        self.at += millis;
        self
    }

    pub(crate) fn prompt(&mut self, text: &str) -> &mut Self {
        self.fact(Input::Prompted(Prompt::text(text)))
    }

    pub(crate) fn answer(&mut self, text: &str) -> &mut Self {
        self.reply(vec![Block::Text(text.into())], StopReason::EndTurn)
    }

    /// Asks for a tool and lets it give back a text.
    pub(crate) fn tool(&mut self, name: &str, arguments: &str, output: &str) -> &mut Self {
        let call = ToolCall {
            id: format!("c{}", self.lines.len()),
            name: name.into(),
            arguments: arguments.into(),
            replay: None,
        };
        self.reply(vec![Block::ToolCall(call)], StopReason::ToolUse);
        let call = ToolCallId::new(self.call.value());
        self.fact(Input::Dispatched { call });
        self.fact(Input::ToolFinished { call, result: ToolOutput::text(output) })
    }

    pub(crate) fn reply(&mut self, blocks: Vec<Block>, stop: StopReason) -> &mut Self {
        let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
        let result = ModelResult::Replied(Reply { blocks, usage, stop, model: None });
        let call = ModelCallId::new(self.call.value());
        self.fact(Input::ModelFinished { call, result })
    }

    pub(crate) fn text(&self) -> String {
        self.lines.concat()
    }

    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    pub(crate) fn snapshot(&self) -> String {
        journal::Snapshot::without_transcript(&self.run, self.writer.head().unwrap()).unwrap().encode()
    }
}

/// A session with a prompt, a tool call and an answer.
pub(crate) fn session(id: &str, prompt: &str, output: &str, answer: &str) -> Script {
    let mut script = Script::new(id);
    script.prompt(prompt).tool("look", r#"{"where":"here"}"#, output).answer(answer);
    script
}
