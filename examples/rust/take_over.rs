//! Goes on with a run that another host began: a page in a browser, a worker at the edge, another machine.
//!
//! All that moves is the journal, a file of lines. Without arguments the program plays both hosts. With a folder, a run's
//! name and a prompt it goes on with `FOLDER/RUN.jsonl` and leaves the longer journal there for the next host.
//!
//! ```text
//! cargo run -p holm --example take_over -- journals my-run 'And in Rome?'
//! ```

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::{error::Error, path::Path};

use holm::{prelude::*, runtime::JsonLinesFolder};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [folder, run, prompt] = arguments.as_slice() {
        println!("{}", go_on(Path::new(folder), run, prompt).await?);
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let first = Agent::builder("first/model", ScriptedModel::says(["18 degrees"]))
        .journals(JsonLinesFolder::new(folder.path())?)
        .build()?;
    first.start_as("journey").await?.prompt("How warm is it in Bergen?").await?;
    let before = std::fs::read_to_string(folder.path().join("journey.jsonl"))?;

    println!("{}", go_on(folder.path(), "journey", "And in Rome?").await?);

    // What the first host wrote stands as it stood; the second one added to it.
    let after = std::fs::read_to_string(folder.path().join("journey.jsonl"))?;
    assert!(after.starts_with(&before) && after.len() > before.len());
    Ok(())
}

/// Takes the run over, asks it something and says what it answered, after how many messages.
async fn go_on(folder: &Path, run: &str, prompt: &str) -> Result<String, Box<dyn Error>> {
    let agent = Agent::builder("native/model", ScriptedModel::says(["answered natively"]))
        .journals(JsonLinesFolder::new(folder)?)
        .build()?;
    let mut session = agent.resume(run).await?;
    // A run that was at work when the other host let go of it comes to its end first.
    session.go_on().await?;
    let report = session.prompt(prompt).await?;
    Ok(format!("{} ({} messages)", report.text()?, session.run().transcript().len()))
}
