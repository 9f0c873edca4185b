//! An agent in a program that has no async runtime.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::error::Error;

use holm::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let agent = Agent::builder("scripted/one", ScriptedModel::says(["Good morning."])).build()?;
    let report = agent.run_blocking("hello")?;
    println!("{}", report.text()?);
    assert_eq!(report.text()?, "Good morning.");

    // Inside a runtime it would hold everybody up, so it says so instead.
    let runtime = tokio::runtime::Runtime::new()?;
    let refused = runtime.block_on(async { agent.run_blocking("hello") });
    println!("{}", refused.as_ref().err().map(ToString::to_string).unwrap_or_default());
    assert!(refused.is_err());
    Ok(())
}
