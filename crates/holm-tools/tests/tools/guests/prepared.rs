//! What `make guests` prepared: it fits the guests, and it needs no compiler.

use holm_kernel::Outcome;
use holm_runtime::{Tool, ToolInvocation};
use holm_sandbox::{CompilerProgram, Sandbox, SandboxSettings};
use holm_tools::shipped_guests::{self, LazyWasmHost, ShippedTool};
use holm_tools::wasm::{WasmHost, WasmSettings};

use crate::guests::kit::Scene;

/// What this repository ships.
const NAMES: [&str; 10] =
    ["base64", "edit", "fetch", "glob", "grep", "js", "read", "shell", "sqlite", "write"];

/// A host without a compiler: a guest that it opens was not compiled.
fn host() -> WasmHost {
    let settings = SandboxSettings::with_compiler(CompilerProgram::program("/nonexistent/compiler"));
    WasmHost::new(Sandbox::new(settings).unwrap(), WasmSettings::default())
}

#[test]
#[ignore = "needs the prepared guests: make guests prepares them and runs this"]
fn every_guest_is_inside_and_opens_without_a_compiler() {
    let names: Vec<&str> = shipped_guests::all().iter().map(shipped_guests::ShippedGuest::name).collect();
    assert_eq!(names, NAMES);
    let host = host();
    for guest in shipped_guests::all() {
        let (known, keywords) =
            guest.declaration().unwrap_or_else(|| panic!("{} is not prepared", guest.name()));
        let (tool, _) = guest.open(&host, &mut |_| {}).unwrap();
        assert_eq!(tool.declaration(), &known, "{}: what it says now is what it said then", guest.name());
        assert_eq!(tool.keywords(), keywords, "{}", guest.name());
    }
}

#[tokio::test]
#[ignore = "needs the prepared guests: make guests prepares them and runs this"]
async fn a_guest_is_taken_out_when_it_is_first_called() {
    let late = LazyWasmHost::new(|| Ok(host()));
    let tools: Vec<ShippedTool> = ShippedTool::all(&late).collect();
    assert_eq!(tools.len(), NAMES.len());
    assert!(format!("{late:?}").contains("made: false"), "listing tools starts no engine");
    let base64 = tools.iter().find(|tool| tool.declaration().name == "base64").unwrap();
    for _ in 0..2 {
        let output = base64.run(ToolInvocation::alone(r#"{"text":"hi"}"#)).await;
        assert_eq!((output.text.trim_end(), output.outcome), ("aGk=", Outcome::Succeeded));
    }
}

#[tokio::test]
async fn guests_that_are_not_prepared_are_compiled_like_any_file() {
    // Whether this build has them prepared or not, the same tool comes of it.
    let scene = Scene::new();
    let guest = shipped_guests::all().iter().find(|guest| guest.name() == "base64");
    let guest =
        guest.unwrap_or_else(|| panic!("base64 is not inside; run scripts/build-guests and build again"));
    let tool = scene.open("base64", &guest.bytes().unwrap());
    let output = Scene::run(&tool, r#"{"text":"hi"}"#, &[]).await;
    assert_eq!((output.text.trim_end(), output.outcome), ("aGk=", Outcome::Succeeded));
}
