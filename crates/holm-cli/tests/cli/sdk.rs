//! The official OpenAI SDKs as clients of `holm serve`. `scripts/setup sdks conformance` puts them, and the Node that they
//! need, into the user's cache; without them these tests fail and say so.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use holm::kernel::{Block, FailureClass, Message, Role};
use holm::wire::server::CompletionRequest;
use holm_testkit::double::{Act, Fault, Seen};

use crate::{patience::PATIENCE, served::Served, stage::Stage};

/// A text that does not arrive in one piece.
const LONG: &str = "It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀";

/// What the model does: the last words of the client say it.
fn act(seen: &Seen) -> Act {
    let asked = seen.asked.as_ref().unwrap_or_else(|| panic!("not a model request: {seen:?}"));
    if asked.messages.last().is_some_and(|last| last.role == Role::Tool) {
        return Act::says(&format!("the tool said {}", last_result(&asked.messages)));
    }
    let words = asked.messages.last().map(Message::plain_text).unwrap_or_default();
    match words.as_str() {
        "long" => Act::says(LONG),
        "weather" => Act::calls(&[("c1", "weather", r#"{"city":"Köln"}"#)]),
        "conversation" => Act::says(&conversation(asked)),
        "temperature" => Act::says(&format!("{:?}", asked.temperature_milli)),
        "offer" => {
            Act::says(&asked.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" "))
        }
        "stall" => Act::says(LONG).with(Fault::Stall(500)),
        "fail" => Act::fails(Fault::Refused {
            status: Some(400),
            class: FailureClass::BadRequest,
            message: "no such thing".into(),
        }),
        other => Act::says(&format!("you said {other}")),
    }
}

fn last_result(messages: &[Message]) -> String {
    let mut results = messages.iter().flat_map(|message| &message.blocks).filter_map(|block| match block {
        Block::ToolResult(result) => Some(result.said().to_owned()),
        _ => None,
    });
    results.next_back().unwrap_or_default()
}

/// The conversation as the provider was told it: a line for each message, and the end of the system prompt first.
fn conversation(asked: &CompletionRequest) -> String {
    let system = asked.system.lines().last().unwrap_or_default();
    let mut lines = vec![format!("System: {system}")];
    for message in &asked.messages {
        for block in &message.blocks {
            lines.push(match block {
                Block::Text(text) => format!("{:?}: {text}", message.role),
                Block::ToolCall(call) => format!("{:?} calls {} {}", message.role, call.name, call.arguments),
                Block::ToolResult(result) => format!("{:?} says {}", message.role, result.said()),
                other => format!("{:?}: {other:?}", message.role),
            });
        }
    }
    lines.join("\n")
}

/// A place that a variable names, or one of the user's cache.
fn place(variable: &str, below: &str) -> PathBuf {
    let cache = || {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        cache.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache"))
    };
    std::env::var_os(variable).map_or_else(|| cache().join(below), PathBuf::from)
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// Runs a client against the real server; it must end well, and the run that it cancelled must let go of its provider.
fn check(mut command: Command) {
    let stage = Stage::answering(act);
    let served = Served::by_default(&stage);
    command
        .env("HOLM_SERVER", served.url())
        .env("HOLM_TOKEN", &served.token)
        // What the machine's environment says about proxies does not concern the loopback interface.
        .env("NO_PROXY", "127.0.0.1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        stage.double.wait_until_left(1, PATIENCE),
        "the run that was cancelled has let go of its provider"
    );
}

#[test]
fn the_official_sdk_for_python_takes_an_agent_for_a_model() {
    let python = place("HOLM_SDKS", "holm/sdks").join("bin/python3");
    assert!(python.exists(), "the Python SDKs are missing; run scripts/setup sdks");
    let mut command = Command::new(python);
    command.arg(tests().join("python/test_server.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    check(command);
}

#[test]
fn the_official_sdk_for_node_takes_an_agent_for_a_model() {
    let node = place("HOLM_MCP_PEERS", "holm/mcp").join("node_modules/.bin/node");
    assert!(node.exists(), "Node 22 is missing; run scripts/setup conformance");
    let home = place("HOLM_NODE_SDKS", "holm/sdks-node");
    let (installed, wanted) = (home.join("installed"), tests().join("node/package-lock.json"));
    let (installed, wanted) = (std::fs::read(installed).unwrap_or_default(), std::fs::read(wanted).unwrap());
    assert_eq!(installed, wanted, "{}: run scripts/setup sdks", home.display());
    let script = std::fs::read_to_string(tests().join("node/server.mjs")).unwrap();
    let mut command = Command::new(node);
    // Given as text, so that its imports are looked for where the SDK is.
    command.args(["--input-type=module", "--eval", &script]).current_dir(home);
    check(command);
}
