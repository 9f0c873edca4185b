//! A whole agent in one file: the kernel decides, this host acts, a journal remembers. `make demo` runs it.
//!
//! The model is scripted, because no provider is asked. The rest is real: the tools read the files of the current
//! folder under a grant, every record is on disk before anything is done, and at the end the run is folded again from
//! that file and gives the same bytes.

#![expect(clippy::print_stdout, reason = "a demo speaks to the terminal")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use holm_grants::{CallNeed, GrantSet, Level};
use holm_guards::json::Json;
use holm_kernel::journal::{self, JournalWriter};
use holm_kernel::{
    Approvals, Block, Config, Effect, Ending, Event, Input, ModelResult, ModelSpec, Numbered, Outcome,
    Prompt, Reply, Role, Run, Started, Timestamp, ToolCall, ToolOutput, ToolRequest, ToolSpec,
};

/// What a tool reads of one file: a demo should not wait for a disk image.
const MOST_BYTES: u64 = 1 << 20;

/// What fits on a line of an ordinary terminal.
const WIDTH: usize = 90;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "Holm demo: a real agent loop with a scripted model. Tools, grants, guards and journal are real.\n"
    );
    let path = std::env::temp_dir().join(format!("holm-demo-{}.jsonl", std::process::id()));
    let mut host = Host::start(&path)?;
    host.give(Input::Prompted(Prompt::text("How long is the first file here? Then delete it.")))?;
    while let Some(effect) = host.next() {
        host.perform(effect)?;
    }
    println!("\njournal   {} records in {}", host.run.receipt().seq.value() + 1, path.display());
    replay(&path, &host.events)
}

/// What the agent is: a model, three tools, and the right to read below the current folder.
fn config() -> Result<Config, Box<dyn Error>> {
    let tool = |name: &str, text: &str, need: &str, level| -> Result<ToolSpec, Box<dyn Error>> {
        let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
        let tool = ToolSpec::new(name, text, Json::parse(schema)?).level(level);
        Ok(ToolSpec { needs: vec![need.parse()?], ..tool })
    };
    let mut config = Config::new(ModelSpec::named("scripted/demo"));
    config.tools = vec![
        tool("list_files", "Lists the files of a folder.", "read:{path}", Level::ReadOnly)?,
        tool("count_lines", "Counts the lines of a file.", "read:{path}", Level::ReadOnly)?,
        tool("delete_file", "Deletes a file.", "write:{path}", Level::Write)?,
    ];
    config.grants = GrantSet::parse(["read:**"])?;
    // Nobody sits here to be asked: what was not granted is denied.
    config.approvals = Approvals::Deny;
    Ok(config)
}

/// Drives one run: handle a fact, append it, then do what the kernel says.
struct Host {
    run: Run,
    writer: JournalWriter,
    file: File,
    model: Scripted,
    events: String,
}

impl Host {
    fn start(path: &Path) -> Result<Self, Box<dyn Error>> {
        let started = Started::new("demo", 7, config()?);
        let (run, writer, line) = journal::begin(started, now())?;
        let mut file = File::create(path)?;
        file.write_all(line.as_bytes())?;
        Ok(Self { run, writer, file, model: Scripted::default(), events: String::new() })
    }

