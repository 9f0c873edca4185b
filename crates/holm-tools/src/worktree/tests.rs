//! With a real git: if it is missing these tests fail and say so.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Block, ModelResult, Reply, Role, StopReason, ToolCall, ToolOutput, ToolSpec};
use holm_runtime::{
    Agent, BuildError, ChildIsolation as _, HelperAgent, HelperSet, ToolInvocation, model_fn, tool_fn,
};

use super::*;

/// Git as a user would call it.
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git is needed: install it");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

struct Stage {
    folder: tempfile::TempDir,
    repository: PathBuf,
    trees: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (repository, trees) = (folder.path().join("repository"), folder.path().join("trees"));
        fs::create_dir(&repository).unwrap();
        git(&repository, &["init", "-q"]);
        fs::write(repository.join("poem.txt"), "one\ntwo\nthree\n").unwrap();
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "-qm", "poem"]);
        Self { folder, repository, trees }
    }

    async fn open(&self, afterwards: WorktreeCleanup) -> WorktreeManager {
        WorktreeManager::open(&self.repository, &self.trees, afterwards).await.unwrap()
    }

    /// Lets a process's worktrees go, as its death would. A program that another test is just starting has every open file
    /// of this process until it runs, and so its locks: they are waited for. It has the lock of the wait, too, which is why
    /// that is given back and not merely closed.
    async fn let_go(&self, worktrees: WorktreeManager) {
        drop(worktrees);
        for entry in fs::read_dir(&self.trees).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "lock") {
                let lock = fs::File::open(path).unwrap();
                let waited = tokio::task::spawn_blocking(move || lock.lock().and_then(|()| lock.unlock()));
                waited.await.unwrap().unwrap();
            }
        }
    }

    /// How many worktrees git knows besides the repository's own.
    fn strays(&self) -> usize {
        git(&self.repository, &["worktree", "list", "--porcelain"]).matches("worktree ").count() - 1
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.trees).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn poem(&self) -> String {
        fs::read_to_string(self.repository.join("poem.txt")).unwrap()
    }
}

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn reply(blocks: Vec<Block>, stop: StopReason) -> ModelResult {
    ModelResult::Replied(Reply { blocks, stop, ..Reply::default() })
}

/// A child that writes its task into the poem of its folder.
fn writer(folder: &Path) -> Result<Agent, BuildError> {
    let poem = folder.join("poem.txt");
    let declaration = ToolSpec::new("write", "Writes.", Json::object([("type", "object".into())]));
    let write = tool_fn(declaration.level(Level::Write), move |job: ToolInvocation| {
        let arguments: BTreeMap<String, String> = serde_json::from_str(&job.arguments).unwrap();
        fs::write(&poem, format!("one\n{}\nthree\n", arguments["line"])).unwrap();
        async { ToolOutput::text("written") }
    });
    let client = model_fn(|ask| {
        let spoken = ask.messages.iter().any(|message| message.role == Role::Assistant);
        let task = match ask.messages.first().and_then(|message| message.blocks.first()) {
            Some(Block::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let arguments = serde_json::json!({ "line": task }).to_string();
        let call = ToolCall { id: "w".into(), name: "write".into(), arguments, replay: None };
        let result = match spoken {
            true => reply(vec![Block::Text("done".into())], StopReason::default()),
            false => reply(vec![Block::ToolCall(call)], StopReason::ToolUse),
        };
        Box::pin(async move { result })
    });
    Agent::builder("test/writer", client).tool(write).mode(Mode::Full).build()
}

/// A parent that hands out two lines at once and then answers.
fn parent() -> Arc<dyn holm_runtime::Model> {
    let turn = AtomicU64::new(0);
    Arc::new(model_fn(move |_| {
        let first = turn.fetch_add(1, Ordering::SeqCst) == 0;
        let call = |id: &str| {
            let arguments = serde_json::json!({ "task": format!("line of {id}") }).to_string();
            Block::ToolCall(ToolCall { id: id.into(), name: "writer".into(), arguments, replay: None })
        };
        let result = match first {
            true => reply(vec![call("ann"), call("bob")], StopReason::ToolUse),
            false => reply(vec![Block::Text("both".into())], StopReason::default()),
        };
        Box::pin(async move { result })
    }))
}

#[tokio::test]
async fn two_children_edit_one_file_and_both_changes_come_back() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let helper = HelperAgent::isolated("writer", "Writes.", worktrees, writer);
    let agent = Agent::builder("test/parent", parent()).mode(Mode::Full);
    let agent = agent.helpers(HelperSet::new().with(helper)).build().unwrap();
    let mut session = agent.start().await.unwrap();
    assert_eq!(session.prompt("go").await.unwrap().into_text().unwrap(), "both");
    let told = format!("{:?}", session.run().transcript());
    assert!(told.contains("+line of ann") && told.contains("+line of bob"), "{told}");
    assert_eq!(stage.poem(), "one\ntwo\nthree\n", "the parent's tree is untouched");
    assert_eq!(git(&stage.repository, &["status", "--porcelain"]), "");
    assert_eq!(stage.strays(), 0);
    let names = stage.names();
    assert!(names.len() == 2 && names.iter().all(|name| name.ends_with(".diff")), "{names:?}");
}

#[tokio::test]
async fn a_worktree_with_changes_can_be_kept_and_one_without_is_not() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::KeepChanged).await;
    let folder = worktrees.enter("kept").await.unwrap();
    fs::write(folder.join("new.txt"), "new\n").unwrap();
    worktrees.enter("clean").await.unwrap();
    assert!(worktrees.enter("kept").await.unwrap_err().contains("already in use"));
    assert!(worktrees.leave("kept").await.unwrap().unwrap().contains("+new"));
    assert_eq!(worktrees.leave("clean").await, Ok(None));
    assert_eq!(
        (stage.strays(), stage.names()),
        (1, ["kept", "kept.base", "kept.diff"].map(Into::into).to_vec())
    );
}

