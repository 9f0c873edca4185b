use serde_json::json;

use super::*;

fn entry(value: &Value) -> McpEntryFile {
    McpEntryFile { path: "/x/sea.mcp.json".into(), bytes: value.to_string().into_bytes() }
}

#[test]
fn an_entry_is_shown_as_it_is_written_with_all_that_it_asks_for() {
    let program = json!({
        "command": "python3",
        "args": ["${HOME}/server.py"],
        "grants": ["read:src/"],
        "network": "open",
        "env": { "TOKEN": "${TOK}", "MODE": "fast" },
    });
    let written = entry(&program).written().unwrap();
    assert_eq!(
        written[0].asks(),
        [
            "sea starts `python3 ${HOME}/server.py`",
            "asks for read:src/",
            "asks for the whole network",
            "is given ${TOK} as TOKEN",
            "sets MODE",
        ]
    );
    let several = json!({ "mcpServers": { "A B": { "url": "https://x.example/?key=${KEY}" } } });
    let written = entry(&several).written().unwrap();
    assert_eq!(
        (written[0].name.as_str(), written[0].reach().as_str()),
        ("a-b", "https://x.example/?key=${KEY}")
    );
    let hidden = entry(&json!({ "command": "sh\u{1b}[2J" })).written().unwrap()[0].reach();
    assert!(!hidden.contains('\u{1b}'), "{hidden:?}");
}

#[test]
fn the_files_of_a_command_line_are_found_where_they_really_lie() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap();
    for name in ["server.py", "conf.txt", "other.txt"] {
        fs::write(work.join(name), "").unwrap();
    }
    let places = HolmPaths::at(work.join("data"), &work);
    let args = json!([work.join("server.py"), "--conf=conf.txt", "nothing.txt"]);
    let found = entry(&json!({ "command": "python3", "args": args })).files(&work, &places);
    assert_eq!(found, [work.join("conf.txt"), work.join("server.py")]);
}

/// A project with a script, a database and an entry that names both, which a person has trusted.
fn project() -> (tempfile::TempDir, HolmPaths, McpEntryFile) {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap().join("work");
    let places = HolmPaths::at(work.with_file_name("data"), &work);
    fs::create_dir_all(places.project_tools()).unwrap();
    fs::create_dir_all(&places.data).unwrap();
    for name in ["server.py", "data.db"] {
        fs::write(work.join(name), "").unwrap();
    }
    let args = ["server.py", "--db=data.db"];
    let value =
        json!({ "command": "/usr/bin/python3", "args": args, "grants": ["read:./", "write:data.db"] });
    let path = places.project_tools().join("sea.mcp.json");
    fs::write(&path, value.to_string()).unwrap();
    let bytes = value.to_string().into_bytes();
    let mut ledger = TrustLedger::open(places.trust()).unwrap();
    ledger.trust_file(&path, ContentHash::of(&bytes)).unwrap();
    (folder, places, McpEntryFile { path, bytes })
}

#[test]
fn a_projects_server_starts_only_with_files_that_were_trusted_as_they_are() {
    let (_folder, places, entry) = project();
    let script = places.work.join("server.py");
    assert_eq!(entry.scripts(&places.work, &places).unwrap(), [script.as_path()], "and not with its data");
    let why = || entry.admit(&places).unwrap_err().to_string();
    assert!(why().contains("server.py, which starts it, is not trusted"), "{}", why());
    let mut ledger = TrustLedger::open(places.trust()).unwrap();
    ledger.trust_along(&entry.path, [(script.clone(), ContentHash::of(b""))]).unwrap();
    assert!(entry.admit(&places).is_ok());
    fs::write(places.work.join("data.db"), "more").unwrap();
    assert!(entry.admit(&places).is_ok(), "what it writes itself may change");
    fs::write(&script, "import os").unwrap();
    assert!(why().contains("changed since you trusted it"), "{}", why());
    fs::write(&script, "").unwrap();
    assert!(entry.admit(&places).is_ok(), "as it was looked at");
}

#[test]
fn whoever_is_told_to_look_at_a_servers_files_is_told_where_their_trust_is_kept() {
    let (_folder, places, entry) = project();
    let kept = quoted(&places.data.to_string_lossy());
    let why = entry.admit(&places).unwrap_err().to_string();
    assert!(why.ends_with(&format!("review it, then run `holm --data {kept} tool trust`")), "{why}");
    let agent = places.work.join("agent.json");
    let told = trusting(&agent, &places.work.join("server.py"), &places);
    let work = quoted(&places.work.to_string_lossy());
    assert_eq!(told, format!("holm --data {kept} tool trust {work}"));
}

#[test]
fn a_servers_program_is_looked_for_from_the_project_and_its_words_from_where_it_starts() {
    let (_folder, places, _) = project();
    fs::create_dir(places.work.join("sub")).unwrap();
    for name in ["run.sh", "sub/run.sh", "sub/server.py"] {
        fs::write(places.work.join(name), "").unwrap();
    }
    let check = |value: Value, expect: &[&str]| {
        let expect: Vec<PathBuf> = expect.iter().map(|name| places.work.join(name)).collect();
        assert_eq!(entry(&value).scripts(&places.work, &places).unwrap(), expect, "{value}");
    };
    check(json!({ "command": "./run.sh", "args": ["server.py"] }), &["run.sh"]);
    check(
        json!({ "command": "./run.sh", "args": ["server.py"], "cwd": "sub" }),
        &["run.sh", "sub/server.py"],
    );
    check(
        json!({ "command": "./run.sh", "args": ["server.py"], "grants": ["read:./"] }),
        &["run.sh", "server.py"],
    );
    check(
        json!({ "command": "python3", "args": ["-m", "sub.server"], "grants": ["read:./"] }),
        &["sub/server.py"],
    );
}

#[test]
fn files_that_an_own_entry_finds_in_the_folder_are_named_unless_it_names_them_whole() {
    let (_folder, places, own) = project();
    let script = places.work.join("server.py");
    assert_eq!(own.strays(&places), [script.as_path()]);
    let whole = entry(&json!({ "command": "/usr/bin/python3", "args": [script] }));
    assert_eq!(whole.strays(&places), Vec::<PathBuf>::new());
    let module = json!({ "command": "/usr/bin/python3", "args": ["-m", "server"], "grants": ["read:./"] });
    assert_eq!(entry(&module).strays(&places), [script.as_path()]);
    // Without the grant it starts elsewhere, and finds nothing here.
    let elsewhere = entry(&json!({ "command": "/usr/bin/python3", "args": ["-m", "server"] }));
    assert_eq!(elsewhere.strays(&places), Vec::<PathBuf>::new());
}
