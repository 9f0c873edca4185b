use std::path::Path;

use super::{Jail, JailTask};
use crate::engine::JailEngine;
use crate::error::JailError;
use crate::order::RootAccess;

fn check(jail: &Jail, expect: &[(&str, RootAccess)]) {
    let settled = jail.settled();
    let got: Vec<_> = settled.iter().map(|root| (root.path.to_str().unwrap(), root.access)).collect();
    assert_eq!(got, expect);
}

#[test]
fn git_is_read_only_in_a_folder_that_can_be_written() {
    check(&Jail::new().write("/usr"), &[("/usr", RootAccess::Write), ("/usr/.git", RootAccess::Protected)]);
    check(&Jail::new().read("/usr"), &[("/usr", RootAccess::Read)]);
}

#[test]
fn what_git_runs_or_believes_stays_read_only_where_git_itself_is_opened() {
    let expect = [
        ("/usr", RootAccess::Write),
        ("/usr/.git", RootAccess::Write),
        ("/usr/.git/branches", RootAccess::Protected),
        ("/usr/.git/commondir", RootAccess::Protected),
        ("/usr/.git/config", RootAccess::Protected),
        ("/usr/.git/config.worktree", RootAccess::Protected),
        ("/usr/.git/hooks", RootAccess::Protected),
        ("/usr/.git/remotes", RootAccess::Protected),
    ];
    check(&Jail::new().write("/usr").write("/usr/.git"), &expect);
    check(&Jail::new().write("/usr").write("/usr/.git").write("/usr/.git/hooks"), &expect);
}

#[test]
fn what_git_runs_or_believes_is_not_opened_by_naming_it() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for part in
        [".git/hooks/sub", ".git/refs", ".git/modules/m/hooks", ".git/modules/m/objects", "bare/objects"]
    {
        std::fs::create_dir_all(base.join(part)).unwrap();
    }
    for file in [".git/config", ".git/modules/m/HEAD", ".git/modules/m/config", "bare/HEAD", "bare/config"] {
        std::fs::write(base.join(file), "").unwrap();
    }
    let check = |path: &str, expect: RootAccess| {
        let settled = Jail::new().write(base.join(path)).settled();
        let got: Vec<_> = settled.iter().map(|root| (root.path.as_path(), root.access)).collect();
        assert_eq!(got.first(), Some(&(base.join(path).as_path(), expect)), "{path}");
        assert!(got.iter().skip(1).all(|(_, access)| *access == RootAccess::Protected), "{path}: {got:?}");
    };
    for path in
        [".git/hooks", ".git/hooks/sub", ".git/config", ".git/modules/m/hooks", ".git/modules/m/config"]
    {
        check(path, RootAccess::Read);
    }
    for path in ["bare/config", "bare/hooks"] {
        check(path, RootAccess::Read);
    }
    for path in [".git", ".git/refs", ".git/modules/m", "bare", "bare/objects"] {
        check(path, RootAccess::Write);
    }
    let opened = Jail::new().write(base.join("bare")).settled();
    assert_eq!(opened.len(), 1 + super::GIT.len(), "{opened:?}");
}

#[test]
fn a_git_folder_inside_a_root_is_held_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("a/.git")).unwrap();
    std::fs::create_dir_all(base.join("b/.git")).unwrap();
    std::fs::create_dir_all(base.join("c")).unwrap();
    std::os::unix::fs::symlink("elsewhere", base.join("b/.git/hooks")).unwrap();
    std::fs::write(base.join("c/.git"), "gitdir: ../x").unwrap();
    let jail = ["a/.git", "b/.git", "c/.git"].iter().map(|git| base.join(git));
    let jail = jail.fold(Jail::new().write(&base), Jail::repository);
    let settled = jail.settled();
    let held = |path: &str| {
        settled.iter().any(|root| root.path == base.join(path) && root.access == RootAccess::Protected)
    };
    for path in ["a/.git/hooks", "a/.git/config", "a/.git/commondir", "b/.git", "c/.git"] {
        assert!(held(path), "{path}: {settled:?}");
    }
    assert!(!held("a/.git"));
}

