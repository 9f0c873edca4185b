use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::{CompiledPostconditions, Must, Postcondition, PostconditionErrorKind, PostconditionResult, Rule};
use crate::json::Json;
use crate::plausibility::{CallOutcome, ObservedOutput};
use crate::ruling::{Reason, Ruling, RulingChain, Severity};

fn pattern(regex: &str, must: Must) -> Rule {
    Rule::Pattern { regex: regex.into(), must }
}

fn lines(min: Option<u64>, max: Option<u64>, each: Option<&str>, none: Option<&str>) -> Rule {
    Rule::Lines { min, max, each: each.map(String::from), none: none.map(String::from) }
}

fn program() -> Rule {
    Rule::Executable { command: "jq".into(), arguments: vec!["-e".into(), ".ok".into()] }
}

fn compile(rules: &[Rule]) -> CompiledPostconditions {
    let declared: Vec<Postcondition> =
        rules.iter().map(|rule| Postcondition::new("p", rule.clone())).collect();
    CompiledPostconditions::compile(&declared).unwrap()
}

fn ruled(evaluation: PostconditionResult) -> Ruling {
    match evaluation {
        PostconditionResult::Ruled(chain) => chain.ruling(),
        PostconditionResult::Pending { checks, .. } => panic!("nothing is left to check, but {checks:?}"),
    }
}

/// Outputs that keep the rule, and outputs that break it with a reason that
/// contains the given words.
fn check(rule: &Rule, keep: &[&str], broken: &[(&str, &str)]) {
    let promises = compile(core::slice::from_ref(rule));
    let rule_on = |text: &str| ruled(promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole(text)));
    for text in keep {
        assert_eq!(rule_on(text), Ruling::Accept, "{text:?}");
    }
    for (text, says) in broken {
        let ruling = rule_on(text);
        let reason = ruling.reason().unwrap_or_else(|| panic!("{text:?} breaks {rule:?}"));
        assert!(ruling.is_reject() && reason.message.contains(says), "{text:?}: {reason}");
    }
}

#[test]
fn a_schema_is_held_against_the_whole_output() {
    let schema = Json::parse(r#"{"type":"object","required":["rows"]}"#).unwrap();
    check(
        &Rule::Schema(schema),
        &[r#"{"rows":[]}"#, "\n{\"rows\": 1}\n"],
        &[("{}", "rows"), ("[]", "object"), ("not json", "not JSON"), (r#"{"rows":1} and more"#, "not JSON")],
    );
}

#[test]
fn a_pattern_may_be_demanded_or_forbidden() {
    check(&pattern("^v[0-9]+$", Must::Match), &["v12"], &[("v", "must match"), ("x v12", "must match")]);
    check(&pattern("(panic|FAILED)", Must::NotMatch), &["ok"], &[("1 FAILED", "must not match")]);
}

#[test]
fn lines_are_counted_and_matched_without_the_blank_ones() {
    check(
        &lines(Some(2), Some(3), None, None),
        &["a\n\nb", "a\nb\nc\n"],
        &[("a\n\n", "1 lines"), ("a\nb\nc\nd", "4 lines")],
    );
    check(&lines(None, None, Some(r"\.rs$"), None), &["", "a.rs\n\nb.rs"], &[("a.rs\nb.py", "b.py")]);
    check(&lines(None, None, None, Some("^total ")), &["a\nb"], &[("total 3\na", "total 3")]);
}

#[test]
fn length_is_counted_in_bytes() {
    check(
        &Rule::Length { min: Some(2), max: Some(4) },
        &["é", "abcd"],
        &[("a", "1 bytes"), ("ééé", "6 bytes")],
    );
}

#[test]
fn the_tools_own_words_replace_what_was_found() {
    let declared = Postcondition {
        severity: Severity::Warn,
        message: Some("list files, not totals".into()),
        ..Postcondition::new("files", pattern("x", Must::Match))
    };
    let promises = CompiledPostconditions::compile(&[declared]).unwrap();
    let ruling = ruled(promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole("y")));
    assert_eq!(ruling, Ruling::Warn(Reason::new("files", "list files, not totals")));
}

#[test]
fn a_failed_result_breaks_no_promise() {
    let promises = compile(&[pattern("x", Must::Match), program()]);
    assert_eq!(ruled(promises.evaluate(CallOutcome::Failed, &ObservedOutput::whole("y"))), Ruling::Accept);
}

#[test]
fn a_program_is_left_to_the_caller() {
    let promises = compile(&[program(), pattern("x", Must::Match)]);
    let evaluation = promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole("x"));
    let checks = vec![Postcondition::new("p", program())];
    assert_eq!(evaluation, PostconditionResult::Pending { chain: RulingChain::new(), checks });
}

#[test]
fn no_program_is_asked_for_when_the_output_is_rejected_without_it() {
    let promises = compile(&[program(), pattern("x", Must::Match)]);
    assert!(ruled(promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole("y"))).is_reject());
}

#[test]
fn the_answer_of_a_program_is_ruled_like_every_other_promise() {
    let check = Postcondition { severity: Severity::Warn, ..Postcondition::new("tests", program()) };
    assert_eq!(CompiledPostconditions::answer(&check, None), Ruling::Accept);
    assert_eq!(
        CompiledPostconditions::answer(&check, Some("exit 1\n")),
        Ruling::Warn(Reason::new("tests", "exit 1"))
    );
}

#[test]
fn a_spilled_output_is_checked_in_the_host_except_for_its_length() {
    let spilled = ObservedOutput::spilled("head", "tail", 1 << 20);
    let evaluation = compile(&[pattern("x", Must::Match), lines(Some(1), None, None, None)])
        .evaluate(CallOutcome::Succeeded, &spilled);
    assert!(matches!(evaluation, PostconditionResult::Pending { checks, .. } if checks.len() == 2));
    let short = compile(&[Rule::Length { min: None, max: Some(1000) }]);
    assert!(ruled(short.evaluate(CallOutcome::Succeeded, &spilled)).is_reject());
}

#[test]
fn a_chain_of_promises_keeps_its_warnings_and_stops_at_the_first_rejection() {
    let warn = |name: &str| Postcondition {
        severity: Severity::Warn,
        ..Postcondition::new(name, pattern("x", Must::Match))
    };
    let reject = |name: &str| Postcondition::new(name, pattern("x", Must::Match));
    let promises = CompiledPostconditions::compile(&[warn("a"), reject("b"), reject("c")]).unwrap();
    let PostconditionResult::Ruled(chain) =
        promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole("y"))
    else {
        unreachable!()
    };
    assert_eq!(chain.warnings().len(), 1);
    assert_eq!(chain.ruling().reason().map(|reason| reason.guard.as_str()), Some("b"));
}

