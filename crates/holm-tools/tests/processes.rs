//! Tests that need other processes: commands as hooks of real runs, in a real jail, and a run that
//! is killed. This program becomes those processes, so it has its own `main`. A process that
//! confines children must be able to become a small process before anything else begins.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says which it is"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_jail::{JailEngine, JailLauncher, launch_if_asked};
use holm_kernel::{
    Approvals, Block, Bound, ModelResult, Proposal, Reply, Role, StopReason, ToolCall, ToolOutput, ToolSpec,
    Verdict,
};
use holm_runtime::{Agent, BoxFuture, HelperAgent, HelperSet, ToolInvocation, model_fn, tool_fn};
use holm_tools::{
    hooks::{
        CommandHooks, HookCommand, HookFile, HookNetworkAccess, HookPermissionRequest, HookRunError,
        HookRunner as _, JailedRunner,
    },
    trust::TrustLedger,
    worktree::{WorktreeCleanup, WorktreeManager},
};
use serde_json::{Value, json};

/// The tests: each is a sentence and what shows it.
type Test = (&'static str, fn() -> BoxFuture<'static, ()>);

const TESTS: &[Test] = &[
    ("exit_code_2_blocks_with_the_errors_as_the_reason", || Box::pin(blocks())),
    ("rewritten_arguments_go_back_through_the_schema", || Box::pin(rewrites())),
    ("rewritten_arguments_go_back_through_the_rules_and_whoever_is_asked", || Box::pin(is_asked_again())),
    ("a_command_that_rewrites_without_end_is_refused", || Box::pin(rewrites_for_ever())),
    ("context_is_added_to_a_prompt_and_to_a_result", || Box::pin(adds_context())),
    ("a_prompt_that_is_blocked_does_not_reach_the_model", || Box::pin(withholds())),
    ("a_run_that_would_stop_is_told_to_go_on_but_not_for_ever", || Box::pin(goes_on())),
    ("a_command_that_hangs_floods_or_crashes_hurts_nobody", || Box::pin(misbehaves())),
    ("a_command_reads_its_project_and_nothing_else", || Box::pin(is_confined())),
    ("what_a_trusted_file_asks_for_is_given_and_no_more", || Box::pin(is_given())),
    ("nothing_outlives_its_command", || Box::pin(leaves_nothing())),
    ("a_script_that_changes_under_a_run_closes_its_gate", || Box::pin(notices_changes())),
    ("what_runs_is_what_was_looked_at_whatever_is_swapped_meanwhile", || Box::pin(runs_what_was_seen())),
    ("a_run_that_is_killed_leaves_no_stray_worktree", || Box::pin(is_killed())),
];

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The argument by which this program becomes a run that is to be killed.
const VICTIM: &str = "--victim";

fn main() {
    launch_if_asked();
    let victim = std::env::args().nth(1).is_some_and(|word| word == VICTIM);
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if victim {
        return runtime.block_on(wait_to_be_killed());
    }
    for (name, test) in TESTS {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word)) {
            println!("test {name} ...");
            runtime.block_on(test());
        }
    }
    println!("test result: ok");
}

/// Waits until something holds.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A project with a file in it, and what runs its commands.
struct Stage {
    folder: tempfile::TempDir,
    jailed: JailedRunner,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("notes.txt"), "of the project").unwrap();
        let engine = JailEngine::detect().unwrap_or_else(|error| panic!("{error}"));
        let jailed = JailedRunner::within(
            folder.path().canonicalize().unwrap(),
            engine,
            JailLauncher::this_executable(),
        );
        Self { folder, jailed }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn sh(&self, line: &str, wants: HookPermissionRequest) -> String {
        let limit = Duration::from_secs(10);
        let command =
            HookCommand { line: line.into(), input: String::new(), limit, wants, scripts: Vec::new() };
        let done = self.jailed.run(command).await.unwrap();
        format!("{}{}{}", done.code, done.stdout, done.stderr)
    }

    /// Runs an agent that calls `act` with `{"n":1}` and then answers, under one command.
    async fn came_of(&self, event: &str, command: &str, timeout: u64) -> Came {
        let hook = json!({ "type": "command", "command": command, "timeout": timeout });
        let file = json!({ "hooks": { event: [{ "matcher": "a.*|other", "hooks": [hook] }] } });
        self.came_under(&file).await
    }

    async fn came_under(&self, file: &Value) -> Came {
        fs::write(self.path("hooks.json"), file.to_string()).unwrap();
        run(self.hooks()).await
    }

    /// The hooks of the project, after a person has said yes to them.
    fn hooks(&self) -> CommandHooks {
        let file = HookFile::load(self.folder.path(), &self.path("hooks.json")).unwrap();
        let mut ledger = TrustLedger::in_memory();
        for (path, hash) in file.clone().trusted(&ledger).unwrap_err().files {
            ledger.trust_file(&path, hash).unwrap();
        }
        CommandHooks::new(file.trusted(&ledger).unwrap(), self.jailed.clone())
    }
}

