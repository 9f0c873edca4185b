//! The vectors that every JavaScript host is held to, on the native side: one list, one set of rules.
//!
//! With `--features mutate` each guard is switched off in turn, and the list must notice. `HOLM_UPDATE=1` writes what is found
//! into the list; look at the difference before you believe it.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot read its list has failed")]

use std::{fs, path::PathBuf, sync::Mutex};

use holm_wasm::{BindingError, PostconditionSet, SchemaHandle, SkillHandle, agent_rs, extract_contract};
use serde::{Deserialize, Serialize};

/// The switch is one for the whole process, so the tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// One call and what must come out, as the strings that cross the boundary.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Vector {
    call: String,
    args: Vec<String>,
    expect: String,
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packages/holm/test/vectors.json"))
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(&fs::read_to_string(path()).unwrap()).unwrap()
}

/// What a call gives; a fault by its JSON.
fn found(vector: &Vector) -> String {
    let arg = |place: usize| vector.args.get(place).map_or("", String::as_str);
    let step = |result: Result<String, holm_kernel::compat::agent_rs::AgentStepError>| {
        result.map_err(|error| BindingError::new(holm_wasm::BindingErrorKind::AgentRs, error))
    };
    let said = |result: Result<bool, BindingError>| result.map(|yes| yes.to_string());
    let result = match vector.call.as_str() {
        "plausibility" => holm_wasm::plausibility(arg(0), arg(1), arg(2)),
        "validate" => SchemaHandle::new(arg(0)).and_then(|schema| schema.validate(arg(1))),
        "repair" => SchemaHandle::new(arg(0)).map(|schema| schema.repair(arg(1))),
        "postconditions" => PostconditionSet::new(arg(0)).and_then(|set| set.evaluate(arg(1), arg(2))),
        "extract" => SkillHandle::new(&extract_contract()).and_then(|skill| skill.check(arg(0), arg(1))),
        "check_tool_result" => step(agent_rs::check_tool_result(arg(0))),
        "check_skill_reply" => step(agent_rs::check_skill_reply(arg(0))),
        "run_agent_step" => step(agent_rs::run_agent_step(arg(0))),
        "contains" => said(holm_wasm::contains(arg(0), arg(1))),
        "admits" => said(holm_wasm::admits(arg(0), arg(1))),
        "meet" => holm_wasm::meet(arg(0), arg(1)),
        "decide" => holm_wasm::decide(arg(0), arg(1)),
        "reach" => holm_wasm::reach(arg(0), arg(1), arg(2)).map(Option::unwrap_or_default),
        "class" => holm_wasm::class(arg(0)),
        other => panic!("no such call: {other}"),
    };
    result.unwrap_or_else(|fault| fault.json())
}

fn failures() -> Vec<String> {
    let wrong = |vector: &Vector| {
        (found(vector) != vector.expect).then(|| format!("{} {:?}", vector.call, vector.args))
    };
    vectors().iter().filter_map(wrong).collect()
}

#[test]
fn the_list_holds_natively() {
    let _turn = TURN.lock();
    if std::env::var_os("HOLM_UPDATE").is_some() {
        let all: Vec<Vector> =
            vectors().into_iter().map(|old| Vector { expect: found(&old), ..old }).collect();
        let lines: Vec<String> = all.iter().map(|vector| serde_json::to_string(vector).unwrap()).collect();
        fs::write(path(), format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    assert_eq!(failures(), Vec::<String>::new());
}

#[cfg(feature = "mutate")]
#[test]
fn the_list_notices_every_guard_that_is_switched_off() {
    let _turn = TURN.lock();
    for guard in holm_guards::guard_switches::NAMES {
        assert!(holm_guards::guard_switches::switch_off(guard));
        let noticed = !failures().is_empty();
        holm_guards::guard_switches::switch_off("");
        assert!(noticed, "nothing notices that {guard} is off");
    }
}
