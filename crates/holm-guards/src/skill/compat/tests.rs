use alloc::format;
use alloc::string::{String, ToString};

use proptest::prelude::*;

use super::{
    EXTRACTION_SKILL, ExtractionTarget, format_skill_result, is_valid_skill, parse_skill_output,
    validate_extraction_output, validate_input,
};
use crate::json::Json;
use crate::ruling::Rules;
use crate::skill::{CompiledSkill, SkillError, extract};

fn verdict(text: &str, target: &str, output: &str) -> Result<(), SkillError> {
    let target = ExtractionTarget::parse(target).unwrap();
    validate_extraction_output(text, &Json::parse(output).unwrap(), target)
}

/// A refusal for the value that is said to be missing in the text.
fn invented(value: &str) -> Result<(), SkillError> {
    Err(SkillError::HallucinationDetected(value.to_string()))
}

#[test]
fn targets_are_named_in_any_case() {
    for (name, expect) in [
        ("email", Some(ExtractionTarget::Email)),
        ("URL", Some(ExtractionTarget::Url)),
        ("Date", Some(ExtractionTarget::Date)),
        ("entity", Some(ExtractionTarget::Entity)),
        ("name", Some(ExtractionTarget::Name)),
        ("phone", None),
        (" email", None),
    ] {
        assert_eq!(ExtractionTarget::parse(name), expect);
    }
}

#[test]
fn an_input_needs_a_text_and_a_target() {
    assert_eq!(validate_input("hello@agent.rs", "email"), Ok(ExtractionTarget::Email));
    assert_eq!(validate_input("", "email"), Err(SkillError::EmptyInput));
    assert_eq!(validate_input("", "phone"), Err(SkillError::EmptyInput));
    assert_eq!(validate_input(" ", "email"), Ok(ExtractionTarget::Email));
    assert_eq!(validate_input("text", "phone"), Err(SkillError::InvalidTarget("phone".into())));
}

#[test]
fn a_reply_must_be_one_object_with_the_targets_member() {
    let parse = |reply| parse_skill_output(reply, ExtractionTarget::Email);
    assert!(parse(r#" {"email": ["test@example.com"]} "#).is_ok());
    assert!(
        matches!(parse("not json"), Err(SkillError::MalformedOutput(detail)) if detail.starts_with("invalid JSON: "))
    );
    assert!(matches!(parse("```json\n{\"email\":[]}\n```"), Err(SkillError::MalformedOutput(_))));
    assert_eq!(parse("[]"), Err(SkillError::MalformedOutput("output must be a JSON object".into())));
    let missing = SkillError::SchemaViolation("output missing 'email' field".into());
    assert_eq!(parse(r#"{"url": "http://example.com"}"#), Err(missing));
}

#[test]
fn an_invented_address_is_refused() {
    assert_eq!(
        verdict("Contact us anytime", "email", r#"{"email":["fake@example.com"]}"#),
        invented("fake@example.com")
    );
    assert_eq!(verdict("Email: hello@agent.rs", "email", r#"{"email":["hello@agent.rs"]}"#), Ok(()));
}

#[test]
fn the_loose_rules_are_as_loose_as_they_were() {
    let accepted = [
        ("hello@x.com", "email", r#"{"email":"ello@X.co"}"#),
        ("text", "email", r#"{"email":""}"#),
        ("text", "email", r#"{"email":[1,null,true]}"#),
        ("text", "email", r#"{"email":{"a":"b"}}"#),
        ("John Smith", "name", r#"{"name":["John Invented"]}"#),
        ("Johnson", "name", r#"{"name":"JOHN"}"#),
        ("Acme grows", "entity", r#"{"entity":{"organizations":["Acme Moon Base"]}}"#),
        ("text", "entity", r#"{"entity":{"people":"nobody","orgs":["none"]}}"#),
        ("text", "entity", r#"{"entity":["nobody"]}"#),
    ];
    for (text, target, output) in accepted {
        assert_eq!(verdict(text, target, output), Ok(()), "{output}");
    }
    let refused = [
        ("January 15, 2024", "date", r#"{"date":"2024-01-15"}"#, "2024-01-15"),
        ("text", "name", r#"{"name":""}"#, ""),
        ("Anna", "name", r#"{"name":["Anna","Bob"]}"#, "Bob"),
        ("Acme", "entity", r#"{"entity":{"people":[],"locations":["Paris"]}}"#, "Paris"),
    ];
    for (text, target, output, value) in refused {
        assert_eq!(verdict(text, target, output), invented(value), "{output}");
    }
    let missing = Err(SkillError::SchemaViolation("output missing 'name' field".into()));
    assert_eq!(verdict("x", "name", "{}"), missing);
}

#[test]
fn the_skill_keeps_its_identity() {
    assert!(is_valid_skill("extract"));
    assert!(!is_valid_skill("unknown"));
    assert_eq!((EXTRACTION_SKILL.name, EXTRACTION_SKILL.version), ("extract", "1.0.0"));
    assert_eq!(EXTRACTION_SKILL.description, "Extract structured information from unstructured text");
}

#[test]
fn errors_read_as_they_did() {
    for (error, text) in [
        (SkillError::EmptyInput, "EmptyInput: the input text is empty"),
        (SkillError::InvalidTarget("phone".into()), "InvalidTarget: unknown target 'phone'"),
        (SkillError::MalformedOutput("x".into()), "MalformedOutput: x"),
        (SkillError::SchemaViolation("x".into()), "SchemaViolation: x"),
        (
            SkillError::HallucinationDetected("x".into()),
            "HallucinationDetected: 'x' not found in source text",
        ),
        (SkillError::UnknownSkill("x".into()), "UnknownSkill: 'x'"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn results_are_shown_as_they_were() {
    let output = Json::parse(r#"{"email": ["a@b.c"]}"#).unwrap();
    assert_eq!(format_skill_result(&Ok(output)), "Skill output:\n{\"email\":[\"a@b.c\"]}");
    let failed = format_skill_result(&Err(SkillError::EmptyInput));
    assert_eq!(failed, "Skill failed: EmptyInput: the input text is empty");
}

#[test]
fn the_compiled_skill_decides_by_the_same_rules() {
    let skill = CompiledSkill::compile(extract()).unwrap().under(Rules::AgentRs);
    let input = |text: &str, target: &str| {
        skill.check_input(&Json::object([("text", Json::from(text)), ("target", Json::from(target))]))
    };
    let loose = input("hello@x.com", "EMAIL").unwrap();
    assert!(skill.check_output(&loose, r#"{"email":"ello@x.com","more":1}"#).is_ok());
    assert!(matches!(skill.check_output(&loose, r#"So: {"email":[]}"#), Err(SkillError::MalformedOutput(_))));
    assert!(input(" ", "email").is_ok());
    assert_eq!(input("x", " phone").unwrap_err(), SkillError::InvalidTarget(" phone".into()));
    let missing = |name: &str| Err(SkillError::SchemaViolation(format!("missing '{name}' field")));
    assert_eq!(skill.check_input(&Json::parse(r#"{"target":"email"}"#).unwrap()), missing("text"));
    assert_eq!(skill.check_input(&Json::parse(r#"{"text":""}"#).unwrap()), missing("target"));
}

proptest! {
    #[test]
    fn no_reply_makes_the_loose_rules_panic(text in any::<String>(), reply in any::<String>()) {
        for target in ExtractionTarget::ALL {
            let _ = parse_skill_output(&reply, target);
            let output = Json::object([(target.as_str(), Json::from(reply.as_str()))]);
            let _ = validate_extraction_output(&text, &output, target);
        }
    }
}