/// What came of a run whose one tool call meets hooks.
struct Came {
    /// What the tool was called with, each time that it ran.
    ran: Vec<String>,
    /// Everything the model was shown.
    shown: String,
    answer: String,
    /// How often the model was called.
    turns: u64,
}

async fn run(hooks: CommandHooks) -> Came {
    let (ran, shown) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(String::new())));
    let turns = Arc::new(AtomicU64::new(0));
    let (log, seen, turn) = (Arc::clone(&ran), Arc::clone(&shown), Arc::clone(&turns));
    let client = model_fn(move |ask| {
        for message in ask.messages.iter().filter(|message| message.role != Role::Assistant) {
            seen.lock().unwrap().push_str(&format!("{:?}\n", message.blocks));
        }
        let first = turn.fetch_add(1, Ordering::SeqCst) == 0;
        let call =
            ToolCall { id: "c".into(), name: "act".into(), arguments: r#"{"n":1}"#.into(), replay: None };
        let (block, stop) = match first {
            true => (Block::ToolCall(call), StopReason::ToolUse),
            false => (Block::Text("went on".into()), StopReason::default()),
        };
        Box::pin(async move { ModelResult::Replied(Reply { blocks: vec![block], stop, ..Reply::default() }) })
    });
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"]}"#;
    let declaration = ToolSpec::new("act", "Acts.", Json::parse(schema).unwrap()).level(Level::Execute);
    let act = tool_fn(declaration, move |job: ToolInvocation| {
        log.lock().unwrap().push(job.arguments.to_string());
        async { ToolOutput::text("acted well") }
    });
    let agent = Agent::builder("test/one", client).tool(act).mode(Mode::Full).hook(hooks).build().unwrap();
    let answer = agent.run("please act").await.unwrap().into_text().unwrap();
    let (ran, shown) = (ran.lock().unwrap().clone(), shown.lock().unwrap().clone());
    Came { ran, shown, answer, turns: turns.load(Ordering::SeqCst) }
}

async fn blocks() {
    let stage = Stage::new();
    let line = r#"grep -q '"n":1' && { echo not one >&2; exit 2; }"#;
    let came = stage.came_of("PreToolUse", line, 5).await;
    assert!(came.ran.is_empty() && came.shown.contains("not one"), "{}", came.shown);
    assert_eq!(came.answer, "went on");
    let other = json!({ "type": "command", "command": "exit 2" });
    let other = json!({ "hooks": { "PreToolUse": [{ "matcher": "other", "hooks": [other] }] } });
    assert_eq!(stage.came_under(&other).await.ran.len(), 1, "it is for another tool");
    // The run, the event, the tool and its arguments are what a command reads.
    let line = r#"read -r all; for word in session_id PreToolUse '"act"' '{"n":1}'; do
        case "$all" in *"$word"*) ;; *) echo "no $word" >&2; exit 2;; esac; done"#;
    let told = stage.came_of("PreToolUse", line, 5).await;
    assert_eq!(told.ran.len(), 1, "{}", told.shown);
}

