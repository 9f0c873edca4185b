//! What people use a shell for, in at most two approvals: the command, and what it turned out to miss.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use holm_grants::Mode;
use holm_guards::json::Json;
use holm_kernel::CallId;
use holm_runtime::{DeltaSink, ProgressReporter, ReplyDelta, SecretRedactor, Tool as _};
use holm_tools::root::DenyRules;
use holm_tools::shell::WorkspaceShell;

use crate::shell::cell::{Cell, Step, WAYS, Way, Yes, give, job, run};

/// Plays a call, and then what its result says to do. Gives what the model was told of each.
async fn heeded(cell: &Cell, shell: &WorkspaceShell, script: &str, way: Way) -> Vec<String> {
    let yes = Yes::default();
    let calls = [Step::sh(script, &[]), Step::Heed];
    let (mut session, seen) = cell.session(shell, Mode::Default, &[], yes.clone(), calls).await;
    session.prompt("go").await.unwrap();
    let approvals = yes.0.lock().unwrap().len();
    assert!(approvals <= 2, "{way:?}: {approvals} approvals");
    (1..=approvals).map(|turn| seen.turn(turn)).collect()
}

#[tokio::test]
async fn git_commit_takes_two_approvals() {
    // The exit status is that of the last command, so it does not say that git failed.
    const COMMIT: &str =
        "git add a.txt && git -c user.name=A -c user.email=a@example.com commit -m first; echo went on";
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "-b", "main", "."]);
        cell.write("work/a.txt", "text");
        let told = heeded(&cell, &cell.shell(), COMMIT, way).await;
        let [first, second] = told.as_slice() else { panic!("{way:?}: two calls: {told:?}") };
        assert!(first.contains("the grant write:.git/**"), "{way:?}: the missing grant is named: {first}");
        assert!(second.contains("first") && second.contains("a.txt"), "{way:?}: {second}");
        cell.outside("git", &["cat-file", "-e", "main:a.txt"]);
        cell.outside("git", &["fsck", "--strict"]);
        assert!(!cell.path("work/.git/commondir").exists(), "{way:?}: what held its place is gone");
    }
}

#[tokio::test]
async fn git_commit_works_at_once_where_the_workspace_may_be_written() {
    const COMMIT: &str = "git add a.txt && git -c user.name=A -c user.email=a@example.com commit -m first";
    let grants = ["read:**", "write:**", "exec:*", "exec:./**"];
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "-b", "main", "."]);
        cell.write("work/a.txt", "text");
        let calls = [
            Step::sh(COMMIT, &[]),
            Step::sh("git tag v1 && git config core.fsmonitor ./evil", &[]),
            Step::sh("git tag v2; echo evil > .git/description; echo evil > .git/hooks/pre-commit", &[]),
        ];
        let yes = Yes::default();
        let (mut session, seen) = cell.session(&cell.shell(), Mode::Full, &grants, yes.clone(), calls).await;
        session.prompt("go").await.unwrap();
        assert!(yes.0.lock().unwrap().is_empty(), "{way:?}: nothing is asked");
        assert!(seen.turn(1).contains("first"), "{way:?}: {}", seen.turn(1));
        cell.outside("git", &["cat-file", "-e", "main:a.txt"]);
        assert!(!cell.path("work/.git/hooks/pre-commit").exists(), "{way:?}: {}", seen.turn(2));
        let read = |name: &str| std::fs::read_to_string(cell.path(name)).unwrap();
        assert!(!read("work/.git/config").contains("evil"), "{way:?}: {}", seen.turn(2));
        assert!(!read("work/.git/description").contains("evil"), "{way:?}: {}", seen.turn(3));
    }
}

