//! Speaking to a run while it works: steering, a follow-up, and stopping it.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::error::Error;

use holm::{
    kernel::{Block, ModelResult, Reply, Role, StopReason, ToolCall},
    prelude::*,
    runtime::tool,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    steered().await?;
    stopped().await
}

/// What is said while a tool runs reaches the model with the tool's result, before the next reply.
async fn steered() -> Result<(), Box<dyn Error>> {
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (told, is_told) = tokio::sync::oneshot::channel();
    let pair = std::sync::Mutex::new(Some((begun, is_told)));
    let search = tool("search", "Searches for a long time.", move |_: Nothing| {
        let pair = pair.lock().ok().and_then(|mut pair| pair.take());
        async move {
            if let Some((begun, is_told)) = pair {
                let _ = begun.send(());
                let _ = is_told.await;
            }
            "three pages"
        }
    });
    let model = ScriptedModel::new([calls("search"), says("A short summary."), says("Sent.")]);
    let agent = Agent::builder("scripted/one", model).tool(search.level(Level::None)).build()?;

    let mut session = agent.start().await?;
    let handle = session.handle();
    let person = tokio::spawn(async move {
        has_begun.await?;
        handle.steer("Keep it short.")?;
        handle.follow_up("Then send it.")?;
        let _ = told.send(());
        Ok::<_, Box<dyn Error + Send + Sync>>(())
    });
    let report = session.prompt("Read everything about tea.").await?;
    person.await?.map_err(|error| error.to_string())?;

    println!("{}", report.text()?);
    assert_eq!(report.text()?, "Sent.");
    let said: Vec<String> = session
        .run()
        .transcript()
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.plain_text())
        .collect();
    assert_eq!(said, ["Read everything about tea.", "Keep it short.", "Then send it."]);
    Ok(())
}

/// A run can be stopped in whatever phase it is; here while a tool hangs.
async fn stopped() -> Result<(), Box<dyn Error>> {
    let (begun, has_begun) = tokio::sync::oneshot::channel::<()>();
    let begun = std::sync::Mutex::new(Some(begun));
    let hang = tool("hang", "Never ends.", move |_: Nothing| {
        if let Some(begun) = begun.lock().ok().and_then(|mut begun| begun.take()) {
            let _ = begun.send(());
        }
        std::future::pending::<String>()
    });
    let model = ScriptedModel::new([calls("hang")]);
    let agent = Agent::builder("scripted/one", model).tool(hang.level(Level::None)).build()?;
    let mut session = agent.start().await?;
    let handle = session.handle();
    tokio::spawn(async move {
        let _ = has_begun.await;
        let _ = handle.cancel("enough");
    });
    let report = session.prompt("Wait.").await?;
    println!("{:?}", report.ending);
    assert_eq!(report.ending, Ending::Cancelled { reason: "enough".into() });
    Ok(())
}

fn says(text: &str) -> ModelResult {
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() })
}

fn calls(name: &str) -> ModelResult {
    let call = ToolCall { id: "1".into(), name: name.into(), arguments: "{}".into(), replay: None };
    ModelResult::Replied(Reply {
        blocks: vec![Block::ToolCall(call)],
        stop: StopReason::ToolUse,
        ..Reply::default()
    })
}
