//! A product's own vocabulary, as data: how calls are written, which tool ends a run, which names mean what, and what a
//! model is told when it goes astray. The kernel has no such words of its own.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::error::Error;

use holm::{
    kernel::{
        Alias, Block, Event, HiddenToolNote, ModelResult, PlainAnswer, Protocol, ProtocolPolicy, Reply, Role,
    },
    prelude::*,
};

/// Looks something up.
#[tool(level = none)]
fn search(
    /// What to look for.
    query: String,
) -> String {
    format!("two hits for {query}")
}

/// Hands the report in, which ends the work.
#[tool(level = none)]
fn hand_in(
    /// The report.
    report: String,
) -> String {
    format!("taken: {report}")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A small model that writes its calls as JSON in plain text, with names of its own.
    let model = ScriptedModel::new([
        says(r#"{"tool":"lookup","arguments":{"text":"tea"}}"#),
        says(r#"{"tool":"delete_everything","arguments":{}}"#),
        says("Here is my report: tea is good."),
        says(r#"{"tool":"hand_in","arguments":{"report":"tea is good"}}"#),
    ]);
    let policy = ProtocolPolicy {
        terminal_tools: ["hand_in".to_owned()].into(),
        plain_answer: PlainAnswer::RemindOnce("Hand the report in with `hand_in`.".into()),
        aliases: vec![Alias {
            name: "lookup".into(),
            tool: "search".into(),
            arguments: [("text".to_owned(), "query".to_owned())].into(),
            values: std::collections::BTreeMap::new(),
        }],
        hidden: [(
            "delete_everything".to_owned(),
            HiddenToolNote { message: "Nothing is deleted here. Search, then hand in.".into() },
        )]
        .into(),
        ..ProtocolPolicy::default()
    };
    let (events, mut seen) = holm::runtime::EventChannel::new(256);
    let agent = Agent::builder("scripted/small", model)
        .tool(search)
        .tool(hand_in)
        .config(|config| {
            config.protocol = Protocol::Text;
            config.policy = policy;
        })
        .events(events)
        .build()?;

    let mut session = agent.start().await?;
    let report = session.prompt("Write a report about tea.").await?;
    println!("{:?}", report.ending);
    assert!(matches!(report.ending, Ending::Answered { .. }));

    let mut called = Vec::new();
    while let Some(notice) = seen.try_next() {
        if let holm::runtime::EventNotice::Event(event) = notice
            && let Event::CallProposed { tool, arguments, .. } = &event.event
        {
            called.push(format!("{tool} {arguments}"));
        }
    }
    assert_eq!(called, [r#"search {"query":"tea"}"#, r#"hand_in {"report":"tea is good"}"#]);
    let told: Vec<String> = session
        .run()
        .transcript()
        .iter()
        .filter(|message| message.role != Role::Assistant)
        .map(|message| format!("{message:?}"))
        .collect();
    assert!(told.iter().any(|text| text.contains("Nothing is deleted here.")), "{told:#?}");
    assert!(told.iter().any(|text| text.contains("Hand the report in with")), "{told:#?}");
    Ok(())
}

fn says(text: &str) -> ModelResult {
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() })
}
