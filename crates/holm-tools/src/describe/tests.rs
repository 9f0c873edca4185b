//! The examples of the protocol's document, every mode and arity, and what is refused.

use holm_guards::json::Json;
use holm_guards::schema::CompiledSchema;
use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{DescriptionErrorKind, EmptyResultPolicy, MAX_ARGS, MAX_BYTES, ProgramDescription};

/// The tool of the document's example.
const ARTICLE: &str = r#"{"slug": "mytool", "description": "Files an opinion.", "args": [
    {"name": "name", "description": "who", "type": "string", "backing_type": "string", "arity": "single", "mode": "positional"},
    {"name": "env", "description": "where", "type": "string", "backing_type": "string", "arity": "single", "mode": "dashdashspace"},
    {"name": "topic", "description": "what", "type": "string", "backing_type": "string", "arity": "single", "mode": "positional"},
    {"name": "tag", "description": "label", "type": "string", "backing_type": "string", "arity": "single", "mode": "dashdashequal"},
    {"name": "comment", "description": "text", "type": "string", "backing_type": "string", "arity": "single", "mode": "stdin"},
    {"name": "rebuttal", "description": "text", "type": "string", "backing_type": "string", "arity": "optional", "mode": "stdin"}]}"#;

fn program(text: &str) -> ProgramDescription {
    ProgramDescription::parse("tool.sh", text.as_bytes()).expect("a description")
}

fn called(program: &ProgramDescription, arguments: &str) -> Result<(Vec<String>, String), String> {
    let arguments = Json::parse(arguments).expect("JSON");
    let call = program.call(&arguments).map_err(|error| error.to_string())?;
    Ok((call.argv, String::from_utf8(call.stdin).expect("text")))
}

#[test]
fn the_documents_example_is_called_as_the_document_says() {
    let (argv, stdin) = called(
        &program(ARTICLE),
        r#"{"name": "John", "env": "prod", "topic": "Salmons", "tag": "fish", "comment": "good article", "rebuttal": "uninteresting"}"#,
    )
    .expect("a call");
    assert_eq!(argv, ["run", "John", "--env", "prod", "Salmons", "--tag=fish"]);
    assert_eq!(stdin, "good article\n\nuninteresting\n");
}

#[test]
fn words_keep_every_character() {
    let (argv, stdin) = called(
        &program(ARTICLE),
        r#"{"name": "--env=x", "env": "", "topic": "a b'\"$(c)\n", "tag": "é=1", "comment": "\u0000", "rebuttal": null}"#,
    )
    .expect("a call");
    assert_eq!(argv, ["run", "--env=x", "--env", "", "a b'\"$(c)\n", "--tag=é=1"]);
    assert_eq!(stdin, "\0\n");
}