#[tokio::test]
async fn a_run_that_was_killed_leaves_no_stray_worktree_and_loses_no_work() {
    let stage = Stage::new();
    let first = stage.open(WorktreeCleanup::Remove).await;
    let folder = first.enter("child").await.unwrap();
    fs::write(folder.join("poem.txt"), "one\nhalf done\nthree\n").unwrap();
    let second = stage.open(WorktreeCleanup::Remove).await;
    assert!(folder.exists(), "what already in use in is not swept");
    // Nothing is tidied up when a process dies but its locks.
    stage.let_go(first).await;
    assert_eq!(second.sweep().await.unwrap(), ["child"]);
    assert_eq!((stage.strays(), stage.names()), (0, vec!["child.diff".to_owned()]));
    let folder = second.enter("child").await.unwrap();
    assert_eq!(fs::read_to_string(folder.join("poem.txt")).unwrap(), "one\nhalf done\nthree\n");
    assert!(second.leave("child").await.unwrap().unwrap().contains("+half done"));
    assert_eq!((stage.strays(), stage.names()), (0, vec!["child.diff".to_owned()]));
    assert_eq!(second.kept_changes("child"), Some(stage.trees.canonicalize().unwrap().join("child.diff")));
    git(&stage.repository, &["apply", "--check", path_text(&second.kept_changes("child").unwrap())]);
    second.forget("child").unwrap();
    assert_eq!(stage.names(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_no_repository_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let trees = folder.path().join("trees");
    let opened = WorktreeManager::open(folder.path(), trees, WorktreeCleanup::Remove).await;
    assert!(matches!(opened, Err(WorktreeError::Git { .. })), "{opened:?}");
}

#[tokio::test]
async fn a_child_whose_end_was_not_heard_gives_the_same_changes_again() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    fs::write(folder.join("poem.txt"), "one\nmine\nthree\n").unwrap();
    fs::write(folder.join("bytes.bin"), [0, 159, 146, 150]).unwrap();
    let first = worktrees.leave("child").await.unwrap().unwrap();
    // Meanwhile, another user continues to work in the repository.
    fs::write(stage.repository.join("poem.txt"), "one\ntheirs\nthree\n").unwrap();
    git(&stage.repository, &["commit", "-qam", "theirs"]);
    worktrees.enter("child").await.unwrap();
    assert_eq!(worktrees.leave("child").await.unwrap().unwrap(), first);
    assert!(first.contains("GIT binary patch") && first.contains("+mine"), "{first}");
}

#[tokio::test]
async fn what_a_child_commits_or_stages_is_changed_all_the_same() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    fs::write(folder.join("poem.txt"), "one\ncommitted\nthree\n").unwrap();
    git(&folder, &["commit", "-qam", "mine"]);
    fs::write(folder.join("staged.txt"), "staged\n").unwrap();
    git(&folder, &["add", "staged.txt"]);
    git(&folder, &["update-index", "--assume-unchanged", "staged.txt"]);
    fs::write(folder.join("staged.txt"), "hidden\n").unwrap();
    let changes = worktrees.leave("child").await.unwrap().unwrap();
    assert!(changes.contains("+committed") && changes.contains("+hidden"), "{changes}");
}