#[test]
fn a_protection_wins_over_every_write_and_the_outermost_over_the_inner() {
    let jail = Jail::new()
        .write("/usr")
        .write("/usr/lib/x")
        .protect("/usr/lib")
        .protect("/usr/lib/y")
        .protect("/etc");
    check(
        &jail,
        &[
            ("/usr", RootAccess::Write),
            ("/usr/.git", RootAccess::Protected),
            ("/usr/lib", RootAccess::Protected),
            ("/usr/lib/x", RootAccess::Read),
        ],
    );
}

#[test]
fn a_path_with_two_powers_has_both() {
    check(&Jail::new().read("/etc/hosts").write("/etc/hosts"), &[("/etc/hosts", RootAccess::Write)]);
    check(&Jail::new().read("/etc/hosts").exec("/etc/hosts"), &[("/etc/hosts", RootAccess::Exec)]);
    check(&Jail::new().write("/etc/hosts").exec("/etc/hosts"), &[("/etc/hosts", RootAccess::Full)]);
}

#[test]
fn a_right_to_read_takes_no_right_to_write_away() {
    let written = [("/usr", RootAccess::Write), ("/usr/.git", RootAccess::Protected)];
    check(&Jail::new().write("/usr").read("/usr/lib"), &written);
    check(&Jail::new().write("/usr").read("/usr/lib/x").read("/usr/lib"), &written);
    let beside =
        [("/usr", RootAccess::Write), ("/usr/.git", RootAccess::Protected), ("/usr2", RootAccess::Read)];
    check(&Jail::new().write("/usr").read("/usr2"), &beside);
    let kept = [
        ("/usr", RootAccess::Write),
        ("/usr/.git", RootAccess::Protected),
        ("/usr/lib", RootAccess::Protected),
    ];
    check(&Jail::new().write("/usr").protect("/usr/lib").read("/usr/lib"), &kept);
}

#[test]
fn an_order_that_no_program_could_be_given_is_refused() {
    let order =
        |jail: Jail, task: &JailTask| jail.order(&JailEngine::Landlock, task).map(|_| ()).unwrap_err();
    let task = JailTask::new("/bin/true");
    for path in ["relative", "/a/../b", "/a/./b", "~", ""] {
        assert_eq!(order(Jail::new().read(path), &task), JailError::Path(path.into()));
        assert_eq!(order(Jail::new().cwd(path), &task), JailError::Path(path.into()));
        assert_eq!(order(Jail::new(), &JailTask::new(Path::new(path))), JailError::Path(path.into()));
    }
    for name in ["", "A=B", "A\0"] {
        assert!(matches!(order(Jail::new().env(name, "x"), &task), JailError::Argument(_)), "{name:?}");
    }
    assert!(matches!(order(Jail::new().env("A", "\0"), &task), JailError::Argument(_)));
    assert!(matches!(order(Jail::new(), &task.args(["a\0b"])), JailError::Argument(_)));
}

#[test]
fn a_job_gets_the_temporary_folder_only_if_all_its_roots_can_be_mounted_there() {
    let bubblewrap = JailEngine::Bubblewrap("/usr/bin/bwrap".into());
    let task = JailTask::new("/usr/bin/true");
    let gets = |jail: Jail, engine: &JailEngine| jail.order(engine, &task).unwrap().temporary.is_some();
    let jail = || Jail::new().temporary("/srv/t", ["/tmp/a".into()]);
    assert!(gets(jail().read("/tmp/a/b"), &bubblewrap) && gets(jail().read("/srv"), &bubblewrap));
    for root in ["/tmp", "/tmp/other/b", "/tmp/ab"] {
        assert!(!gets(jail().read(root), &bubblewrap), "{root}");
    }
    assert!(!gets(jail(), &JailEngine::Landlock));
}
