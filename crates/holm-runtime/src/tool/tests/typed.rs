use holm_grants::Level;
use holm_guards::{
    postcondition::{Must, Postcondition, Rule},
    schema::CompiledSchema,
};
use holm_kernel::{Pace, Repeat, Vote};

use super::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    a: i64,
    b: Option<i64>,
    list: Option<Vec<Pair>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    left: u8,
}

async fn text_of(tool: &impl Tool, arguments: &str) -> (Outcome, String) {
    let output = tool.run(ToolInvocation::alone(arguments)).await;
    (output.outcome, output.text)
}

fn sum() -> ClosureTool<Sum> {
    tool("sum", "Adds.", |sum: Sum| async move {
        sum.a + sum.b.unwrap_or(0) + sum.list.iter().flatten().map(|pair| i64::from(pair.left)).sum::<i64>()
    })
}

#[tokio::test]
async fn arguments_arrive_parsed_and_results_become_text() {
    for (arguments, text) in [
        (r#"{"a":1,"b":2}"#, "3"),
        (r#"{"a":1}"#, "1"),
        (r#"{"a":1,"b":null}"#, "1"),
        (r#"{"a":1.0,"list":[{"left":2e0}]}"#, "3"),
        (r#"{"a":1,"unknown":true}"#, "1"),
    ] {
        assert_eq!(text_of(&sum(), arguments).await, (Outcome::Succeeded, text.into()), "{arguments}");
    }
}

#[tokio::test]
async fn what_the_type_refuses_is_one_failure_that_names_the_place() {
    for (arguments, expected) in [
        (r#"{"a":"x"}"#, "invalid argument at `/a`: invalid type: string \"x\", expected i64"),
        (r#"{"b":1}"#, "invalid argument at the root: missing field `a`"),
        (
            r#"{"a":1,"list":[{"left":1},{"left":300}]}"#,
            "at `/list/1/left`: invalid value: integer `300`, expected u8",
        ),
        (r#"{"a":1,"list":[{"left":1},{}]}"#, "at `/list/1`: missing field `left`"),
        (r#"{"a":1.5}"#, "at `/a`: invalid type: floating point `1.5`"),
        (r#"{"list":{},"a":1}"#, "at `/list`: invalid type: map"),
        ("[]", "at the root"),
    ] {
        let (outcome, text) = text_of(&sum(), arguments).await;
        assert_eq!(outcome, Outcome::Failed);
        assert!(text.contains(expected), "{arguments}: {text}");
        assert!(text.ends_with("; fix it and call again"), "{text}");
    }
}

#[test]
fn the_builder_says_what_the_kernel_must_know() {
    let promise = Postcondition::new("digits", Rule::Pattern { regex: "[0-9]".into(), must: Must::Match });
    let tool = tool("t", "T.", |_: Pair| async {})
        .level(Level::Write)
        .needs(["write:out/", "exec:git"])
        .unwrap()
        .idempotent()
        .exclusive()
        .advisory()
        .timeout(std::time::Duration::from_secs(2))
        .result_limit(9)
        .promises(promise.clone())
        .declare(|tool| tool.aborts_siblings = true);
    let declared = tool.declaration();
    assert_eq!((declared.level, declared.repeat), (Level::Write, Repeat::Idempotent));
    assert_eq!((declared.pace, declared.vote), (Pace::Exclusive, Vote::Advisory));
    assert_eq!((declared.timeout_ms, declared.result_limit), (Some(2000), Some(9)));
    assert_eq!((declared.needs.len(), declared.aborts_siblings), (2, true));
    assert_eq!(declared.postconditions, [promise]);
    assert!(super::tool("t", "T.", |_: Pair| async {}).needs(["reed:x"]).is_err());
}

#[tokio::test]
async fn whatever_is_returned_becomes_an_output() {
    fn shown(output: impl IntoOutput) -> (Outcome, String) {
        let output = output.into_output();
        (output.outcome, output.text)
    }
    let good = |text: &str| (Outcome::Succeeded, text.to_owned());
    assert_eq!(shown("a"), good("a"));
    assert_eq!(shown(String::from("b")), good("b"));
    assert_eq!(shown(()), good("done"));
    assert_eq!(shown(-3_i8), good("-3"));
    assert_eq!(shown(2.5_f64), good("2.5"));
    assert_eq!(shown(true), good("true"));
    assert_eq!(
        shown(Json::object([("b", Json::Null), ("a", Json::from(1_u64))])),
        good(r#"{"a":1,"b":null}"#)
    );
    assert_eq!(shown(serde_json::json!([1, "x"])), good(r#"[1,"x"]"#));
    assert_eq!(shown(JsonOutput("text")), good("text"));
    assert_eq!(shown(JsonOutput(None::<u8>)), good("done"));
    assert_eq!(shown(Ok::<_, std::fmt::Error>("fine")), good("fine"));
    assert_eq!(shown(Err::<(), _>("broken")), (Outcome::Failed, "broken".into()));
    assert!(ToolOutput::terminal("end").into_output().terminate);
    let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert_eq!(shown(JsonOutput(unwritable)).0, Outcome::Failed);
}

#[tokio::test]
async fn a_blocking_function_runs_on_another_thread() {
    let here = std::thread::current().id();
    let tool = blocking_tool("where", "Says where.", move |_: Pair, job: ToolInvocation| {
        format!("{} {}", std::thread::current().id() != here, job.again)
    });
    assert_eq!(text_of(&tool, r#"{"left":1}"#).await, (Outcome::Succeeded, "true false".into()));
}

#[test]
fn two_tools_of_one_name_are_an_error_and_not_a_surprise() {
    let named = |name: &str| tool(name, "T.", |_: Pair| async {});
    let taken = ToolboxError::Duplicate { name: "a".into() };
    let mut tools = Toolbox::new().with(named("a")).with(named("b"));
    assert_eq!(tools.check(), Ok(()));
    assert_eq!(tools.add(named("a")), Err(taken.clone()));
    assert_eq!(tools.check(), Ok(()), "a refused tool changes nothing");
    assert_eq!(tools.clone().with(named("a")).check(), Err(taken.clone()));
    assert_eq!(tools.join(Toolbox::new().with(named("a"))).check(), Err(taken.clone()));
    assert!(taken.to_string().contains("two tools are named `a`"));
}

#[test]
fn a_tool_that_could_never_be_used_is_told_before_the_run() {
    let declaration_error = |declaration: holm_kernel::ToolSpec| {
        let tools = Toolbox::new().with(tool_fn(declaration, |_| async { ToolOutput::text("x") }));
        tools.check().unwrap_err().to_string()
    };
    let mut bad_schema = declared("a");
    bad_schema.schema = Json::object([("type", "strng".into())]);
    let text = declaration_error(bad_schema);
    assert_eq!(
        text,
        "the tool `a` cannot be used: unknown type \"strng\" at the root; use string, integer, number, boolean, \
         array, object or null"
    );
    assert!(declaration_error(declared("")).contains("no name"));
    assert!(declaration_error(declared("a").needs(["read:{path}"]).unwrap()).contains("the argument `path`"));
    let mut promise = declared("a");
    let rule = Rule::Pattern { regex: "(".into(), must: Must::Match };
    promise.postconditions = vec![Postcondition::new("p", rule)];
    assert!(declaration_error(promise).contains("postcondition \"p\""));
}

#[test]
fn schemas_of_the_examples_here_compile() {
    assert!(CompiledSchema::compile(&schema_of::<Sum>()).unwrap().unsupported().is_empty());
}
