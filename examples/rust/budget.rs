//! A run that may cost so much and no more.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::error::Error;

use holm::{
    kernel::{Block, Budget, ModelResult, ModelSpec, Price, Reply, StopReason, ToolCall, Usage},
    models::AfterScript,
    prelude::*,
};

/// Looks at the next page.
#[tool(level = none)]
fn next_page(number: u64) -> String {
    format!("page {number}")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Three dollars for a million tokens in, fifteen for a million out, in nano-dollars.
    let price = Price { input: 3_000_000_000, output: 15_000_000_000, ..Price::default() };
    let card = ModelSpec { price: Some(price), ..ModelSpec::named("scripted/reader") };
    let cent = NanoUsd::new(10_000_000);
    let limits = Limits { budget: Budget { usd: Some(cent) }, ..Limits::default() };

    let agent = Agent::builder(card, reads_for_ever()).tool(next_page).limits(limits).build()?;
    let report = agent.run("Read the book.").await?;
    println!("{:?} after {} nano-dollars", report.ending, report.spent);
    let Ending::OverBudget { spent, limit } = report.ending else { return Err("it went on reading".into()) };
    assert_eq!(limit, cent);
    // Each turn costs 0.45 cents: the third is the one that reaches the limit, and there is no fourth.
    assert_eq!(spent, NanoUsd::new(3 * 4_500_000));

    // A price that is not known is not taken for nothing.
    let unpriced =
        Agent::builder("scripted/reader", reads_for_ever()).tool(next_page).limits(limits).build()?;
    let report = unpriced.run("Read the book.").await?;
    println!("{:?}", report.ending);
    assert!(matches!(report.ending, Ending::Failed { .. }));
    assert_eq!(report.spent, NanoUsd::ZERO);
    Ok(())
}

/// A model that always wants the next page, with other words each time so that it does not look like a loop.
fn reads_for_ever() -> ScriptedModel {
    let page = |number: u64| {
        let arguments = format!(r#"{{"number":{number}}}"#);
        let call = ToolCall { id: format!("{number}"), name: "next_page".into(), arguments, replay: None };
        let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
        let blocks = vec![Block::ToolCall(call)];
        ModelResult::Replied(Reply { blocks, usage, stop: StopReason::ToolUse, model: None })
    };
    let mut model = ScriptedModel::new((1..100).map(page));
    model.then = AfterScript::Repeat;
    model
}
