use std::sync::Arc;

use holm_guards::schema::CompiledSchema;
use holm_kernel::ToolSpec;

use super::{ReplyGrammar, admits, json};
use crate::grammar::{OPENING, ParsedCall, begun, parse_call, spelled};

fn tool(name: &str, schema: &str) -> Arc<ToolSpec> {
    Arc::new(ToolSpec::new(name, "Does it.", json(schema)))
}

fn tools() -> Vec<Arc<ToolSpec>> {
    vec![
        tool("list", "{}"),
        tool(
            "read",
            r#"{"type":"object","properties":{"path":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":200}},"required":["path"]}"#,
        ),
        tool("set", r#"{"properties":{"state":{"enum":["on","off"]}},"required":["state"]}"#),
    ]
}

fn check(reply: &str, expect: bool) {
    assert_eq!(admits(&ReplyGrammar::reply(&tools()), reply), expect, "{reply}");
}

#[test]
fn calls_that_validate_are_admitted() {
    check(r#"{"tool": "list"}"#, true);
    check(r#"{"tool": "read", "path": "a.txt"}"#, true);
    check(r#"{"tool": "read", "limit": 20, "path": "docs/plan.md"}"#, true);
    check(r#"{"tool": "read", "path": "a \"quoted\" name\n"}"#, true);
    check(r#"{"tool": "set", "state": "on"}"#, true);
}

#[test]
fn calls_that_do_not_validate_cannot_be_written() {
    for reply in [
        r#"{"tool": "remove"}"#,
        r#"{"tool": "read"}"#,
        r#"{"tool": "read", "path": ""}"#,
        r#"{"tool": "read", "path": 3}"#,
        r#"{"tool": "read", "limit": 0, "path": "a"}"#,
        r#"{"tool": "read", "limit": 201, "path": "a"}"#,
        r#"{"tool": "read", "path": "a", "mode": "x"}"#,
        r#"{"tool": "set", "state": "maybe"}"#,
        r#"{"tool": "list"} and more"#,
        r#"{"path": "a", "tool": "read"}"#,
        "{",
        "",
    ] {
        check(reply, false);
    }
}

#[test]
fn words_are_admitted_unless_they_begin_like_a_call() {
    check("None of my tools can do that.", true);
    check("Two lines\nwith {braces} inside.", true);
    check("{\"answer\": 4}", false);
    check(" {\"tool\": \"list\"}", false);
    assert!(!admits(&ReplyGrammar::call(&tools()), "None of my tools can do that."));
    assert!(admits(&ReplyGrammar::call(&tools()), r#"{"tool": "list"}"#));
}

#[test]
fn arguments_that_cannot_stand_beside_the_name_have_a_member_of_their_own() {
    let clash = vec![tool("pick", r#"{"properties":{"tool":{"type":"string"}},"required":["tool"]}"#)];
    let reply = r#"{"tool": "pick", "arguments": {"tool": "hammer"}}"#;
    assert!(admits(&ReplyGrammar::reply(&clash), reply));
    let call = ParsedCall { name: "pick".into(), arguments: r#"{"tool":"hammer"}"#.into() };
    assert_eq!(parse_call(reply, &clash), Some(call));
    let choice = vec![tool(
        "say",
        r#"{"anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"null"}},"required":["b"]}]}"#,
    )];
    assert!(admits(&ReplyGrammar::reply(&choice), r#"{"tool": "say", "arguments": {"a": 1}}"#));
    assert!(!admits(&ReplyGrammar::reply(&choice), r#"{"tool": "say", "arguments": {"c": 1}}"#));
}

#[test]
fn a_reply_is_read_as_the_call_that_it_is() {
    let check = |reply: &str, expect: Option<(&str, &str)>| {
        let call = parse_call(reply, &tools()).map(|call| (call.name, call.arguments));
        assert_eq!(call, expect.map(|(name, arguments)| (name.into(), arguments.into())), "{reply}");
    };
    check(r#"{"tool": "read", "path": "a", "limit": 2}"#, Some(("read", r#"{"limit":2,"path":"a"}"#)));
    check("{\"tool\": \"list\"}\n", Some(("list", "{}")));
    check(r#"{"tool": 3}"#, None);
    check("[1]", None);
    check("plain words", None);
}

#[test]
fn references_lead_to_their_definitions() {
    let schema = r##"{"properties":{"at":{"$ref":"#/$defs/point"}},"required":["at"],"$defs":{"point":{"properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false}}}"##;
    let tools = vec![tool("go", schema)];
    assert!(admits(&ReplyGrammar::reply(&tools), r#"{"tool": "go", "at": {"x": 3}}"#));
    assert!(!admits(&ReplyGrammar::reply(&tools), r#"{"tool": "go", "at": {"x": "3"}}"#));
}

#[test]
fn keywords_outside_the_list_are_left_to_the_validator() {
    let schema = r#"{"properties":{"day":{"type":"string","pattern":"^[0-9]{4}$"},"even":{"type":"integer","multipleOf":2}},"required":["day"],"minProperties":1,"if":{"required":["even"]},"then":{"required":["day"]}}"#;
    let tools = vec![tool("plan", schema)];
    assert!(admits(&ReplyGrammar::reply(&tools), r#"{"tool": "plan", "day": "2026", "even": 2}"#));
    let wrong = r#"{"tool": "plan", "day": "soon", "even": 3}"#;
    assert!(admits(&ReplyGrammar::reply(&tools), wrong), "the grammar does not know these words");
    let call = parse_call(wrong, &tools).unwrap();
    assert!(
        !CompiledSchema::compile(&json(schema)).unwrap().is_valid(&json(&call.arguments)),
        "the validator does"
    );
}

#[test]
fn structured_output_is_a_value_of_its_schema() {
    let grammar = ReplyGrammar::value(&json(
        r#"{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":2}"#,
    ));
    for (reply, expect) in [
        ("[true]", true),
        ("[true, false]", true),
        ("[]", false),
        ("[true, true, true]", false),
        ("{}", false),
    ] {
        assert_eq!(admits(&grammar, reply), expect, "{reply}");
    }
}

#[test]
fn a_schema_that_nothing_fits_leaves_a_grammar_that_works() {
    let tools = vec![tool("never", r#"{"properties":{"a":false},"required":["a"]}"#)];
    let grammar = ReplyGrammar::reply(&tools);
    let strict = super::factory()
        .create_parser(llguidance::api::TopLevelGrammar::from_lark(grammar.as_str().to_owned()));
    assert!(strict.is_err(), "llguidance finds that nothing fits");
    super::matcher(grammar.loose());
}

#[test]
fn copied_values_stand_in_the_source() {
    let schema = json(
        r#"{"type":"object","required":["email"],"properties":{"email":{"type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1}}},"additionalProperties":false}"#,
    );
    let source = "Write to hello@agent.example or \"Ann\" <ann@b.example>,\nsoon.";
    let grammar = ReplyGrammar::grounded(&schema, &[source]);
    for (reply, expect) in [
        (r#"{"email": ["hello@agent.example", "ann@b.example"]}"#, true),
        (r#"{"email": "hello@agent.example"}"#, true),
        (r#"{"email": []}"#, true),
        (r#"{"email": ["\"Ann\" <ann@b.example>,\nsoon"]}"#, true),
        (r#"{"email": ["contact@example.com"]}"#, false),
        (r#"{"email": ["ello@agent.example"]}"#, false),
        (r#"{"email": [""]}"#, false),
        (r#"{"email": [" "]}"#, false),
        (r#"{"mail": []}"#, false),
        (r"{}", false),
    ] {
        assert_eq!(admits(&grammar, reply), expect, "{reply}");
    }
}

#[test]
fn members_that_are_not_required_may_be_left_out_of_a_copy() {
    let list = r#"{"type":"array","items":{"type":"string"}}"#;
    let schema = json(&format!(r#"{{"properties":{{"a":{list},"b":{list},"c":{list}}},"required":["b"]}}"#));
    let grammar = ReplyGrammar::grounded(&schema, &["x y", "z"]);
    for (reply, expect) in [
        (r#"{"b": []}"#, true),
        (r#"{"a": ["x y"], "b": ["z"], "c": ["y"]}"#, true),
        (r#"{"b": [], "c": ["z"]}"#, true),
        (r#"{"a": []}"#, false),
        (r#"{"c": [], "b": []}"#, false),
        (r#"{"b": ["y z"]}"#, false),
    ] {
        assert_eq!(admits(&grammar, reply), expect, "{reply}");
    }
}

#[test]
fn copies_can_be_chosen_from_a_list_and_counted() {
    let schema = json(
        r#"{"properties":{"email":{"type":"array","items":{"enum":["a@b.example","c@d.example"]},"minItems":1,"maxItems":2}},"required":["email"]}"#,
    );
    let grammar = ReplyGrammar::grounded(&schema, &["a@b.example and c@d.example and other words"]);
    for (reply, expect) in [
        (r#"{"email": ["c@d.example"]}"#, true),
        (r#"{"email": ["a@b.example", "c@d.example"]}"#, true),
        (r#"{"email": ["a@b.example", "c@d.example", "a@b.example"]}"#, false),
        (r#"{"email": ["words"]}"#, false),
        (r#"{"email": []}"#, false),
    ] {
        assert_eq!(admits(&grammar, reply), expect, "{reply}");
    }
    let nothing = json(r#"{"properties":{"email":{"type":"array","maxItems":0}},"required":["email"]}"#);
    assert!(admits(&ReplyGrammar::grounded(&nothing, &["x"]), r#"{"email": []}"#));
    assert!(!admits(&ReplyGrammar::grounded(&nothing, &["x"]), r#"{"email": ["x"]}"#));
}

#[test]
fn different_values_of_an_enum_come_in_their_order_and_each_once() {
    let grammar = |bounds: &str| {
        let schema =
            format!(r#"{{"type":"array","uniqueItems":true,"items":{{"enum":["a","b","c"]}}{bounds}}}"#);
        ReplyGrammar::grounded(&json(&schema), &["a b c"])
    };
    let check = |bounds: &str, reply: &str, expect: bool| {
        assert_eq!(admits(&grammar(bounds), reply), expect, "{bounds} {reply}");
    };
    for reply in ["[]", r#"["a"]"#, r#"["c"]"#, r#"["a", "c"]"#, r#"["a", "b", "c"]"#] {
        check("", reply, true);
    }
    for reply in [r#"["a", "a"]"#, r#"["b", "a"]"#, r#"["a", "b", "c", "a"]"#, r#"["d"]"#, r#"["a", ]"#] {
        check("", reply, false);
    }
    check(r#","minItems":3,"maxItems":3"#, r#"["a", "b", "c"]"#, true);
    check(r#","minItems":3,"maxItems":3"#, r#"["a", "b"]"#, false);
    check(r#","minItems":3,"maxItems":3"#, r#"["a", "a", "a"]"#, false);
}

#[test]
fn a_call_is_known_by_its_beginning() {
    let tools = [tool("read", "{}"), tool("read_all", "{}"), tool("a\"b", "{}")];
    for (reply, expect) in [
        (r#"{"tool": "read"}"#, Some(0)),
        (r#"{"tool": "read", "path": "a"#, Some(0)),
        (r#"{"tool": "read_all", "#, Some(1)),
        (r#"{"tool": "a\"b"}"#, Some(2)),
        (r#"{"tool": "rea"#, None),
        (r#"{"tool": "read_all_of"}"#, None),
        ("read", None),
        ("", None),
    ] {
        assert_eq!(begun(reply, &tools), expect, "{reply}");
    }
}

#[test]
fn the_grammar_opens_every_call_as_names_are_weighed() {
    let tools = [tool("read", "{}"), tool("a\"b", "{}")];
    for tool in &tools {
        let reply = format!("{OPENING}{}\"}}", spelled(&tool.name));
        assert!(admits(&ReplyGrammar::call(&tools), &reply), "{reply}");
    }
}
