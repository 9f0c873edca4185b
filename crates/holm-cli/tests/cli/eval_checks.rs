//! Tests `holm eval` with contract skills as checks, recordings of decisions, and agents as a matrix.

use std::{
    fs,
    path::{Path, PathBuf},
};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::stage::{MODEL, Ran, Stage};

/// A skill that promises addresses of its text.
const SKILL: &str = "---\nname: mail\ndescription: Finds addresses.\nargs: [text]\noutput: out.json\nsource: text\n\
    grounded: [\"/mail/*\"]\nformats: [\"/mail/* email\"]\n---\nFind the addresses.\n";
const SCHEMA: &str = r#"{"type":"object","required":["mail"],"properties":{"mail":{"type":"array","items":{"type":"string"}}}}"#;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn results(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A case whose answer is this text.
fn write_case(stage: &Stage, text: &str, answer: &str) -> PathBuf {
    let case = stage.work().join("cases/one");
    write(&case.join("case.toml"), text);
    write(&case.join("workspace/mail.txt"), "Write to ann@b.example or bo@c.example.\n");
    let replies = json!({ "results": [{ "replied": { "blocks": [{ "text": answer }] } }] });
    write(&case.join("replies.json"), &replies.to_string());
    case
}

#[test]
fn a_contract_skill_checks_an_answer_without_a_model() {
    let stage = Stage::new([]);
    let text = "prompt = \"Which addresses are in mail.txt?\"\n[[check]]\n\
        answer = { skill = \"../../skills/mail\", input_files = { text = \"mail.txt\" } }\n";
    let skill = stage.work().join("skills/mail");
    write(&skill.join("SKILL.md"), SKILL);
    write(&skill.join("out.json"), SCHEMA);
    for (answer, failure) in [
        (r#"{"mail": ["ann@b.example", "bo@c.example"]}"#, None),
        (r#"They are: {"mail": ["ann@b.example"]}"#, None),
        (r#"{"mail": ["eve@b.example"]}"#, Some("HallucinationDetected: 'eve@b.example' not found")),
        (r#"{"mail": ["Write to"]}"#, Some("not a valid e-mail address")),
        (r#"{"mail": "ann@b.example"}"#, Some("SchemaViolation")),
        ("ann@b.example", Some("MalformedOutput")),
    ] {
        write_case(&stage, text, answer);
        let ran = stage.holm(["eval", "run", "cases", "--json"]);
        let found = results(&ran);
        let said = found[0]["checks"][1]["failure"].as_str();
        assert_eq!(found[0]["checks"][1]["check"], "answer, by the skill mail");
        match failure {
            None => assert!(ran.code == Some(0) && said.is_none(), "{answer}: {ran:?}"),
            Some(failure) => {
                assert!(
                    ran.code == Some(3) && said.is_some_and(|said| said.contains(failure)),
                    "{answer}: {ran:?}"
                );
            }
        }
    }
    // A skill that cannot be used never lets an answer pass.
    write_case(&stage, text, r#"{"mail": ["ann@b.example"]}"#);
    write(&skill.join("out.json"), "{\"type\": 5}");
    let ran = stage.holm(["eval", "run", "cases"]);
    assert!(ran.code == Some(3) && ran.out.contains("schema"), "{ran:?}");
    write(&skill.join("SKILL.md"), "---\nname: mail\ndescription: Finds addresses.\n---\nFind them.\n");
    let ran = stage.holm(["eval", "run", "cases"]);
    assert!(ran.code == Some(3) && ran.out.contains("the skill defines no result"), "{ran:?}");
    fs::remove_file(skill.join("SKILL.md")).unwrap();
    stage.holm(["eval", "run", "cases"]).fails(2, "has no SKILL.md");
}

#[test]
fn a_recording_of_decisions_still_finds_other_decisions_and_answers() {
    let stage = Stage::new([]);
    let text = "prompt = \"Who?\"\n[[check]]\nanswer = { contains = \"Ann\" }\n";
    let case = write_case(&stage, text, "Ann.");
    let ran = stage.holm(["eval", "record", "cases", "--decisions"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let recording: Value =
        serde_json::from_str(&fs::read_to_string(case.join("recording.json")).unwrap()).unwrap();
    assert_eq!(
        (&recording["scope"], recording.get("system"), recording.get("tools")),
        (&json!("decisions"), None, None)
    );
    // The prompt of the session has these instructions, but they were not recorded.
    write(&case.join("workspace/AGENTS.md"), "Be brief.\n");
    assert_eq!(stage.holm(["eval", "run", "cases", "--strict"]).code, Some(0));
    write_case(&stage, text, "Ann and Bo.");
    let ran = stage.holm(["eval", "run", "cases"]);
    assert!(
        ran.code == Some(3) && ran.out.contains("the answer changed:\n  - Ann.\n  + Ann and Bo."),
        "{ran:?}"
    );
}

#[test]
fn each_agent_runs_with_each_model() {
    let stage = Stage::answering(|seen| {
        let is_brief = seen.text().contains("You are brief.");
        Act::says(if is_brief { "Ann." } else { "I do not know." })
    });
    write_case(&stage, "prompt = \"Who?\"\n[[check]]\nanswer = { contains = \"Ann\" }\n", "Ann.");
    for (name, prompt) in [("brief", "You are brief."), ("long", "You talk.")] {
        let text = format!("---\nname: {name}\ndescription: Answers.\n---\n{prompt}\n");
        write(&stage.data().join("agents").join(format!("{name}.md")), &text);
    }
    let run = ["eval", "run", "cases", "--json", "--name", "matrix"];
    stage.holm(run.iter().chain(&["--agent", "brief"])).fails(2, "--model");
    let words = ["--model", MODEL, "--agent", "brief", "--agent", "long"];
    let ran = stage.holm(run.iter().chain(&words));
    let found: Vec<(Value, Value)> =
        results(&ran).iter().map(|result| (result["model"].clone(), result["verdict"].clone())).collect();
    let named = |agent: &str| json!(format!("{MODEL} as {agent}"));
    assert_eq!(found, [(named("brief"), json!("passed")), (named("long"), json!("failed"))], "{ran:?}");
    let compared = stage.holm(["eval", "compare", "matrix", "matrix", "--json"]);
    let compared: Value = serde_json::from_str(&compared.out).unwrap();
    assert_eq!(compared["comparison"]["paired"]["pairs"], 2);
}
