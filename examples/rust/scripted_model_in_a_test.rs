//! How to test an agent of your own: with a scripted model, and against a provider that is not there.
//!
//! `shop_agent` is the code under test. The functions below are what would stand in its tests; here they run as a program
//! and as tests (`cargo test --example scripted_model_in_a_test`).

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::error::Error;

use holm::{
    kernel::{Block, FailureClass, ModelResult, Reply, StopReason, ToolCall},
    models::ModelEndpoint,
    prelude::*,
    runtime::{FastClock, Model},
};
use holm_testkit::double::{Act, Double, Fault};

/// Tells what something costs, in cents.
#[tool(level = none)]
fn price(
    /// What it is.
    item: String,
) -> Result<u64, String> {
    if item == "tea" { Ok(250) } else { Err(format!("we do not sell {item}")) }
}

/// The code under test: it takes its model from outside, so that a test can bring its own.
fn shop_agent(name: &str, model: impl Model + 'static) -> Result<Agent, Box<dyn Error>> {
    let agent = Agent::builder(name, model).system("You sell tea.").tool(price);
    // A test should not wait for a provider's patience.
    Ok(agent.clock(FastClock::new(1_000)).build()?)
}

/// The model is a script: what it says is the test's input, what the agent made of it is the output.
async fn a_price_is_looked_up_and_told() -> Result<(), Box<dyn Error>> {
    let call = ToolCall {
        id: "1".into(),
        name: "price".into(),
        arguments: r#"{"item":"tea"}"#.into(),
        replay: None,
    };
    let calls = Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() };
    let says = Reply { blocks: vec![Block::Text("It is 2.50.".into())], ..Reply::default() };
    let agent = shop_agent("scripted/one", ScriptedModel::new([calls, says].map(ModelResult::Replied)))?;

    let mut session = agent.start().await?;
    assert_eq!(session.prompt("What is a tea?").await?.text()?, "It is 2.50.");
    let told =
        session.run().transcript().iter().flat_map(|message| &message.blocks).find_map(|block| match block {
            Block::ToolResult(result) => Some(result.text.clone()),
            _ => None,
        });
    assert!(told.is_some_and(|told| told.contains("250")), "the model was told the real price");
    Ok(())
}

/// The provider is a double on the loopback interface: real sockets, the provider's own format, faults on purpose.
async fn a_provider_that_stumbles_is_asked_again() -> Result<(), Box<dyn Error>> {
    let stumbles = Fault::ErrorInStream { class: FailureClass::Overloaded, message: "no room".into() };
    let acts = [
        Act::says("this never arrives").with(stumbles),
        Act::calls(&[("1", "price", r#"{"item":"tea"}"#)]),
        Act::says("It is 2.50."),
    ];
    let double = Double::start(acts)?.wants_key("test-key");
    let endpoint = ModelEndpoint::compatible(double.base(holm::wire::Format::OpenaiChat));
    let client = ModelClient::builder()
        .endpoint("shop", endpoint)
        .keys(ProviderKeys::new().with("shop", "test-key"))
        .build()?;

    let report = shop_agent("shop/any", client)?.run("What is a tea?").await?;
    assert_eq!(report.text()?, "It is 2.50.");
    assert_eq!(double.requests().len(), 3);
    // The request that followed the call shows the tool's result to the provider.
    assert!(double.requests()[2].text().contains("250"));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    a_price_is_looked_up_and_told().await?;
    a_provider_that_stumbles_is_asked_again().await?;
    println!("both tests passed, and nobody was asked for a key");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn a_price_is_looked_up_and_told() {
        super::a_price_is_looked_up_and_told().await.unwrap();
    }

    #[tokio::test]
    async fn a_provider_that_stumbles_is_asked_again() {
        super::a_provider_that_stumbles_is_asked_again().await.unwrap();
    }
}
