//! Tests two new users: one who has read only the README, and one whose files contain mistakes.

use std::{fs, os::unix::fs::PermissionsExt as _, os::unix::fs::symlink, path::Path};

use holm_testkit::double::Act;
use serde_json::json;

use crate::{
    stage::{Ran, Stage},
    terminal,
};

/// The commands of the README that lead from nothing to an undo.
fn path_of_the_readme() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
    let found = blocks.map(|(block, _)| block).find(|block| block.starts_with("holm init"));
    found.unwrap_or_else(|| panic!("the README does not show how to begin")).to_owned()
}

#[test]
fn the_commands_of_the_readme_lead_from_nothing_to_an_undo() {
    let acts = [
        Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]),
        Act::says("Three words."),
        Act::calls(&[("c2", "words", r#"{"text":"one two three"}"#)]),
        Act::calls(&[("c3", "write", r#"{"path":"count.txt","content":"3\n"}"#)]),
        Act::says("I wrote 3 into count.txt."),
    ];
    let stage = Stage::new(acts).file("notes.txt", "one two three\n").unasked();
    let home = stage.work().join("../home");
    fs::create_dir_all(home.join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_holm"), home.join("bin/holm")).unwrap();
    // What stands before the undo is looked at while it is there.
    let script = path_of_the_readme().replace("\nholm undo", "\ncp count.txt ../seen.txt\nholm undo");
    assert!(script.contains("../seen.txt"), "{script}");
    fs::write(home.join("first.sh"), script).unwrap();
    let line = format!(
        "env HOME={0} PATH={0}/bin:$PATH bash -e {0}/first.sh",
        home.canonicalize().unwrap().display()
    );
    let (code, screen) =
        terminal::pressing(&stage, &line, &["Your choice [1]: ", "[n]o: "], &["2\n", "y\n", "y\n"]);
    assert_eq!(code, Some(0), "{screen}");
    for said in ["Three words.", "words.sh", "What may agents do in ", "I wrote 3 into count.txt."] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    assert_eq!(fs::read_to_string(stage.work().join("../seen.txt")).unwrap(), "3\n");
    assert!(!stage.work().join("count.txt").exists(), "it was undone: {screen}");
    let requests = stage.double.requests();
    assert_eq!(requests.len(), 5, "{screen}");
    assert!(requests[1].text().contains("one two three"), "the first answer saw the file");
    assert!(
        requests[2].text().contains("What is in notes.txt?"),
        "the session went on: {}",
        requests[2].text()
    );
    let told = requests[3].text();
    assert!(told.contains(r">3\n<"), "the tool of one's own counted: {told}");
}

/// A case of something that was written down wrongly: what is there, which command meets it, and what is said.
struct Wrong {
    what: &'static str,
    files: Vec<(&'static str, String, u32)>,
    args: &'static [&'static str],
    expect: &'static [&'static str],
}

fn agent(extra: &serde_json::Value) -> String {
    let mut contents = json!({
        "slug": "main", "apiKeyId": "k", "flavor": "OpenAIv1", "modelUrl": "http://127.0.0.1:9/v1", "modelName": "m",
        "announce": "Helps.", "systemPrompt": ["Help."],
    });
    for (key, value) in extra.as_object().unwrap() {
        contents[key] = value.clone();
    }
    serde_json::to_string_pretty(&json!({"tag": "OpenAIAgentDescription", "contents": contents})).unwrap()
}

fn cases() -> Vec<Wrong> {
    const RUN: &[&str] = &["run", "-p", "Hi."];
    const EXE: &[&str] = &["run", "--agent", "agent.json", "-p", "Hi."];
    let settings = |text: &str| vec![("mine.toml", text.to_owned(), 0o644)];
    let exe = |text: String| vec![("mine.toml", String::new(), 0o644), ("work/agent.json", text, 0o644)];
    let keys = |text: &str, mode| {
        vec![("mine.toml", String::new(), 0o644), ("data/keys.json", text.to_owned(), mode)]
    };
    let gone = json!({"extraAgents": [{"slug": "other", "path": "other.json"}]});
    vec![
        Wrong {
            what: "syntax",
            files: settings("a = 1\nmodel = \n"),
            args: RUN,
            expect: &["mine.toml:2: ", "hint: "],
        },
        Wrong {
            what: "unknown key",
            files: settings("\nmodle = \"a/b\"\n"),
            args: RUN,
            expect: &["mine.toml:2: unknown key `modle`", "hint: did you mean `model`?"],
        },
        Wrong {
            what: "a model without a provider",
            files: settings("\nmodel = \"x\"\n"),
            args: RUN,
            expect: &["mine.toml:2: ", "hint: write it as provider/model"],
        },
        Wrong {
            what: "a model of a provider that nobody knows",
            files: settings("model = \"nosuch/m\"\n"),
            args: RUN,
            expect: &["mine.toml:1: ", "[providers.nosuch] base_url"],
        },
        Wrong {
            what: "a stronger model of a provider that nobody knows",
            files: settings("model = \"openai/gpt-5-mini\"\n[ladder]\nstep_up = [\"nosuch/m\"]\n"),
            args: RUN,
            expect: &["mine.toml:3: ", "[providers.nosuch] base_url"],
        },
        Wrong {
            what: "missing file",
            files: vec![],
            args: RUN,
            expect: &["mine.toml: there is no such file", "hint: "],
        },
        Wrong {
            what: "wrong type",
            files: settings("[limits]\nturns = \"many\"\n"),
            args: RUN,
            expect: &["mine.toml:2: ", "hint: "],
        },
        Wrong {
            what: "settings that others can write",
            files: vec![("mine.toml", String::new(), 0o666)],
            args: RUN,
            expect: &["mine.toml: other users can write it", "hint: chmod go-w "],
        },
        Wrong {
            what: "keys that others can read",
            files: keys("{\"version\":1,\"keys\":{\"a\":\"canary\"}}", 0o644),
            args: RUN,
            expect: &["keys.json: other users can read it", "hint: chmod 600 "],
        },
        Wrong {
            what: "keys that cannot be read",
            files: keys("{\"version\":1,\n\"keys\":{\"a\":canary}}", 0o600),
            args: RUN,
            expect: &["keys.json:2: it is not a valid key file", "hint: "],
        },
        Wrong {
            what: "an agent with a syntax error",
            files: exe("{\n\"tag\": \n".into()),
            args: EXE,
            expect: &["agent.json:3: ", "hint: "],
        },
        Wrong {
            what: "an agent that is not there",
            files: exe(agent(&gone)),
            args: EXE,
            expect: &["agent.json:", "there is no file ", "hint: "],
        },
    ]
}

#[test]
fn each_bad_file_is_one_message_with_file_line_and_fix_and_nothing_on_standard_output() {
    for Wrong { what, files, args, expect } in cases() {
        let stage = Stage::new([]);
        let folder = stage.work().join("..");
        for (name, text, mode) in &files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
        }
        let ran = |args: &[&str]| {
            let mut command = stage.command(args);
            Ran::of(&command.env("HOLM_CONFIG", folder.join("mine.toml")).output().unwrap())
        };
        if stage.work().join("agent.json").exists() {
            let shown = ran(&["tool", "trust", "."]);
            let agrees: Vec<String> = shown.leads_to();
            let agrees: Vec<&str> = agrees.iter().map(String::as_str).collect();
            assert_eq!(ran(&agrees).code, Some(0), "{what}");
        }
        let ran = ran(args);
        ran.fails(2, expect[0]);
        for part in expect {
            assert!(ran.err.contains(part), "{what}: `{part}` is not in {}", ran.err);
        }
        assert!(!ran.err.contains("canary"), "{what}: {}", ran.err);
        assert!(stage.double.requests().is_empty(), "{what}: nobody is asked");
    }
}

#[test]
fn init_check_and_doctor_agree_about_the_model() {
    let stage = Stage::new([]);
    let mine = stage.work().join("../mine.toml");
    let holm = |args: &[&str]| {
        let mut command = stage.command(args);
        Ran::of(&command.env("HOLM_CONFIG", &mine).env_remove("OPENAI_API_KEY").output().unwrap())
    };
    holm(&["init", "--model", "mine/m1"])
        .fails(2, "unknown provider \"mine\"\n  hint: for a server of your own");
    assert!(!mine.exists());
    fs::write(&mine, "model = \"mine/m1\"\n").unwrap();
    for command in ["check", "doctor"] {
        let ran = holm(&[command]);
        assert!(ran.code != Some(0) && ran.out.contains("mine.toml:1: unknown provider"), "{ran:?}");
        assert_eq!(ran.out.matches("[providers.mine]").count(), 1, "{ran:?}");
    }
    let own = "model = \"mine/m1\"\n[providers.mine]\nbase_url = \"http://127.0.0.1:9\"\n";
    fs::write(&mine, own).unwrap();
    assert_eq!(holm(&["check"]).code, Some(0));
    let ran = holm(&["doctor"]);
    assert!(ran.out.contains("mine/m1 needs no key") && ran.out.contains("settings     readable"), "{ran:?}");
}