#[tokio::test]
async fn git_that_cannot_add_a_hidden_file_is_told_why_and_what_works() {
    let cell = Cell::new(Way::Bubblewrap);
    cell.outside("git", &["init", "-q", "-b", "main", "."]);
    cell.write("work/.env", "TOKEN=1");
    cell.write("work/a.txt", "text");
    let shell = cell.shell().denials(DenyRules::of_commands());
    let call = |script: &str| {
        Json::object([("script", script.into()), ("write", Json::from(vec![Json::from(".git")]))])
    };
    let output = run(&shell.script_tool(), &call("git add -A")).await.text;
    assert!(output.contains("[files of the deny list, such as .env, are hidden from commands"), "{output}");
    let output =
        run(&shell.script_tool(), &call("git add -A -- . ':!.env' && git diff --cached --stat")).await.text;
    assert!(output.contains("a.txt") && output.contains("[exit status 0]"), "{output}");
    // The same for one that the repository holds already.
    cell.outside("git", &["add", ".env"]);
    let output = run(&shell.script_tool(), &call("git diff")).await.text;
    assert!(output.contains("[files of the deny list, such as .env, are hidden from commands"), "{output}");
    let output = run(&shell.script_tool(), &call("git diff -- . ':!.env'")).await.text;
    assert!(output.contains("exit status 0]") && !output.contains("deny list"), "{output}");
}

#[tokio::test]
async fn git_works_in_branches_merges_and_stashes_where_its_folder_may_be_written() {
    const SCRIPT: &str = "set -e; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
        echo 1 > a; git add a; git commit -qm one; git switch -qc side; echo 2 > b; git add b; git commit -qm two
        git switch -q main; git merge -q --no-ff -m both side; echo 3 >> a; git stash -q; git stash pop -q; git tag v1
        git reset -q --hard; git gc -q; git log --format=%s | sort";
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "-b", "main", "."]);
        let write = Json::from(vec![Json::from(".git")]);
        let call = Json::object([("script", SCRIPT.into()), ("write", write)]);
        let output = run(&cell.shell().script_tool(), &call).await;
        assert!(output.text.ends_with("both\none\ntwo\n[exit status 0]"), "{way:?}: {}", output.text);
    }
}

#[tokio::test]
async fn lines_stand_in_their_order_and_the_status_is_always_said() {
    for way in WAYS {
        let cell = Cell::new(way);
        for (script, expect) in [
            ("echo err >&2; echo out; echo err2 >&2", "err\nout\nerr2\n[exit status 0]"),
            ("true", "[no output; exit status 0]"),
            ("exit 3", "[no output; exit status 3]"),
            ("printf x; exit 4", "x\n[exit status 4]"),
        ] {
            let output = cell.sh(&cell.shell(), script).await;
            assert_eq!(output.text, expect, "{way:?}: {script}");
        }
    }
}

#[tokio::test]
async fn of_a_long_output_the_end_is_shown_and_all_of_it_can_be_searched() {
    for way in WAYS {
        let cell = Cell::new(way);
        let shell = cell.shell();
        let output = cell.sh(&shell, "seq 1 200000; echo THE END").await;
        assert!(output.text.starts_with("1\n2\n3\n"), "{way:?}");
        assert!(output.text.ends_with("200000\nTHE END\n[exit status 0]"), "{way:?}");
        assert!(
            output.text.contains("all of it is in $HOME/out/1.txt: grep or read that]"),
            "{way:?}: {}",
            output.text
        );
        let file = cell.path("outputs/1.txt").display().to_string();
        let found = cell.sh(&shell, &format!("grep -c . {file}; grep 12345 {file} | head -1")).await;
        assert_eq!(found.text, "200001\n12345\n[exit status 0]", "{way:?}");
        let written = cell.sh(&shell, &format!("echo x > {file}")).await;
        assert!(
            written.text.ends_with("[exit status 1]") || written.text.contains("refused"),
            "{way:?}: {}",
            written.text
        );
        assert!(
            std::fs::read_to_string(cell.path("outputs/1.txt")).unwrap().ends_with("THE END\n"),
            "{way:?}"
        );
    }
}

