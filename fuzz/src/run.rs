//! A small host: it tells a run facts and keeps what the run asks for.

use holm_grants::{Level, Mode};
use holm_guards::{
    json::Json,
    plausibility::{EmptyOutput, ErrorText},
};
use holm_kernel::{
    Block, Config, Effect, Input, Message, ModelCallId, ModelResult, ModelSpec, Prompt, Protocol, Reply, Run,
    Started, ToolCall, ToolOutput, ToolSpec,
    journal::{self, JournalWriter},
};

use crate::journal::at;

/// Effects of one fact; more would be a run that never waits.
const MAX_EFFECTS: usize = 10_000;

/// A run with its journal and what it waits for.
pub(crate) struct Host {
    pub(crate) run: Run,
    pub(crate) text: String,
    writer: JournalWriter,
    waiting: Vec<Effect>,
    facts: u64,
}

impl Host {
    /// A run that has started; none if its configuration cannot be journaled.
    pub(crate) fn start(started: Started) -> Option<Self> {
        let (run, writer, text) = journal::begin(started, at(0)).ok()?;
        let mut host = Self { run, writer, text, waiting: Vec::new(), facts: 0 };
        host.drain();
        Some(host)
    }

    /// Tells one fact; a mistake of the host changes nothing.
    pub(crate) fn tell(&mut self, input: Input) {
        self.facts += 1;
        let before = self.run.receipt();
        match journal::step(&mut self.run, &mut self.writer, at(self.facts), input) {
            Ok(line) => self.text.push_str(&line),
            Err(_) => assert_eq!(self.run.receipt(), before, "a misuse changed the run"),
        }
        self.drain();
    }

    /// Reads a line as a fact, or as the answer to what the run has waited for longest.
    pub(crate) fn line(&mut self, line: &str) {
        if let Ok(input) = serde_json::from_str(line) {
            return self.tell(input);
        }
        let Some(asked) = self.waiting.first() else { return };
        let answer = match asked {
            Effect::CallModel { call, .. } => {
                read(line).map(|result| Input::ModelFinished { call: *call, result })
            }
            Effect::Summarise { call, .. } => {
                read(line).map(|result| Input::Summarised { call: *call, result })
            }
            Effect::RunTool { call, .. } => {
                read(line).map(|result| Input::ToolFinished { call: *call, result })
            }
            Effect::Judge(proposal) => {
                read(line).map(|verdict| Input::Judged { call: proposal.call, verdict })
            }
            Effect::Consult(question) => {
                read(line).map(|answer| Input::Consulted { call: question.call, answer })
            }
            Effect::Check { call, .. } => read(line).map(|ruling| Input::Checked { call: *call, ruling }),
            Effect::Spawn { call, .. } => {
                read(line).map(|result| Input::ChildFinished { call: *call, result })
            }
            Effect::Abort(_) | Effect::Emit(_) | Effect::Finish(_) | Effect::Wait(_) => None,
        };
        let Some(answer) = answer else { return };
        let dispatched = match asked {
            Effect::RunTool { call, .. } => Some(Input::Dispatched { call: *call }),
            _ => None,
        };
        self.waiting.remove(0);
        dispatched.into_iter().for_each(|fact| self.tell(fact));
        self.tell(answer);
    }

    /// The model call that is waited for.
    fn model_call(&self) -> Option<ModelCallId> {
        self.waiting.iter().rev().find_map(|effect| match effect {
            Effect::CallModel { call, .. } => Some(*call),
            _ => None,
        })
    }

    fn drain(&mut self) {
        for _ in 0..MAX_EFFECTS {
            match self.run.poll() {
                Effect::Wait(_) => return,
                Effect::Emit(_) | Effect::Finish(_) | Effect::Abort(_) => {}
                work => self.waiting.push(work),
            }
        }
        panic!("a run that never waits");
    }
}

/// A run that may do everything with one tool that can do nothing.
pub(crate) fn config() -> Config {
    let schema = Json::parse(r#"{"type":"object"}"#).expect("a schema");
    let mut tool = ToolSpec::new("echo", "Says it again.", schema).level(Level::None);
    tool.empty = EmptyOutput::Allowed;
    tool.error_text = ErrorText::Allowed;
    let mut config = Config::new(ModelSpec::named("scripted/fuzz"));
    config.mode = Mode::Full;
    config.tools = vec![tool];
    config
}

/// A reply of the text protocol: a call has JSON arguments, and text without an object calls nothing.
pub fn protocol(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let calls_nothing = !text.contains('{');
    let config = Config { protocol: Protocol::Text, ..config() };
    let mut host = asked(config);
    reply(&mut host, Block::Text(text));
    for effect in &host.waiting {
        let Effect::RunTool { request, .. } = effect else { continue };
        assert!(!calls_nothing, "a call out of nothing: {request:?}");
        let arguments = Json::parse(&request.arguments).expect("valid arguments");
        assert!(arguments.as_object().is_some() && arguments.canonical() == *request.arguments);
    }
}

/// Output of a tool in its envelope: one tag opens it, one closes it, both with the same seal.
pub fn envelope(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let mut host = asked(config());
    let call = ToolCall { id: "a".into(), name: "echo".into(), arguments: "{}".into(), replay: None };
    reply(&mut host, Block::ToolCall(call));
    let asked = host.waiting.iter().rev().find_map(|effect| match effect {
        Effect::RunTool { call, .. } => Some(*call),
        _ => None,
    });
    let call = asked.expect("the tool is asked for");
    host.tell(Input::Dispatched { call });
    host.tell(Input::ToolFinished { call, result: ToolOutput::text(text.clone()) });
    let sealed: Vec<&str> = host.run.transcript().iter().filter_map(|message| result_text(message)).collect();
    let [sealed] = sealed.as_slice() else { panic!("one call has {} results", sealed.len()) };
    let rest = sealed.strip_prefix("<tool_output seal=\"").expect("an opening tag");
    let (seal, rest) = rest.split_once("\">").expect("its end");
    let body =
        rest.strip_suffix(&format!("</tool_output seal=\"{seal}\">")).expect("the same seal at the end");
    assert!(body.len() != text.len() || body == text, "the text inside was changed");
}

fn asked(config: Config) -> Host {
    let mut host = Host::start(Started::new("fuzz", 7, config)).expect("the configuration can be journaled");
    host.tell(Input::Prompted(Prompt::text("go")));
    host
}

fn reply(host: &mut Host, block: Block) {
    let call = host.model_call().expect("the model is asked");
    let reply = Reply { blocks: vec![block], ..Reply::default() };
    host.tell(Input::ModelFinished { call, result: ModelResult::Replied(reply) });
}

fn result_text(message: &Message) -> Option<&str> {
    message.blocks.iter().find_map(|block| match block {
        Block::ToolResult(result) => Some(result.text.as_str()),
        _ => None,
    })
}

fn read<T: serde::de::DeserializeOwned>(line: &str) -> Option<T> {
    serde_json::from_str(line).ok()
}
