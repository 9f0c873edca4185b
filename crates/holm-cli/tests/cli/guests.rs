//! Tests the built-in WASM tools. They exist only if `make guests` ran before the build, so most of
//! these tests run with it.

use crate::stage::Stage;

#[test]
fn which_tools_there_are_can_be_chosen() {
    let stage = Stage::new([]);
    let names = |set: &str| -> Vec<String> {
        let ran = stage.holm(["tool", "list", "--json", "--tools", set]);
        let tools: Vec<holm::kernel::ToolSpec> = serde_json::from_str(&ran.out).unwrap();
        tools.into_iter().map(|tool| tool.name).collect()
    };
    let (native, all) = (names("native"), names("all"));
    assert!(native.iter().all(|name| all.contains(name)), "{native:?} {all:?}");
    assert!(!native.contains(&"base64".to_owned()), "{native:?}");
    stage.holm(["tool", "list", "--tools", "none"]).fails(2, "invalid value");
}

#[test]
fn a_program_without_guests_says_so() {
    // Which of the two a build is, it says itself; both are looked at, each where it is true.
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "list"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let wasm = stage.holm(["tool", "list", "--tools", "wasm"]);
    if wasm.code == Some(0) {
        assert!(wasm.out.contains("base64 ") && !wasm.out.contains("patch "), "{wasm:?}");
        return;
    }
    // Both say the same.
    let told = ran.err.trim().strip_prefix("holm: ").and_then(|line| line.split_once("; run `make guests`"));
    let (lacks, _) = told.unwrap_or_else(|| panic!("{ran:?}"));
    wasm.fails(6, &format!("error: {lacks}\n"));
    assert!(wasm.err.contains("hint: run `make guests`"), "{wasm:?}");
}

#[test]
#[ignore = "needs the prepared guests: make guests builds them and runs this"]
fn guests_stand_where_no_native_tool_has_their_name() {
    let stage = Stage::new([]).file("a.txt", "one\ntwo\n");
    let ran = stage.holm(["tool", "list"]);
    assert_eq!(ran.err, "", "all of them are there");
    for name in ["base64", "js", "sqlite", "read"] {
        let lines = ran.out.lines().filter(|line| line.split(' ').next() == Some(name)).count();
        assert_eq!(lines, 1, "{name}: {}", ran.out);
    }
    assert!(!ran.out.contains("read_2"), "{}", ran.out);
    stage.holm(["tool", "execute", "base64", r#"{"text":"hi"}"#]).says("aGk=\n");
    // The native one pages in its own words; the guest is asked for by the set.
    let read = r#"{"path":"a.txt"}"#;
    let native = stage.holm(["tool", "execute", "read", read, "--grant", "read:a.txt"]);
    let guest = stage.holm(["tool", "execute", "read", read, "--grant", "read:a.txt", "--tools", "wasm"]);
    for ran in [&native, &guest] {
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.out.contains("one") && ran.out.contains("two"), "{ran:?}");
    }
    stage.holm(["tool", "execute", "read", read, "--tools", "wasm"]).fails(3, "read:a.txt");
}

#[test]
#[ignore = "needs the prepared guests: make guests builds them and runs this"]
fn a_run_with_guests_alone_does_its_work_in_the_sandbox() {
    let script = r#"{"results":[
        {"replied":{"blocks":[{"tool_call":{"id":"1","name":"shell","arguments":"{\"script\":\"echo made > b.txt; cat b.txt | tr a-z A-Z\"}"}}],"stop":"tool_use"}},
        {"replied":{"blocks":[{"tool_call":{"id":"2","name":"js","arguments":"{\"code\":\"6 * 7\"}"}}],"stop":"tool_use"}},
        {"replied":{"blocks":[{"text":"done"}]}}
    ]}"#;
    let stage = Stage::new([]).file("script.json", script);
    let args = ["run", "--script", "script.json", "-p", "Go.", "--tools", "wasm", "--output", "stream-json"];
    let grants = ["--grant", "read:**", "--grant", "write:**", "--mode", "full"];
    let ran = stage.holm([args.as_slice(), grants.as_slice()].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("MADE") && ran.out.contains("42"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(stage.work().join("b.txt")).unwrap(), "made\n");
}

#[test]
#[ignore = "needs the prepared guests: make guests builds them and runs this"]
fn deny_rules_hold_for_the_sandboxed_shell_also_where_nobody_is_asked() {
    let script = r#"{"results":[
        {"replied":{"blocks":[{"tool_call":{"id":"1","name":"shell","arguments":"{\"script\":\"true; r\\\"m\\\" a.txt\"}"}}],"stop":"tool_use"}},
        {"replied":{"blocks":[{"text":"done"}]}}
    ]}"#;
    let stage = Stage::new([]).file("script.json", script).file("a.txt", "x");
    let args = ["run", "--script", "script.json", "-p", "Go.", "--tools", "wasm", "--output", "stream-json"];
    let grants = ["--grant", "read:**", "--grant", "write:**", "--mode", "full", "--deny-command", "rm"];
    let ran = stage.holm([args.as_slice(), grants.as_slice()].concat());
    assert!(ran.out.contains("the rule `rm` forbids it"), "{ran:?}");
    assert!(stage.work().join("a.txt").exists());
}
