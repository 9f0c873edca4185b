//! Commands as a model meets them in a run: their output, folders, programs and grants.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use holm::kernel::Block;
use holm_testkit::double::Act;
use serde_json::json;

use crate::stage::{MODEL, Ran, Stage};

const GRANTS: [&str; 4] = ["read:**", "write:**", "exec:*", "exec:./**"];

/// Calls of `shell`, one a turn, and then an answer.
fn scripts(scripts: &[&str]) -> Vec<Act> {
    let call = |(at, script): (usize, &&str)| {
        Act::calls(&[(&format!("c{at}"), "shell", &json!({ "script": script }).to_string())])
    };
    scripts.iter().enumerate().map(call).chain([Act::says("Done.")]).collect()
}

/// Runs with everything of the workspace granted and these words more. Gives what the model was told after each call.
fn told(stage: &Stage, more: &[&str], env: &[(&str, &str)]) -> Vec<String> {
    let grants = GRANTS.map(|grant| ["--grant", grant]).concat();
    let words = [&["run", "--model", MODEL, "-p", "Go", "--mode", "full"], &grants[..], more].concat();
    let mut command = stage.command(words);
    let ran = Ran::of(&command.envs(env.iter().copied()).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let last = |body: String| {
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let items = body["messages"].as_array().or(body["input"].as_array()).unwrap();
        let last = items.last().unwrap();
        let content = if last["output"].is_null() { &last["content"] } else { &last["output"] };
        content.as_str().map_or_else(|| content.to_string(), str::to_owned)
    };
    stage.double.requests().iter().skip(1).map(|request| last(request.text())).collect()
}

#[test]
fn a_long_output_shows_its_end_and_is_read_and_searched_by_the_name_in_its_note() {
    let mut acts = scripts(&["seq 1 200000; echo THE END"]);
    acts.splice(
        1..1,
        [
            Act::calls(&[("r", "read", r#"{"path":"$HOME/out/1.txt","offset":199999}"#)]),
            Act::calls(&[("g", "grep", r#"{"pattern":"^12345$","path":"$HOME/out/1.txt"}"#)]),
            Act::calls(&[(
                "s",
                "shell",
                r#"{"script":"grep -c . $HOME/out/1.txt; rm -f $HOME/out/1.txt; ls $HOME/out/"}"#,
            )]),
        ],
    );
    let stage = Stage::new(acts);
    let told = told(&stage, &[], &[]);
    assert!(
        told[0].contains("THE END") && told[0].contains("all of it is in $HOME/out/1.txt: grep or read that")
    );
    assert!(told[1].contains("200000") && told[1].contains("THE END"), "{}", told[1]);
    assert!(told[2].contains("$HOME/out/1.txt:12345:12345"), "{}", told[2]);
    assert!(told[3].contains("200001") && told[3].contains("1.txt"), "it cannot be removed: {}", told[3]);
}

#[test]
fn home_and_temporary_files_last_as_long_as_the_run() {
    let stage = Stage::new(scripts(&["echo one > $TMPDIR/a; echo two > ~/b", "cat $TMPDIR/a ~/b"]));
    let told = told(&stage, &[], &[]);
    assert!(told[1].contains("one\ntwo\n[exit status 0]"), "{}", told[1]);
    assert!(told[0].contains("[no output; exit status 0]"), "{}", told[0]);
}

#[test]
fn an_absolute_path_in_the_workspace_names_the_folder_of_a_command_and_what_it_writes() {
    let stage = Stage::answering(|seen| {
        if seen.text().contains("exit status") {
            return Act::says("Done.");
        }
        let text = seen.asked.as_ref().unwrap().system.clone();
        let work = text.lines().find_map(|line| line.strip_prefix("Workspace: ")).unwrap();
        let call = json!({ "script": "pwd; touch x", "folder": format!("{work}/deep"), "write": [work] });
        Act::calls(&[("c", "shell", &call.to_string())])
    });
    let deep = stage.work().canonicalize().unwrap().join("deep");
    fs::create_dir(&deep).unwrap();
    let told = told(&stage, &[], &[]);
    assert!(told[0].contains(&format!("{}\n[exit status 0]", deep.display())), "{}", told[0]);
    assert!(deep.join("x").exists());
}

#[test]
fn one_flag_lets_a_run_work_in_its_folder_and_nowhere_else() {
    let acts =
        scripts(&["cat note.txt > copy.txt; cat copy.txt", "cat /root/.bashrc /etc/shadow; echo x > /etc/x"]);
    let stage = Stage::new(acts).file("note.txt", "granted\n");
    stage.run(&["-p", "Go", "--trust", "jail"]).says("Done.\n");
    assert_eq!(fs::read_to_string(stage.work().join("copy.txt")).unwrap(), "granted\n");
    let system = stage.double.requests()[0].asked.as_ref().unwrap().system.clone();
    for grant in GRANTS {
        assert!(system.contains(&format!("(`{grant}`)")), "{grant}: {system}");
    }
    let told = stage.double.requests()[2].text();
    assert!(told.contains("Read-only file system") || told.contains("Permission denied"), "{told}");
    stage.run(&["-p", "Go", "--trust", "jail", "--unconfined"]).fails(2, "--unconfined");
}

#[test]
fn a_command_in_the_words_of_other_agents_runs() {
    let call = json!({ "command": "pwd; echo hi", "timeout": 120_000, "cwd": "deep" });
    let stage = Stage::new([Act::calls(&[("c", "bash", &call.to_string())]), Act::says("Done.")]);
    fs::create_dir(stage.work().join("deep")).unwrap();
    let told = told(&stage, &[], &[]);
    assert!(told[0].contains("/deep\nhi\n[exit status 0]"), "{}", told[0]);
}

#[test]
fn files_in_tmp_last_as_long_as_the_session_and_belong_to_it_alone() {
    let look = "cat /tmp/a.txt $TMPDIR/b.txt; cat /tmp/deep/c.txt; ls /tmp";
    let stage = Stage::new(
        scripts(&[
            "echo one > /tmp/a.txt; echo two > $TMPDIR/b.txt; mkdir /tmp/deep; echo three > /tmp/deep/c.txt",
            look,
        ])
        .into_iter()
        .chain(scripts(&[look])),
    );
    let host = tempfile::tempdir().unwrap();
    let temporary = [("TMPDIR", host.path().to_str().unwrap())];
    let first = told(&stage, &[], &temporary);
    assert!(first[1].contains("one\ntwo\nthree\n"), "{}", first[1]);
    assert!(!std::path::Path::new("/tmp/a.txt").exists(), "not in the machine's own folder");
    let second = told(&stage, &[], &temporary);
    assert!(second.last().unwrap().contains("/tmp/a.txt: No such file"), "{second:?}");
}

#[test]
fn no_command_puts_a_link_where_later_commands_find_the_workspace() {
    let replace =
        "for f in /tmp/*/ /tmp/.[a-zA-Z]*/; do rmdir $f; mv $f /tmp/away; ln -sfn /etc ${f%/}; done; true";
    let stage = Stage::new(scripts(&[replace, "pwd; touch here.txt"]));
    let work = stage.work().canonicalize().unwrap();
    let told = told(&stage, &[], &[]);
    assert!(told[0].contains("busy") || !work.starts_with("/tmp"), "{}", told[0]);
    assert!(told[1].contains(&format!("{}\n[exit status 0]", work.display())), "{}", told[1]);
    assert!(work.join("here.txt").exists());
}

#[test]
fn programs_of_the_path_are_found_and_a_grant_by_flag_holds_for_every_command() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for (name, text) in [
        (".cargo/bin/speak", "#!/bin/sh\necho spoken\n"),
        (".cargo/credentials.toml", "canary-9d"),
        (".local/bin/elsewhere", "#!/bin/sh\necho found\n"),
        ("data/word", "granted\n"),
        ("other/word", "canary-9d"),
    ] {
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let show = home.display();
    let stage = Stage::new(scripts(&[
        &format!("speak; cat {show}/data/word; cat {show}/other/word {show}/.cargo/credentials.toml"),
        "elsewhere; true",
    ]));
    let path = format!("{show}/.cargo/bin:/usr/bin:/bin");
    let grant = format!("read:{show}/data/**");
    let home = home.to_str().unwrap();
    let told = told(&stage, &["--grant", &grant], &[("HOME", home), ("PATH", &path)]);
    assert!(told[0].contains("spoken") && told[0].contains("granted"), "{}", told[0]);
    assert!(!told[0].contains("canary-9d"), "{}", told[0]);
    assert!(told[1].contains(&format!("elsewhere is in {home}/.local/bin on this machine")), "{}", told[1]);
}

#[test]
fn a_server_of_the_same_command_is_reached_past_the_proxy() {
    let script = "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & \
                  for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; curl -sf localhost:8123/page.txt && break; done";
    let stage = Stage::new(scripts(&[script])).file("page.txt", "served\n");
    let told = told(&stage, &[], &[]);
    assert!(told[0].contains("served") && told[0].contains("exit status 0"), "{}", told[0]);
}

#[test]
fn git_commits_where_its_folder_was_granted_and_an_editor_fails_at_once() {
    let commit = "git add -A && git -c user.name=A -c user.email=a@b commit -qm first && git log --format=%s";
    let stage = Stage::new(scripts(&[commit, "git -c user.name=A -c user.email=a@b commit --amend"]));
    let git = |words: &[&str]| {
        let status = std::process::Command::new("git").args(words).current_dir(stage.work()).status();
        assert!(status.unwrap().success());
    };
    git(&["init", "-q", "-b", "main", "."]);
    fs::write(stage.work().join("a"), "a").unwrap();
    let told = told(&stage, &["--grant", "write:.git/**"], &[]);
    assert!(told[0].contains("first") && told[0].contains("exit status 0"), "{}", told[0]);
    assert!(told[1].contains("There is no editor here"), "{}", told[1]);
    git(&["cat-file", "-e", "main:a"]);
}

#[test]
fn unconfined_commands_have_the_users_path_and_environment_but_no_secrets() {
    let stage = Stage::new(scripts(&["echo $PATH; echo $HOME $MY_SETTING; echo k=$MY_API_KEY."]));
    let told = told(
        &stage,
        &["--unconfined"],
        &[
            ("HOME", "/tmp"),
            ("PATH", "/opt/mine:/usr/bin:/bin"),
            ("MY_SETTING", "set"),
            ("MY_API_KEY", "canary-9d"),
        ],
    );
    assert!(told[0].contains("/opt/mine:/usr/bin:/bin") && told[0].contains("/tmp set"), "{}", told[0]);
    assert!(told[0].contains("k=.") && !told[0].contains("canary-9d"), "{}", told[0]);
    let offered = stage.double.requests()[0].text();
    assert!(offered.contains("as the user would"), "{offered}");
}

/// The words of a run that may do everything in the workspace.
fn full<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let grants = GRANTS.map(|grant| ["--grant", grant]).concat();
    [&["-p", "Go", "--mode", "full"], &grants[..], more].concat()
}

/// What the model was told last in each request.
fn last_texts(stage: &Stage) -> Vec<String> {
    let asked = stage.double.requests().into_iter().filter_map(|request| request.asked);
    let text = |block: &Block| match block {
        Block::ToolResult(result) => Some(result.text.clone()),
        other => other.as_text().map(str::to_owned),
    };
    let last = asked.map(|asked| asked.messages.last().map(|message| message.blocks.clone()));
    let texts = last.map(|blocks| blocks.unwrap_or_default().iter().filter_map(text).collect::<Vec<_>>());
    texts.map(|texts| texts.join("\n")).collect()
}

#[test]
fn temporary_files_and_long_outputs_are_there_after_a_resume_and_go_with_the_session() {
    let first = scripts(&["seq 1 200000; echo kept > $TMPDIR/keep; echo mine > $HOME/mine; echo $TMPDIR"]);
    let second = scripts(&["cat $TMPDIR/keep $HOME/mine; head -1 $HOME/out/1.txt; seq 1 200000"]);
    let stage = Stage::new(first.into_iter().chain(second));
    let folders = tempfile::tempdir().unwrap();
    let holm =
        |words: &[&str]| Ran::of(&stage.command(words).env("TMPDIR", folders.path()).output().unwrap());
    let run = |more: &[&str]| holm(&[&["run", "--model", MODEL], &full(more)[..]].concat());
    run(&["--session", "s"]).says("Done.\n");
    run(&["--session", "s", "--resume"]).says("Done.\n");
    let told = last_texts(&stage);
    assert!(!told[2].contains("are gone"), "{}", told[2]);
    assert!(told[3].contains("kept\nmine\n1\n"), "{}", told[3]);
    assert!(told[3].contains("$HOME/out/2.txt"), "the next output has the next number: {}", told[3]);
    let kept = || {
        let all = fs::read_dir(folders.path()).unwrap().next().unwrap().unwrap().path();
        fs::read_dir(all).unwrap().filter(|entry| entry.as_ref().unwrap().file_name() != "turn").count()
    };
    assert_eq!(kept(), 3, "the folder, its lock and the note");
    assert_eq!(holm(&["session", "edit", "s", "--erase"]).code, Some(0));
    assert_eq!(kept(), 0);
}

#[test]
fn a_model_is_told_at_a_resume_if_the_files_of_its_commands_are_gone() {
    let acts = scripts(&["seq 1 200000"]).into_iter().chain([Act::says("Again."), Act::says("Third.")]);
    let stage = Stage::new(acts);
    let folders = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = stage.command([&["run", "--model", MODEL], &full(more)[..]].concat());
        Ran::of(&command.env("TMPDIR", folders.path()).output().unwrap())
    };
    run(&["--session", "s"]).says("Done.\n");
    // As after a restart of the machine.
    for entry in fs::read_dir(folders.path()).unwrap() {
        fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
    run(&["--session", "s", "--resume"]).says("Again.\n");
    run(&["--session", "s", "--resume"]).says("Third.\n");
    let told = last_texts(&stage);
    let note = "[The files that earlier commands left in $HOME, $HOME/out and $TMPDIR are gone.";
    assert!(told[2].starts_with(note) && told[2].ends_with("\nGo"), "{}", told[2]);
}

#[test]
fn a_command_says_after_how_long_it_was_stopped_and_where_a_patch_belongs() {
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF";
    let slow = Act::calls(&[("t", "shell", r#"{"script":"sleep 30","seconds":1}"#)]);
    let told = told(&Stage::new([slow].into_iter().chain(scripts(&[patch]))), &[], &[]);
    assert!(told[0].contains("stopped: it timed out after 1 s; ask for more seconds"), "{}", told[0]);
    assert!(told[1].contains("apply_patch is not a program here; call the tool patch"), "{}", told[1]);
}

#[test]
fn outputs_are_found_under_every_name_that_a_shell_has_for_their_folder() {
    let mut acts = scripts(&["seq 1 200000"]);
    acts.splice(
        1..1,
        [
            Act::calls(&[("r", "read", r#"{"path":"~/out/1.txt","offset":7}"#)]),
            Act::calls(&[("g", "glob", r#"{"pattern":"*","path":"$HOME/out"}"#)]),
            Act::calls(&[("h", "grep", r#"{"pattern":"^12345$","path":"${HOME}/out"}"#)]),
        ],
    );
    let told = told(&Stage::new(acts), &[], &[]);
    assert!(told[1].contains("\t7\n"), "{}", told[1]);
    assert!(told[2].contains("$HOME/out/1.txt"), "{}", told[2]);
    assert!(told[3].contains("$HOME/out/1.txt:12345:12345"), "{}", told[3]);
}