#[test]
fn declarations_that_cannot_be_used_are_named() {
    let fault = |rule: Rule| CompiledPostconditions::compile(&[Postcondition::new("p", rule)]).unwrap_err();
    assert!(matches!(fault(pattern("(", Must::Match)).fault, PostconditionErrorKind::Pattern(_)));
    assert!(matches!(fault(pattern("(a{999}){999}", Must::Match)).fault, PostconditionErrorKind::Pattern(_)));
    assert!(matches!(fault(Rule::Schema(Json::from("x"))).fault, PostconditionErrorKind::Schema(_)));
    assert_eq!(
        fault(Rule::Length { min: Some(2), max: Some(1) }).fault,
        PostconditionErrorKind::EmptyRange { min: 2, max: 1 }
    );
    assert_eq!(
        fault(Rule::Executable { command: " ".into(), arguments: vec![] }).fault,
        PostconditionErrorKind::NoCommand
    );
    assert!(
        fault(lines(None, None, Some("("), None)).to_string().starts_with("postcondition \"p\": pattern")
    );
    let many = vec![Postcondition::new("p", program()); 65];
    assert_eq!(CompiledPostconditions::compile(&many).unwrap_err().fault, PostconditionErrorKind::TooMany);
}

#[test]
fn demands_that_are_not_enforced_are_reported() {
    let schema = Json::parse(r#"{"frobnicate":1}"#).unwrap();
    let promises = compile(&[Rule::Schema(schema)]);
    assert_eq!(promises.unsupported().count(), 1);
    assert!(!promises.is_empty());
}

#[test]
fn declarations_have_a_stable_serde_form() {
    let cases = [
        (
            Postcondition::new("a", program()),
            r#"{"name":"a","rule":{"executable":{"command":"jq","arguments":["-e",".ok"]}},"severity":"reject"}"#,
        ),
        (
            Postcondition::new("b", lines(Some(1), None, None, Some("x"))),
            r#"{"name":"b","rule":{"lines":{"min":1,"none":"x"}},"severity":"reject"}"#,
        ),
        (
            Postcondition::new("c", Rule::Schema(Json::parse(r#"{"minimum":1.0}"#).unwrap())),
            r#"{"name":"c","rule":{"schema":{"minimum":1.0}},"severity":"reject"}"#,
        ),
        (
            Postcondition::new("d", pattern("x", Must::NotMatch)),
            r#"{"name":"d","rule":{"pattern":{"regex":"x","must":"not_match"}},"severity":"reject"}"#,
        ),
    ];
    for (declared, text) in cases {
        assert_eq!(serde_json::to_string(&declared).unwrap(), text);
        assert_eq!(serde_json::from_str::<Postcondition>(text).unwrap(), declared);
    }
}

proptest! {
    #[test]
    fn no_output_makes_a_promise_panic(text in any::<String>(), min in any::<Option<u64>>(), max in any::<Option<u64>>()) {
        let (min, max) = (min.min(max), min.max(max));
        let promises = compile(&[
            Rule::Schema(Json::Bool(true)),
            pattern("a.b", Must::Match),
            lines(min, max.or(Some(u64::MAX)), Some("^.*$"), Some("zz")),
            Rule::Length { min, max: max.or(Some(u64::MAX)) },
        ]);
        let _ = promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole(&text));
    }

    #[test]
    fn no_regex_makes_compilation_panic(regex in any::<String>()) {
        let _ = CompiledPostconditions::compile(&[Postcondition::new("p", pattern(&regex, Must::Match))]);
    }
}