#[tokio::test]
async fn the_file_of_an_output_is_not_changed_where_its_folder_lies_in_the_workspace() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/tmp/outputs/kept", "");
        let shell = cell.shell().outputs(cell.path("work/tmp/outputs"));
        for script in [
            "echo evil > tmp/outputs/1.txt",
            "mv tmp/outputs tmp/old; ln -s $CELL/out tmp/outputs",
            "mv tmp old; mkdir tmp; ln -s $CELL/out tmp/outputs",
            "rm -rf tmp",
        ] {
            cell.sh(&shell, script).await;
            let said = cell.sh(&shell, "seq 1 20000; rm -f tmp/outputs/*").await.text;
            assert!(said.contains("all of it is in $HOME/out/"), "{way:?}: {script}: {said}");
            assert!(cell.path("work/tmp/outputs/kept").exists(), "{way:?}: {script}");
        }
        let all = std::fs::read_to_string(cell.path("work/tmp/outputs/1.txt")).unwrap();
        assert!(all.starts_with("1\n2\n") && all.contains("\n20000\n"), "{way:?}");
        assert!(!cell.path("out/1.txt").exists(), "{way:?}");
    }
}

#[tokio::test]
async fn no_advice_names_a_grant_that_can_never_be_given() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("sh", &["-c", "git init -q . && git init -q sub && git init -q ../other"]);
        cell.outside("git", &["config", "core.hooksPath", "ci"]);
        cell.write("work/ci/pre-commit", "#!/bin/sh\n");
        cell.write("other/.env", "secret");
        cell.write("other/.ssh/key", "secret");
        let shell = cell.shell().denials(DenyRules::of_commands());
        let other = cell.path("other").display().to_string();
        for (script, never) in [
            ("echo x > sub/.git/hooks/pre-commit", "write:"),
            ("echo x >> sub/.git/config", "write:"),
            ("echo x > ci/pre-commit", "write:"),
            (&format!("echo x > {other}/.git/hooks/pre-commit"), "write:"),
            (&format!("echo x >> {other}/.git/config"), "write:"),
            (&format!("cat {other}/.ssh/key"), ""),
            (&format!("cat {other}/.env"), ""),
            (&format!("echo x > {other}/.bashrc"), "write:"),
        ] {
            let said = cell.sh(&shell, script).await.text;
            assert!(!said.contains(&format!("needs the grant {never}")), "{way:?}: {script}: {said}");
        }
        let said = cell.sh(&shell, &format!("cat {other}/file")).await.text;
        assert!(!said.contains("regardless of grants"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn an_editor_fails_at_once_and_says_why() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "-b", "main", "."]);
        let began = Instant::now();
        let script =
            "git -c user.name=A -c user.email=a@b commit --allow-empty; $EDITOR x; sh -c \"$VISUAL x\"";
        let output = cell.sh(&cell.shell(), script).await;
        assert!(output.text.contains("There is no editor here"), "{way:?}: {}", output.text);
        assert!(began.elapsed() < Duration::from_secs(60), "{way:?}");
    }
}

#[tokio::test]
async fn vim_without_a_terminal_ends_at_once_and_vim_with_commands_works() {
    let cell = Cell::new(Way::Bubblewrap);
    cell.write("work/a.txt", "old\n");
    // `--not-a-term` leaves out two seconds in which vim shows a warning.
    let script =
        "command -v vim >/dev/null || { echo 'There is no terminal here, nor vim'; echo new >a.txt; exit; }
        vim --not-a-term a.txt; vim --not-a-term -c '%s/old/mid/' -c wq a.txt >/dev/null
        printf '%%s/mid/new/\\nwq\\n' | vim -e --not-a-term a.txt";
    let output = cell.sh(&cell.shell(), script).await;
    assert!(output.text.contains("There is no terminal here"), "{}", output.text);
    assert_eq!(std::fs::read_to_string(cell.path("work/a.txt")).unwrap(), "new\n");
}

#[tokio::test]
async fn what_a_call_writes_elsewhere_comes_on_top_of_the_workspace() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("out/cache/old", "");
        let cache = cell.path("out/cache").display().to_string();
        let call = Json::object([
            ("script", Json::from(format!("touch a && touch {cache}/new && echo both"))),
            ("write", Json::from(vec![Json::from(cache)])),
        ]);
        let output = run(&cell.shell().script_tool(), &call).await;
        assert_eq!(output.text, "both\n[exit status 0]", "{way:?}");
    }
}

