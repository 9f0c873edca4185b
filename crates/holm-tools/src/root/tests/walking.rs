use std::{fs, ops::ControlFlow};

use holm_grants::{CallNeed, Grant};
use holm_runtime::CancellationToken;

use super::stage::Stage;
use crate::root::{IgnoredFilePolicy, WalkSummary, WorkspaceRoot, WorkspaceWalk};

fn walk(root: &WorkspaceRoot, start: &str, ignored: IgnoredFilePolicy) -> (Vec<String>, WalkSummary) {
    let needs = [CallNeed::Grant("read:**".parse::<Grant>().unwrap())];
    let (permit, stop) = (root.permit(&needs), CancellationToken::new());
    let mut paths = Vec::new();
    let walk = WorkspaceWalk { root, permit, ignored, stop: &stop };
    let walked = walk
        .beneath(&root.path(start).unwrap(), |entry| {
            paths.push(entry.path.to_string());
            ControlFlow::Continue(())
        })
        .unwrap();
    (paths, walked)
}

#[test]
fn a_walk_passes_no_link_and_shows_nothing_that_is_denied() {
    let stage = Stage::new();
    for root in stage.roots() {
        let (paths, walked) = walk(&root, ".", IgnoredFilePolicy::Shown);
        assert!(paths.contains(&"a/b/ok.txt".to_owned()), "{paths:?}");
        assert!(paths.contains(&"to_folder".to_owned()), "the link itself is seen");
        assert!(
            !paths.iter().any(|path| path.starts_with("to_folder/") || path.starts_with("up/")),
            "{paths:?}"
        );
        for denied in [".env", ".git", ".ssh", "id_rsa", "server.pem", "a/.env"] {
            assert!(!paths.contains(&denied.to_owned()), "{denied}");
        }
        assert_eq!(walked.denied, 6, "{walked:?}");
    }
}

#[test]
fn a_walk_leaves_out_what_git_ignores_as_git_reads_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(".gitignore", "*.log\n/target\nbuild/\n!keep.log\n# no rule\n");
    put("sub/.gitignore", "*.tmp\n!important.log\n");
    put(".ignore", "searched-not.txt\n");
    put(".git/info/exclude", "personal.txt\n");
    for path in ["a.log", "keep.log", "target/x", "sub/target/x", "build/x", "sub/build/x", "personal.txt"] {
        put(path, "");
    }
    for path in ["sub/a.tmp", "a.tmp", "sub/b.log", "sub/important.log", "searched-not.txt", "sub/deep/c.log"]
    {
        put(path, "");
    }
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    let files = |start, ignored| {
        let (mut paths, _) = walk(&root, start, ignored);
        paths.retain(|path| folder.path().join(path).is_file());
        paths
    };
    let expect =
        [".gitignore", ".ignore", "a.tmp", "keep.log", "sub/.gitignore", "sub/important.log", "sub/target/x"];
    assert_eq!(files(".", IgnoredFilePolicy::Skipped), expect);
    // The rules above the start hold too.
    assert_eq!(
        files("sub", IgnoredFilePolicy::Skipped),
        ["sub/.gitignore", "sub/important.log", "sub/target/x"]
    );
    assert_eq!(files("sub/deep", IgnoredFilePolicy::Skipped), [""; 0]);
    assert_eq!(files(".", IgnoredFilePolicy::Shown).len(), 16);
}

#[test]
fn a_walk_ends_when_it_is_stopped_or_told_that_it_is_enough() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let needs = [CallNeed::Grant("read:**".parse::<Grant>().unwrap())];
    let stop = CancellationToken::new();
    let walk =
        WorkspaceWalk { root, permit: root.permit(&needs), ignored: IgnoredFilePolicy::Shown, stop: &stop };
    let start = root.path(".").unwrap();
    let walked = walk.beneath(&start, |_| ControlFlow::Break(())).unwrap();
    assert_eq!((walked.cut, walked.looked <= 10), (true, true), "{walked:?}");
    stop.cancel();
    let walked = walk.beneath(&start, |_| ControlFlow::Continue(())).unwrap();
    assert!(walked.cut);
}

#[test]
fn a_hundred_folders_deep_is_walked_and_hostile_rules_are_no_rules() {
    let folder = tempfile::tempdir().unwrap();
    let deep = vec!["d"; 100].join("/");
    fs::create_dir_all(folder.path().join(&deep)).unwrap();
    fs::write(folder.path().join(&deep).join("found"), "").unwrap();
    fs::write(folder.path().join(".gitignore"), "[z-a]\n{{{{\n".to_owned() + &"{a,b}".repeat(10_000))
        .unwrap();
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    let (paths, walked) = walk(&root, ".", IgnoredFilePolicy::Skipped);
    assert_eq!((paths.len(), walked.cut, walked.unopened), (102, false, 0));
}
