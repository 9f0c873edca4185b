//! Tests `holm mcp` and `holm mcp-server`: servers of other authors, and Holm as one.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::stage::{MODEL, Ran, Stage};
use crate::terminal;

/// The server of the crate's own tests, which behaves as it is told.
fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py").canonicalize().unwrap()
}

/// A stage on which a server is written down that behaves so.
fn with_server(mode: &str) -> Stage {
    with_server_and(mode, [])
}

/// The same, with a provider that performs these acts.
fn with_server_and(mode: &str, acts: impl IntoIterator<Item = Act>) -> Stage {
    let stage = Stage::new(acts);
    let (script, data) = (script(), stage.work().canonicalize().unwrap());
    let (script, state) = (script.to_str().unwrap(), data.join("state"));
    let read =
        [format!("read:{script}"), format!("read:{}/", data.display()), format!("write:{}/", data.display())];
    let mut words = vec!["mcp", "add", "sea"];
    words.extend(read.iter().flat_map(|grant| ["--grant", grant]));
    words.extend(["--", "/usr/bin/python3", script, mode, state.to_str().unwrap()]);
    let ran = stage.holm(words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    stage
}

#[test]
fn a_server_is_written_down_listed_tried_and_used() {
    let stage = with_server("ok");
    let listed = stage.holm(["mcp", "list"]);
    assert!(listed.out.starts_with("sea  /usr/bin/python3 "), "{listed:?}");
    let tested = stage.holm(["mcp", "test", "sea"]);
    assert_eq!(
        (tested.code, tested.out.as_str()),
        (Some(0), "sea_echo  Says it again. (execute)\n"),
        "{tested:?}"
    );
    assert!(tested.err.contains("speaks 2025-11-25"), "{tested:?}");
    let call = ["tool", "execute", "sea_echo", r#"{"word":"ahoy"}"#];
    stage.holm(call).fails(3, "allow it with --grant tool:sea_echo");
    let ran = stage.holm(call.into_iter().chain(["--grant", "tool:sea_echo"]));
    assert_eq!(ran.out.trim(), r#"{"word": "ahoy"}"#, "{ran:?}");
    let ran = stage.holm(call.into_iter().chain(["--mode", "full"]));
    assert_eq!(ran.out.trim(), r#"{"word": "ahoy"}"#, "{ran:?}");
}

#[test]
fn a_tool_that_changed_is_not_called_and_gone_until_it_is_confirmed() {
    let stage = with_server("changes");
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(0));
    assert!(stage.holm(["tool", "list"]).out.contains("sea_echo"), "as it was when it was looked at");
    let call = ["tool", "execute", "sea_echo", r#"{"word":"ahoy"}"#, "--mode", "full"];
    let called = stage.holm(call);
    assert!(called.code != Some(0) && !called.out.contains("ahoy"), "{called:?}");
    let said = format!("{}{}", called.out, called.err);
    assert!(said.contains("`echo` changed since you first used it"), "{called:?}");
    let tested = stage.holm(["mcp", "test", "sea"]);
    assert!(tested.out.contains("sea_echo  changed: Says it again. First read"), "{tested:?}");
    assert!(tested.code == Some(3) && tested.err.contains("`holm mcp confirm sea`"), "{tested:?}");
    let again = stage.holm(["tool", "list"]);
    assert!(!again.out.contains("sea_echo"), "{again:?}");
    assert_eq!(stage.holm(["mcp", "confirm", "sea"]).code, Some(0));
    assert!(stage.holm(["tool", "list"]).out.contains("sea_echo"));
    assert_eq!(stage.holm(call).out.trim(), r#"{"word": "ahoy"}"#);
}

#[test]
fn a_server_that_fails_keeps_nothing_else_from_working() {
    let stage = with_server("crashes");
    let listed = stage.holm(["tool", "list"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let told = ["cheese", "has not answered yet"].iter().any(|word| listed.err.contains(word));
    assert!(told && listed.out.contains("read  "), "{listed:?}");
    stage.holm(["mcp", "test", "sea"]).fails(3, "cheese");
}

#[test]
fn a_server_whose_list_nobody_reads_says_so_at_once() {
    let stage = with_server("deep-list");
    // A server that is silent is given up after a minute, in other words.
    stage.holm(["mcp", "test", "sea"]).fails(3, "nested deeper than 127 levels");
}

#[test]
fn what_a_run_calls_at_a_server_is_in_its_journal() {
    let call = Act::calls(&[("c1", "sea_echo", r#"{"word":"ahoy"}"#)]);
    let stage = with_server_and("ok", [call, Act::says("Done.")]);
    let words = ["-p", "Say it.", "--session", "s", "--mode", "full", "--tools", "native"];
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(0), "so that it is known");
    stage.run(&words).says("Done.\n");
    let told = stage.double.requests().last().unwrap().text();
    assert!(told.contains("<tool_output seal="), "what comes from outside is sealed: {told}");
    let shown = stage.holm(["session", "show", "s"]).out;
    assert!(shown.contains("### Call of `sea_echo`") && shown.contains(r#"{"word": "ahoy"}"#), "{shown}");
    let replayed = stage.holm(["session", "replay", "s"]);
    assert!(replayed.code == Some(0) && replayed.out.contains("sea_echo"), "{replayed:?}");
}

#[test]
fn a_server_that_crashes_in_its_first_call_is_reported_to_the_model_and_to_the_person() {
    let call = Act::calls(&[("c1", "sea_echo", r#"{"word":"ahoy"}"#)]);
    let stage = with_server_and("dies-in-call", [call, Act::says("It is gone.")]);
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(0), "it starts well");
    let ran = stage.run(&["-p", "Say it.", "--session", "s", "--mode", "full", "--tools", "native"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is gone.\n"), "{ran:?}");
    let requests = stage.double.requests();
    let told = requests.last().unwrap().text();
    assert!(told.contains("it closed the connection") && told.contains("out of cheese"), "{told}");
    let shown = stage.holm(["session", "show", "s"]).out;
    assert!(shown.contains("### Call of `sea_echo`\n") && shown.contains("out of cheese"), "{shown}");
    let called = stage.holm(["tool", "execute", "sea_echo", "{}", "--mode", "full"]);
    let said = format!("{}{}", called.out, called.err);
    assert!(called.code != Some(0) && said.contains("out of cheese"), "{called:?}");
}

#[test]
fn a_person_at_a_terminal_answers_what_a_server_asks() {
    let call = Act::calls(&[("c1", "sea_echo", "{}")]);
    let stage = with_server_and("asks-name", [call, Act::says("Well met.")]);
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(0), "so that it is known");
    let run = format!("run --model {MODEL} -p Ask. --mode full --tools native");
    let line = format!("{} {run}", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) =
        terminal::pressing(&stage, &line, &["answer it? [y/N] ", "  name: "], &["y\n", "Ada\n"]);
    assert!(code == Some(0) && screen.contains("the server sea asks: Who are you?"), "{screen}");
    let told = stage.double.requests().last().unwrap().text();
    assert!(told.contains("accept") && told.contains("Ada"), "{told}");
}

#[test]
fn logins_to_a_server_are_forgotten_and_those_to_others_are_not() {
    let stage = Stage::new([]);
    stage.holm(["mcp", "logout", "sea"]).fails(6, "not logged in to `sea`");
    let folder = stage.data().join("mcp/logins");
    fs::create_dir_all(&folder).unwrap();
    let [own, moved, other] =
        ["sea-0123456789abcdef.json", "sea-fedcba9876543210.json", "sea-side-0123456789abcdef.json"]
            .map(|name| folder.join(name));
    for file in [&own, &moved, &other] {
        fs::write(file, "{}").unwrap();
    }
    let ran = stage.holm(["mcp", "logout", "sea"]);
    assert!(ran.code == Some(0) && ran.err.contains("removed the login to sea"), "{ran:?}");
    assert!(!own.exists() && !moved.exists(), "at every address");
    assert!(other.exists(), "a server of another name");
    stage.holm(["mcp", "logout", "sea"]).fails(6, "not logged in to `sea`");
    stage.holm(["mcp", "logout", "../sea"]).fails(2, "not a valid server name");
}

/// Writes a server down that behaves so, without a word of the command.
fn write_server(stage: &Stage, name: &str, mode: &str) {
    let args = [script().to_str().unwrap().to_owned(), mode.to_owned()];
    let entry = json!({ "command": "/usr/bin/python3", "args": args, "era": "handshake" });
    fs::write(stage.data().join(format!("tools/{name}.mcp.json")), entry.to_string()).unwrap();
}

#[test]
fn twenty_servers_of_which_five_hang_and_five_crash_keep_no_run_waiting() {
    let stage = Stage::new((0..2).map(|_| Act::says("Ready.")));
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    for number in 0..20 {
        let (kind, mode) = match number % 4 {
            0 => ("hangs", "hangs"),
            1 => ("crashes", "crashes"),
            _ => ("good", "ok"),
        };
        write_server(&stage, &format!("{kind}{number}"), mode);
    }
    // A server that hangs is given up after a minute, and two of these would be waited for at a time.
    let bound = Duration::from_secs(50);
    for round in ["new", "known"] {
        let begun = Instant::now();
        let ran = stage.run(&["-p", "Go.", "--tools", "native"]);
        assert!(begun.elapsed() < bound, "{round}: {:?}", begun.elapsed());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Ready.\n"), "{ran:?}");
        let told = |kind: &str, what: &[&str]| {
            let about = |line: &&str| line.contains(&format!("/{kind}"));
            let fits = |line: &&str| what.iter().any(|what| line.contains(what));
            ran.err.lines().filter(about).filter(fits).count()
        };
        assert_eq!(told("hangs", &["has not answered yet"]), 5, "{round}: {ran:?}");
        assert_eq!(told("crashes", &["cheese", "has not answered yet"]), 5, "{round}: {ran:?}");
        // Reviewed servers are listed from the beginning, without being started.
        for number in (0..20).filter(|number| number % 4 > 1) {
            let tested = stage.holm(["mcp", "test", &format!("good{number}")]);
            assert_eq!(tested.code, Some(0), "{tested:?}");
        }
    }
    let requests = stage.double.requests();
    let tools = &requests.last().unwrap().asked.as_ref().unwrap().tools;
    let named = |kind: &str| tools.iter().filter(|tool| tool.name.starts_with(kind)).count();
    assert_eq!((named("good"), named("hangs"), named("crashes")), (10, 0, 0), "{tools:?}");
}

#[test]
fn a_server_that_answers_late_joins_the_run() {
    let turns = AtomicUsize::new(0);
    let stage = Stage::answering(move |seen| {
        let tools = &seen.asked.as_ref().unwrap().tools;
        if tools.iter().any(|tool| tool.name == "sea_echo") {
            return Act::says("It is here.");
        }
        // The first call lets the server go on; the others give it time, each in words of its own.
        let command = format!("touch go; sleep 1; echo {}", turns.fetch_add(1, Ordering::Relaxed));
        Act::calls(&[("c", "shell", &json!({ "script": command }).to_string())])
    });
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let work = stage.work().canonicalize().unwrap();
    let entry = json!({
        "command": "/usr/bin/python3",
        "args": [script().to_str().unwrap(), "waits", "", work.join("go").to_str().unwrap()],
        "grants": [format!("read:{}/", work.display())],
    });
    fs::write(stage.data().join("tools/sea.mcp.json"), entry.to_string()).unwrap();
    let grants =
        ["exec:*", "exec:./**", "read:**", "write:**"].into_iter().flat_map(|grant| ["--grant", grant]);
    let words = ["-p", "Wait for it.", "--mode", "full", "--tools", "native"].into_iter().chain(grants);
    let ran = stage.run(&words.collect::<Vec<_>>());
    assert!(ran.out == "It is here.\n" && ran.err.contains("the server sea has not answered yet"), "{ran:?}");
}

#[test]
fn an_entry_that_was_changed_starts_nothing() {
    let stage = with_server("ok");
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(0));
    let file = stage.data().join("tools/sea.mcp.json");
    let changed = fs::read_to_string(&file).unwrap().replace("\"ok\"", "\"modern\"");
    fs::write(&file, changed).unwrap();
    stage.holm(["mcp", "test", "sea"]).fails(3, "then run `holm tool confirm sea.mcp.json`");
    assert!(!stage.holm(["tool", "list"]).out.contains("sea_echo"));
}

#[test]
fn an_entry_of_a_project_that_nobody_trusts_starts_nothing() {
    let stage = Stage::new([]);
    fs::create_dir_all(stage.work().join(".holm/tools")).unwrap();
    let entry = json!({ "command": "/usr/bin/touch", "args": [stage.work().join("started")] });
    fs::write(stage.work().join(".holm/tools/evil.mcp.json"), entry.to_string()).unwrap();
    stage.holm(["mcp", "test", "evil"]).fails(3, "you have not trusted it");
    stage.holm(["tool", "list"]);
    assert!(!stage.work().join("started").exists());
}

#[test]
fn servers_of_another_program_are_taken_over() {
    let text = json!({ "mcpServers": {
        "Far Away": { "url": "https://far.example/mcp", "headers": { "X-Key": "${FAR_KEY}" } },
        "off": { "command": "x", "disabled": true },
        "odd": { "type": "carrier-pigeon" },
    } });
    let stage = Stage::new([]).file("other.json", &text.to_string());
    let ran = stage.holm(["mcp", "add", "--from", "other.json"]);
    assert_eq!(ran.code, Some(3), "one cannot be used: {ran:?}");
    assert!(ran.err.contains("skipped odd") && ran.err.contains("skipped off"), "{ran:?}");
    assert!(ran.err.contains("`Far Away` is called `far-away` here"), "{ran:?}");
    let told = "holm: far-away reaches `https://far.example/mcp`\nholm: is given ${FAR_KEY} as X-Key\n";
    assert!(ran.err.contains(told), "whoever takes it over sees where a secret goes: {ran:?}");
    let kept = fs::read_to_string(stage.data().join("tools/far-away.mcp.json")).unwrap();
    assert!(kept.contains("${FAR_KEY}"), "the name of a variable is kept, not its value: {kept}");
    let listed = stage.holm(["mcp", "list"]);
    assert!(
        listed.code == Some(0) && listed.out.starts_with("far-away  https://far.example/mcp  ("),
        "{listed:?}"
    );
}

#[test]
fn the_environment_of_a_server_that_is_imported_is_shown() {
    let env = json!({ "LD_PRELOAD": "/tmp/evil.so", "API_KEY": "a-secret-value" });
    let text = json!({ "mcpServers": { "near": { "command": "server", "env": env } } });
    let stage = Stage::new([]).file("other.json", &text.to_string());
    let ran = stage.holm(["mcp", "add", "--from", "other.json"]);
    assert!(ran.err.contains("is given /tmp/evil.so as LD_PRELOAD"), "{ran:?}");
    assert!(ran.err.contains("sets API_KEY") && !ran.err.contains("a-secret-value"), "{ran:?}");
}

#[test]
fn a_server_that_is_taken_over_gets_nothing_of_the_power_that_its_file_claims() {
    let power = json!({
        "command": "x", "args": ["y"], "timeout": 7, "grants": ["read:/**", "write:/**", "exec:*"], "network": "open",
        "levels": { "t": "none" }, "hints": "believed",
    });
    let text = json!({ "mcpServers": { "sea": power } }).to_string();
    let add: &[&str] = &["mcp", "add", "--from", "other.json"];
    let import: &[&str] = &["import", "other.json", "--json"];
    for args in [add, import] {
        let stage = Stage::new([]).file("other.json", &text);
        let home = stage.work().join("../home");
        let ran = Ran::of(&stage.command(args).env("HOME", home).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let told =
            "sea: `grants`, `network`, `levels`, `hints` left out: only you decide what a server may do";
        assert!(ran.err.contains(told), "{ran:?}");
        assert_eq!(ran.out.contains("of the server `sea`"), args == import, "{ran:?}");
        let kept = fs::read_to_string(stage.data().join("tools/sea.mcp.json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        assert_eq!(kept, json!({ "command": "x", "args": ["y"], "timeout": 7 }));
    }
}

#[test]
fn servers_are_listed_and_trusted_as_they_are_written() {
    let stage = Stage::new([]);
    fs::create_dir_all(stage.work().join(".holm/tools")).unwrap();
    let entry = json!({ "command": "python3", "args": ["${OPENAI_API_KEY}/x.py"], "grants": ["read:src/"] });
    fs::write(stage.work().join(".holm/tools/sea.mcp.json"), entry.to_string()).unwrap();
    let listed = stage.holm(["mcp", "list"]);
    assert!(listed.out.starts_with("sea  python3 ${OPENAI_API_KEY}/x.py  ("), "{listed:?}");
    assert!(!listed.out.contains(crate::stage::KEY), "{listed:?}");
    let shown = stage.holm(["tool", "trust"]);
    assert!(
        shown.out.contains("  sea starts `python3 ${OPENAI_API_KEY}/x.py`\n  asks for read:src/\n"),
        "{shown:?}"
    );
}

#[test]
fn a_server_is_an_address_or_a_program() {
    let stage = Stage::new([]);
    stage.holm(["mcp", "add", "x"]).fails(2, "the URL or the program of the server is missing");
    stage.holm(["mcp", "add", "a_b", "--", "x"]).fails(2, "not a valid server name");
    stage.holm(["mcp", "add", "x", "--grant", "fly:away", "--", "x"]).fails(2, "grants");
    stage.holm(["mcp", "test", "nobody"]).fails(6, "no server `nobody`");
}

#[test]
fn a_server_that_does_not_answer_is_told_in_plain_words() {
    let stage = Stage::new([]);
    // No server listens there any more.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/mcp");
    assert_eq!(stage.holm(["mcp", "add", "far", "--url", &url]).code, Some(0));
    let ran = stage.holm(["mcp", "test", "far"]);
    assert!(ran.code != Some(0) && ran.err.contains(&address.to_string()), "{ran:?}");
    for word in ["rmcp", "Transport", "Client error", "::", "Send message"] {
        assert!(!ran.err.contains(word), "`{word}` tells nobody anything: {}", ran.err);
    }
}

#[test]
fn a_server_that_was_written_down_wrongly_is_removed_and_written_down_again() {
    let stage = Stage::new([]);
    let script = script();
    let add = |words: &[&str]| stage.holm([&["mcp", "add", "sea", "--"], words].concat());
    assert_eq!(add(&["/usr/bin/false"]).code, Some(0));
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(3));
    add(&["/usr/bin/python3"]).fails(2, "server `sea` already exists");
    assert_eq!(stage.holm(["mcp", "remove", "sea"]).code, Some(0));
    stage.holm(["mcp", "remove", "sea"]).fails(6, "no server `sea` among your tools");
    // Without a grant: a file that the command line names is the server's own.
    let ran = add(&["/usr/bin/python3", script.to_str().unwrap(), "ok"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let tested = stage.holm(["mcp", "test", "sea"]);
    assert!(tested.code == Some(0) && tested.out.contains("sea_echo"), "{tested:?}");
}

/// A home with two programs: `runner` starts `runner-core` of its own folder, as `uvx` starts `uv`.
/// That one copies the server into the home that it is given and runs it there, as `npx` does.
fn home_with_a_package_runner(stage: &Stage) -> PathBuf {
    let home = stage.work().join("../home").join("user");
    let programs = home.join(".local/bin");
    fs::create_dir_all(&programs).unwrap();
    let core = "#!/bin/sh\nset -e\nmkdir -p \"$HOME/.cache\"\n\
        { echo '#!/usr/bin/python3'; cat \"$1\"; } > \"$HOME/.cache/server\"\n\
        chmod +x \"$HOME/.cache/server\"\nshift\nexec \"$HOME/.cache/server\" \"$@\"\n";
    let runner = "#!/bin/sh\nexec \"$(dirname \"$0\")/runner-core\" \"$@\"\n";
    for (name, text) in [("runner", runner), ("runner-core", core)] {
        fs::write(programs.join(name), text).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    home
}

#[test]
fn a_package_runner_starts_its_siblings_and_keeps_what_it_downloads_in_a_home_of_its_own() {
    let stage = Stage::new([]);
    let home = home_with_a_package_runner(&stage);
    let path = format!("{}:/usr/bin:/bin", home.join(".local/bin").display());
    let holm = |words: &[&str]| {
        let mut command = stage.command(words);
        Ran::of(&command.env("HOME", &home).env("PATH", &path).output().unwrap())
    };
    let script = script();
    let added = holm(&["mcp", "add", "sea", "--", "runner", script.to_str().unwrap(), "ok"]);
    assert_eq!(added.code, Some(0), "{added:?}");
    for _ in 0..2 {
        let tested = holm(&["mcp", "test", "sea"]);
        assert!(tested.code == Some(0) && tested.out.contains("sea_echo"), "{tested:?}");
    }
    let homes = stage.data().join("server-homes/own/sea");
    let kept: Vec<PathBuf> = fs::read_dir(&homes).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(matches!(kept.as_slice(), [one] if one.join(".cache/server").is_file()), "{kept:?}");
    assert!(!home.join(".cache").exists(), "the user's own home is not written");
    assert_eq!(holm(&["mcp", "remove", "sea"]).code, Some(0));
    assert!(!homes.exists(), "the server is gone, and so is what it kept");
}

/// The words of a command of the documentation that begins like this.
fn documented(beginning: &str) -> Vec<String> {
    let text = include_str!("../../../../docs/mcp.md");
    let line = text.lines().find(|line| line.trim_start().starts_with(beginning)).unwrap();
    // Behind the command comes what it is for.
    let command = line.trim_start().split("   ").next().unwrap();
    command.split(' ').skip(1).map(str::to_owned).collect()
}

/// Starts a server of a package runner, which downloads it, and shows its tools.
fn starts_from_the_registry(name: &str, mut words: Vec<String>, tool: &str) {
    let stage = Stage::new([]);
    // A machine with a certificate authority of its own: uv trusts only the public ones by default.
    if std::env::var_os("SSL_CERT_FILE").is_some() {
        let at = words.iter().position(|word| word == "--").unwrap();
        words.splice(at..at, ["--env".to_owned(), "UV_SYSTEM_CERTS=true".to_owned()]);
    }
    let added = stage.holm(&words);
    assert_eq!(added.code, Some(0), "{words:?}: {added:?}");
    let tested = stage.holm(["mcp", "test", name]);
    assert!(tested.code == Some(0) && tested.out.contains(tool), "{words:?}: {tested:?}");
}

#[test]
#[ignore = "needs the network and uv; `scripts/prove mcp-examples` runs it"]
fn the_example_with_uvx_starts_as_it_is_written() {
    starts_from_the_registry("time", documented("holm mcp add time"), "get_current_time");
}

#[test]
#[ignore = "needs the network and npm; `scripts/prove mcp-examples` runs it"]
fn the_example_with_npx_starts_as_it_is_written() {
    starts_from_the_registry("all", documented("holm mcp add all"), "echo");
}

#[test]
fn a_server_that_never_started_is_mended_without_a_question() {
    let stage = Stage::new([]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = stage.data().join("tools/sea.mcp.json");
    fs::write(&file, json!({ "command": "/usr/bin/false" }).to_string()).unwrap();
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(3));
    assert!(!stage.holm(["tool", "list"]).out.contains("sea_echo"));
    let args = [script().to_str().unwrap().to_owned(), "ok".to_owned()];
    fs::write(&file, json!({ "command": "/usr/bin/python3", "args": args }).to_string()).unwrap();
    assert_eq!(stage.holm(["mcp", "test", "sea"]).code, Some(0), "which waits as long as it takes");
    let listed = stage.holm(["tool", "list"]);
    assert!(listed.out.contains("sea_echo"), "{listed:?}");
    fs::write(&file, json!({ "command": "/usr/bin/false" }).to_string()).unwrap();
    stage.holm(["mcp", "test", "sea"]).fails(3, "changed since you confirmed it");
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_what_is_wrong() {
    let stage = Stage::new([]);
    assert_eq!(stage.holm(["mcp", "add", "odd", "--", "x"]).code, Some(0));
    let file = stage.data().join("tools/odd.mcp.json");
    fs::write(&file, "{").unwrap();
    stage.holm(["mcp", "test", "odd"]).fails(3, "it is not valid JSON");
    fs::write(&file, r#"{ "command": "x", "grant": ["read:./"] }"#).unwrap();
    let listed = stage.holm(["mcp", "list"]);
    assert!(listed.err.contains("its entry has `grant`, which Holm does not know"), "{listed:?}");
}

/// A client that speaks with `holm mcp-server`.
struct Client {
    server: Child,
    write: ChildStdin,
    read: BufReader<ChildStdout>,
}

impl Client {
    fn of(stage: &Stage, words: &[&str]) -> Self {
        let mut command = stage.command(["mcp-server"].iter().chain(words));
        let mut server =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (write, read) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut client = Self { server, write, read };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        client.ask("initialize", &hello);
        writeln!(client.write, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .unwrap();
        client
    }

    /// Asks and waits for the answer; what is told between is left out.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.write, "{request}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).unwrap() > 0, "the server went away");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == 1 {
                return message["result"].clone();
            }
        }
    }

    fn names(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", &json!({}));
        listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn an_agent_is_asked_through_mcp() {
    let stage = Stage::new([Act::says("forty-two")]);
    let mut client = Client::of(&stage, &["--", "--model", MODEL]);
    assert_eq!(client.names(), ["ask_holm"]);
    let answer = client.call("ask_holm", &json!({ "prompt": "what is it?" }));
    assert_eq!(answer["content"][0]["text"], "forty-two", "{answer}");
    let sessions = stage.holm(["session", "list"]);
    assert!(!sessions.out.trim().is_empty(), "what was asked is in the journal: {sessions:?}");
}

#[test]
fn the_same_agent_files_are_the_same_tools_however_often_they_are_served() {
    let stage = Stage::new([]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    for name in ["code-reviewer", "Code_Reviewer", "holm", "zoe", "adam"] {
        let agent = format!("---\nname: {name}\ndescription: Helps.\ntools: [read]\n---\nHelp.\n");
        fs::write(stage.data().join(format!("tools/{name}.md")), agent).unwrap();
    }
    let names = || Client::of(&stage, &["--", "--model", MODEL]).names();
    let first = names();
    let mut sorted = first.clone();
    sorted.sort();
    let expect =
        ["ask_adam", "ask_code_reviewer", "ask_code_reviewer_2", "ask_holm", "ask_holm_2", "ask_zoe"];
    assert_eq!(sorted, expect, "each has a name of its own");
    for _ in 0..3 {
        assert_eq!(names(), first);
    }
}

#[test]
fn tools_are_served_on_request_and_under_what_was_granted() {
    let stage = Stage::new([]).file("notes.txt", "one\n").file("secret.txt", "two\n");
    let mut client = Client::of(&stage, &["--tools", "--", "--grant", "read:notes.txt"]);
    assert!(client.names().iter().any(|name| name == "read"));
    let read = client.call("read", &json!({ "path": "notes.txt" }));
    assert!(read["content"][0]["text"].as_str().unwrap().contains("one"), "{read}");
    let refused = client.call("read", &json!({ "path": "secret.txt" }));
    assert_eq!(refused["isError"], true, "{refused}");
}

#[test]
fn the_hooks_of_a_run_look_at_what_clients_call_and_a_journal_remembers_it() {
    let stage = Stage::new([]).file("notes.txt", "one\n");
    let hook = json!({ "type": "command", "command": "echo never >&2; exit 2" });
    let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": "write", "hooks": [hook] }] } }).to_string();
    fs::create_dir(stage.work().join(".holm")).unwrap();
    fs::write(stage.work().join(".holm/hooks.json"), &hooks).unwrap();
    let hash = holm_tools::trust::ContentHash::of(hooks.as_bytes()).to_string();
    assert_eq!(stage.holm(["hooks", "trust", "--yes", &hash]).code, Some(0));
    let words = [
        "--tools",
        "--",
        "--grant",
        "write:**",
        "--grant",
        "read:**",
        "--mode",
        "accept-edits",
        "--budget",
        "1",
    ];
    let mut client = Client::of(&stage, &words);
    let written = client.call("write", &json!({ "path": "x.txt", "content": "x" }));
    assert_eq!(written["isError"], true, "{written}");
    assert!(written["content"][0]["text"].as_str().unwrap().contains("never"), "{written}");
    assert!(!stage.work().join("x.txt").exists());
    let read = client.call("read", &json!({ "path": "notes.txt" }));
    assert!(read["content"][0]["text"].as_str().unwrap().contains("one"), "{read}");
    let sessions = stage.holm(["session", "list"]);
    assert!(sessions.out.lines().count() >= 2, "each call is a session: {sessions:?}");
}

#[test]
fn a_helper_that_a_client_asks_is_bound_by_the_budget() {
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = Stage::new([call, Act::says("kid done")]).file("notes.txt", "one\n");
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let kid = "---\nname: kid\ndescription: Reads.\ntools: [read]\ngrants: [\"read:**\"]\n---\nRead.\n";
    fs::write(stage.data().join("tools/kid.md"), kid).unwrap();
    let words = ["--", "--model", MODEL, "--grant", "read:**", "--budget", "0.000001"];
    let mut client = Client::of(&stage, &words);
    let answer = client.call("ask_kid", &json!({ "prompt": "go" }));
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(!answer.to_string().contains("kid done"), "{answer}");
}

#[test]
fn an_option_that_no_run_has_is_one_error() {
    Stage::new([]).holm(["mcp-server", "--", "--frob"]).fails(2, "--frob");
}

#[test]
fn a_client_that_goes_away_before_it_says_anything_is_no_failure() {
    let ran = Stage::new([]).holm(["mcp-server", "--", "--model", MODEL]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn nobody_is_served_over_http_without_a_token() {
    Stage::new([]).holm(["mcp-server", "--http", "0"]).fails(2, "HOLM_MCP_TOKEN is not set");
}
