//! A tool made of a function, and an answer that is a value.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::error::Error;

use holm::{
    kernel::{Block, ModelResult, Reply, StopReason, ToolCall},
    prelude::*,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// How a temperature is written.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Tells how warm it is in a city.
#[tool(level = none)]
fn temperature(
    /// The city's name.
    city: String,
    /// How to write it; Celsius if it is not said.
    unit: Option<Unit>,
) -> Result<String, String> {
    let celsius = match city.as_str() {
        "Bern" => 21,
        "Oslo" => 14,
        _ => return Err(format!("there is no thermometer in {city}")),
    };
    Ok(match unit.unwrap_or(Unit::Celsius) {
        Unit::Celsius => format!("{celsius} °C"),
        Unit::Fahrenheit => format!("{} °F", celsius * 9 / 5 + 32),
    })
}

/// What we want to know.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Warmest {
    city: String,
    degrees_celsius: i32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The model asks both thermometers at once, and gives its answer as a value.
    let model = ScriptedModel::new([
        calls(&[
            ("temperature", r#"{"city":"Bern"}"#),
            ("temperature", r#"{"city":"Oslo","unit":"fahrenheit"}"#),
            ("temperature", r#"{"city":"Atlantis"}"#),
        ]),
        calls(&[("give_answer", r#"{"city":"Bern","degrees_celsius":21}"#)]),
    ]);
    let agent = Agent::builder("scripted/one", model).tool(temperature).build()?;

    let warmest: Warmest = agent.run_typed("Where is it warmest?").await?;
    println!("{warmest:?}");
    assert_eq!(warmest, Warmest { city: "Bern".into(), degrees_celsius: 21 });

    // The declaration came from the function: names, descriptions, what is optional, what may be chosen.
    let declared = &agent.config().tools[0];
    let schema = declared.schema.canonical();
    assert_eq!(declared.description, "Tells how warm it is in a city.");
    assert!(schema.contains(r#""required":["city"]"#), "{schema}");
    assert!(schema.contains("fahrenheit") && schema.contains("The city's name."), "{schema}");
    Ok(())
}

fn calls(calls: &[(&str, &str)]) -> ModelResult {
    let call = |(index, (name, arguments)): (usize, &(&str, &str))| {
        let (id, name, arguments) = (format!("call-{index}"), (*name).into(), (*arguments).into());
        Block::ToolCall(ToolCall { id, name, arguments, replay: None })
    };
    let blocks = calls.iter().enumerate().map(call).collect();
    ModelResult::Replied(Reply { blocks, stop: StopReason::ToolUse, ..Reply::default() })
}
