//! The agent that is killed.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, atomic::AtomicU64, atomic::Ordering},
    time::Duration,
};

use holm::{
    grants::{Level, Mode},
    guards::json::Json,
    kernel::{Bound, Limits, Numbered, Repeat, ToolOutput},
    models::{ModelClient, ModelEndpoint},
    runtime::{Agent, JournalStore as _, Session, ToolInvocation, tool_fn},
    store::Store,
};

use crate::mortal::{Moment, MortalJournals};

/// The one run that is killed again and again.
pub(crate) const RUN: &str = "killed";

/// Before and after a line is written: long enough that a random kill meets a call that never ran,
/// and one that ran and never answered.
const PAUSE: Duration = Duration::from_micros(300);

/// `child FOLDER BASE MOMENT`: starts the run or goes on with it, until it has ended.
pub(crate) fn main(arguments: &[String]) -> ExitCode {
    let [folder, base, moment] = arguments else { return refuse("three arguments are wanted") };
    let Ok(moment) = moment.parse() else { return refuse("the moment cannot be read") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let Ok(runtime) = runtime else { return refuse("no runtime") };
    match runtime.block_on(work(Path::new(folder), base, moment)) {
        Ok(appends) => {
            println!("{appends}");
            ExitCode::SUCCESS
        }
        Err(why) => refuse(&why.to_string()),
    }
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("child: {why}");
    ExitCode::FAILURE
}

async fn work(folder: &Path, base: &str, moment: Moment) -> Result<u64, Box<dyn std::error::Error>> {
    let store = Store::open(folder.join("holm.db")).await?;
    let appends = Arc::new(AtomicU64::new(0));
    // A name whose first record was never kept is no run.
    let known = store.read(RUN).await.is_ok();
    let journals = MortalJournals { store, moment, appends: Arc::clone(&appends) };
    let agent = agent(folder, base, journals)?;
    let mut session = if known { agent.resume(RUN).await? } else { agent.start_as(RUN).await? };
    finish(&mut session).await?;
    Ok(appends.load(Ordering::Relaxed))
}

async fn finish(session: &mut Session) -> Result<(), Box<dyn std::error::Error>> {
    let run = session.run();
    if run.transcript().is_empty() && run.earlier_messages() == 0 {
        session.prompt("Append every line.").await?.text()?;
    } else if let Some(report) = session.go_on().await? {
        report.text()?;
    }
    Ok(())
}

fn agent(folder: &Path, base: &str, journals: MortalJournals) -> Result<Agent, Box<dyn std::error::Error>> {
    let client =
        ModelClient::builder().endpoint("double", ModelEndpoint::compatible(base).keyless()).build()?;
    let events = folder.join(format!("events-{}", std::process::id()));
    let limits = Limits { turns: Bound::AtMost(100), ..Limits::default() };
    let agent = Agent::builder("double/lines", client)
        .tool(line_tool("append", Repeat::Once, folder.join("effects")))
        .tool(line_tool("put", Repeat::Idempotent, folder.join("effects")))
        .mode(Mode::Full)
        .limits(limits)
        .journals(journals)
        .events(move |event: &Numbered| write_line(&events, &format!("{event:?}")));
    Ok(agent.build()?)
}

/// A tool whose effect is a line in a file that only this tool writes.
fn line_tool(name: &'static str, repeat: Repeat, effects: PathBuf) -> impl holm::runtime::Tool {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let schema = Json::parse(schema).unwrap_or(Json::Null);
    let mut declaration = holm::kernel::ToolSpec::new(name, "Appends a line.", schema).level(Level::Write);
    declaration.repeat = repeat;
    tool_fn(declaration, move |job: ToolInvocation| {
        let effects = effects.clone();
        async move {
            tokio::time::sleep(PAUSE).await;
            write_line(&effects, &format!("{name} {}", job.arguments));
            tokio::time::sleep(PAUSE).await;
            ToolOutput::text("a line was written")
        }
    })
}

/// One write, so that a kill leaves a whole line or none.
fn write_line(path: &Path, line: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    if let Err(error) = written {
        eprintln!("child: {}: {error}", path.display());
        std::process::exit(3);
    }
}