#[tokio::test]
async fn a_worktree_that_was_half_made_is_nobodys_work() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    stage.let_go(worktrees).await;
    // As if the process had died while git wrote the files.
    fs::remove_file(folder.join("poem.txt")).unwrap();
    fs::remove_file(stage.trees.join("child.base")).unwrap();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    assert_eq!((stage.strays(), stage.names()), (0, vec![]));
    let folder = worktrees.enter("child").await.unwrap();
    assert!(folder.join("poem.txt").exists());
}

#[tokio::test]
async fn a_large_patch_is_whole_in_its_file() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    fs::write(folder.join("long.txt"), "line of the long text\n".repeat(10_000)).unwrap();
    let told = worktrees.leave("child").await.unwrap().unwrap();
    assert!(told.len() < 50_000 && told.contains("[the whole patch: "), "{}", told.len());
    let whole = fs::read_to_string(worktrees.kept_changes("child").unwrap()).unwrap();
    assert_eq!(whole.matches("+line of the long text").count(), 10_000);
}

#[tokio::test]
async fn names_that_are_no_folders_are_refused() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    for name in
        ["", ".git", "..", ".", "a/b", "../x", "a.lock", "a.diff", "-f", "a b", "a\0", &"x".repeat(201)]
    {
        let refused = worktrees.enter(name).await.unwrap_err();
        assert!(refused.contains("cannot name a worktree"), "{name:?}: {refused}");
        assert!(worktrees.leave(name).await.is_err() && worktrees.kept_changes(name).is_none());
    }
    assert_eq!(stage.names(), Vec::<String>::new());
}

