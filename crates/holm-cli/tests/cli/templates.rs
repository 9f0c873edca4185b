//! Tests the templates of `holm tool new`: they are built by the tools of their languages and
//! called. The one in C is the tutorial's. Those tools are downloaded and take minutes, so `make
//! guests` runs these tests.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use crate::stage::Stage;

/// Runs a command of a person who builds a tool.
fn build(folder: &Path, mut command: Command, needs: &str) {
    let done = command.current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("{command:?} does not start ({error}); {needs}"));
    let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(done.status.success(), "the template does not build; {needs}:\n{said}");
}

/// Makes a tool of the template, lets `build` build it, and calls what came out.
fn check(lang: &str, wasm: &str, build: impl FnOnce(&Path)) {
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "new", "greet", "--lang", lang]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    build(&stage.work().join("greet"));
    let file = format!("greet/{wasm}");
    let ran = stage.holm(["tool", "validate", &file]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("says:         Greets somebody."), "{ran:?}");
    assert!(ran.out.contains("asks for:     nothing"), "{ran:?}");
    let ran = stage.holm(["tool", "execute", &file, r#"{"who":"Ada","loud":true}"#]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Hello, Ada!\n"), "{ran:?}");
    let ran = stage.holm(["tool", "execute", &file, "{}"]);
    assert_eq!(ran.code, Some(2), "who is greeted must be said: {ran:?}");
}

#[test]
#[ignore = "needs a standard library for WASI, which may have to be built: make guests runs this"]
fn the_rust_template_builds_and_is_a_tool() {
    // With the standard library that the machine has, or else with the distribution's, as the scripts choose.
    let script = r#"source "$0/scripts/lib.sh"; cd "$1"
        if has_ready_std "$wasi_target"; then cargo build --quiet --release --target "$wasi_target"
        else distro_cargo "$wasi_target" build --quiet -Z build-std=std,panic_abort --release --target "$wasi_target"; fi"#;
    check("rust", "target/wasm32-wasip1/release/greet.wasm", |folder| {
        let mut command = Command::new("bash");
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        command.args(["-euc", script]).arg(repository).arg(folder);
        // This test runs under cargo, whose settings are not those of the person.
        command.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS");
        build(folder, command, "run `scripts/setup guests`");
    });
}

#[test]
#[ignore = "downloads a JavaScript engine and compiles it: make guests runs this"]
fn the_javascript_template_builds_and_is_a_tool() {
    check("js", "greet.wasm", |folder| {
        for words in [&["install", "--no-audit", "--no-fund"][..], &["run", "build"]] {
            let mut command = Command::new("npm");
            command.args(words);
            build(folder, command, "run `scripts/setup templates`");
        }
    });
}

#[test]
#[ignore = "compiles a whole Python: make guests runs this"]
fn the_python_template_builds_and_is_a_tool() {
    check("python", "greet.wasm", |folder| {
        let mut command = Command::new("make");
        command.env("PATH", with_componentize_py());
        build(folder, command, "run `scripts/setup templates`");
    });
}

/// The way to programs, with the one first that `scripts/setup templates` installs.
fn with_componentize_py() -> OsString {
    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = env("XDG_CACHE_HOME").or_else(|| env("HOME").map(|home| home.join(".cache")));
    let own = cache.unwrap_or_default().join("holm/componentize-py/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap()
}
