use std::{collections::BTreeMap, fs};

use super::*;
use crate::ConfigLayer;

#[test]
fn a_whole_head_is_read() {
    let text = "---\nname: pdf-forms\ndescription: Fills in forms: all of them.\nwhen_to_use: A form is mentioned.\n\
        license: MIT\ncompatibility: Needs python3.\nallowed-tools: Bash(git:*) Read\nargs: [file, depth]\n\
        list: false\nmetadata:\n  author: me\n  version: \"1.0\"\nfrobnicate: 1\n---\n\nDo it.\n";
    let skill = SkillDocument::parse(text).unwrap();
    assert_eq!(
        (skill.name.as_str(), skill.description.as_str()),
        ("pdf-forms", "Fills in forms: all of them.")
    );
    assert_eq!(skill.when_to_use.as_deref(), Some("A form is mentioned."));
    assert_eq!(skill.listed, SkillVisibility::No);
    assert_eq!(skill.allowed_tools, ["Bash(git:*)", "Read"]);
    assert_eq!(skill.args, ["file", "depth"]);
    let metadata = BTreeMap::from([("author".into(), "me".into()), ("version".into(), "1.0".into())]);
    assert_eq!((skill.metadata.clone(), skill.body.as_str()), (metadata, "Do it."));
    assert_eq!(skill.flaws("pdf-forms"), ["unknown key `frobnicate`"]);
    assert!(skill.flaws("other")[0].contains("they should be the same"));
}

#[test]
fn what_cannot_be_used_is_named_with_its_line() {
    let check = |text: &str, line: usize, expect: &str| {
        let error = SkillDocument::parse(text).unwrap_err();
        assert!(error.line == line && error.to_string().contains(expect), "{error}");
    };
    check("no head", 1, "front matter is missing");
    check("---\nname: a\n---\nx", 1, "`description` is missing");
    check("---\ndescription: a\n---\nx", 1, "`name` is missing");
    for name in ["A", "-a", "a-", "a--b", "a_b", "a b"] {
        check(&format!("---\ndescription: a\nname: \"{name}\"\n---\nx"), 3, "single hyphens");
    }
    check(&format!("---\nname: {}\ndescription: a\n---\n", "a".repeat(65)), 2, "1 to 64");
    check(&format!("---\nname: a\ndescription: {}\n---\n", "a".repeat(1025)), 3, "1 to 1024");
    check("---\nname: a\ndescription: b\nlist: maybe\n---\n", 4, "true or false");
}

#[test]
fn arguments_are_put_in_by_name_by_place_and_all_together() {
    let check = |names: &[&str], body: &str, arguments: &str, expect: &str| {
        let head = format!("---\nname: a\ndescription: b\nargs: [{}]\n---\n{body}", names.join(", "));
        let filled = SkillDocument::parse(&head).unwrap().filled(arguments);
        assert_eq!(filled.as_deref(), Ok(expect), "{body} {arguments}");
    };
    check(&[], "Do $ARGUMENTS now", "this and that", "Do this and that now");
    check(&[], "Do it", "with care", "Do it\n\nArguments: with care");
    check(&[], "Costs $5 and $X", "", "Costs $5 and $X");
    check(&["from", "to"], "$from -> $to.", "a b c", "a -> b c.");
    check(&["from", "to"], "$from -> $to.", "to=x y", "y -> x.");
    check(&["a", "ab"], "$ab $a", "1 2", "2 1");
    // What was put in is not looked at again.
    check(&["a", "b"], "$a $b", "$b 2", "$b 2");
    check(&["a"], "[$a]", "", "[]");
}

#[test]
fn arguments_may_have_descriptions_and_defaults_and_stand_in_double_braces() {
    let text = "---\nname: forecast\ndescription: Says the weather.\ntools: web-fetch, Read\nargs:\n  - name: city\n    \
        description: City name (such as \"Paris\")\n    required: true\n  - name: unit\n    description: Unit\n    \
        required: false\n    default: celsius\n---\nWeather of `{{city}}` in {{ unit }}. {{other}} {$city} {x}\n";
    let skill = SkillDocument::parse(text).unwrap();
    assert_eq!(
        (&*skill.args, &*skill.allowed_tools),
        (&["city".into(), "unit".into()][..], &["web-fetch".into(), "Read".into()][..])
    );
    assert!(skill.ignored.is_empty() && skill.arguments["city"].required);
    let check =
        |arguments: &str, expect: &str| assert_eq!(skill.filled(arguments).unwrap(), expect, "{arguments}");
    check("city=Oslo", "Weather of `Oslo` in celsius. {{other}} {Oslo} {x}");
    check("Oslo kelvin", "Weather of `Oslo` in kelvin. {{other}} {Oslo} {x}");
    check("city={{unit}}", "Weather of `{{unit}}` in celsius. {{other}} {{{unit}}} {x}");
    check(
        "",
        "Weather of `{{city}}` in celsius. {{other}} {} {x}\n\nMissing argument: city. City name (such as \"Paris\")",
    );
    let nameless = text.replace("name: unit", "nom: unit");
    assert!(SkillDocument::parse(&nameless).unwrap_err().to_string().contains("items with a `name`"));
}

#[test]
fn however_many_places_there_are_a_filled_text_stays_within_its_bound() {
    let check = |names: &str, body: &str, places: usize, argument: usize, fits: bool| {
        let head = format!("---\nname: a\ndescription: b\nargs: [{names}]\n---\n{}", body.repeat(places));
        let filled = SkillDocument::parse(&head).unwrap().filled(&"x".repeat(argument));
        assert_eq!(filled.as_ref().map(String::len).ok(), fits.then_some(places * argument), "{body}");
        assert!(filled.is_ok_and(|text| text.len() <= MOST_FILLED) == fits, "{body}");
    };
    check("", "$ARGUMENTS", 20_000, 20_000, false);
    check("it", "$it", 20_000, 20_000, false);
    check("it", "$it", 1_024, 1_024, true);
    check("it", "$it", 1_024, 1_025, false);
    let skill = SkillDocument::parse("---\nname: a\ndescription: b\n---\nDo it").unwrap();
    assert_eq!(skill.filled(&"x".repeat(MOST_FILLED)), Err(SkillOverflowError));
}

