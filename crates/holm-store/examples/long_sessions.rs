//! Measures long sessions: how long one takes to open, how much memory that takes, and what a
//! prompt costs in it beside an empty one.
//!
//!     long_sessions bench [HOLM]              all figures, as Markdown; with the path of a built command also those of `holm run --resume`
//!     long_sessions make PLACE GROUPS BYTES   a session of so many groups, whose tool results have so many bytes
//!     long_sessions open PLACE                opens and prompts it, beside an empty one, in a process of its own
//!
//! PLACE is a file of SQLite if its name ends in `.db`, otherwise a folder of JSON Lines. Figures
//! are printed and never asserted; tests count records instead (`tests/it/suite/long.rs`).

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a measuring program stops and prints")]

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, CallId, Config, Effect, Input, ModelCallId, ModelResult, ModelSpec, Price, Prompt, Reply, Run,
    Started, StopReason, Timestamp, ToolCall, ToolCallId, ToolOutput, ToolSpec, Usage,
    journal::{self, JournalWriter},
};
use holm_runtime::{Agent, JournalStore, JsonLinesFolder, model_fn};
use holm_store::Store;

const RUN: &str = "long";

/// What the command calls the model of a script.
const MODEL: &str = "scripted/file";

/// Prompts that are timed; the middle one counts.
const ROUNDS: usize = 9;

/// Groups, and bytes of each tool result, of a session of 100 MB.
const LARGE: (u64, usize) = (4_800, 21_000);

/// The same of a session of 100,000 records.
const MANY: (u64, usize) = (20_000, 200);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be made");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", place, groups, bytes] => {
            let groups = groups.parse().expect("a number of groups");
            runtime.block_on(make(place, groups, bytes.parse().expect("a number of bytes")));
        }
        ["open", place] => runtime.block_on(open(place)),
        ["bench"] => bench(None),
        ["bench", holm] => bench(Some(Path::new(holm))),
        _ => println!("usage: long_sessions bench [HOLM] | make PLACE GROUPS BYTES | open PLACE"),
    }
}

/// Where sessions are kept.
struct Place {
    journals: Arc<dyn JournalStore>,
    store: Option<Store>,
}

impl Place {
    async fn open(place: &str) -> Self {
        if place.ends_with(".db") {
            let store = Store::open(place).await.expect("a store");
            return Self { journals: Arc::new(store.clone()), store: Some(store) };
        }
        let folder = JsonLinesFolder::new(place).expect("a folder");
        Self { journals: Arc::new(folder), store: None }
    }

    fn agent(&self) -> Agent {
        let model = model_fn(|_| {
            let usage = Usage { input: 10, output: 10, ..Usage::default() };
            let reply = Reply { blocks: vec![Block::Text("done".into())], usage, ..Reply::default() };
            Box::pin(async move { ModelResult::Replied(reply) })
        });
        let model =
            Agent::builder(ModelSpec { price: Some(Price::default()), ..ModelSpec::named(MODEL) }, model);
        model.journals(Arc::clone(&self.journals)).build().expect("an agent")
    }

    /// A whole process's work: resume, prompt, let go.
    async fn prompt(&self, run: &str) {
        let mut session = self.agent().resume(run).await.expect("a session");
        session.prompt("again").await.expect("an answer");
    }
}

async fn make(place: &str, groups: u64, bytes: usize) {
    let text = lines(groups, bytes);
    match Place::open(place).await.store {
        Some(store) => drop(store.import(text.as_bytes(), None).await.expect("a journal")),
        None => fs::write(Path::new(place).join(format!("{RUN}.jsonl")), &text).expect("a file"),
    }
    println!("bytes {}\nrecords {}", text.len(), text.lines().count());
}

