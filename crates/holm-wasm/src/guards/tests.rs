use super::*;

// What the guards say is in packages/holm/test/vectors.json, which every host is held to; this is the rest.

#[test]
fn a_skills_task_names_what_is_wanted() {
    let skill = SkillHandle::new(&extract_contract()).unwrap();
    let prompt = skill.prompt(r#"{"text":"Write to a@example.com","target":"email"}"#).unwrap();
    assert!(prompt.contains("a@example.com"), "{prompt}");
    assert_eq!(skill.prompt("{}").unwrap_err().kind, BindingErrorKind::Skill);
    assert_eq!(SkillHandle::new("{}").unwrap_err().kind, BindingErrorKind::BadJson);
}

#[test]
fn what_a_schema_does_not_enforce_is_listed() {
    let schema = SchemaHandle::new(r#"{"type":"object","unheardOf":1}"#).unwrap();
    assert!(schema.unsupported().contains("unheardOf"), "{}", schema.unsupported());
    assert_eq!(SchemaHandle::new("{").unwrap_err().kind, BindingErrorKind::BadJson);
    assert_eq!(PostconditionSet::new("{}").unwrap_err().kind, BindingErrorKind::BadJson);
}
