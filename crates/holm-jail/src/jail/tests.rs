use std::path::Path;

use super::{Jail, Task};
use crate::engine::Engine;
use crate::error::JailError;
use crate::order::Access;

fn check(jail: &Jail, expect: &[(&str, Access)]) {
    let settled = jail.settled();
    let got: Vec<_> = settled.iter().map(|root| (root.path.to_str().unwrap(), root.access)).collect();
    assert_eq!(got, expect);
}

#[test]
fn git_is_read_only_in_a_folder_that_can_be_written() {
    check(&Jail::new().write("/usr"), &[("/usr", Access::Write), ("/usr/.git", Access::Protected)]);
    check(&Jail::new().read("/usr"), &[("/usr", Access::Read)]);
}

#[test]
fn what_git_runs_or_believes_stays_read_only_where_git_itself_is_opened() {
    let expect = [
        ("/usr", Access::Write),
        ("/usr/.git", Access::Write),
        ("/usr/.git/commondir", Access::Protected),
        ("/usr/.git/config", Access::Protected),
        ("/usr/.git/config.worktree", Access::Protected),
        ("/usr/.git/hooks", Access::Protected),
    ];
    check(&Jail::new().write("/usr").write("/usr/.git"), &expect);
    check(
        &Jail::new().write("/usr").write("/usr/.git").write("/usr/.git/hooks"),
        &[&expect[..5], &[("/usr/.git/hooks", Access::Protected)]].concat(),
    );
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
            ("/usr", Access::Write),
            ("/usr/.git", Access::Protected),
            ("/usr/lib", Access::Protected),
            ("/usr/lib/x", Access::Read),
        ],
    );
}

#[test]
fn a_path_with_two_powers_has_both() {
    check(&Jail::new().read("/etc/hosts").write("/etc/hosts"), &[("/etc/hosts", Access::Write)]);
    check(&Jail::new().read("/etc/hosts").exec("/etc/hosts"), &[("/etc/hosts", Access::Exec)]);
    check(&Jail::new().write("/etc/hosts").exec("/etc/hosts"), &[("/etc/hosts", Access::Full)]);
}

#[test]
fn an_order_that_no_program_could_be_given_is_refused() {
    let order = |jail: Jail, task: &Task| jail.order(&Engine::Landlock, task).map(|_| ()).unwrap_err();
    let task = Task::new("/bin/true");
    for path in ["relative", "/a/../b", "/a/./b", "~", ""] {
        assert_eq!(order(Jail::new().read(path), &task), JailError::Path(path.into()));
        assert_eq!(order(Jail::new().cwd(path), &task), JailError::Path(path.into()));
        assert_eq!(order(Jail::new(), &Task::new(Path::new(path))), JailError::Path(path.into()));
    }
    for name in ["", "A=B", "A\0"] {
        assert!(matches!(order(Jail::new().env(name, "x"), &task), JailError::Argument(_)), "{name:?}");
    }
    assert!(matches!(order(Jail::new().env("A", "\0"), &task), JailError::Argument(_)));
    assert!(matches!(order(Jail::new(), &task.args(["a\0b"])), JailError::Argument(_)));
}