    fn give(&mut self, fact: Input) -> Result<(), Box<dyn Error>> {
        // A dispatch has to be on disk before the tool runs: after a crash it says what may have happened.
        let dispatch = matches!(fact, Input::Dispatched { .. });
        let line = journal::step(&mut self.run, &mut self.writer, now(), fact)?;
        self.file.write_all(line.as_bytes())?;
        if dispatch {
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// The next command; none when the run waits for a person.
    fn next(&mut self) -> Option<Effect> {
        match self.run.poll() {
            Effect::Wait(_) => None,
            effect => Some(effect),
        }
    }

    fn perform(&mut self, effect: Effect) -> Result<(), Box<dyn Error>> {
        match effect {
            Effect::CallModel { call, .. } => {
                let blocks = vec![self.model.reply()];
                let reply = Reply { blocks, ..Reply::default() };
                self.give(Input::ModelFinished { call, result: ModelResult::Replied(reply) })
            }
            Effect::RunTool { call, request } => {
                let needs: Vec<String> = request.needs.iter().map(CallNeed::to_string).collect();
                println!("kernel    allows it: {} is within read:**", needs.join(", "));
                self.give(Input::Dispatched { call })?;
                let result = run_tool(&request).unwrap_or_else(|error| ToolOutput::failed(error.to_string()));
                self.model.read(&result.text);
                self.give(Input::ToolFinished { call, result })
            }
            Effect::Emit(numbered) => {
                show(&numbered.event);
                self.events += &line_of(&numbered)?;
                Ok(())
            }
            // This configuration has no hooks, no people, no children and no executable checks.
            Effect::Spawn { .. }
            | Effect::Judge(_)
            | Effect::Consult(_)
            | Effect::Check { .. }
            | Effect::Summarise { .. }
            | Effect::Abort(_)
            | Effect::Finish(_)
            | Effect::Wait(_) => Ok(()),
        }
    }
}

/// Says what a model might say: it errs once, wants too much once, and then repeats itself.
#[derive(Default)]
struct Scripted {
    turn: u64,
    file: String,
    seen: String,
}

impl Scripted {
    fn reply(&mut self) -> Block {
        self.turn += 1;
        let (name, path) = match self.turn {
            1 => ("list_files", "no/such/folder"),
            2 => ("list_files", "."),
            3 | 5 | 6 => ("count_lines", &*self.file),
            4 => ("delete_file", &*self.file),
            _ => return Block::Text(format!("{} has {}. I may not delete it.", self.file, self.seen)),
        };
        let arguments = Json::object([("path", Json::String(path.into()))]).canonical();
        Block::ToolCall(ToolCall { name: name.into(), arguments, ..ToolCall::default() })
    }

    /// Remembers the first file of a listing, then what was counted.
    fn read(&mut self, result: &str) {
        if self.file.is_empty() {
            self.file = result.lines().next().unwrap_or_default().into();
        } else {
            self.seen = result.into();
        }
    }
}

fn run_tool(request: &ToolRequest) -> Result<ToolOutput, Box<dyn Error>> {
    let arguments = Json::parse(&request.arguments)?;
    let wanted = arguments.get("path").and_then(Json::as_str).unwrap_or(".");
    // The grant is about names. Where links lead, only the file system knows, so a tool looks for itself.
    let root = std::env::current_dir()?.canonicalize()?;
    let Ok(path) = root.join(wanted).canonicalize() else { return Ok(ToolOutput::text("")) };
    if !path.starts_with(&root) {
        return Ok(ToolOutput::failed("that leads out of the folder"));
    }
    match &*request.tool {
        "list_files" => list_files(&path),
        "count_lines" => count_lines(&path),
        other => Ok(ToolOutput::failed(format!("there is no {other} here"))),
    }
}

fn list_files(folder: &Path) -> Result<ToolOutput, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)?.take(1_000) {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(ToolOutput::text(names.join("\n")))
}

fn count_lines(path: &Path) -> Result<ToolOutput, Box<dyn Error>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(ToolOutput::text(format!("{} lines", bytes.iter().filter(|byte| **byte == b'\n').count())))
}

/// Draws the run, one short line an event; a dashboard would do the same.
fn show(event: &Event) {
    match event {
        Event::MessageAdded { message } => {
            for block in &message.blocks {
                match block {
                    Block::Text(text) if message.role == Role::User => println!("you       {text}"),
                    Block::ToolResult(result) if result.outcome == Outcome::Refused => {
                        println!("kernel    {}", inner(&result.text));
                    }
                    Block::ToolResult(result) => println!("tool      {}", inner(&result.text)),
                    _ => {}
                }
            }
        }
        Event::CallProposed { tool, arguments, .. } => println!("model     {tool} {arguments}"),
        Event::Ruled { guard, reason, .. } => println!("guard     {guard}: {reason}"),
        Event::LoopSeen { tool, times } => println!("loop      {tool} asked for the same {times} times"),
        Event::GroupEnded { ending, .. } => match &**ending {
            Ending::Answered { text } => println!("answer    {text}"),
            other => println!("end       {other:?}"),
        },
        _ => {}
    }
}

/// What stands inside the envelope that keeps tool output apart from instructions: its first line, shortened.
fn inner(sealed: &str) -> String {
    let body = holm_kernel::open_envelope(sealed);
    let first = body.lines().next().unwrap_or_default();
    let short: String = first.chars().take(WIDTH).collect();
    let cut = if short.len() < first.len() { "…" } else { "" };
    match body.lines().count() {
        0 | 1 => format!("{short}{cut}"),
        lines => format!("{short}{cut} (and {} more)", lines - 1),
    }
}

/// Folds the journal again: no model, no tool, the same bytes.
fn replay(path: &Path, live: &str) -> Result<(), Box<dyn Error>> {
    let records = journal::decode_strict(&fs::read(path)?)?;
    let mut events = String::new();
    let mut fault = None;
    journal::replay_with(&records, |_, effect| {
        if let Effect::Emit(numbered) = effect {
            match line_of(numbered) {
                Ok(line) => events += &line,
                Err(error) => fault = Some(error),
            }
        }
    })?;
    if let Some(error) = fault {
        return Err(error.into());
    }
    if events != live {
        return Err("the replay differs from the run".into());
    }
    println!(
        "replay    identical bytes: {} records give the same {} bytes of events",
        records.len(),
        events.len()
    );
    Ok(())
}

fn line_of(event: &Numbered) -> Result<String, serde_json::Error> {
    serde_json::to_string(event).map(|line| line + "\n")
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
