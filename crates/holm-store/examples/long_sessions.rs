//! Measures long sessions: how long one takes to open, what a prompt costs in it, and how much memory that takes.
//!
//!     long_sessions make FILE GROUPS BYTES    a session of so many groups, whose tool results have so many bytes
//!     long_sessions open FILE                 opens and prompts it, beside an empty one, in a process of its own
//!
//! Figures are printed and never asserted; tests count records instead (`tests/it/suite/long.rs`).

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a measuring program stops and prints")]

use std::{
    env, fs,
    time::{Duration, Instant},
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, CallId, Config, Effect, Input, Model, ModelResult, Price, Prompt, Reply, Run, Started, StopReason,
    Timestamp, Tool, ToolCall, ToolOutput, Usage,
    journal::{self, Writer},
};
use holm_runtime::{Agent, model_fn};
use holm_store::Store;

const RUN: &str = "long";

/// Prompts that are timed; the middle one counts.
const ROUNDS: usize = 9;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be made");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", file, groups, bytes] => {
            let groups = groups.parse().expect("a number of groups");
            runtime.block_on(make(file, groups, bytes.parse().expect("a number of bytes")));
        }
        ["open", file] => runtime.block_on(open(file)),
        _ => println!("usage: long_sessions make FILE GROUPS BYTES | open FILE"),
    }
}

fn agent(store: &Store) -> Agent {
    let model = model_fn(|_| {
        let usage = Usage { input: 10, output: 10, ..Usage::default() };
        let reply = Reply { blocks: vec![Block::Text("done".into())], usage, ..Reply::default() };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let model = Agent::builder(Model { price: Some(Price::default()), ..Model::named("test/one") }, model);
    model.journals(store.clone()).build().expect("an agent")
}

async fn make(file: &str, groups: u64, bytes: usize) {
    let store = Store::open(file).await.expect("a store");
    let text = lines(groups, bytes);
    store.import(text.as_bytes(), None).await.expect("a journal");
    let begun = Instant::now();
    store.spent().await.expect("usage");
    println!("{} bytes; counted the first time in {:?}", text.len(), begun.elapsed());
    let begun = Instant::now();
    let mut session = agent(&store).resume(RUN).await.expect("a session");
    println!("opened without a snapshot in {:?}", begun.elapsed());
    session.prompt("and now?").await.expect("an answer");
}

async fn open(file: &str) {
    let store = Store::open(file).await.expect("a store");
    let before = (resident("VmHWM"), store.commits().records);
    let begun = Instant::now();
    let session = agent(&store).resume(RUN).await.expect("a session");
    println!("opened in {:?}, {} records read", begun.elapsed(), store.commits().records - before.1);
    println!("memory: {} KiB before, {} KiB at the most", before.0, resident("VmHWM"));
    drop(session);
    let empty = format!("empty-{}", std::process::id());
    agent(&store).start_as(&empty).await.expect("a session").prompt("hello").await.expect("an answer");
    for run in [empty.as_str(), RUN] {
        println!(
            "{run}: a prompt {:?}, the budget {:?}",
            prompts(&store, run).await,
            budgets(&store, run).await
        );
    }
    let bytes = fs::metadata(file).map_or(0, |found| found.len());
    println!("{bytes} bytes of database; {} KiB of memory at the most", resident("VmHWM"));
}

/// A whole process's work: resume, prompt, let go.
async fn prompts(store: &Store, run: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut session = agent(store).resume(run).await.expect("a session");
        session.prompt("again").await.expect("an answer");
        drop(session);
        times.push(begun.elapsed());
    }
    middle(times)
}

/// What is asked before each prompt of somebody with a budget.
async fn budgets(store: &Store, run: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let mut session = agent(store).resume(run).await.expect("a session");
        session.prompt("again").await.expect("an answer");
        let begun = Instant::now();
        store.spent().await.expect("usage");
        times.push(begun.elapsed());
    }
    middle(times)
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A figure of this process in KiB, where the system tells.
fn resident(what: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The journal of a run that was prompted, called a tool and answered, again and again.
fn lines(groups: u64, bytes: usize) -> String {
    let mut config = Config::new(Model { price: Some(Price::default()), ..Model::named("test/one") });
    config.mode = Mode::Full;
    let tool = Tool::new("look", "For measuring.", Json::object([("type", "object".into())]));
    config.tools = vec![tool.level(Level::ReadOnly)];
    let (mut run, mut writer, mut text) =
        journal::begin(Started::new(RUN, 7, config), Timestamp::new(0)).expect("record 0");
    drain(&mut run);
    for group in 0..groups {
        let said = format!("{group}: {}", "what was found ".repeat(bytes / 15 + 1));
        let mut facts = Facts { run: &mut run, writer: &mut writer, text: &mut text, at: group * 10 };
        let call = facts.fact(Input::Prompted(Prompt::text("look again")));
        let wish = ToolCall {
            id: format!("c{group}"),
            name: "look".into(),
            arguments: format!(r#"{{"n":{group}}}"#),
            replay: None,
        };
        let call = facts.reply(call, Block::ToolCall(wish), StopReason::ToolUse);
        facts.fact(Input::Dispatched { call });
        let result = ToolOutput::text(said);
        let call = facts.fact(Input::ToolFinished { call, result });
        facts.reply(call, Block::Text("seen".into()), StopReason::EndTurn);
    }
    text
}

struct Facts<'a> {
    run: &'a mut Run,
    writer: &'a mut Writer,
    text: &'a mut String,
    at: u64,
}

impl Facts<'_> {
    /// Hands a fact in; gives the call that it led to last. A summary that is wanted is given on the way.
    fn fact(&mut self, input: Input) -> CallId {
        self.at += 1;
        let at = Timestamp::new(self.at);
        *self.text += &journal::step(self.run, self.writer, at, input).expect("a fact");
        let mut call = CallId::new(0);
        let mut summary = None;
        loop {
            match self.run.poll() {
                Effect::Wait(_) => break,
                Effect::CallModel { call: wanted, .. } | Effect::RunTool { call: wanted, .. } => {
                    call = wanted;
                }
                Effect::Summarise { call: wanted, .. } => summary = Some(wanted),
                _ => {}
            }
        }
        match summary {
            Some(wanted) => {
                let blocks = vec![Block::Text("it was looked at many times".into())];
                let result = ModelResult::Replied(Reply { blocks, ..Reply::default() });
                self.fact(Input::Summarised { call: wanted, result })
            }
            None => call,
        }
    }

    fn reply(&mut self, call: CallId, block: Block, stop: StopReason) -> CallId {
        let usage = Usage { input: 10, output: 10, ..Usage::default() };
        let result = ModelResult::Replied(Reply { blocks: vec![block], usage, stop, model: None });
        self.fact(Input::ModelFinished { call, result })
    }
}

fn drain(run: &mut Run) {
    while !matches!(run.poll(), Effect::Wait(_)) {}
}
