//! Tests runs that are stopped: by Ctrl-C, by other signals, and by a kill.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Once,
};

use holm::{runtime::JournalStore as _, store::Store};
use holm_testkit::double::{Act, Fault};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal as signal_stream};

use crate::{
    patience::until,
    stage::{MODEL, Ran, Stage},
};

/// Starts a run and waits until the provider has been asked so often.
fn started(stage: &Stage, requests: usize, args: &[&str]) -> Child {
    let mut command = stage.command([&["run", "--model", MODEL], args].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the request", || stage.double.requests().len() >= requests);
    child
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "kill {name}");
}

#[test]
fn ctrl_c_stops_the_run_which_ends_as_cancelled_with_everything_kept() {
    let stage = Stage::new([Act::says("never whole").with(Fault::Stall(500)), Act::says("Later.")]);
    let child = started(&stage, 1, &["-p", "hi", "--session", "s"]);
    signal(&child, "-INT");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    ran.fails(130, "cancelled");
    assert!(ran.err.contains("press Ctrl-C again"), "{}", ran.err);
    // The session is as good as any other.
    stage.run(&["-p", "And now?", "--session", "s", "--resume"]).says("Later.\n");
}

/// Makes a repository that would run something at the next call of git, and then takes long.
const TRAP: &str = "mkdir -p n/.git/objects n/.git/refs; echo 'ref: refs/heads/main' > n/.git/HEAD; \
                    printf '[core]\\n\\tfsmonitor = ./evil\\n' > n/.git/config; touch ready; sleep 300";

/// Everything that the trap needs.
const OPEN: [&str; 10] = [
    "--mode",
    "full",
    "--grant",
    "read:**",
    "--grant",
    "write:**",
    "--grant",
    "exec:*",
    "--grant",
    "exec:./**",
];

/// Has the commands that a test starts hear hangups, also where the tests run under `nohup`: a signal
/// that is handled here has its default action in a new program.
fn hear_hangups() {
    static HEARD: Once = Once::new();
    HEARD.call_once(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async { drop(signal_stream(SignalKind::hangup()).unwrap()) });
    });
}

fn is_armed(stage: &Stage) -> bool {
    fs::read_to_string(stage.work().join("n/.git/config")).unwrap().contains("evil")
}

/// Starts a run whose command has set the trap and waits.
fn trapped(stage: &Stage) -> Child {
    let args = [&["-p", "hi", "--session", "s"], &OPEN[..]].concat();
    let child = started(stage, 1, &args);
    until("the trap", || stage.work().join("ready").exists());
    assert!(is_armed(stage), "nothing is checked while the command runs");
    child
}

#[test]
fn a_closed_terminal_and_a_service_manager_stop_a_run_as_ctrl_c_does() {
    hear_hangups();
    for name in ["-INT", "-TERM", "-HUP"] {
        let call = Act::calls(&[("c1", "shell", &json!({ "script": TRAP }).to_string())]);
        let stage = Stage::new([call, Act::says("Later.")]);
        let child = trapped(&stage);
        signal(&child, name);
        let ran = Ran::of(&child.wait_with_output().unwrap());
        ran.fails(130, "cancelled");
        assert!(!is_armed(&stage), "{name}: {ran:?}");
        stage.run(&["-p", "And now?", "--session", "s", "--resume"]).says("Later.\n");
    }
}

#[test]
fn signals_stop_a_tool_that_is_called_by_hand_and_what_it_left_is_checked() {
    hear_hangups();
    for name in ["-INT", "-TERM", "-HUP"] {
        let stage = Stage::new([]);
        let call = json!({ "script": TRAP }).to_string();
        let mut command = stage.command([&["tool", "execute", "shell", &call], &OPEN[..]].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("the trap", || stage.work().join("ready").exists());
        signal(&child, name);
        let ran = Ran::of(&child.wait_with_output().unwrap());
        ran.fails(130, "the call was cancelled");
        assert!(!is_armed(&stage), "{name}: {ran:?}");
    }
}

/// A server for one client, which sends it JSON-RPC messages.
struct Served {
    server: Child,
    write: ChildStdin,
    read: BufReader<ChildStdout>,
}

impl Served {
    fn by(stage: &Stage, words: &[&str]) -> Self {
        let mut command = stage.command([words, &["--", "--model", MODEL], &OPEN[..]].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let (write, read) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        Self { server, write, read: BufReader::new(read) }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.write, "{message}").unwrap();
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Asks and waits for the answer; what is told between is left out.
    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.request(id, method, params);
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).unwrap() > 0, "the server went away");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// Waits for the trap, sends the signal, and waits for the end. The client stays connected.
    fn stop_by(mut self, stage: &Stage, name: &str) {
        until("the trap", || stage.work().join("ready").exists());
        assert!(is_armed(stage), "nothing is checked while the command runs");
        signal(&self.server, name);
        assert_eq!(self.server.wait().unwrap().code(), Some(130), "{name}");
        assert!(!is_armed(stage), "{name}");
    }
}

