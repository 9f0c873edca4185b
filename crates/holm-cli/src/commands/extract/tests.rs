use super::*;

fn input(text: &str, target: &str) -> (CompiledSkill, CheckedSkillInput) {
    let skill = CompiledSkill::compile(extract()).unwrap();
    let wish = Json::object([("text", Json::from(text)), ("target", Json::from(target))]);
    let input = skill.check_input(&wish).unwrap();
    (skill, input)
}

#[test]
fn what_has_the_form_in_the_text_is_all_that_can_be_answered() {
    let check = |text: &str, target: &str, format: SkillFormat, expect: &[&str]| {
        assert_eq!(candidates(&input(text, target).1, format), expect, "{text}");
    };
    check(
        "Write to Ann <ann@b.example>, or bob@c.example.",
        "email",
        SkillFormat::Email,
        &["ann@b.example", "bob@c.example"],
    );
    check("ann@b.example (ann@b.example)", "email", SkillFormat::Email, &["ann@b.example"]);
    check("Nobody can be reached at @ or a@b", "email", SkillFormat::Email, &[]);
    check("See https://holm.example/docs.", "url", SkillFormat::Url, &["https://holm.example/docs"]);
}

#[test]
fn the_shape_holds_the_candidates() {
    let (skill, wish) = input("Write to ann@b.example.", "email");
    let expect = r#"{"properties":{"email":{"items":{"enum":["ann@b.example"]},"maxItems":1,"minItems":1,"type":"array","uniqueItems":true}},"required":["email"],"type":"object"}"#;
    assert_eq!(shape(&skill, &wish).unwrap().canonical(), expect);
    let (skill, wish) = input("Write to nobody.", "email");
    let expect = r#"{"properties":{"email":{"maxItems":0,"minItems":0,"type":"array"}},"required":["email"],"type":"object"}"#;
    assert_eq!(shape(&skill, &wish).unwrap().canonical(), expect);
}

#[test]
fn what_was_copied_is_a_list_however_the_model_put_it() {
    let check = |answer: &str, target: &str, expect: &str| {
        assert_eq!(listed(Json::parse(answer).unwrap(), target).canonical(), expect);
    };
    check(r#"{"date":"2024-01-15"}"#, "date", r#"{"date":["2024-01-15"]}"#);
    check(r#"{"date":["2024-01-15"]}"#, "date", r#"{"date":["2024-01-15"]}"#);
    check(r#"{"entity":{"people":["Ann"]}}"#, "entity", r#"{"entity":{"people":["Ann"]}}"#);
}

#[test]
fn what_cannot_be_asked_for_is_told_with_what_can() {
    let skill = CompiledSkill::compile(extract()).unwrap();
    let check = |text: &str, target: &str, expect: &str| {
        let wish = Json::object([("text", Json::from(text)), ("target", Json::from(target))]);
        let error = skill.check_input(&wish).unwrap_err();
        let trouble = refused(&error, &skill);
        assert_eq!((trouble.exit, trouble.to_string().as_str()), (CommandExit::Usage, expect));
    };
    let hint = "the targets are date, email, entity, name, url";
    check("x", "frob", &format!("unknown target `frob`\n  hint: {hint}"));
    check("", "email", &format!("the text is empty\n  hint: {HINT}"));
}
