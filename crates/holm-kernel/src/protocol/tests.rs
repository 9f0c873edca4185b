use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_guards::json::Json;
use proptest::prelude::*;

use super::{
    ParsedReply, instructions, name_key, provider_name, provider_names, provider_names_beside, read_text,
    resolve_alias, unique_id, unsupported_argument,
};
use crate::{Alias, ArgumentDialect, Offer, ProtocolPolicy, ToolKind, ToolSpec};

/// A reading in one line: `tool name arguments`, `skill name arguments`, `answer text` or `inconclusive text`.
fn read(text: &str) -> String {
    match read_text(text, &ProtocolPolicy::default()) {
        ParsedReply::Tool { name, arguments } => format!("tool {name} {arguments}"),
        ParsedReply::Skill { name, arguments } => format!("skill {name} {arguments}"),
        ParsedReply::Answer(text) => format!("answer {text}"),
        ParsedReply::Inconclusive(text) => format!("inconclusive {text}"),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(read(text), expected, "{text}");
}

#[test]
fn a_bare_object_is_a_call() {
    check(r#"{"tool": "shell", "command": "ls -la"}"#, r#"tool shell {"command":"ls -la"}"#);
    check(
        r#"{"skill":"extract","text":"t","target":"email"}"#,
        r#"skill extract {"target":"email","text":"t"}"#,
    );
    check(r#"{"tool":"now"}"#, "tool now {}");
}

#[test]
fn skill_goes_before_tool() {
    check(r#"{"tool":"shell","skill":"extract","text":"t"}"#, r#"skill extract {"text":"t","tool":"shell"}"#);
    check(r#"{"tool":"shell","skill":7}"#, r#"tool shell {"skill":7}"#);
}

#[test]
fn fences_and_prose_around_a_call_do_not_matter() {
    let expected = r#"tool shell {"command":"ls"}"#;
    check("```json\n{\"tool\":\"shell\",\"command\":\"ls\"}\n```", expected);
    check("I will list the files:\n{\"tool\":\"shell\",\"command\":\"ls\"} and then look.", expected);
    check(
        "In Rust `fn f() { x }` and {\"a\":1} are {not} calls. {\"tool\":\"shell\",\"command\":\"ls\"}",
        expected,
    );
    check(r#"[{"tool":"shell","command":"ls"}]"#, expected);
}

#[test]
fn the_first_of_several_calls_is_read() {
    check(r#"{"tool":"a"} {"tool":"b"} {"skill":"c"}"#, "tool a {}");
}

#[test]
fn arguments_may_be_wrapped() {
    let expected = r#"tool f {"x":1}"#;
    for wrapper in ["arguments", "params", "args", "parameters"] {
        check(&format!(r#"{{"tool":"f","{wrapper}":{{"x":1}}}}"#), expected);
    }
    check(r#"{"tool":"f","arguments":"{\"x\": 1}"}"#, expected);
}

#[test]
fn a_wrapper_beside_other_arguments_is_an_argument() {
    check(r#"{"tool":"f","args":{"x":1},"y":2}"#, r#"tool f {"args":{"x":1},"y":2}"#);
    check(r#"{"tool":"f","args":["-l"]}"#, r#"tool f {"args":["-l"]}"#);
    check(r#"{"tool":"f","args":"-l"}"#, r#"tool f {"args":"-l"}"#);
}

#[test]
fn numbers_keep_their_text() {
    check(r#"{"tool":"f","x":1.50,"y":1e400}"#, r#"tool f {"x":1.50,"y":1e400}"#);
}

#[test]
fn other_json_is_an_answer() {
    check(r#"{"result": "some data"}"#, r#"answer {"result": "some data"}"#);
    check(r#"{"tool": 5}"#, r#"answer {"tool": 5}"#);
    check(r#"{"tool": " "}"#, r#"answer {"tool": " "}"#);
    check(r#"{"stock":[{"tool":"hammer"}]}"#, r#"answer {"stock":[{"tool":"hammer"}]}"#);
}

#[test]
fn plain_text_is_an_answer() {
    check("  The answer is 4.\n", "answer The answer is 4.");
    check("7", "answer 7");
    check(
        "It is in the first, using the map. Let me know if that helps!",
        "answer It is in the first, using the map. Let me know if that helps!",
    );
}

#[test]
fn nothing_is_inconclusive() {
    check("", "inconclusive ");
    check(" \n\t", "inconclusive ");
    check("<think>hm</think>", "inconclusive ");
}

#[test]
fn an_announcement_without_the_action_is_inconclusive() {
    check("I’ll look at the files.", "inconclusive I’ll look at the files.");
    check("LET ME check", "inconclusive LET ME check");
    let long = format!("I will explain. {}", "word ".repeat(80));
    check(&long, &format!("answer {}", long.trim()));
}

#[test]
fn a_phrase_counts_only_as_whole_words() {
    check("The toilet mess was cleaned.", "answer The toilet mess was cleaned.");
    check("Hawaii will vote.", "answer Hawaii will vote.");
}

#[test]
fn the_phrases_are_the_policys() {
    let mut policy = ProtocolPolicy::default();
    policy.inconclusive.phrases = Vec::from([String::from("first,"), String::new()]);
    assert_eq!(read_text("I will", &policy), ParsedReply::Answer("I will".into()));
    assert_eq!(read_text("First, a", &policy), ParsedReply::Inconclusive("First, a".into()));
    policy.inconclusive.shorter_than = 0;
    assert_eq!(read_text("First, a", &policy), ParsedReply::Answer("First, a".into()));
}

#[test]
fn a_call_that_is_not_valid_json_is_inconclusive() {
    for text in [r#"{"tool":"f","x":"#, r#"{ "skill" : "f",}"#, "ok {\"tool\":\"f\",\"x\":\"a\nb\"}"] {
        check(text, &format!("inconclusive {text}"));
    }
    check("use {tool: x} or {\"toolbox\": ...}", "answer use {tool: x} or {\"toolbox\": ...}");
}

#[test]
fn thinking_is_cut_before_reading() {
    check("<think>{\"tool\":\"rm\"}</think>The answer is 4.", "answer The answer is 4.");
    check("<THINKING>a</thinking> b <reflection>c</reflection>", "answer b");
    check("done <reasoning>never closed {\"tool\":\"rm\"}", "answer done");
    check("<thought>a</think>b</thought>c", "answer c");
    check("{\"tool\":\"rm\" was a thought</think>{\"tool\":\"ls\"}", "tool ls {}");
}

#[test]
fn a_tag_inside_an_argument_is_left_alone() {
    check(r#"{"tool":"write","text":"<think> a </think>"}"#, r#"tool write {"text":"<think> a </think>"}"#);
}

#[test]
fn a_tag_that_is_only_spoken_of_is_left_alone() {
    check("Write `<think>` and `</think>` around it.", "answer Write `<think>` and `</think>` around it.");
    check("a <thinker> b <b>c</b>", "answer a <thinker> b <b>c</b>");
}

#[test]
fn hostile_text_takes_linear_time() {
    let deep = r#"{"a":"#.repeat(20_000);
    let wide = format!("{}{}", r#"{"a":["#.repeat(100), "{},".repeat(20_000));
    for text in ["{".repeat(100_000), "{\"".repeat(50_000), "{ ".repeat(50_000), deep, wide] {
        assert!(matches!(read_text(&text, &ProtocolPolicy::default()), ParsedReply::Answer(_)));
    }
    for piece in ["<think>", "</think>", "<think>a</", "</", "{\"tool\":"] {
        read(&piece.repeat(100_000 / piece.len()));
    }
}

fn alias(name: &str, tool: &str, arguments: &[(&str, &str)]) -> Alias {
    let arguments: BTreeMap<String, String> =
        arguments.iter().map(|(written, meant)| (written.to_string(), meant.to_string())).collect();
    Alias { name: name.into(), tool: tool.into(), arguments, values: BTreeMap::new() }
}

#[track_caller]
fn check_alias(name: &str, arguments: &str, expected: (&str, &str)) {
    let aliases = [alias("bash", "shell", &[("cmd", "command"), ("dir", "cwd")]), alias("ls", "list", &[])];
    let (tool, arguments) = resolve_alias(&aliases, name.into(), arguments.into(), |_| None);
    assert_eq!((tool.as_str(), arguments.as_str()), expected);
}

#[test]
fn what_is_there_under_its_own_name_is_no_alias() {
    let names = [("old_string", "old"), ("edits.old_string", "old"), ("mine", "path")];
    let aliases = [alias("Edit", "edit", &names), alias("edit", "edit", &names)];
    let edit = Json::parse(r#"{"properties":{"old":{},"edits":{},"mine":{}}}"#).unwrap();
    let check = |tools: &[&str], name: &str, arguments: &str, expected: (&str, &str)| {
        let schema = |tool: &str| tools.contains(&tool).then_some(&edit);
        let (tool, arguments) = resolve_alias(&aliases, name.into(), arguments.into(), schema);
        assert_eq!((tool.as_str(), arguments.as_str()), expected);
    };
    let written = r#"{"old_string":"a"}"#;
    check(&["edit"], "Edit", written, ("edit", r#"{"old":"a"}"#));
    check(&["edit", "Edit"], "Edit", written, ("Edit", written));
    check(&["edit"], "edit", written, ("edit", r#"{"old":"a"}"#));
    let list = r#"{"edits":[{"old_string":"a"},{"old":"b"},1]}"#;
    check(&["edit"], "edit", list, ("edit", r#"{"edits":[{"old":"a"},{"old":"b"},1]}"#));
    check(&["edit"], "edit", r#"{"mine" : 1}"#, ("edit", r#"{"mine" : 1}"#));
    check(&["edit"], "edit", r#"{"old" : "old_string"}"#, ("edit", r#"{"old" : "old_string"}"#));
}

#[test]
fn an_alias_translates_tool_and_arguments() {
    check_alias("bash", r#"{"cmd":"ls","dir":"/","x":1}"#, ("shell", r#"{"command":"ls","cwd":"/","x":1}"#));
    check_alias("ls", r#"{"cmd" : 1}"#, ("list", r#"{"cmd" : 1}"#));
}

#[test]
fn a_call_without_alias_is_left_alone() {
    check_alias("shell", r#"{"cmd":"ls"}"#, ("shell", r#"{"cmd":"ls"}"#));
}

#[test]
fn an_argument_under_its_right_name_wins() {
    check_alias("bash", r#"{"cmd":"a","command":"b"}"#, ("shell", r#"{"cmd":"a","command":"b"}"#));
}

#[test]
fn malformed_arguments_are_left_for_validation() {
    check_alias("bash", r#"{"cmd":"#, ("shell", r#"{"cmd":"#));
    check_alias("bash", "[1]", ("shell", "[1]"));
}

fn with_values() -> [Alias; 1] {
    let names = [
        ("cmd", "script"),
        ("ms", "seconds"),
        ("-A", "near"),
        ("-B", "near"),
        ("-C", "near"),
        ("plan", "items"),
    ];
    let inner = [("kind", "glob"), ("items.step", "text"), ("items.status", "state")];
    let names: Vec<(&str, &str)> = names.into_iter().chain(inner).collect();
    let words = |words: &[(&str, &str)]| {
        let words = words.iter().map(|(one, other)| (one.to_string(), other.to_string()));
        ArgumentDialect::Words(words.collect())
    };
    let values = [
        ("cmd", ArgumentDialect::Argv),
        ("ms", ArgumentDialect::MillisecondsFrom(1000)),
        ("about", ArgumentDialect::Ignored),
        ("later", ArgumentDialect::Unsupported("not later".into())),
        ("-A", ArgumentDialect::Largest),
        ("-B", ArgumentDialect::Largest),
        ("-C", ArgumentDialect::Largest),
        ("kind", words(&[("py", "*.py")])),
        ("items.status", words(&[("done", "over")])),
    ];
    let values = values.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    [Alias { values, ..alias("shell", "shell", &names) }]
}

#[track_caller]
fn check_value(arguments: &str, expected: &str) {
    let (_, found) = resolve_alias(&with_values(), "shell".into(), arguments.into(), |_| None);
    assert_eq!(found, expected);
}

#[test]
fn a_list_of_words_becomes_a_script_that_runs_the_same_command() {
    check_value(r#"{"cmd":["bash","-lc","ls | wc"]}"#, r#"{"script":"ls | wc"}"#);
    check_value(r#"{"cmd":["/bin/sh","-c","a; b"]}"#, r#"{"script":"a; b"}"#);
    check_value(
        r#"{"cmd":["grep","a b","it's","$HOME","","x.rs"]}"#,
        r#"{"script":"grep 'a b' 'it'\\''s' '$HOME' '' x.rs"}"#,
    );
    check_value(r#"{"cmd":["bash","-lc","ls","more"]}"#, r#"{"script":"bash -lc ls more"}"#);
    check_value(r#"{"cmd":"ls"}"#, r#"{"script":"ls"}"#);
    check_value(r#"{"cmd":["a",1]}"#, r#"{"cmd":["a",1]}"#);
    check_value(r#"{"cmd":[]}"#, r#"{"cmd":[]}"#);
}

#[test]
fn milliseconds_become_whole_seconds_and_seconds_stay() {
    check_value(r#"{"ms":5000}"#, r#"{"seconds":5}"#);
    check_value(r#"{"ms":"5000"}"#, r#"{"seconds":5}"#);
    check_value(r#"{"ms":1001}"#, r#"{"seconds":2}"#);
    check_value(r#"{"ms":999}"#, r#"{"seconds":999}"#);
    check_value(r#"{"seconds" : 5000}"#, r#"{"seconds" : 5000}"#);
}

#[test]
fn an_argument_without_effect_is_removed_and_an_unsupported_one_is_answered() {
    check_value(r#"{"about":"x","later":false,"script":"ls"}"#, r#"{"script":"ls"}"#);
    let left = r#"{"later":true}"#;
    check_value(left, left);
    let why = |tool: &str, arguments: &str| {
        unsupported_argument(&with_values(), tool, arguments).map(ToString::to_string)
    };
    assert_eq!(why("shell", left).as_deref(), Some("not later"));
    assert_eq!(why("other", left), None);
    assert_eq!(why("shell", r#"{"more":true}"#), None);
}

#[test]
fn of_several_numbers_the_largest_counts() {
    check_value(r#"{"-A":2,"-B":5,"-C":3}"#, r#"{"near":5}"#);
    check_value(r#"{"-A":2,"near":7}"#, r#"{"near":7}"#);
}

#[test]
fn a_word_that_no_dialect_has_is_left_for_validation() {
    check_value(r#"{"kind":"py"}"#, r#"{"glob":"*.py"}"#);
    check_value(r#"{"kind":"zig"}"#, r#"{"kind":"zig"}"#);
    check_value(
        r#"{"plan":[{"step":"a","status":"done"},{"step":"b","status":"lost"}]}"#,
        r#"{"items":[{"state":"over","text":"a"},{"status":"lost","text":"b"}]}"#,
    );
}

#[test]
fn a_missing_id_is_made_from_the_calls_number() {
    assert_eq!(unique_id(|_| false, 7), "call_7");
    assert_eq!(unique_id(|id| ["call_7", "call_7_2"].contains(&id), 7), "call_7_3");
}

#[test]
fn names_are_made_acceptable_to_providers() {
    for (name, expected) in [
        ("shell", "shell"),
        ("mcp__a__b-c", "mcp__a__b-c"),
        ("_private", "_private"),
        ("a.b/c", "a_b_c"),
        ("a  b", "a_b"),
        ("-x", "t-x"),
        ("9", "t9"),
        ("日本", "tool"),
        ("", "tool"),
        ("grüße", "gr_e"),
    ] {
        assert_eq!(provider_name(name), expected, "{name:?}");
    }
    assert_eq!(provider_name(&"x".repeat(100)).len(), 64);
}

#[test]
fn colliding_names_are_numbered_in_order() {
    assert_eq!(provider_names(["a.b", "a/b", "a b"]), ["a_b", "a_b_2", "a_b_3"]);
    assert_eq!(provider_names(["a", "a"]), ["a", "a_2"]);
    assert_eq!(provider_names(["日", "月", "tool"]), ["tool_2", "tool_3", "tool"]);
    let long = "x".repeat(70);
    let names = provider_names([long.as_str(), long.as_str()]);
    assert_eq!((names[1].len(), names[1].ends_with("x_2")), (64, true));
}

#[test]
fn names_that_differ_in_case_alone_are_one_name() {
    assert_eq!(provider_names(["read", "READ", "Read"]), ["read", "READ_2", "Read_3"]);
    assert_eq!(provider_names(["READ", "read"]), ["READ", "read_2"], "whoever comes first keeps it");
    assert_eq!(provider_names(["read", "READ_2", "Read"]), ["read", "READ_2", "Read_3"]);
    assert_eq!(provider_names(["a B", "A_b"]), ["a_B_2", "A_b"]);
}

#[test]
fn a_name_that_is_somebody_elses_is_given_to_nobody() {
    let made = provider_names_beside(&["children"], ["children", "Children", "chil dren", "children_2"]);
    assert_eq!(made, ["children_3", "Children_4", "chil_dren", "children_2"]);
    for own in crate::OWN_NAMES {
        let mark = own.replace('_', ".");
        for wanted in [String::from(*own), own.to_uppercase(), mark] {
            let made = provider_names_beside(crate::OWN_NAMES, [wanted.as_str()]);
            assert_ne!(name_key(&made[0]), *own, "{wanted}");
        }
    }
}

fn offer(tools: impl IntoIterator<Item = ToolSpec>) -> Offer {
    Offer { epoch: 0, tools: tools.into_iter().map(Arc::new).collect() }
}

fn tool(name: &str, kind: ToolKind) -> ToolSpec {
    let schema = Json::parse(r#"{"type": "object"}"#).unwrap();
    ToolSpec { kind, ..ToolSpec::new(name, "Does it.", schema) }
}

#[test]
fn without_tools_the_system_prompt_stands_alone() {
    assert_eq!(instructions("Be brief.", &offer([])), "Be brief.");
}

#[test]
fn the_instructions_name_every_tool_with_its_schema() {
    let text = instructions("Be brief.", &offer([tool("shell", ToolKind::Host)]));
    assert!(text.starts_with("Be brief.\n\nTo use a tool,"));
    assert!(text.ends_with("\ntool shell: Does it.\narguments: {\"type\":\"object\"}\n"));
    assert!(!text.contains("skill"));
    let text = instructions(
        "",
        &offer([tool(
            "extract",
            ToolKind::Skill { contract: alloc::boxed::Box::new(holm_guards::skill::extract()) },
        )]),
    );
    assert!(text.starts_with("To use a tool,") && text.contains("\nskill extract: Does it."));
}

proptest! {
    #[test]
    fn any_text_is_read(text in r#"([{}\[\]":,</> a]|tool|skill|think|\\|\n){0,80}"#) {
        read(&text);
    }

    #[test]
    fn a_call_is_found_in_any_prose(before in r#"[a-z .,!?\n({\[]{0,40}"#, after in ".{0,40}", value in ".{0,20}") {
        let call = Json::object([("tool", Json::from("f")), ("x", Json::from(value.as_str()))]);
        let expected = Json::object([("x", Json::from(value.as_str()))]).canonical();
        let reading = read_text(&format!("{before}{call}{after}"), &ProtocolPolicy::default());
        prop_assert_eq!(reading, ParsedReply::Tool { name: "f".into(), arguments: expected });
    }

    #[test]
    fn names_in_a_list_are_acceptable_and_different(names in prop::collection::vec("[a-c. ]{0,3}|.{0,70}|[a-b_2]{1,4}", 0..40)) {
        let made = provider_names(names.iter().map(String::as_str));
        prop_assert_eq!(made.len(), names.len());
        prop_assert_eq!(made.iter().map(|name| name.to_ascii_lowercase()).collect::<BTreeSet<_>>().len(), made.len());
        for (name, made) in names.iter().zip(&made) {
            prop_assert!(!made.is_empty() && made.len() <= 64);
            prop_assert!(made.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'));
            prop_assert!(made.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{} -> {}", name, made);
        }
    }
}
