//! A process dies in the middle of a run, and another one goes on.
//!
//! The program starts itself again as a child, lets it die (`abort`, so that nothing is tidied up) while a tool with a
//! side effect is at work, and then resumes the run from its journal.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::{
    error::Error,
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use holm::{
    kernel::{Block, ModelResult, Outcome, Reply, StopReason, ToolCall},
    prelude::*,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Some(folder) = std::env::args_os().nth(1) {
        return doomed(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir()?;
    let child = Command::new(std::env::current_exe()?).arg(folder.path()).status()?;
    println!("the first process ended: {child}");
    assert!(!child.success(), "it was meant to die");

    let agent = agent(folder.path(), Power::Steady).await?;
    let mut session = agent.resume("errand").await?;
    let report = session.go_on().await?.ok_or("nothing was under way")?;
    println!("{}", report.text()?);

    // Each letter was written once. The one that was under way may have happened, so it is not written again: the
    // model is told that nobody knows.
    assert_eq!(std::fs::read_to_string(folder.path().join("letters.txt"))?, "first\nsecond\n");
    let outcomes: Vec<Outcome> = session
        .run()
        .transcript()
        .iter()
        .flat_map(|message| &message.blocks)
        .filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Outcome::Succeeded, Outcome::Unknown]);
    Ok(())
}

/// The first process: the power fails while the second letter is on its way.
async fn doomed(folder: &Path) -> Result<(), Box<dyn Error>> {
    let agent = agent(folder, Power::Fails).await?;
    agent.start_as("errand").await?.prompt("Write both letters.").await?;
    Err("the power did not fail".into())
}

#[derive(Clone, Copy, PartialEq)]
enum Power {
    Steady,
    Fails,
}

async fn agent(folder: &Path, power: Power) -> Result<Agent, Box<dyn Error>> {
    let store = Store::open(folder.join("holm.db")).await?;
    let letters = folder.join("letters.txt");
    let send = holm::runtime::tool("send_letter", "Sends a letter.", move |letter: Letter| {
        let letters = letters.clone();
        async move { send(letters, &letter.text, power) }
    });
    // The second process's script begins where the first one's ended: with what the model says in the end.
    let model = match power {
        Power::Fails => ScriptedModel::new([letter("first"), letter("second")]),
        Power::Steady => ScriptedModel::says(["The first letter is sent. I cannot tell about the second."]),
    };
    let agent = Agent::builder("scripted/one", model)
        .tool(send.level(Level::Write))
        .mode(Mode::Full)
        .journals(store.clone())
        .blobs(store);
    Ok(agent.build()?)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Letter {
    text: String,
}

fn send(letters: PathBuf, text: &str, power: Power) -> Result<String, std::io::Error> {
    let mut file = OpenOptions::new().append(true).create(true).open(letters)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    if power == Power::Fails && text == "second" {
        // It has happened, and nobody has heard of it.
        std::process::abort();
    }
    Ok("sent".into())
}

fn letter(text: &str) -> ModelResult {
    let arguments = format!(r#"{{"text":"{text}"}}"#);
    let call = ToolCall { id: text.into(), name: "send_letter".into(), arguments, replay: None };
    ModelResult::Replied(Reply {
        blocks: vec![Block::ToolCall(call)],
        stop: StopReason::ToolUse,
        ..Reply::default()
    })
}
