//! As a user whom modes bind: root reads and writes everything, and hides what would fail.

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::Command,
};

use holm_kernel::{IdempotencyKey, Outcome};
use holm_tools::undo::UndoStore;
use serde_json::{Value, json};

use super::{call, tools};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

/// Runs the cases as the user `nobody`, or as the current user if that is not root.
pub(super) fn without_root() {
    let folder = tempfile::tempdir().unwrap();
    // Where a user without powers can reach it.
    let program = folder.path().join("program");
    fs::copy(env::current_exe().unwrap(), &program).unwrap();
    let stage = folder.path().join("stage");
    fs::create_dir(&stage).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let mut command = if is_root {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        chown(&stage, Some(NOBODY), Some(NOBODY)).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command
    } else {
        Command::new(&program)
    };
    let status = command.arg("nobody").arg(&stage).status();
    let status = status.expect("setpriv starts the cases without root's powers; install util-linux");
    assert!(status.success(), "the cases without root failed");
}

pub(super) fn cases(folder: &Path) {
    assert!(!rustix::process::geteuid().is_root(), "root would hide what fails");
    fs::create_dir(folder.join("work")).unwrap();
    let tools = tools(folder);
    let run =
        |tool: &str, arguments: Value| call(&tools, tool, IdempotencyKey::from_bytes([7; 16]), &arguments);
    let succeeds = |tool: &str, arguments: Value| {
        let output = run(tool, arguments);
        assert_eq!(output.outcome, Outcome::Succeeded, "{tool}: {}", output.text);
        output.text
    };
    let fails = |tool: &str, arguments: Value, expect: &str| {
        let output = run(tool, arguments);
        assert_eq!(output.outcome, Outcome::Failed, "{tool}: {}", output.text);
        assert!(output.text.contains(expect), "{tool}: {}", output.text);
    };
    // A draft without a name gets one without any privilege.
    succeeds("write", json!({ "path": "deep/file", "content": "one" }));
    succeeds("edit", json!({ "path": "deep/file", "old": "one", "new": "two" }));
    assert_eq!(fs::read_dir(folder.join("work/deep")).unwrap().count(), 1);

    let mode = |path: &str, mode: u32| {
        fs::set_permissions(folder.join("work").join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    // A folder that is not writable keeps its files.
    mode("deep", 0o555);
    fails("edit", json!({ "path": "deep/file", "old": "two", "new": "three" }), "Permission denied");
    fails("write", json!({ "path": "deep/new", "content": "x" }), "Permission denied");
    mode("deep", 0o755);
    assert_eq!(fs::read_to_string(folder.join("work/deep/file")).unwrap(), "two");
    // What cannot be opened is said, and the rest is searched.
    succeeds("write", json!({ "path": "closed/inner", "content": "two" }));
    succeeds("write", json!({ "path": "locked", "content": "two" }));
    mode("closed", 0);
    mode("locked", 0);
    fails("read", json!({ "path": "locked" }), "Permission denied");
    fails("read", json!({ "path": "closed/inner" }), "Permission denied");
    fails("list", json!({ "path": "closed" }), "Permission denied");
    let found = succeeds("grep", json!({ "pattern": "two" }));
    assert!(found.starts_with("deep/file:1:two\n"), "{found}");
    assert!(found.contains("[1 file could not be searched]"), "{found}");
    assert!(found.contains("[1 entry not searched: the folder could not be opened]"), "{found}");
    mode("closed", 0o755);
    mode("locked", 0o644);
    // What failed was not recorded; what was done can be undone.
    let undo = UndoStore::open(folder.join("undo")).unwrap();
    let plan = undo.plan(&[IdempotencyKey::from_bytes([7; 16])]).unwrap();
    let paths: Vec<String> = plan.steps.iter().map(|step| step.path.to_string()).collect();
    assert_eq!(paths, ["closed/inner", "deep/file", "locked"]);
    undo.restore(&plan, &[], holm_tools::undo::OperationLabel::default()).unwrap();
    assert!(!folder.join("work/deep/file").exists());
    // Undo records that cannot be kept mean that nothing is changed.
    fs::set_permissions(folder.join("undo/records"), fs::Permissions::from_mode(0o500)).unwrap();
    fails("write", json!({ "path": "unrecorded", "content": "x" }), "nothing was changed");
    assert!(!folder.join("work/unrecorded").exists());
    println!("cases without root ... ok");
}