/// A program that leaves a mark when it is started, and behaves well otherwise.
fn trap(folder: &Path) -> (String, PathBuf) {
    use std::os::unix::fs::PermissionsExt as _;
    let (program, mark) = (folder.join("trap"), folder.join("sprung"));
    fs::write(&program, format!("#!/bin/sh\ntouch {}\ncat\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (path_text(&program).to_owned(), mark)
}

/// Makes a repository that starts a program whenever it can.
fn make_hostile(repository: &Path, program: &str) {
    for (key, value) in [
        ("core.fsmonitor", program),
        ("core.pager", program),
        ("core.editor", program),
        ("core.sshCommand", program),
        ("diff.external", program),
        ("filter.evil.clean", program),
        ("filter.evil.smudge", program),
        ("filter.evil.required", "true"),
        ("filter.e=v.il.clean", program),
        ("diff.evil.textconv", program),
        ("diff.evil.command", program),
    ] {
        git(repository, &["config", key, value]);
    }
    let hooks = repository.join(git(repository, &["rev-parse", "--git-path", "hooks"]).trim());
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"] {
        let place = hooks.join(hook);
        let _ = fs::remove_file(&place);
        std::os::unix::fs::symlink(program, place).unwrap();
    }
}

#[tokio::test]
async fn a_hostile_repository_runs_nothing() {
    let stage = Stage::new();
    let (program, mark) = trap(stage.folder.path());
    let attributes = "poem.txt filter=evil diff=evil\n*.txt filter=e=v.il\n";
    fs::write(stage.repository.join(".gitattributes"), attributes).unwrap();
    git(&stage.repository, &["add", "."]);
    git(&stage.repository, &["commit", "-qm", "attributes"]);
    make_hostile(&stage.repository, &program);
    let _ = std::process::Command::new("git").arg("-C").arg(&stage.repository).arg("status").output();
    assert!(mark.exists(), "the trap is one");
    fs::remove_file(&mark).unwrap();

    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    assert_eq!(fs::read_to_string(folder.join("poem.txt")).unwrap(), "one\ntwo\nthree\n");
    fs::write(folder.join("poem.txt"), "one\nmine\nthree\n").unwrap();
    assert!(worktrees.leave("child").await.unwrap().unwrap().contains("+mine"));
    worktrees.enter("child").await.unwrap();
    stage.let_go(worktrees).await;
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    assert!(!mark.exists(), "nothing was started");
    assert_eq!(stage.strays(), 0);
    assert!(worktrees.kept_changes("child").is_some(), "{:?}", stage.names());
}

#[tokio::test]
async fn what_a_child_puts_in_gits_place_runs_nothing() {
    let stage = Stage::new();
    let (program, mark) = trap(stage.folder.path());
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    // A repository of its own in the place of the pointer, and another one further down.
    for inner in ["", "sub/"] {
        let place = folder.join(inner);
        let _ = fs::remove_file(place.join(".git"));
        fs::create_dir_all(&place).unwrap();
        git(&place, &["init", "-q"]);
        fs::write(place.join("own.txt"), "own\n").unwrap();
        fs::write(place.join(".gitattributes"), "* filter=evil\n").unwrap();
        git(&place, &["add", "own.txt"]);
        git(&place, &["commit", "-qm", "own"]);
        make_hostile(&place, &program);
    }
    fs::write(folder.join("sub/own.txt"), "changed\n").unwrap();
    let _ = fs::remove_file(&mark);
    let told = worktrees.leave("child").await.unwrap().unwrap();
    assert!(!mark.exists(), "nothing was started");
    assert!(told.contains("+own") && told.contains("not in the patch: sub"), "{told}");
    assert_eq!((stage.strays(), stage.poem()), (0, "one\ntwo\nthree\n".to_owned()));
}

#[tokio::test]
async fn a_repository_in_the_place_of_a_submodule_runs_nothing() {
    let stage = Stage::new();
    let (program, mark) = trap(stage.folder.path());
    let head = git(&stage.repository, &["rev-parse", "HEAD"]);
    let link = format!("160000,{},module", head.trim());
    git(&stage.repository, &["update-index", "--add", "--cacheinfo", &link]);
    fs::write(stage.repository.join(".gitmodules"), "[submodule \"module\"]\n\tpath = module\n\turl = ./x\n")
        .unwrap();
    git(&stage.repository, &["add", ".gitmodules"]);
    git(&stage.repository, &["commit", "-qm", "module"]);
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    let module = folder.join("module");
    fs::create_dir_all(&module).unwrap();
    git(&module, &["init", "-q"]);
    fs::write(module.join(".gitattributes"), "* filter=evil\n").unwrap();
    fs::write(module.join("own.txt"), "own\n").unwrap();
    git(&module, &["add", "."]);
    git(&module, &["commit", "-qm", "own"]);
    make_hostile(&module, &program);
    fs::write(module.join("own.txt"), "changed\n").unwrap();
    let _ = fs::remove_file(&mark);
    let told = worktrees.leave("child").await.unwrap().unwrap();
    assert!(!mark.exists(), "nothing was started");
    assert!(told.contains("not in the patch: module") && !told.contains("deleted"), "{told}");
}

#[tokio::test]
async fn pipes_and_lost_rights_in_a_worktree_keep_nobody_from_its_changes() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::KeepChanged).await;
    let folder = worktrees.enter("child").await.unwrap();
    fs::create_dir(folder.join("shut")).unwrap();
    fs::write(folder.join("shut/deep.txt"), "deep\n").unwrap();
    fs::write(folder.join("poem.txt"), "one\nmine\nthree\n").unwrap();
    for pipe in [".gitignore", "shut/.gitattributes"] {
        let made = std::process::Command::new("mkfifo").arg(folder.join(pipe)).status();
        assert!(made.expect("mkfifo is needed: coreutils").success());
    }
    for closed in ["shut/deep.txt", "poem.txt", "shut"] {
        fs::set_permissions(folder.join(closed), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let leaving = tokio::time::timeout(std::time::Duration::from_secs(60), worktrees.leave("child"));
    let told = leaving.await.expect("nobody waits for a pipe").unwrap().unwrap();
    assert!(told.contains("+mine") && told.contains("+deep"), "{told}");
    // Also for those whom rights hold back.
    let mode = |path: &str| fs::metadata(folder.join(path)).unwrap().permissions().mode() & 0o700;
    assert_eq!((mode("shut"), mode("shut/deep.txt"), mode("poem.txt")), (0o700, 0o600, 0o600));
    fs::set_permissions(folder.join("shut"), fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(worktrees.sweep().await, Ok(vec![]));
}

#[tokio::test]
async fn a_child_that_is_dropped_lets_go_of_its_worktree() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let begun = Arc::new(tokio::sync::Notify::new());
    let told = Arc::clone(&begun);
    let helper = HelperAgent::isolated("writer", "Writes.", worktrees.clone(), move |_| {
        let told = Arc::clone(&told);
        let client = model_fn(move |_| {
            told.notify_one();
            Box::pin(std::future::pending())
        });
        Agent::builder("test/writer", client).build()
    });
    let agent = Agent::builder("test/parent", parent()).mode(Mode::Full);
    let agent = agent.helpers(HelperSet::new().with(helper)).build().unwrap();
    let work = tokio::spawn(async move { agent.run("go").await.map(|_| ()) });
    begun.notified().await;
    work.abort();
    let _ = work.await;
    let swept = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while worktrees.sweep().await.unwrap().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    });
    swept.await.expect("what was dropped is nobody's");
}

