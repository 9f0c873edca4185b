//! The smallest agent: a model, a prompt, an answer.
//!
//! A script answers, so that this runs without a key. Set `HOLM_MODEL` (for example to `anthropic/claude-sonnet-4-5`) and
//! that provider's key, and a real model does.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::{error::Error, sync::Arc};

use holm::{prelude::*, runtime::Model};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::var("HOLM_MODEL").unwrap_or_else(|_| "scripted/one".into());
    let model: Arc<dyn Model> = if name == "scripted/one" {
        Arc::new(ScriptedModel::says(["4"]))
    } else {
        Arc::new(ModelClient::from_name(&name, ProviderKeys::from_environment())?)
    };

    let agent = Agent::builder(name.as_str(), model).system("Answer in one word.").build()?;
    let report = agent.run("What is 2 + 2?").await?;
    println!("{}", report.text()?);

    assert!(!report.text()?.is_empty());
    assert_eq!(report.spent, NanoUsd::ZERO, "nobody told the agent a price");
    Ok(())
}
