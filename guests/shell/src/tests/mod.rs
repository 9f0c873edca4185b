//! Scripts run here and by bash, which must agree on what is written and on the status; and scripts
//! about what is ours.

mod language;
mod limits;
mod utilities;

use std::process::{Command, Stdio};

use crate::run_script;

/// Runs a script here and by bash, each in a fresh folder, and compares.
#[track_caller]
fn same(script: &str) {
    let (status, output) = bash(script);
    let folder = tempfile::tempdir().unwrap();
    let (own_status, own, complaints) = run_script(script, "", folder.path().to_str().unwrap());
    assert_eq!((own.as_str(), own_status), (output.as_str(), status), "{script}\n{complaints}");
}

fn bash(script: &str) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new("bash")
        .args(["-O", "extglob", "-c", script, "shell"])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("bash is what these scripts are compared with; install bash and coreutils");
    (ran.status.code().unwrap(), String::from_utf8(ran.stdout).unwrap())
}

/// Runs a script here and compares with what is expected of it.
#[track_caller]
fn check(script: &str, status: i32, output: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (own_status, own, complaints) = run_script(script, "", folder.path().to_str().unwrap());
    assert_eq!((own.as_str(), own_status), (output, status), "{script}\n{complaints}");
}
