//! Tools in other languages, built as their examples say.

use std::path::Path;
use std::process::Command;

use holm_kernel::Outcome;

use crate::kit::Scene;

#[tokio::test]
async fn the_example_in_c_builds_and_is_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    let wasm = folder.path().join("count.wasm");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guests/examples/c/build.sh");
    let built = Command::new(script).arg(&wasm).output().unwrap();
    let why = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{why}\nscripts/setup guests installs what is missing");
    let scene = Scene::new();
    let tool = scene.open("count", &std::fs::read(wasm).unwrap());
    let output = Scene::run(&tool, r#"{"text":"a b\nc"}"#, &[]).await;
    assert_eq!((output.text.trim_end(), output.outcome), ("1 lines, 3 words, 5 bytes", Outcome::Succeeded));
    let output = Scene::run(&tool, r#"{"text":"--words","words":true}"#, &[]).await;
    assert_eq!(output.text.trim_end(), "1");
}