async fn rewrites() {
    // Only arguments that are not what they should be are rewritten, or it would never end.
    let to = |n: u64| {
        format!(
            r#"if grep -q '"n":1'; then echo '{{"hookSpecificOutput":{{"updatedInput":{{"n":{n}}}}}}}'; fi"#
        )
    };
    let stage = Stage::new();
    assert_eq!(stage.came_of("PreToolUse", &to(7), 5).await.ran, [r#"{"n":7}"#]);
    let refused = stage.came_of("PreToolUse", &to(70), 5).await;
    assert!(refused.ran.is_empty(), "70 is more than the schema allows: {:?}", refused.ran);
    assert_eq!(refused.answer, "went on");
}

async fn is_asked_again() {
    let line = r#"if grep -q src/a; then echo '{"updatedInput":{"path":"other/b"}}'; fi"#;
    let hook = json!({ "type": "command", "command": line, "timeout": 5 });
    let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    for (verdict, expect) in
        [(Verdict::allow(), &[r#"{"path":"other/b"}"#][..]), (Verdict::deny("not there"), &[])]
    {
        let stage = Stage::new();
        fs::write(stage.path("hooks.json"), file.to_string()).unwrap();
        let (ran, asked) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (log, seen) = (Arc::clone(&ran), Arc::clone(&asked));
        let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
        let declaration = ToolSpec::new("act", "Acts.", Json::parse(schema).unwrap()).level(Level::ReadOnly);
        let act = tool_fn(declaration.needs(["read:{path}"]).unwrap(), move |job: ToolInvocation| {
            log.lock().unwrap().push(job.arguments.to_string());
            async { ToolOutput::text("acted well") }
        });
        let agent = Agent::builder("test/one", calls("act", r#"{"path":"src/a"}"#))
            .tool(act)
            .grants(holm_grants::GrantSet::parse(["read:src/**"]).unwrap())
            .approvals(Approvals::Ask)
            .approver(move |proposal: &Proposal| {
                seen.lock().unwrap().push((proposal.arguments.clone(), proposal.missing.clone()));
                verdict.clone()
            })
            .config(|config| config.limits.turns = Bound::AtMost(2))
            .hook(stage.hooks());
        agent.build().unwrap().run("go").await.unwrap();
        let question = (r#"{"path":"other/b"}"#.to_owned(), vec!["read:other/b".to_owned()]);
        assert_eq!(*asked.lock().unwrap(), [question], "what is asked about is what would run");
        assert_eq!(*ran.lock().unwrap(), expect);
    }
}

async fn rewrites_for_ever() {
    let line =
        r#"read -r all; n=${all#*\"n\":}; n=${n%%\}*}; echo "{\"updatedInput\":{\"n\":$(( (n + 1) % 9 ))}}""#;
    let came = Stage::new().came_of("PreToolUse", line, 5).await;
    assert!(came.ran.is_empty(), "{:?}", came.ran);
    assert_eq!(came.answer, "went on");
}

async fn adds_context() {
    let stage = Stage::new();
    let prompt = stage.came_of("UserPromptSubmit", "echo the office is closed", 5).await;
    assert!(prompt.shown.contains("the office is closed"), "{}", prompt.shown);
    let added = r#"echo '{"hookSpecificOutput":{"additionalContext":"mind the gap"}}'"#;
    let result = stage.came_of("PostToolUse", added, 5).await;
    assert!(result.shown.contains("mind the gap") && result.shown.contains("acted well"));
    let refused = stage
        .came_of("PostToolUse", r#"grep '"n":1' | grep -q 'acted well' && echo bad >&2 && exit 2"#, 5)
        .await;
    assert!(refused.shown.contains("A hook refused this result: bad"), "{}", refused.shown);
}

async fn withholds() {
    let line = "grep -q please && echo say it politely >&2 && exit 2";
    let came = Stage::new().came_of("UserPromptSubmit", line, 5).await;
    assert!(!came.shown.contains("please act") && came.shown.contains("say it politely"), "{}", came.shown);
}

async fn goes_on() {
    let stage = Stage::new();
    let once = r#"grep -q '"stop_hook_active":false' && echo test it first >&2 && exit 2"#;
    let came = stage.came_of("Stop", once, 5).await;
    assert!(came.shown.contains("you are not done: test it first"), "{}", came.shown);
    assert_eq!((came.answer.as_str(), came.turns), ("went on", 3));
    let never = stage.came_of("Stop", "echo never >&2; exit 2", 5).await;
    assert_eq!((never.answer.as_str(), never.turns), ("went on", 5), "three times and no more");
    let broken = stage.came_of("Stop", "sleep 60", 1).await;
    assert_eq!((broken.answer.as_str(), broken.turns), ("went on", 2));
}

async fn misbehaves() {
    let stage = Stage::new();
    for (command, says) in [
        ("sleep 60 & sleep 60", "took longer than 1000 ms"),
        ("yes flood", "printed more than"),
        ("yes flood >&2", "printed more than"),
        ("kill -SEGV $$", "crashed"),
        ("./not-there.sh", "cannot start the hook"),
        ("./notes.txt", "cannot start the hook"),
    ] {
        let before = stage.came_of("PreToolUse", command, 1).await;
        assert!(before.ran.is_empty() && before.shown.contains(says), "{command}: {}", before.shown);
        assert_eq!(before.answer, "went on");
        let after = stage.came_of("PostToolUse", command, 1).await;
        assert!(after.ran.len() == 1 && after.shown.contains("acted well"), "{command}");
        let prompt = stage.came_of("UserPromptSubmit", command, 1).await;
        assert_eq!((prompt.ran.len(), &*prompt.answer), (1, "went on"), "{command}");
    }
    let own_fault = stage.came_of("PreToolUse", "exit 1", 1).await;
    assert_eq!(own_fault.ran.len(), 1, "a fault of its own blocks nothing");
}

async fn is_confined() {
    let stage = Stage::new();
    assert_eq!(stage.sh("cat notes.txt", HookPermissionRequest::default()).await, "0of the project");
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("key"), "canary").unwrap();
    let read = format!("cat {}/key", secret.path().display());
    for line in [&*read, "echo x > new.txt", "echo x > notes.txt", "rm notes.txt", "env | grep -v PWD"] {
        let said = stage.sh(line, HookPermissionRequest::default()).await;
        assert!(!said.contains("canary"), "{line}: {said}");
    }
    assert!(!stage.path("new.txt").exists());
    assert_eq!(fs::read_to_string(stage.path("notes.txt")).unwrap(), "of the project");
    let variables =
        stage.sh("env | sort | cut -d= -f1 | tr '\\n' ' '", HookPermissionRequest::default()).await;
    assert!(!variables.contains("CARGO") && variables.contains("HOLM_PROJECT_DIR"), "{variables}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!(
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2); print(\"reached\")'"
    );
    assert!(!stage.sh(&connect, HookPermissionRequest::default()).await.contains("reached"));
    let open = HookPermissionRequest { network: HookNetworkAccess::Open, ..HookPermissionRequest::default() };
    assert!(stage.sh(&connect, open).await.contains("reached"), "python3 is needed: scripts/setup test");
}

async fn is_given() {
    let stage = Stage::new();
    fs::create_dir(stage.path("out")).unwrap();
    let grants = holm_grants::GrantSet::parse(["write:out/", "env:HOLM_TEST_*"]).unwrap();
    let wants = HookPermissionRequest { grants, ..HookPermissionRequest::default() };
    let shown = [("HOLM_TEST_A", "seen"), ("OTHER", "canary")];
    let shown = shown.map(|(name, value)| (name.into(), value.into()));
    let stage = Stage { jailed: stage.jailed.clone().environment(shown), ..stage };
    let said = stage.sh("echo x > out/new && echo $HOLM_TEST_A$OTHER; echo y > notes.txt", wants).await;
    assert!(said.contains("seen") && !said.contains("canary"), "{said}");
    assert_eq!(fs::read_to_string(stage.path("out/new")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(stage.path("notes.txt")).unwrap(), "of the project");
}

async fn leaves_nothing() {
    let stage = Stage::new();
    fs::create_dir(stage.path("out")).unwrap();
    let wants = HookPermissionRequest {
        grants: holm_grants::GrantSet::parse(["write:out/"]).unwrap(),
        ..HookPermissionRequest::default()
    };
    // All of them hold a lock for as long as they are there.
    let line = "exec 9> out/held; flock 9 && echo x > out/begun; (setsid sleep 600 &); sleep 600".to_owned();
    let limit = Duration::from_secs(4);
    let late =
        stage.jailed.run(HookCommand { line, input: String::new(), limit, wants, scripts: Vec::new() }).await;
    assert_eq!(late, Err(HookRunError::Late { limit }));
    assert!(stage.path("out/begun").exists());
    let lock = fs::File::open(stage.path("out/held")).unwrap();
    until("all of them are gone", || lock.try_lock().is_ok()).await;
}

async fn notices_changes() {
    let stage = Stage::new();
    fs::write(stage.path("check.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    let hook = json!({ "type": "command", "command": "sh ./check.sh" });
    let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    assert_eq!(stage.came_under(&file).await.ran.len(), 1);
    let hooks = stage.hooks();
    // An attacker has made a gate that lets everything pass.
    fs::write(stage.path("check.sh"), "#!/bin/sh\nexit 0 # always\n").unwrap();
    let came = run(hooks).await;
    assert!(came.ran.is_empty() && came.shown.contains("changed since you trusted it"), "{}", came.shown);
}

/// The trusted script waits, while an attacker replaces it in every possible way.
async fn runs_what_was_seen() {
    type Swap = fn(&Path);
    let swaps: [Swap; 3] = [
        |folder| fs::write(folder.join("tools/part.sh"), "exit 0\n").unwrap(),
        |folder| {
            fs::write(folder.join("other.sh"), "exit 0\n").unwrap();
            fs::rename(folder.join("other.sh"), folder.join("tools/part.sh")).unwrap();
        },
        |folder| {
            fs::create_dir(folder.join("other")).unwrap();
            fs::write(folder.join("other/part.sh"), "exit 0\n").unwrap();
            fs::rename(folder.join("tools"), folder.join("old")).unwrap();
            fs::rename(folder.join("other"), folder.join("tools")).unwrap();
        },
    ];
    for swap in swaps {
        let stage = Stage::new();
        fs::create_dir(stage.path("tools")).unwrap();
        fs::create_dir(stage.path("signs")).unwrap();
        fs::write(stage.path("tools/part.sh"), "echo 'as it was seen' >&2; exit 2\n").unwrap();
        // Says that it runs, waits for a word, and only then opens the other script.
        let line = "touch signs/runs; while ! test -f signs/go; do sleep 0.05; done; sh tools/part.sh";
        let script = fs::read(stage.path("tools/part.sh")).unwrap();
        let place = stage.folder.path().canonicalize().unwrap().join("tools/part.sh");
        let wants = HookPermissionRequest {
            grants: GrantSet::parse(["write:signs/"]).unwrap(),
            network: HookNetworkAccess::default(),
        };
        let (limit, scripts) = (Duration::from_secs(60), vec![(place, script.into())]);
        let command = HookCommand { line: line.into(), input: String::new(), limit, wants, scripts };
        let running = stage.jailed.run(command);
        let swapping = async {
            until("it runs", || stage.path("signs/runs").exists()).await;
            swap(stage.folder.path());
            fs::write(stage.path("signs/go"), "").unwrap();
        };
        let (done, ()) = tokio::join!(running, swapping);
        let done = done.unwrap();
        assert_eq!((done.code, done.stderr.trim()), (2, "as it was seen"));
    }
}

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args);
    let output = command.output().unwrap_or_else(|error| panic!("git is needed, install it: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repository");
    fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "-q"]);
    fs::write(repository.join("poem.txt"), "one\n").unwrap();
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "-qm", "poem"]);
    let mut victim = std::process::Command::new("/proc/self/exe");
    let mut victim = victim.arg(VICTIM).env("PLACE", folder.path()).spawn().unwrap();
    until("the run has begun", || folder.path().join("begun").exists()).await;
    assert_eq!(git(&repository, &["worktree", "list"]).lines().count(), 2);
    victim.kill().unwrap();
    victim.wait().unwrap();

    let trees = folder.path().join("trees");
    let opened = WorktreeManager::open(&repository, &trees, WorktreeCleanup::Remove).await.unwrap();
    assert_eq!(git(&repository, &["worktree", "list"]).lines().count(), 1, "nothing stays");
    let names: Vec<_> = fs::read_dir(&trees).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let [left] = names.as_slice() else { panic!("one patch is left: {names:?}") };
    let child = left.to_str().unwrap().strip_suffix(".diff").unwrap();
    let kept = fs::read_to_string(opened.kept_changes(child).unwrap()).unwrap();
    assert!(kept.contains("+half done"), "{kept}");
    assert_eq!(git(&repository, &["status", "--porcelain"]), "", "the parent's tree is untouched");
}

/// A run whose child writes something into its worktree and then takes for ever.
async fn wait_to_be_killed() {
    let place = PathBuf::from(std::env::var_os("PLACE").unwrap());
    let trees = WorktreeManager::open(place.join("repository"), place.join("trees"), WorktreeCleanup::Remove);
    let helper = HelperAgent::isolated("writer", "Writes.", trees.await.unwrap(), move |folder| {
        let (poem, begun) = (folder.join("poem.txt"), place.join("begun"));
        let declaration = ToolSpec::new("act", "Acts.", Json::object([("type", "object".into())]));
        let act = tool_fn(declaration, move |_: ToolInvocation| {
            fs::write(&poem, "one\nhalf done\n").unwrap();
            fs::write(&begun, "").unwrap();
            std::future::pending()
        });
        Agent::builder("test/child", calls("act", "{}")).tool(act).mode(Mode::Full).build()
    });
    let helpers = HelperSet::new().with(helper);
    let agent = Agent::builder("test/parent", calls("writer", r#"{"task":"write"}"#)).mode(Mode::Full);
    agent.helpers(helpers).build().unwrap().run("go").await.unwrap();
}

/// Always calls one tool.
fn calls(name: &'static str, arguments: &'static str) -> impl holm_runtime::Model + 'static {
    model_fn(move |_| {
        let call = ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into(), replay: None };
        let (blocks, stop) = (vec![Block::ToolCall(call)], StopReason::ToolUse);
        Box::pin(async move { ModelResult::Replied(Reply { blocks, stop, ..Reply::default() }) })
    })
}