/// Prints one figure a line, for people and for [`bench`].
async fn open(place: &str) {
    let place = Place::open(place).await;
    let read = || place.store.as_ref().map_or(0, |store| store.commits().records);
    let (peak, records) = (resident("VmHWM"), read());
    let begun = Instant::now();
    let session = place.agent().resume(RUN).await.expect("a session");
    println!("open_us {}", begun.elapsed().as_micros());
    println!("open_bytes {}", (resident("VmHWM") - peak) * 1024);
    println!("open_records {}", read() - records);
    drop(session);
    let empty = format!("empty-{}", std::process::id());
    place.agent().start_as(&empty).await.expect("a session").prompt("hello").await.expect("an answer");
    for (name, run) in [("empty", empty.as_str()), ("long", RUN)] {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            place.prompt(run).await;
            times.push(begun.elapsed());
        }
        println!("{name}_prompt_us {}", middle(times).as_micros());
        let Some(store) = &place.store else { continue };
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            place.prompt(run).await;
            // The query before each prompt of a user with a budget.
            let begun = Instant::now();
            store.spent().await.expect("usage");
            times.push(begun.elapsed());
        }
        println!("{name}_budget_us {}", middle(times).as_micros());
    }
}

/// Measures everything, each figure of memory in a process of its own.
fn bench(holm: Option<&Path>) {
    let scratch = env::temp_dir().join(format!("holm-long-sessions-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("a folder");
    println!(
        "| kept by | session | opened | memory by journal | records read | prompt by an empty one's | budget by an empty one's |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (place, name) in [("holm.db", "SQLite"), ("folder", "JSON Lines")] {
        for (session, (groups, bytes)) in [("100 MB", LARGE), ("100,000 records", MANY)] {
            let place = scratch.join(format!("{groups}-{place}"));
            let made =
                child("make", &[&place.display().to_string(), &groups.to_string(), &bytes.to_string()]);
            // The first one finds no snapshot and folds everything; it leaves one behind.
            for which in ["first", "again"] {
                let found = child("open", &[&place.display().to_string()]);
                println!(
                    "| {name} | {session}, {which} | {:.0} ms | {:.3} | {} of {} | {:.2} | {:.2} |",
                    figure(&found, "open_us") / 1_000.0,
                    figure(&found, "open_bytes") / figure(&made, "bytes"),
                    figure(&found, "open_records"),
                    figure(&made, "records"),
                    figure(&found, "long_prompt_us") / figure(&found, "empty_prompt_us"),
                    figure(&found, "long_budget_us") / figure(&found, "empty_budget_us"),
                );
            }
        }
    }
    if let Some(holm) = holm {
        command(holm, &scratch);
    }
    // What is left of it is in the folder for temporary files.
    let _ = fs::remove_dir_all(&scratch);
}

/// Measures a prompt by the command, which is a process each.
fn command(holm: &Path, scratch: &Path) {
    let (data, work) = (scratch.join("data"), scratch.join("work"));
    fs::create_dir_all(&data).and_then(|()| fs::create_dir_all(&work)).expect("folders");
    let script = scratch.join("script.json");
    fs::write(&script, r#"{"results":[{"replied":{"blocks":[{"text":"done"}]}}],"then":"repeat"}"#)
        .expect("a script");
    let prompt = |session: &str, more: &[&str]| {
        let mut command = Command::new(holm);
        command.arg("--data").arg(&data).args(["run", "--session", session, "-p", "again", "--script"]);
        command.arg(&script).args(more).current_dir(&work);
        watched(command)
    };
    prompt("empty", &[]);
    let place = data.join("holm.db").display().to_string();
    child("make", &[&place, &MANY.0.to_string(), &MANY.1.to_string()]);
    println!("\n| a prompt by `holm run --resume` | time | bytes read | most memory |\n|---|---|---|---|");
    let mut all = Vec::new();
    for (name, session) in
        [("empty session", "empty"), ("100,000 records, first", RUN), ("100,000 records", RUN)]
    {
        let rounds = if name.ends_with("first") { 1 } else { ROUNDS };
        let mut seen: Vec<Watched> = (0..rounds).map(|_| prompt(session, &["--resume"])).collect();
        seen.sort_by_key(|watched| watched.time);
        let Some(watched) = seen.get(rounds / 2).copied() else { continue };
        println!("| {name} | {:.0} ms | {} | {} KiB |", millis(watched.time), watched.read, watched.memory);
        all.push(watched);
    }
    if let [empty, _, long] = all[..] {
        println!(
            "\nlong by empty: {:.2} in time, {:.2} in bytes read, {:.2} in memory (aim 1)",
            millis(long.time) / millis(empty.time),
            long.read as f64 / empty.read as f64,
            long.memory as f64 / empty.memory as f64,
        );
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// What a process took.
#[derive(Debug, Clone, Copy)]
struct Watched {
    time: Duration,
    /// Bytes that it read from files and pipes.
    read: u64,
    /// Its largest resident size in KiB.
    memory: u64,
}

/// Runs a command and looks at it until it has ended.
fn watched(mut command: Command) -> Watched {
    let begun = Instant::now();
    let mut running =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command starts");
    let folder = PathBuf::from(format!("/proc/{}", running.id()));
    let (mut read, mut memory) = (0, 0);
    let time = loop {
        // A process that has ended and was not waited for tells how much it read; its memory is gone by then.
        let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
        memory = memory.max(number_after(&status, "VmHWM:"));
        read = read.max(number_after(&fs::read_to_string(folder.join("io")).unwrap_or_default(), "rchar:"));
        if status.contains("State:\tZ") {
            break begun.elapsed();
        }
        thread::sleep(Duration::from_millis(1));
    };
    read = read.max(number_after(&fs::read_to_string(folder.join("io")).unwrap_or_default(), "rchar:"));
    let output = running.stderr.take().map(std::io::read_to_string);
    let ended = running.wait().expect("it has ended");
    assert!(ended.success(), "{ended}: {output:?}");
    Watched { time, read, memory }
}

fn number_after(text: &str, name: &str) -> u64 {
    let rest = text.split_once(name).map_or("", |(_, rest)| rest);
    rest.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Runs this program again, and reads the figures that it prints.
fn child(verb: &str, arguments: &[&str]) -> BTreeMap<String, f64> {
    let own = env::current_exe().expect("this program has a path");
    let output = Command::new(own).arg(verb).args(arguments).stderr(Stdio::inherit()).output();
    let output = output.expect("it starts again");
    assert!(output.status.success(), "{verb}: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures = text.lines().filter_map(|line| line.split_once(' '));
    figures.filter_map(|(name, number)| Some((name.to_owned(), number.parse().ok()?))).collect()
}

/// A figure, or no number where it was not measured.
fn figure(figures: &BTreeMap<String, f64>, name: &str) -> f64 {
    figures.get(name).copied().unwrap_or(f64::NAN)
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A figure of this process in KiB, where the system tells.
fn resident(what: &str) -> u64 {
    number_after(&fs::read_to_string("/proc/self/status").unwrap_or_default(), &format!("{what}:"))
}

/// The journal of a run that was prompted, called a tool and answered, again and again.
fn lines(groups: u64, bytes: usize) -> String {
    let mut config = Config::new(ModelSpec { price: Some(Price::default()), ..ModelSpec::named(MODEL) });
    config.mode = Mode::Full;
    let tool = ToolSpec::new("look", "For measuring.", Json::object([("type", "object".into())]));
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
        let call = ToolCallId::new(call.value());
        facts.fact(Input::Dispatched { call });
        let result = ToolOutput::text(said);
        let call = facts.fact(Input::ToolFinished { call, result });
        facts.reply(call, Block::Text("seen".into()), StopReason::EndTurn);
    }
    text
}

struct Facts<'a> {
    run: &'a mut Run,
    writer: &'a mut JournalWriter,
    text: &'a mut String,
    at: u64,
}

impl Facts<'_> {
    /// Hands a fact in; gives the call that it led to last. A summary that is wanted is
    /// given on the way.
    fn fact(&mut self, input: Input) -> CallId {
        self.at += 1;
        let at = Timestamp::new(self.at);
        *self.text += &journal::step(self.run, self.writer, at, input).expect("a fact");
        let mut call = CallId::new(0);
        let mut summary = None;
        loop {
            match self.run.poll() {
                Effect::Wait(_) => break,
                Effect::CallModel { call: wanted, .. } => call = wanted.into(),
                Effect::RunTool { call: wanted, .. } => call = wanted.into(),
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
        self.fact(Input::ModelFinished { call: ModelCallId::new(call.value()), result })
    }
}

fn drain(run: &mut Run) {
    while !matches!(run.poll(), Effect::Wait(_)) {}
}
