use super::*;

fn skill(args: &str) -> SkillDocument {
    SkillDocument::parse(&format!("---\nname: a\ndescription: b\nargs: [{args}]\noutput: o.json\n---\nx"))
        .unwrap()
}

#[test]
fn arguments_are_an_object_or_values_by_name_and_by_place() {
    let schema = Json::parse(
        r#"{"properties":{"text":{"type":"string"},"count":{"type":"integer"},"deep":{"type":"array"}}}"#,
    )
    .unwrap();
    let check = |arguments: &[&str], expect: &str| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let made = wish(&schema, &skill("text, count"), &arguments).map(|made| made.canonical());
        assert_eq!(made.unwrap_or_else(|error| error.to_string()), expect, "{arguments:?}");
    };
    check(&[r#"{"text":"x"}"#], r#"{"text":"x"}"#);
    check(&["some words", "7"], r#"{"count":7,"text":"some words"}"#);
    check(&["count=7", "12"], r#"{"count":7,"text":"12"}"#);
    check(&["text=a=b", "deep=[1]"], r#"{"deep":[1],"text":"a=b"}"#);
    check(&["a=b"], r#"{"text":"a=b"}"#);
    check(&["x", "many"], r#"{"count":"many","text":"x"}"#);
    check(&[], "{}");
    check(
        &["a", "1", "more"],
        "the skill `a` does not take the argument `more`\n  hint: give each value as one argument, by position or as \
         name=value",
    );
    assert!(
        wish(&schema, &skill("text"), &["{".into()]).unwrap_err().to_string().contains("are not valid JSON")
    );
}

#[test]
fn a_promise_that_cannot_be_checked_is_told() {
    let check = |schema: &str, expect: &str| {
        let error = compiled(&skill("text"), |_| Ok(schema.to_owned())).unwrap_err();
        assert!(error.contains(expect), "{error}");
    };
    check("{", "o.json: ");
    check(r#"{"type":"nonsense"}"#, "output schema: ");
    let plain = SkillDocument::parse("---\nname: a\ndescription: b\n---\nx").unwrap();
    assert!(compiled(&plain, |_| Err("never".into())).unwrap().is_none());
}
