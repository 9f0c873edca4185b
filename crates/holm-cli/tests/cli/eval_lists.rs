//! Tests `holm eval` with many cases in one file, and the suite for small models, `evals/local`.

use std::{collections::BTreeMap, fs, path::PathBuf};

use holm::kernel::{Message, Role};
use holm_testkit::double::{Act, Seen};
use serde_json::Value;

use crate::stage::{MODEL, Ran, Stage};

/// How many cases the suite has.
const CASES: usize = 41;

fn suite() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../evals/local").canonicalize().unwrap()
}

fn results(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The right answer to each prompt or text of the suite, read from its checks.
fn right_answers() -> BTreeMap<String, String> {
    let list: toml::Table = toml::from_str(&fs::read_to_string(suite().join("cases.toml")).unwrap()).unwrap();
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let answer = |case: &toml::Table| {
        let checks = case.get("check").and_then(toml::Value::as_array);
        let Some(checks) = checks else { return "None of my tools can do that.".to_owned() };
        let wanted = checks.iter().map(|check| match check["answer"].get("equals") {
            Some(value) => text(value),
            None => text(&check["answer"]["matches"])
                .replace("(?i)", "")
                .replace("^[^\\n]*", "")
                .replace('\\', ""),
        });
        wanted.collect::<Vec<_>>().join(" and ")
    };
    let cases = list["case"].as_array().unwrap().iter().map(|case| case.as_table().unwrap());
    let prompt = |case: &toml::Table| text(case.get("prompt").unwrap_or_else(|| &case["extract"]["text"]));
    cases.map(|case| (prompt(case), answer(case))).collect()
}

/// Answers rightly, and says so if a call fails.
fn answer(seen: &Seen, answers: &BTreeMap<String, String>) -> Act {
    let messages = seen.asked.as_ref().map(|asked| asked.messages.as_slice()).unwrap_or_default();
    if messages.last().is_some_and(|last| last.role == Role::Tool) {
        let is_read = seen.text().contains("metres of rope");
        return Act::says(if is_read { "rope and carpenter" } else { "That was not allowed." });
    }
    let asked: String = messages.iter().map(Message::plain_text).collect();
    if asked.contains("Read notes.txt.") {
        return Act::calls(&[("1", "read", r#"{"path":"notes.txt"}"#)]);
    }
    let found = answers.iter().find(|(prompt, _)| asked.contains(prompt.as_str()));
    Act::says(found.map_or("I do not know.", |(_, answer)| answer.as_str()))
}

#[test]
fn right_answers_pass_every_case_of_the_local_suite_and_a_wrong_one_passes_none() {
    let answers = right_answers();
    assert_eq!(answers.len(), CASES - 1, "two cases have one prompt and other grants");
    let folder = suite();
    let words = ["eval", "run", folder.to_str().unwrap(), "--model", MODEL, "--jobs", "2", "--json"];
    let right = Stage::answering(move |seen| answer(seen, &answers));
    let ran = right.holm(words);
    let found = results(&ran);
    let failed: Vec<&Value> = found.iter().filter(|result| result["verdict"] != "passed").collect();
    assert!(ran.code == Some(0) && found.len() == CASES && failed.is_empty(), "{failed:#?} {}", ran.err);
    let wrong = Stage::answering(|_| Act::says("It is 12345."));
    let ran = wrong.holm(words);
    let passed: Vec<Value> =
        results(&ran).into_iter().filter(|result| result["verdict"] == "passed").collect();
    assert!(ran.code == Some(3) && passed.is_empty(), "{passed:#?} {}", ran.err);
}

#[test]
fn a_replay_leaves_out_cases_that_need_a_model_and_says_so() {
    let stage = Stage::new([]);
    stage.holm(["eval", "run", suite().to_str().unwrap()]).fails(2, "have no replies");
    stage.holm(["eval", "record", suite().to_str().unwrap()]).fails(2, "have no replies");
    let case = stage.work().join("cases/one");
    fs::create_dir_all(case.join("workspace")).unwrap();
    fs::write(case.join("case.toml"), "prompt = 'go'\n[[check]]\nanswer = { contains = 'Done' }\n").unwrap();
    let reply = r#"{"results": [{"replied": {"blocks": [{"text": "Done."}]}}]}"#;
    fs::write(case.join("replies.json"), reply).unwrap();
    let list = stage.work().join("cases/list");
    fs::create_dir_all(list.join("workspace")).unwrap();
    let text = "[[case]]\nname = 'two'\nprompt = 'go'\n[[case.check]]\nanswer = { contains = 'Done' }\n";
    fs::write(list.join("cases.toml"), text).unwrap();
    let ran = stage.holm(["eval", "run", "cases", "--json"]);
    assert_eq!((ran.code, results(&ran).len()), (Some(0), 1), "{ran:?}");
    assert!(ran.err.contains("left out because they need --model: 1; the first is list/two"), "{ran:?}");
}

#[test]
fn options_of_the_model_reach_the_attempts_and_need_a_model() {
    let stage = Stage::answering(|_| Act::says("Done."));
    let case = stage.work().join("cases/one");
    fs::create_dir_all(case.join("workspace")).unwrap();
    fs::write(case.join("case.toml"), "prompt = 'go'\n[[check]]\nanswer = { contains = 'Done' }\n").unwrap();
    stage.holm(["eval", "run", "cases", "--tools", "few"]).fails(2, "--tools has no meaning without a model");
    stage.holm(["eval", "run", "cases", "--offline"]).fails(2, "--offline has no meaning without a model");
    let words = ["eval", "run", "cases", "--model", MODEL, "--tools"];
    for (set, has) in [("few", true), ("native", false)] {
        let ran = stage.holm(words.into_iter().chain([set]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let last = stage.double.requests().pop().unwrap();
        assert_eq!(last.text().contains("count_lines"), has, "{set}");
    }
}
