//! Tools made by the macro, declared and called as a runtime does.

use std::sync::Arc;

use holm_grants::Level;
use holm_kernel::{Exemption, Outcome, Pace, Repeat, ToolOutput, Vote};
use holm_macros::tool;
use holm_runtime::{
    CancellationToken, IntoTool, ProgressReporter, Tool, ToolContainment, ToolInvocation, Toolbox,
};

/// Adds two numbers.
///
/// Never more than two.
#[tool(crate = "::holm_runtime", level = none)]
async fn add(
    /// The first.
    a: i64,
    /// The second; 1 if left out.
    b: Option<i64>,
) -> i64 {
    a + b.unwrap_or(1)
}

/// How loud.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Volume {
    Quiet,
    Loud,
}

/// Says something.
#[tool(
    crate = "::holm_runtime",
    level = write,
    name = "say-it",
    needs("write:out/", "read:{path}"),
    idempotent,
    exclusive,
    advisory,
    polling,
    aborts_siblings,
    may_be_empty,
    shows_errors,
    untrusted,
    private,
    egress,
    timeout = "2m",
    result_limit = 500
)]
fn say(path: String, volume: Volume, #[serde(default)] r#type: u8) -> Result<String, String> {
    match volume {
        Volume::Quiet => Ok(format!("{path} {type}")),
        Volume::Loud => Err(format!("{path} is too loud")),
    }
}

#[derive(serde::Serialize)]
struct Weather {
    degrees: i32,
}

/// Tells the weather.
#[tool(crate = "::holm_runtime", level = read_only)]
async fn weather(place: String) -> Result<Weather, std::fmt::Error> {
    if place.is_empty() { Err(std::fmt::Error) } else { Ok(Weather { degrees: 21 }) }
}

/// Does nothing, and that is said.
#[tool(crate = "::holm_runtime")]
fn nothing() {}

/// Lists what there is.
#[tool(crate = "::holm_runtime")]
fn list() -> Vec<u8> {
    vec![1, 2]
}

/// Sees what it was given.
#[tool(crate = "::holm_runtime")]
async fn sees(
    job: ToolInvocation,
    stop: CancellationToken,
    progress: ProgressReporter,
    text: String,
) -> ToolOutput {
    progress.say("looking");
    ToolOutput::terminal(format!("{text} {} {}", job.again, stop.is_cancelled()))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    /// What to look for.
    text: String,
}

/// Searches.
#[tool(crate = "::holm_runtime", level = read_only)]
async fn search(#[arguments] search: Search) -> String {
    search.text
}

/// Breaks.
#[tool(crate = "::holm_runtime")]
#[expect(clippy::panic, reason = "on purpose")]
fn breaks(why: String) -> String {
    panic!("{why}")
}

async fn call<M>(tool: impl IntoTool<M>, arguments: &str) -> ToolOutput {
    ToolContainment::new("test").contain(Arc::new(tool.into_tool()), ToolInvocation::alone(arguments)).await
}

#[test]
fn the_declaration_is_made_of_what_the_function_says() {
    let add = add();
    let declared = add.declaration();
    assert_eq!((declared.name.as_str(), declared.level), ("add", Level::None));
    assert_eq!(declared.description, "Adds two numbers.\n\nNever more than two.");
    let expected = concat!(
        r#"{"properties":{"a":{"description":"The first.","type":"integer"},"#,
        r#""b":{"description":"The second; 1 if left out.","type":"integer"}},"#,
        r#""required":["a"],"type":"object"}"#
    );
    assert_eq!(declared.schema.canonical(), expected);
}

#[test]
fn every_option_reaches_the_declaration() {
    let say = say();
    let declared = say.declaration();
    assert_eq!((declared.name.as_str(), declared.level), ("say-it", Level::Write));
    let needs: Vec<String> = declared.needs.iter().map(ToString::to_string).collect();
    assert_eq!(needs, ["write:out/", "read:{path}"]);
    assert_eq!((declared.repeat, declared.pace), (Repeat::Idempotent, Pace::Exclusive));
    assert_eq!((declared.vote, declared.exemption), (Vote::Advisory, Exemption::Polling));
    assert_eq!((declared.timeout_ms, declared.result_limit), (Some(120_000), Some(500)));
    assert!(declared.aborts_siblings && declared.yields.untrusted);
    assert!(declared.yields.private && declared.yields.egress);
    let allowed = (declared.empty, declared.error_text);
    use holm_guards::plausibility::{EmptyOutput, ErrorText};
    assert_eq!(allowed, (EmptyOutput::Allowed, ErrorText::Allowed));
    let volume = declared.schema.pointer("/properties/volume/enum").unwrap().canonical();
    assert_eq!(volume, r#"["quiet","loud"]"#);
    assert_eq!(
        nothing().declaration().level,
        Level::Execute,
        "what is not said cannot be taken for harmless"
    );
}

#[tokio::test]
async fn functions_are_called_with_their_arguments() {
    let cases = [
        (call(add, r#"{"a":2,"b":3}"#).await, Outcome::Succeeded, "5"),
        (call(add, r#"{"a":2}"#).await, Outcome::Succeeded, "3"),
        (call(say, r#"{"path":"p","volume":"quiet","type":7}"#).await, Outcome::Succeeded, "p 7"),
        (call(say, r#"{"path":"p","volume":"loud"}"#).await, Outcome::Failed, "p is too loud"),
        (call(weather, r#"{"place":"here"}"#).await, Outcome::Succeeded, r#"{"degrees":21}"#),
        (call(nothing, "{}").await, Outcome::Succeeded, "done"),
        (call(list, "{}").await, Outcome::Succeeded, "[1,2]"),
        (call(sees, r#"{"text":"t"}"#).await, Outcome::Succeeded, "t false false"),
        (call(search, r#"{"text":"t"}"#).await, Outcome::Succeeded, "t"),
        (call(breaks, r#"{"why":"on purpose"}"#).await, Outcome::Failed, "the tool panicked: on purpose"),
    ];
    for (output, outcome, text) in cases {
        assert_eq!((output.outcome, output.text.as_str()), (outcome, text));
    }
    assert_eq!(call(weather, r#"{"place":""}"#).await.outcome, Outcome::Failed);
    assert!(call(sees, r#"{"text":"t"}"#).await.terminate);
}

#[tokio::test]
async fn arguments_that_the_type_refuses_are_named() {
    let output = call(say, r#"{"path":"p","type":300,"volume":"quiet"}"#).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("at `/type`") && output.text.contains("300"), "{}", output.text);
}

#[tokio::test]
async fn the_function_can_be_called_directly() {
    assert_eq!(add::call(1, None).await, 2);
    assert_eq!(say::call("p".into(), Volume::Quiet, 0), Ok("p 0".into()));
}

#[test]
fn all_of_them_fit_into_one_toolbox() {
    let tools =
        Toolbox::new().with(add).with(say).with(weather).with(nothing).with(list).with(sees).with(search);
    assert_eq!(tools.check(), Ok(()));
    assert_eq!(tools.len(), 7);
    let add = tools.find("add").map(|tool| tool.declaration().level);
    assert_eq!(add, Some(Level::None), "a variable may have the name of a tool");
    let add = crate::add();
    assert!(tools.with(add).check().is_err());
}