#[tokio::test]
async fn what_cannot_be_brought_home_is_let_go() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    worktrees.enter("child").await.unwrap();
    let base = stage.trees.join("child.base");
    let good = fs::read_to_string(&base).unwrap();
    fs::write(&base, "0123456789").unwrap();
    assert!(worktrees.leave("child").await.is_err());
    fs::write(&base, good).unwrap();
    assert_eq!(worktrees.sweep().await.unwrap(), ["child"]);
}

#[tokio::test]
async fn settings_for_worktrees_alone_run_nothing() {
    let stage = Stage::new();
    let (program, mark) = trap(stage.folder.path());
    fs::write(stage.repository.join(".gitattributes"), "poem.txt filter=evil\n").unwrap();
    git(&stage.repository, &["add", "."]);
    git(&stage.repository, &["commit", "-qm", "attributes"]);
    let only = stage.folder.path().join("only");
    fs::write(&only, format!("[filter \"evil\"]\n\tsmudge = {program}\n\tclean = {program}\n")).unwrap();
    git(&stage.repository, &["config", "includeIf.gitdir:**/worktrees/**.path", path_text(&only)]);
    let other = stage.folder.path().join("other");
    git(&stage.repository, &["worktree", "add", "-q", "--detach", path_text(&other)]);
    assert!(mark.exists(), "the trap is one");
    fs::remove_file(&mark).unwrap();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    assert_eq!(git(&folder, &["status", "--porcelain"]), "", "it is checked out");
    let _ = fs::remove_file(&mark);
    fs::write(folder.join("poem.txt"), "one\nmine\nthree\n").unwrap();
    assert!(worktrees.leave("child").await.unwrap().unwrap().contains("+mine"));
    worktrees.enter("child").await.unwrap();
    assert!(!mark.exists(), "nothing was started");
}

#[tokio::test]
async fn worktrees_of_other_people_are_not_forgotten() {
    let stage = Stage::new();
    let other = stage.folder.path().join("disk/other");
    git(&stage.repository, &["worktree", "add", "-q", "--detach", path_text(&other)]);
    // Its disk is not there now.
    fs::rename(stage.folder.path().join("disk"), stage.folder.path().join("unmounted")).unwrap();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    worktrees.enter("child").await.unwrap();
    worktrees.leave("child").await.unwrap();
    stage.let_go(worktrees).await;
    stage.open(WorktreeCleanup::Remove).await;
    assert_eq!(stage.strays(), 1);
    fs::rename(stage.folder.path().join("unmounted"), stage.folder.path().join("disk")).unwrap();
    assert_eq!(git(&other, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_child_that_made_nothing_but_a_repository_can_be_gone_on_with() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let folder = worktrees.enter("child").await.unwrap();
    fs::create_dir(folder.join("inner")).unwrap();
    git(&folder.join("inner"), &["init", "-q"]);
    assert!(worktrees.leave("child").await.unwrap().unwrap().contains("not in the patch: inner"));
    assert!(worktrees.enter("child").await.is_ok());
}

#[tokio::test]
async fn an_answer_is_told_also_if_its_changes_cannot_be() {
    let stage = Stage::new();
    let worktrees = stage.open(WorktreeCleanup::Remove).await;
    let helper = HelperAgent::isolated("writer", "Writes.", worktrees, |folder| {
        fs::write(folder.with_extension("base"), "0123456789").unwrap();
        writer(folder)
    });
    let agent = Agent::builder("test/parent", parent()).mode(Mode::Full);
    let agent = agent.helpers(HelperSet::new().with(helper)).build().unwrap();
    let mut session = agent.start().await.unwrap();
    session.prompt("go").await.unwrap();
    let told = format!("{:?}", session.run().transcript());
    assert!(told.contains("done") && told.contains("changes could not be collected"), "{told}");
}

#[tokio::test]
async fn changed_files_are_counted_and_nothing_of_the_repository_runs() {
    let stage = Stage::new();
    let repository = &stage.repository;
    assert_eq!(changed_files(repository).await, Some(0));
    fs::write(repository.join("poem.txt"), "one\n").unwrap();
    fs::write(repository.join("new file.txt"), "").unwrap();
    // Git would run these when it compares files.
    let ran = repository.join(".git/ran");
    let touch = format!("touch {}; cat", ran.display());
    git(repository, &["config", "filter.f.clean", &touch]);
    git(repository, &["config", "core.fsmonitor", &touch]);
    fs::write(repository.join(".gitattributes"), "* filter=f\n").unwrap();
    assert_eq!(changed_files(repository).await, Some(3));
    assert!(!ran.exists());
    fs::create_dir(repository.join("below")).unwrap();
    assert_eq!(changed_files(&repository.join("below")).await, None);
    assert_eq!(changed_files(stage.folder.path()).await, None);
}