#[test]
fn numbers_and_booleans_are_taken_as_they_were_written() {
    let text = r#"{"slug": "n", "description": "", "args": [
        {"name": "a", "mode": "positional", "type": "number"}, {"name": "b", "mode": "dashdashequal"},
        {"name": "c", "mode": "positional", "backing_type": "array", "arity": "optional"}]}"#;
    let check = |arguments: &str, expect: Result<&[&str], &str>| {
        let found = called(&program(text), arguments).map(|(argv, _)| argv);
        let expect = expect
            .map(|words| words.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map_err(ToString::to_string);
        assert_eq!(found, expect, "{arguments}");
    };
    check(r#"{"a": 1.50, "b": true}"#, Ok(&["run", "1.50", "--b=true"]));
    check(
        r#"{"a": 9007199254740993, "b": false, "c": [1, "x"]}"#,
        Ok(&["run", "9007199254740993", "--b=false", r#"[1,"x"]"#]),
    );
    check(r#"{"a": 1}"#, Err("the argument \"b\" is missing; send it"));
    check(r#"{"a": null, "b": 1}"#, Err("the argument \"a\" is missing; send it"));
    check(r#"{"a": 1, "b": 1, "d": 1}"#, Err("there is no argument \"d\"; leave it out"));
    check(r#"{"a": [1], "b": 1}"#, Err("the argument \"a\" is array; send a string, a number or a boolean"));
    check(
        r#"{"a": 1, "b": "\u0000"}"#,
        Err("the argument \"b\" holds a zero byte, which cannot be passed on a command line; remove it"),
    );
    check("[1]", Err("the arguments are array, not an object; send an object of named values"));
}

#[test]
fn the_schema_admits_what_a_call_admits() {
    let program = program(ARTICLE);
    let schema = CompiledSchema::compile(&program.schema()).expect("a schema");
    let check = |arguments: &str, expect| {
        let arguments = Json::parse(arguments).expect("JSON");
        assert_eq!(schema.is_valid(&arguments), expect, "{}", arguments.canonical());
        assert_eq!(program.call(&arguments).is_ok(), expect, "{}", arguments.canonical());
    };
    check(r#"{"name": "a", "env": "b", "topic": "c", "tag": "d", "comment": "e"}"#, true);
    check(r#"{"name": "a", "env": "b", "topic": "c", "tag": "d"}"#, false);
    check(r#"{"name": "a", "env": "b", "topic": "c", "tag": "d", "comment": "e", "more": "f"}"#, false);
}

#[test]
fn what_an_empty_output_means_and_what_the_output_is_are_read() {
    let check = |extra: &str, empty: EmptyResultPolicy, media: Option<&str>| {
        let program = program(&format!(r#"{{"slug": "s", "description": "d", "args": []{extra}}}"#));
        assert_eq!((&program.empty_result, program.output_media_type.as_deref()), (&empty, media), "{extra}");
    };
    check("", EmptyResultPolicy::DoNothing, None);
    check(r#", "empty-result": null, "output-media-type": null"#, EmptyResultPolicy::DoNothing, None);
    check(r#", "empty-result": {"tag": "DoNothing"}, "later": 1"#, EmptyResultPolicy::DoNothing, None);
    check(
        r#", "empty-result": {"tag": "AddMessage", "contents": "nothing found"}, "output-media-type": "image/png""#,
        EmptyResultPolicy::AddMessage("nothing found".into()),
        Some("image/png"),
    );
}

#[test]
fn a_bad_description_is_refused_with_file_and_field() {
    let arg = |arg: &str| format!(r#"{{"slug": "s", "description": "d", "args": [{arg}]}}"#);
    let check = |text: &str, expect: &str| {
        let error = ProgramDescription::parse("x.sh", text.as_bytes()).expect_err(text);
        assert!(error.to_string().starts_with(&format!("x.sh: {expect}")), "{text}: {error}");
    };
    check(" \n", "printed nothing when asked to describe itself");
    check("usage: x", "the description is not JSON: line 1, column 1");
    check("[]", "the description: expected an object, found array");
    check("{}", "slug: missing; add it");
    check(r#"{"slug": 1}"#, "slug: expected a string, found number");
    check(r#"{"slug": "a b", "description": "d", "args": []}"#, "slug: \"a b\" cannot be a name");
    check(r#"{"slug": "s", "args": []}"#, "description: missing; add it");
    check(r#"{"slug": "s", "description": "d"}"#, "args: missing; add it");
    check(r#"{"slug": "s", "description": "d", "args": {}}"#, "args: expected an array, found object");
    check(r#"{"slug": "s", "slug": "t", "description": "d", "args": []}"#, "the description is not JSON");
    check(&arg("1"), "args[0]: expected an object, found number");
    check(&arg(r#"{"mode": "stdin"}"#), "args[0].name: missing; add it");
    check(&arg(r#"{"name": "a"}"#), "args[0].mode: missing; add it");
    check(&arg(r#"{"name": "a=b", "mode": "dashdashequal"}"#), "args[0].name: \"a=b\" cannot be a name");
    check(&arg(r#"{"name": "-a", "mode": "positional"}"#), "args[0].name: \"-a\" cannot be a name");
    check(
        &arg(r#"{"name": "a", "mode": "stdin", "arity": "many"}"#),
        "args[0].arity: unknown value \"many\"; use single or optional",
    );
    check(
        &arg(r#"{"name": "a", "mode": "stdin"}, {"name": "a", "mode": "stdin"}"#),
        "args[1].name: \"a\" is declared twice",
    );
    check(
        r#"{"slug": "s", "description": "d", "args": [], "empty-result": {"tag": "Retry"}}"#,
        "empty-result.tag: unknown value \"Retry\"",
    );
}

#[test]
fn a_description_is_bounded_and_holds_no_control_characters() {
    let long = format!(r#"{{"slug": "s", "description": "{}", "args": []}}"#, "x".repeat(MAX_BYTES));
    let error = ProgramDescription::parse("x", long.as_bytes()).expect_err("too long");
    assert!(matches!(error.flaw, DescriptionErrorKind::TooLong { .. }));
    let args: Vec<String> =
        (0..=MAX_ARGS).map(|n| format!(r#"{{"name": "a{n}", "mode": "stdin"}}"#)).collect();
    let many = format!(r#"{{"slug": "s", "description": "d", "args": [{}]}}"#, args.join(","));
    assert_eq!(
        ProgramDescription::parse("x", many.as_bytes()).expect_err("too many").flaw,
        DescriptionErrorKind::TooMany { count: MAX_ARGS + 1 }
    );
    let program = program(r#"{"slug": "s", "description": "a\u001b[31m\u202eb", "args": []}"#);
    assert_eq!(program.description, "a[31mb");
    assert_eq!(
        ProgramDescription::parse("x", b"\xff{}").expect_err("no text").flaw,
        DescriptionErrorKind::NotText
    );
}

proptest! {
    #[test]
    fn every_value_reaches_the_program_whole(values in proptest::collection::vec(any::<String>(), 3)) {
        let program = program(r#"{"slug": "s", "description": "d", "args": [
            {"name": "a", "mode": "positional"}, {"name": "b", "mode": "dashdashspace"}, {"name": "c", "mode": "dashdashequal"}]}"#);
        let values: Vec<String> = values.into_iter().map(|value| value.replace('\0', "")).collect();
        let names = ["a", "b", "c"];
        let arguments = Json::object(names.into_iter().zip(values.iter().map(|value| Json::from(value.as_str()))));
        let call = program.call(&arguments).expect("a call");
        prop_assert_eq!(&call.argv, &["run".into(), values[0].clone(), "--b".into(), values[1].clone(), format!("--c={}", values[2])]);
    }
}