#[test]
fn signals_stop_the_calls_of_mcp_clients_and_what_they_left_is_checked() {
    hear_hangups();
    for name in ["-INT", "-TERM", "-HUP"] {
        let stage = Stage::new([]);
        let mut served = Served::by(&stage, &["mcp-server", "--tools"]);
        let client = json!({ "name": "t", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        served.ask(1, "initialize", &hello);
        served.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let call = json!({ "name": "shell", "arguments": { "script": TRAP } });
        served.request(2, "tools/call", &call);
        served.stop_by(&stage, name);
    }
}

#[test]
fn signals_stop_the_sessions_of_an_editor_and_what_they_left_is_checked() {
    hear_hangups();
    for name in ["-INT", "-TERM", "-HUP"] {
        let call = Act::calls(&[("c1", "shell", &json!({ "script": TRAP }).to_string())]);
        let stage = Stage::new([call, Act::says("Later.")]);
        let mut served = Served::by(&stage, &["acp"]);
        served.ask(1, "initialize", &json!({ "protocolVersion": 1 }));
        let opened = served.ask(2, "session/new", &json!({ "cwd": stage.work(), "mcpServers": [] }));
        let session = opened["sessionId"].as_str().unwrap().to_owned();
        let prompt = json!([{ "type": "text", "text": "hi" }]);
        served.request(3, "session/prompt", &json!({ "sessionId": session, "prompt": prompt }));
        served.stop_by(&stage, name);
        stage.run(&["-p", "And now?", "--session", &session, "--resume"]).says("Later.\n");
    }
}

#[test]
fn a_run_that_ignores_hangups_goes_on_when_its_terminal_is_closed() {
    let call =
        Act::calls(&[("c1", "shell", r#"{"script":"touch ready; while [ ! -e go ]; do sleep 0.1; done"}"#)]);
    let stage = Stage::new([call, Act::says("Done.")]);
    let holm = stage.command([&["run", "--model", MODEL, "-p", "hi"], &OPEN[..]].concat());
    let mut command = Command::new("nohup");
    command.arg(holm.get_program()).args(holm.get_args()).current_dir(stage.work()).env_clear();
    command.envs(holm.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    until("the command", || stage.work().join("ready").exists());
    signal(&child, "-HUP");
    fs::write(stage.work().join("go"), "").unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
}

#[test]
fn what_a_killed_run_left_is_checked_at_the_next_start_in_that_folder() {
    let call = Act::calls(&[("c1", "shell", &json!({ "script": TRAP }).to_string())]);
    let stage = Stage::new([call, Act::says("Hello."), Act::says("Hello again.")]);
    let mine = stage.work().join("mine/.git");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("config"), "[core]\n\tfsmonitor = ./my-own\n").unwrap();
    let mut child = trapped(&stage);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_armed(&stage), "nothing was left to check it");
    let ran = stage.run(&["-p", "hi"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Hello.\n"), "{ran:?}");
    let told = "holm: a command was interrupted here; n: Holm disabled what version control would run there";
    assert!(!is_armed(&stage) && ran.err.contains(told), "{ran:?}");
    assert!(fs::read_to_string(mine.join("config")).unwrap().contains("my-own"), "{ran:?}");
    stage.run(&["-p", "hi"]).says("Hello again.\n");
}

#[test]
fn ctrl_c_twice_leaves_at_once_whatever_is_still_waited_for() {
    let stall = Act::says("never whole").with(Fault::Stall(500));
    let stage = Stage::new([stall]).file("big.txt", &"word ".repeat(40_000));
    let pipe = stage.work().join("../log");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success(), "mkfifo of coreutils");
    // Open and never read, so that the log cannot be written and the command waits for it at its end.
    let _held = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let log = pipe.display().to_string();
    let mut child = started(&stage, 1, &["-f", "big.txt", "--session", "s", "--log-json-file", &log]);
    let mut notes = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    signal(&child, "-INT");
    while !said.contains("press Ctrl-C again") {
        assert!(notes.read_line(&mut said).unwrap() > 0, "{said}");
    }
    signal(&child, "-INT");
    notes.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(!said.contains("is incomplete"), "nothing more is waited for: {said}");
}

#[test]
fn a_run_that_was_killed_is_resumed_where_it_stood() {
    let call = Act::calls(&[("c1", "write", r#"{"path":"once.txt","content":"x"}"#)]);
    let stall = Act::says("never whole").with(Fault::Stall(500));
    let stage = Stage::new([call, stall, Act::says("It is written.")]);
    let mut child = started(&stage, 2, &["-p", "Write.", "--session", "s", "--yes", "write:**"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(stage.work().join("once.txt").exists());
    // The call that had ended is not run again: the file is there, so a second time would fail.
    stage.run(&["--session", "s", "--resume"]).says("It is written.\n");
    assert!(stage.double.requests()[2].text().contains("`once.txt` now has 1 byte (new)"));
}

#[test]
fn a_session_whose_first_record_was_never_kept_is_no_session_and_begins_anew() {
    let stage = Stage::new([Act::says("Ready.")]);
    // What a disk leaves that was full before the first record: a name.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        fs::create_dir_all(stage.data()).unwrap();
        let store = Store::open(stage.data().join("holm.db")).await.unwrap();
        drop(store.create("s").await.unwrap());
    });
    drop(runtime);
    stage.run(&["--session", "s", "--resume"]).fails(6, "there is no session `s`");
    stage.holm(["session", "show", "s"]).fails(6, "there is no session `s`");
    stage.holm(["run", "--fork", "s", "-p", "hi", "--model", MODEL]).fails(6, "there is no session `s`");
    assert_eq!(stage.holm(["session", "list"]).out, "");
    stage.run(&["-p", "hi", "--session", "s"]).says("Ready.\n");
    assert!(stage.holm(["session", "list"]).out.starts_with("s "));
}