#[test]
fn skills_are_found_in_the_usual_places_and_the_project_wins() {
    let folder = tempfile::tempdir().unwrap();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    let write = |path: std::path::PathBuf, name: &str, about: &str| {
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(SKILL_FILE), format!("---\nname: {name}\ndescription: {about}\n---\n")).unwrap();
    };
    write(home.join(".agents/skills/one"), "one", "the user's");
    write(home.join(".config/holm/skills/deep/er/two"), "two", "below");
    write(work.join(".claude/skills/one"), "one", "the project's");
    write(work.join(".holm/skills/bad"), "Bad Name", "broken");
    let home = home.to_str().unwrap().to_owned();
    let found = SkillFolders::of(&work, |name| (name == "HOME").then(|| home.clone())).find();
    let all = found.iter().flat_map(|(name, all)| all.iter().map(move |found| (name.as_str(), found)));
    let seen: Vec<(&str, ConfigLayer, bool)> =
        all.map(|(name, found)| (name, found.owner, found.skill.is_ok())).collect();
    // The user's skill stays in the list: the project's wins only if a person trusts it.
    let expect = [
        ("bad", ConfigLayer::Project, false),
        ("one", ConfigLayer::User, true),
        ("one", ConfigLayer::Project, true),
        ("two", ConfigLayer::User, true),
    ];
    assert_eq!(seen, expect);
    assert_eq!(found["one"].last().unwrap().skill.as_ref().unwrap().description, "the project's");
}

#[test]
fn a_skill_that_is_too_large_to_be_read_is_named_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large");
    fs::create_dir(&large).unwrap();
    fs::File::create(large.join(SKILL_FILE)).unwrap().set_len(crate::MOST_FILE_BYTES + 1).unwrap();
    let found = SkillFolders::default().and(folder.path().to_owned()).find();
    let error = found["large"][0].skill.as_ref().unwrap_err();
    assert!(error.contains("larger than"), "{error}");
}

#[test]
fn a_skill_that_promises_something_has_a_contract_that_compiles() {
    let text = "---\nname: mail\ndescription: Finds addresses.\nargs: [text, kind]\noutput: schemas/out.json\nsource: text\n\
        grounded: [\"/mail/*\"]\nformats: [\"/mail/* email\"]\nmetadata:\n  version: \"2.1\"\n---\nFind them.\n";
    let skill = SkillDocument::parse(text).unwrap();
    let promise = skill.promise.as_ref().unwrap();
    assert_eq!(promise.files().collect::<Vec<_>>(), ["schemas/out.json"]);
    let schema = r#"{"type":"object","required":["mail"],"properties":{"mail":{"type":"array","items":{"type":"string"}}}}"#;
    let contract = skill.contract(|file| {
        assert_eq!(file, "schemas/out.json");
        Ok(schema.to_owned())
    });
    let contract = contract.unwrap().unwrap();
    assert_eq!((contract.version.as_str(), contract.source.as_deref()), ("2.1", Some("/text")));
    let made = holm_guards::skill::CompiledSkill::compile(contract).unwrap();
    let json = |text: &str| holm_guards::json::Json::parse(text).unwrap();
    assert!(made.check_input(&json(r#"{"text":"x"}"#)).is_err(), "every argument is asked for");
    let input = made.check_input(&json(r#"{"text":"Write to a@b.example.","kind":"all"}"#)).unwrap();
    assert!(made.check_output(&input, r#"{"mail":["a@b.example"]}"#).is_ok());
    let check = |reply: &str, expect: &str| {
        let error = made.check_output(&input, reply).unwrap_err().to_string();
        assert!(error.starts_with(expect), "{error}");
    };
    check(r#"{"mail":["c@d.example"]}"#, "HallucinationDetected");
    check(r#"{"mail":["Write"]}"#, "FormatViolation");
    check(r#"{"mail":1}"#, "SchemaViolation");
    check("none", "MalformedOutput");
    let plain = SkillDocument::parse("---\nname: a\ndescription: b\n---\nx").unwrap();
    assert_eq!(plain.contract(|_| Err("never".into())), Ok(None));
    assert_eq!(skill.contract(|file| Err(format!("no {file}"))), Err("no schemas/out.json".into()));
    assert!(skill.contract(|_| Ok("{".into())).unwrap_err().starts_with("schemas/out.json: "));
}

#[test]
fn a_promise_that_is_none_is_named_with_its_line() {
    let check = |head: &str, line: usize, expect: &str| {
        let error = SkillDocument::parse(&format!("---\nname: a\ndescription: b\n{head}---\nx")).unwrap_err();
        assert!(error.line == line && error.to_string().contains(expect), "{error}");
    };
    check("input: in.json\n", 1, "`output` is missing");
    check("output: [a]\n", 4, "`output` must be a text");
    check("output: o.json\nformats:\n  mail: phone\n", 5, "email, url or date");
    check("output: o.json\nformats: email\n", 5, "email, url or date");
    let short = "---\nname: a\ndescription: b\noutput: o.json\nformats:\n  mail: email\n---\nx";
    let formats = SkillDocument::parse(short).unwrap().promise.unwrap().formats;
    assert_eq!(formats, [("/mail".to_owned(), holm_guards::skill::SkillFormat::Email)]);
}
