use std::fs;

use holm_tools::{hooks::HookFile, trust::ContentHash};

use super::*;

/// A project with hooks that a person trusts, a server of the user's, and settings of its own.
fn project() -> (tempfile::TempDir, HolmPaths) {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let places = HolmPaths::at(real.join("data"), real.join("work"));
    for made in [places.tools(), places.project_tools(), places.work.join("tools")] {
        fs::create_dir_all(made).unwrap();
    }
    let hook = serde_json::json!({ "type": "command", "command": "sh tools/check.sh" });
    let hooks = serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    fs::write(places.project_hooks(), hooks.to_string()).unwrap();
    for name in ["tools/check.sh", "tools/other.sh", "server.py", "holm.toml"] {
        fs::write(places.work.join(name), "").unwrap();
    }
    let server = places.work.join("server.py");
    let entry = serde_json::json!({ "command": "python3", "args": [server] });
    fs::write(places.tools().join("sea.mcp.json"), entry.to_string()).unwrap();
    (folder, places)
}

fn trust(places: &HolmPaths) {
    let mut ledger = TrustLedger::open(places.trust()).unwrap();
    let file = HookFile::load(&places.work, &places.project_hooks()).unwrap();
    let lead = file.path().to_owned();
    let files: Vec<(PathBuf, ContentHash)> = file.trusted(&ledger).unwrap_err().files;
    ledger.trust_along(&lead, files).unwrap();
}

/// Whether commands may write a file.
fn open(kept: &ProtectedPaths, path: &std::path::Path) -> bool {
    let request = AccessRequest::new(GrantKind::Write, path.to_str().unwrap()).unwrap();
    kept.of_commands().hitting(&request).is_none()
}

#[test]
fn scripts_of_trusted_hooks_and_files_of_servers_are_written_by_no_tool() {
    let (_folder, places) = project();
    assert!(
        open(&ProtectedPaths::find(&places), &places.work.join("tools/check.sh")),
        "nobody trusts the hooks yet"
    );
    trust(&places);
    let kept = ProtectedPaths::find(&places);
    let root = kept.over(WorkspaceRoot::open(&places.work).unwrap()).unwrap().denials().unwrap();
    for (name, expect) in [
        ("tools/check.sh", false),
        ("tools/other.sh", true),
        ("server.py", false),
        ("holm.toml", false),
        ("notes.txt", true),
    ] {
        let path = places.work.join(name);
        assert_eq!(open(&kept, &path), expect, "{name} for commands");
        for text in [name, path.to_str().unwrap()] {
            let write = AccessRequest::new(GrantKind::Write, text).unwrap();
            assert_eq!(root.hitting(&write).is_none(), expect, "{text} for files and guests");
            let read = AccessRequest::new(GrantKind::Read, text).unwrap();
            assert!(root.hitting(&read).is_none(), "{text} can be read");
        }
    }
    fs::remove_file(places.work.join("tools/check.sh")).unwrap();
    assert!(
        !open(&ProtectedPaths::find(&places), &places.work.join("tools/check.sh")),
        "also while it is gone"
    );
}
