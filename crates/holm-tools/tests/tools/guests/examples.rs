//! Tools in other languages, built as their examples say.

use std::path::Path;
use std::process::Command;

use holm_kernel::Outcome;

use crate::guests::kit::Scene;

/// What the example of a language builds.
fn build(language: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let wasm = folder.path().join("example.wasm");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guests/examples");
    let built = Command::new(examples.join(language).join("build.sh")).arg(&wasm).output().unwrap();
    let why = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{why}\nscripts/setup guests templates installs what is missing");
    std::fs::read(wasm).unwrap()
}

#[tokio::test]
#[ignore = "compiles a whole Python: make guests runs this"]
async fn the_example_in_python_builds_and_is_a_tool() {
    let scene = Scene::new();
    let tool = scene.open("total", &build("python"));
    let output = Scene::run(&tool, r#"{"text":"1 and 2.5"}"#, &[]).await;
    assert_eq!((output.text.trim_end(), output.outcome), ("3.5", Outcome::Succeeded));
}

#[tokio::test]
async fn the_example_in_c_builds_and_is_a_tool() {
    let scene = Scene::new();
    let tool = scene.open("count", &build("c"));
    let output = Scene::run(&tool, r#"{"text":"a b\nc"}"#, &[]).await;
    assert_eq!((output.text.trim_end(), output.outcome), ("1 lines, 3 words, 5 bytes", Outcome::Succeeded));
    let output = Scene::run(&tool, r#"{"text":"--words","words":true}"#, &[]).await;
    assert_eq!(output.text.trim_end(), "1");
}
