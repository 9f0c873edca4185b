//! Tests the tutorial: from nothing to an agent that calls the user's own tool.

use std::fs;
use std::process::Command;

use crate::stage::Stage;

/// The most commands that the tutorial may take.
const MOST: usize = 10;

#[test]
fn from_a_new_tool_to_an_agent_that_calls_it_in_ten_commands() {
    let script = r#"{"results":[
        {"replied":{"blocks":[{"tool_call":{"id":"1","name":"greet","arguments":"{\"who\":\"Ada\",\"loud\":true}"}}],"stop":"tool_use"}},
        {"replied":{"blocks":[{"text":"done"}]}}
    ]}"#;
    let stage = Stage::new([]).file("script.json", script);
    let mut commands = 0;
    let mut step = || {
        commands += 1;
        assert!(commands <= MOST, "the tutorial got longer");
    };
    step();
    let ran = stage.holm(["tool", "new", "greet", "--lang", "c"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    step();
    let made = Command::new("make").current_dir(stage.work().join("greet")).output();
    let made = made.unwrap_or_else(|error| panic!("make does not start ({error}); install it"));
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "the C template does not build; run `scripts/setup guests`:\n{said}");
    step();
    let ran = stage.holm(["tool", "validate", "greet/greet.wasm"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.out.contains("says:         Greets somebody.") && ran.out.contains("asks for:     nothing"),
        "{ran:?}"
    );
    step();
    let ran = stage.holm(["tool", "execute", "greet/greet.wasm", r#"{"who":"world"}"#]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Hello, world.\n"), "{ran:?}");
    step();
    let ran = stage.holm(["paths", "--json"]);
    let paths: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    step();
    let tools = std::path::PathBuf::from(paths["tools"].as_str().unwrap());
    fs::copy(stage.work().join("greet/greet.wasm"), tools.join("greet.wasm")).unwrap();
    step();
    let ran = stage.holm(["tool", "list"]);
    let listed = |line: &str| line.starts_with("greet ") && line.ends_with("Greets somebody. (none)");
    assert!(ran.out.lines().any(listed), "{ran:?}");
    step();
    let args = ["run", "--script", "script.json", "-p", "Greet Ada.", "--output", "stream-json"];
    let ran = stage.holm(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("Hello, Ada!"), "{ran:?}");
}
