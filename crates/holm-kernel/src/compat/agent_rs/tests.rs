use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use holm_guards::{
    json::Json,
    ruling::{Reason, Ruling, RulingChain},
};

use super::{
    AgentDecision, AgentState, AgentStepError, AgentToolResult, GuardrailResult, HistoryRole,
    apply_skill_result, apply_tool_result, check_skill_reply, check_tool_result, create_agent_state,
    run_agent_step,
};

/// Runs one step and gives the new state and the decision, both as JSON text.
fn step(state: &str, reply: &str) -> (String, String) {
    let input = Json::object([("state_json", Json::from(state)), ("model_output", Json::from(reply))]);
    let output = run_agent_step(&input.canonical()).unwrap();
    // The order of the fields is part of the shape, so the decision is cut out instead of written anew.
    let decision = output.split_once(r#","decision":"#).unwrap().1.strip_suffix('}').unwrap().to_string();
    let output = Json::parse(&output).unwrap();
    (output.get("state_json").and_then(Json::as_str).unwrap().to_string(), decision)
}

#[track_caller]
fn check(reply: &str, decision: &str) {
    assert_eq!(step(&create_agent_state("q"), reply).1, decision, "{reply}");
}

fn history(state: &str) -> Vec<(HistoryRole, String)> {
    let state: AgentState = serde_json::from_str(state).unwrap();
    state.history.into_iter().map(|message| (message.role, message.content)).collect()
}

#[test]
fn a_new_state_holds_the_query() {
    assert_eq!(
        create_agent_state("say \"hi\""),
        r#"{"history":[{"role":"user","content":"say \"hi\""}],"is_complete":false,"final_answer":null}"#
    );
}

#[test]
fn a_tool_call_is_decided_and_noted_as_it_was_written() {
    let reply = " {\"tool\": \"shell\", \"command\": \"ls\"}\n";
    let (state, decision) = step(&create_agent_state("List files"), reply);
    assert_eq!(decision, r#"{"type":"invoke_tool","tool":"shell","params":{"command":"ls"}}"#);
    assert_eq!(history(&state)[1], (HistoryRole::Assistant, reply.to_string()));
    assert_eq!(history(&state).len(), 2);
    assert!(state.ends_with(r#""is_complete":false,"final_answer":null}"#));
}

#[test]
fn a_final_answer_completes_the_state() {
    let (state, decision) = step(&create_agent_state("What is 2+2?"), "  The answer is 4.\n");
    assert_eq!(decision, r#"{"type":"done","answer":"The answer is 4."}"#);
    assert_eq!(history(&state)[1], (HistoryRole::Assistant, "The answer is 4.".to_string()));
    assert!(state.ends_with(r#""is_complete":true,"final_answer":"The answer is 4."}"#));
}

#[test]
fn an_inconclusive_reply_is_not_noted() {
    let before = create_agent_state("q");
    let (after, decision) = step(&before, " Let me look. ");
    assert_eq!(decision, r#"{"type":"inconclusive","output":"Let me look."}"#);
    assert_eq!(after, before);
}

#[test]
fn a_skill_goes_before_a_tool() {
    check(
        r#"{"tool":"shell","skill":"extract","text":"t"}"#,
        r#"{"type":"invoke_skill","skill":"extract","params":{"text":"t","tool":"shell"}}"#,
    );
    check(r#"{"tool":"shell","skill":1}"#, r#"{"type":"invoke_tool","tool":"shell","params":{"skill":1}}"#);
}

#[test]
fn params_are_everything_but_the_name() {
    check(r#"{"tool":"now"}"#, r#"{"type":"invoke_tool","tool":"now","params":{}}"#);
    check(
        r#"{"tool":"f","arguments":{"x":1},"b":[1,2]}"#,
        r#"{"type":"invoke_tool","tool":"f","params":{"arguments":{"x":1},"b":[1,2]}}"#,
    );
}

#[test]
fn only_json_from_end_to_end_is_a_call() {
    for reply in [
        "```json\n{\"tool\":\"ls\"}\n```",
        "Sure: {\"tool\":\"ls\"}",
        r#"{"result": "some data"}"#,
        r#"{"tool": 5}"#,
        r#"[{"tool":"ls"}]"#,
        "",
    ] {
        let answer = Json::from(reply).canonical();
        check(reply, &format!(r#"{{"type":"done","answer":{answer}}}"#));
    }
}

#[test]
fn every_announcement_of_the_list_is_inconclusive() {
    for reply in [
        "I will",
        "I'll go",
        "LET ME",
        "let's",
        "we can",
        "We will",
        "to do this",
        "First, a",
        "step 1",
        "The command",
        "using the",
        "by using",
    ] {
        check(reply, &format!(r#"{{"type":"inconclusive","output":"{reply}"}}"#));
    }
}

#[test]
fn a_reply_of_three_hundred_bytes_is_an_answer() {
    let reply = |bytes: usize| format!("I will {}", "x".repeat(bytes - 7));
    assert!(matches!(AgentDecision::read(&reply(299)), AgentDecision::Inconclusive { .. }));
    assert!(matches!(AgentDecision::read(&reply(300)), AgentDecision::Done { .. }));
}

#[test]
fn json_that_is_no_call_may_still_be_inconclusive() {
    check(r#"{"plan":"let me see"}"#, r#"{"type":"inconclusive","output":"{\"plan\":\"let me see\"}"}"#);
}

#[test]
fn malformed_input_is_named() {
    let message = |input: &str| run_agent_step(input).unwrap_err().to_string();
    assert!(message("nonsense").starts_with("Invalid input JSON: expected "));
    assert!(message("{}").starts_with("Invalid input JSON: missing field `state_json`"));
    assert!(
        message(r#"{"state_json":"{}","model_output":""}"#)
            .starts_with("Invalid state JSON: missing field `history`")
    );
    assert!(matches!(apply_tool_result("", "{}"), Err(AgentStepError::State(_))));
    assert!(matches!(apply_tool_result(&create_agent_state("q"), "{}"), Err(AgentStepError::ToolResult(_))));
    assert!(matches!(
        apply_skill_result(&create_agent_state("q"), "{}"),
        Err(AgentStepError::SkillResult(_))
    ));
    assert!(matches!(check_tool_result("[]"), Err(AgentStepError::ToolResult(_))));
    assert!(matches!(check_skill_reply("[]"), Err(AgentStepError::Input(_))));
}

#[test]
fn unknown_fields_of_a_state_are_ignored() {
    let state = r#"{"history":[{"role":"tool","content":"x","at":1}],"is_complete":true,"more":{}}"#;
    assert_eq!(step(state, "4").1, r#"{"type":"done","answer":"4"}"#);
}

#[test]
fn a_tool_result_is_shown_to_the_model() {
    let state = create_agent_state("Test");
    let shown = |result: &AgentToolResult| {
        let state = apply_tool_result(&state, &serde_json::to_string(result).unwrap()).unwrap();
        assert_eq!(history(&state).len(), 2);
        history(&state)[1].clone()
    };
    assert_eq!(
        shown(&AgentToolResult::success("a\nb")),
        (HistoryRole::Tool, "Tool output:\na\nb".to_string())
    );
    assert_eq!(
        shown(&AgentToolResult::failure("denied")),
        (HistoryRole::Tool, "Tool failed: denied".to_string())
    );
    let silent = AgentToolResult { error: None, ..AgentToolResult::failure("") };
    assert_eq!(shown(&silent).1, "Tool failed: unknown error");
}

#[track_caller]
fn check_guard(result: &AgentToolResult, reason: Option<&str>) {
    let expected = match reason {
        None => GuardrailResult::Accept,
        Some(reason) => GuardrailResult::Reject { reason: reason.to_string() },
    };
    assert_eq!(GuardrailResult::of(result), expected, "{result:?}");
}

#[test]
fn the_plausibility_guard_keeps_its_rules_and_reasons() {
    let metadata = "Tool output contains only metadata (e.g. 'total' line), not actual data";
    for (output, reason) in [
        ("file1.txt\nfile2.txt\n", None),
        ("total 8\n-rw-r--r-- 1 user group 1234 file.txt", None),
        ("", Some("Tool output is empty - no data returned")),
        (" \n ", Some("Tool output is empty - no data returned")),
        ("total 7079928", Some(metadata)),
        ("TOTAL  8 ", Some(metadata)),
        ("7", Some("Tool output lacks substantive content")),
        ("-----", Some("Tool output lacks substantive content")),
        ("日本", None),
    ] {
        check_guard(&AgentToolResult::success(output), reason);
    }
}

#[test]
fn a_failure_passes_as_a_failure() {
    check_guard(&AgentToolResult::failure("boom"), None);
}

#[test]
fn the_guard_speaks_json() {
    let check =
        |output: &str| check_tool_result(&serde_json::to_string(&AgentToolResult::success(output)).unwrap());
    assert_eq!(check("data").unwrap(), r#"{"type":"accept"}"#);
    assert_eq!(check("").unwrap(), r#"{"type":"reject","reason":"Tool output is empty - no data returned"}"#);
}

#[test]
fn a_chain_of_guards_stops_at_the_first_rejection() {
    let guard = |output: &str| match GuardrailResult::of(&AgentToolResult::success(output)) {
        GuardrailResult::Accept => Ruling::Accept,
        GuardrailResult::Reject { reason } => Ruling::Reject(Reason::new("plausibility_guard", reason)),
    };
    let chain = RulingChain::new().then(|| guard("total 123")).then(|| unreachable!("the chain has stopped"));
    assert!(chain.ruling().is_reject());
}

fn skill(params: &str, reply: &str) -> String {
    let params = Json::parse(params).unwrap();
    let input = [("skill", Json::from("extract")), ("params", params), ("model_output", Json::from(reply))];
    check_skill_reply(&Json::object(input).canonical()).unwrap()
}

#[test]
fn a_skill_reply_is_checked_against_its_source() {
    let found = r#"{"text":"Email: hello@agent.rs","target":"EMAIL"}"#;
    assert_eq!(
        skill(found, r#"{"email": ["hello@agent.rs"]}"#),
        r#"{"success":true,"output":{"email":["hello@agent.rs"]},"error":null}"#
    );
    let missing = r#"{"text":"Contact us anytime","target":"email"}"#;
    assert_eq!(
        skill(missing, r#"{"email":"fake@example.com"}"#),
        r#"{"success":false,"output":null,"error":"HallucinationDetected: 'fake@example.com' not found in source text"}"#
    );
}

#[test]
fn every_kind_of_skill_error_is_named() {
    let ok = r#"{"text":"t","target":"email"}"#;
    for (params, reply, kind) in [
        (ok, "not json", "MalformedOutput: "),
        (ok, r#"{"url":"http://example.com"}"#, "SchemaViolation: output missing 'email' field"),
        (r#"{"text":"","target":"email"}"#, "{}", "EmptyInput: "),
        (r#"{"text":"t","target":"phone"}"#, "{}", "InvalidTarget: unknown target 'phone'"),
        (r#"{"target":"email"}"#, "{}", "SchemaViolation: missing 'text' field"),
        (r#"{"text":"t"}"#, "{}", "SchemaViolation: missing 'target' field"),
    ] {
        let result = skill(params, reply);
        assert!(result.contains(&format!(r#""error":"{kind}"#)), "{result}");
    }
    let unknown = check_skill_reply(r#"{"skill":"sing","params":{},"model_output":""}"#).unwrap();
    assert!(unknown.contains("UnknownSkill: 'sing'"));
}

#[test]
fn a_skill_result_is_shown_to_the_model() {
    let shown =
        |result: &str| history(&apply_skill_result(&create_agent_state("q"), result).unwrap())[1].1.clone();
    assert_eq!(shown(r#"{"success":true,"output":{"a":1.0}}"#), "Skill output:\n{\"a\":1.0}");
    assert_eq!(shown(r#"{"success":false,"error":"EmptyInput: x"}"#), "Skill failed: EmptyInput: x");
    assert_eq!(shown(r#"{"success":false}"#), "Skill failed: unknown error");
}