#[tokio::test]
async fn programs_of_the_users_path_run_without_a_question_and_their_secrets_stay_hidden() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("me/.cargo/bin/speak", "#!/bin/sh\ncat $CELL/me/.cargo/registry/word\n");
        cell.write("me/.cargo/registry/word", "spoken\n");
        cell.write("me/.cargo/credentials.toml", "canary");
        cell.write("me/notes", "canary");
        let shell = cell.shell().path([cell.path("me/.cargo/bin")], Some(&cell.path("me")));
        let output = cell.sh(&shell, "speak; cat $CELL/me/.cargo/credentials.toml; cat $CELL/me/notes").await;
        assert!(
            output.text.starts_with("spoken\n") && !output.text.contains("canary"),
            "{way:?}: {}",
            output.text
        );
        let written = cell.sh(&shell, "echo x > $CELL/me/.cargo/bin/speak").await;
        assert_eq!(written.outcome, holm_kernel::Outcome::Failed, "{way:?}: {}", written.text);
        let output = run(&shell.argv_tool(), &Json::object([("program", "speak".into())])).await;
        assert_eq!(output.text, "spoken\n[exit status 0]", "{way:?}");
    }
}

#[tokio::test]
async fn what_git_would_run_is_never_written_and_the_refusal_says_so() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "."]);
        let shell = cell.shell();
        let before = std::fs::read_to_string(cell.path("work/.git/config")).unwrap();
        for script in [
            "echo x > .git/config",
            "echo x > .git/hooks/pre-commit",
            "git config core.fsmonitor ./x",
            "echo ../out > .git/commondir",
            "mv .git/hooks .git/h && mkdir .git/hooks && echo x > .git/hooks/pre-commit",
        ] {
            let write = Json::from(vec![Json::from("."), Json::from(".git")]);
            let output =
                run(&shell.script_tool(), &Json::object([("script", script.into()), ("write", write)])).await;
            assert_eq!(output.outcome, holm_kernel::Outcome::Failed, "{way:?}: {script}: {}", output.text);
            // What is there cannot be written; what is not there was made for a moment and taken away.
            let said = ["regardless of grants", "is protected: commands cannot create it"];
            let named = !script.starts_with("echo") || said.iter().any(|words| output.text.contains(words));
            assert!(named, "{way:?}: {script}: {}", output.text);
        }
        // No grant lifts it, so none is named.
        let removed = cell.sh(&shell, "rm -r .git/hooks").await;
        assert!(!removed.text.contains("needs the grant"), "{way:?}: {}", removed.text);
        assert_eq!(std::fs::read_to_string(cell.path("work/.git/config")).unwrap(), before);
        assert!(
            !cell.path("work/.git/hooks/pre-commit").exists() && !cell.path("work/.git/commondir").exists()
        );
    }
}

#[tokio::test]
async fn cargo_build_takes_at_most_two_approvals() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write(
            "work/Cargo.toml",
            "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        // A build script, since those run what was just built.
        cell.write("work/build.rs", "fn main() { println!(\"cargo::rustc-env=SAID=built\"); }\n");
        cell.write("work/src/main.rs", "fn main() { println!(env!(\"SAID\")); }\n");
        let shell = cell.shell().search(path_folders());
        let told = heeded(&cell, &shell, "cargo build --offline && target/debug/tiny", way).await;
        assert!(told.last().is_some_and(|last| last.contains("built")), "{way:?}: {told:?}");
    }
}

#[tokio::test]
async fn npm_install_takes_at_most_two_approvals() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write(
            "work/package.json",
            r#"{"name":"app","version":"1.0.0","dependencies":{"dep":"file:./dep"}}"#,
        );
        cell.write("work/dep/package.json", r#"{"name":"dep","version":"1.0.0","main":"index.js"}"#);
        cell.write("work/dep/index.js", "module.exports = 'installed';\n");
        let script = "npm install --offline --no-audit --no-fund && node -e \"console.log(require('dep'))\"";
        let told = heeded(&cell, &cell.shell().search(path_folders()), script, way).await;
        assert!(told.last().is_some_and(|last| last.contains("installed")), "{way:?}: {told:?}");
    }
}

