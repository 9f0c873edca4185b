use serde_json::json;

use super::*;

fn entry(value: &Value) -> Entry {
    Entry { path: "/x/sea.mcp.json".into(), bytes: value.to_string().into_bytes() }
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
            "wants read:src/",
            "wants the whole network",
            "is given ${TOK} as TOKEN",
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
    let places = Places::at(work.join("data"), &work);
    let args = json!([work.join("server.py"), "--conf=conf.txt", "nothing.txt"]);
    let found = entry(&json!({ "command": "python3", "args": args })).files(&work, &places);
    assert_eq!(found, [work.join("conf.txt"), work.join("server.py")]);
}
