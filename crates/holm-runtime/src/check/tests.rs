use holm_guards::{json::Json, plausibility::Expectation, postcondition::Must, ruling::Severity};
use holm_kernel::ToolCallId;

use super::*;

fn pattern(regex: &str) -> Check {
    let rule = Rule::Pattern { regex: regex.into(), must: Must::Match };
    Check::Postcondition(Postcondition::new("says it", rule))
}

fn program(command: &str) -> Check {
    let rule = Rule::Executable { command: command.into(), arguments: vec!["-q".into()] };
    Check::Postcondition(Postcondition::new("runs", rule))
}

async fn spilled(blobs: &MemoryBlobStore, text: &str) -> ToolOutput {
    let mut output = ToolOutput::text(text);
    crate::spill::spill(&mut output, "run", blobs).await;
    assert!(output.spill.is_some() && output.text.is_empty());
    output
}

async fn ruled(checker: &ResultChecker, check: Check, output: &ToolOutput) -> CheckRuling {
    checker.check(&CheckRequest { tool_call: ToolCallId::new(1), check }, output).await
}

fn failed_because(ruling: &CheckRuling) -> &str {
    match ruling {
        CheckRuling::Failed { reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_whole_of_a_large_result_is_looked_at() {
    let blobs = MemoryBlobStore::new();
    let checker = ResultChecker::new().blobs(Arc::new(blobs.clone()));
    let middle = format!("{}needle{}", "hay ".repeat(20_000), "hay ".repeat(20_000));
    let output = spilled(&blobs, &middle).await;
    assert_eq!(ruled(&checker, pattern("needle"), &output).await, CheckRuling::Passed);
    let ruling = ruled(&checker, pattern("pin"), &output).await;
    assert!(failed_because(&ruling).contains("must match `pin`"), "{ruling:?}");

    let plausible = Check::Plausibility(Expectation::default());
    assert_eq!(ruled(&checker, plausible.clone(), &output).await, CheckRuling::Passed);
    let empty = spilled(&blobs, &" \n".repeat(60_000)).await;
    assert!(failed_because(&ruled(&checker, plausible, &empty).await).contains("empty"));
}

#[tokio::test]
async fn schemas_are_checked_on_the_whole_and_a_mere_warning_is_told_as_a_failure() {
    let schema = Json::parse(r#"{"type":"array","items":{"type":"integer"}}"#).unwrap();
    let mut promise = Postcondition::new("numbers", Rule::Schema(schema));
    promise.severity = Severity::Warn;
    let check = Check::Postcondition(promise);
    let checker = ResultChecker::new();
    assert_eq!(ruled(&checker, check.clone(), &ToolOutput::text("[1,2]")).await, CheckRuling::Passed);
    let ruling = ruled(&checker, check, &ToolOutput::text("[1,\"2\"]")).await;
    assert!(
        failed_because(&ruling).contains("breaks its schema"),
        "the kernel weighs it by the declared severity"
    );
}

#[tokio::test]
async fn without_a_runner_a_program_check_is_broken() {
    let ruling = ruled(&ResultChecker::new(), program("cargo"), &ToolOutput::text("x")).await;
    let CheckRuling::Broken { reason } = ruling else { panic!("{ruling:?}") };
    assert!(reason.contains("`cargo`") && reason.contains("runs no programs"), "{reason}");
}

#[tokio::test]
async fn a_text_that_is_gone_or_was_changed_is_not_believed() {
    let blobs = MemoryBlobStore::new();
    let output = spilled(&blobs, &"x".repeat(100_000)).await;
    let elsewhere = ruled(&ResultChecker::new(), pattern("x"), &output).await;
    assert!(
        matches!(&elsewhere, CheckRuling::Broken { reason } if reason.contains("no result")),
        "{elsewhere:?}"
    );

    let mut changed = output.clone();
    changed.spill.as_mut().unwrap().sha256 = "00".into();
    let checker = ResultChecker::new().blobs(Arc::new(blobs));
    let ruling = ruled(&checker, pattern("x"), &changed).await;
    assert!(
        matches!(&ruling, CheckRuling::Broken { reason } if reason.contains("not the one")),
        "{ruling:?}"
    );
}

#[tokio::test]
async fn a_promise_that_cannot_be_compiled_is_broken() {
    let ruling = ruled(&ResultChecker::new(), pattern("("), &ToolOutput::text("x")).await;
    assert!(matches!(ruling, CheckRuling::Broken { .. }), "{ruling:?}");
}

/// Looks at what it was given; panics or hangs if it is asked to.
struct Runner;

impl CheckRunner for Runner {
    fn run(&self, program: CheckProgram) -> BoxFuture<'static, CheckRuling> {
        Box::pin(async move {
            match program.command.as_str() {
                "panics" => panic!("on purpose"),
                "hangs" => std::future::pending().await,
                _ if program.text.contains("bad") => {
                    CheckRuling::Failed { reason: program.arguments.join(" ") }
                }
                _ => CheckRuling::Passed,
            }
        })
    }
}

#[tokio::test]
async fn programs_get_the_whole_text_and_their_faults_are_contained() {
    let checker = ResultChecker::new().runner(Arc::new(Runner)).patience(Duration::from_millis(50));
    assert_eq!(ruled(&checker, program("looks"), &ToolOutput::text("good")).await, CheckRuling::Passed);
    let failed = CheckRuling::Failed { reason: "-q".into() };
    assert_eq!(ruled(&checker, program("looks"), &ToolOutput::text("bad")).await, failed);
    for (command, expected) in [("panics", "panicked"), ("hangs", "longer than")] {
        let ruling = ruled(&checker, program(command), &ToolOutput::text("x")).await;
        assert!(matches!(&ruling, CheckRuling::Broken { reason } if reason.contains(expected)), "{ruling:?}");
    }
}