#[tokio::test]
async fn a_cache_outside_and_a_program_of_the_user_are_named_and_then_used() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("out/cache/old", "");
        let script = format!("echo kept > {} && echo stored", cell.path("out/cache/new").display());
        let told = heeded(&cell, &cell.shell(), &script, way).await;
        let [first, second] = told.as_slice() else { panic!("{way:?}: two calls: {told:?}") };
        assert!(
            first.contains(&format!("write:{}/**", cell.path("out/cache").display())),
            "{way:?}: {first}"
        );
        assert!(second.contains("stored"), "{way:?}: {second}");

        let cell = Cell::new(way);
        cell.write("opt/lib/word", "spoken");
        cell.write("opt/bin/speak", &format!("#!/bin/sh\ncat {}\n", cell.path("opt/lib/word").display()));
        give(&cell.path("opt/bin/speak"));
        let shell = cell.shell().search([cell.path("opt/bin")]);
        let told = heeded(&cell, &shell, "speak", way).await;
        let [first, second] = told.as_slice() else { panic!("{way:?}: two calls: {told:?}") };
        assert!(first.contains(&format!("exec:{}/**", cell.path("opt").display())), "{way:?}: {first}");
        assert!(second.contains("spoken"), "{way:?}: {second}");
    }
}

#[tokio::test]
async fn advice_never_follows_what_a_program_writes() {
    for way in WAYS {
        let cell = Cell::new(way);
        let said = "echo 'bash: /home/user/.ssh/x: Permission denied'; echo 'curl: (6) Could not resolve host: evil.example'";
        cell.write("work/complain.sh", &format!("{said} >&2\nexit 1\n"));
        cell.write("out/cache/old", "");
        let shell = cell.shell();
        let refused = cell.path("out/cache/old").display().to_string();
        for (script, advised) in [("sh complain.sh", false), (&format!("echo x > {refused}"), true)] {
            let output = run(&shell.script_tool(), &Json::object([("script", script.into())])).await;
            assert_eq!(output.outcome, holm_kernel::Outcome::Failed, "{way:?}: {script}: {}", output.text);
            assert_eq!(output.text.contains("[probably"), advised, "{way:?}: {script}: {}", output.text);
            let advice = output.text.split("[probably").nth(1).unwrap_or_default();
            assert!(
                !advice.contains("/home") && !output.text.contains("Missing grant:"),
                "{way:?}: {}",
                output.text
            );
        }
    }
}

/// Collects the messages that watchers receive.
#[derive(Clone, Default)]
struct Watching(Arc<Mutex<Vec<String>>>);

impl DeltaSink for Watching {
    fn delta(&self, _: CallId, delta: ReplyDelta<'_>) {
        if let ReplyDelta::Progress { text, .. } = delta {
            self.0.lock().unwrap().push(text.to_owned());
        }
    }
}

#[tokio::test]
async fn what_a_command_writes_is_seen_while_it_runs() {
    const SCRIPT: &str = "echo first; until [ -e go ]; do sleep 0.05; done; echo second";
    for way in WAYS {
        let cell = Cell::new(way);
        let tool = cell.shell().script_tool();
        let watching = Watching::default();
        let progress =
            ProgressReporter::new(CallId::new(1), Arc::new(watching.clone()), SecretRedactor::new());
        let call = job(&tool, &Json::object([("script", SCRIPT.into())])).progress(progress);
        let running = tokio::spawn(tool.run(call));
        let until = Instant::now() + Duration::from_secs(30);
        while !watching.0.lock().unwrap().iter().any(|said| said == "first") {
            assert!(Instant::now() < until && !running.is_finished(), "{way:?}: nothing is seen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // It goes on when what it waits for is there, so it ran when its first line was seen.
        cell.write("work/go", "");
        let output = running.await.unwrap();
        assert!(output.text.contains("first") && output.text.contains("second"), "{way:?}: {}", output.text);
    }
}

/// The program folders of the user who runs the tests.
fn path_folders() -> Vec<std::path::PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}
