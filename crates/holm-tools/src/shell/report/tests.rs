use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use holm_grants::GrantSet;
use holm_jail::{JailEngine, JailLauncher};

use super::*;
use crate::shell::{ShellScript, WorkspaceShell};

fn shell(workspace: &Path) -> WorkspaceShell {
    WorkspaceShell::new(JailLauncher::this_executable(), JailEngine::Landlock, workspace).unwrap()
}

fn call(folder: &Path, text: &str, grants: &[&str]) -> ShellCall {
    let granted = GrantSet::parse(grants.iter().copied()).unwrap();
    ShellCall::new(text.into(), folder.to_owned(), ShellScript::read(text).unwrap(), Arc::new(granted))
}

#[test]
fn a_question_is_advised_only_where_a_user_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let check = |shell: WorkspaceShell, grants: &[&str], expect: &str| {
        let hint = MissingGrantHint::new("write", ".git".into());
        let call = call(folder.path(), "git commit", grants);
        let said = hint.how_to_ask(shell.setup(), &call);
        assert_eq!(said, format!("it needs the grant write:.git/**; {expect}"));
        let again = hint.how_to_ask(shell.setup(), &call);
        assert_eq!(again, format!("it needs the grant write:.git/** (said before); {expect}"));
    };
    let again = r#"call again with ".git" added to "write""#;
    let nobody =
        |agreed: &[&str]| shell(folder.path()).unattended(GrantSet::parse(agreed.iter().copied()).unwrap());
    check(shell(folder.path()), &[], &format!("to ask for it, {again}"));
    check(nobody(&[]), &["write:src/**"], "it was not granted for this run, and no user can be asked");
    check(nobody(&[]), &["write:**"], again);
    check(nobody(&["write:**"]), &[], again);
}

#[test]
fn the_folder_of_a_virtual_environments_interpreter_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    for name in ["work/venv/bin", "python/3.12/bin"] {
        fs::create_dir_all(top.join(name)).unwrap();
    }
    fs::write(top.join("python/3.12/bin/python3"), "").unwrap();
    symlink(top.join("python/3.12/bin/python3"), top.join("work/venv/bin/python")).unwrap();
    let (shell, text) = (shell(&top.join("work")), "venv/bin/python x.py");
    let call = call(&top.join("work"), text, &[]);
    let complaint = "bash: line 1: venv/bin/python: No such file or directory\n";
    assert!(not_found(shell.setup(), &call, complaint).is_empty(), "not a virtual environment");
    fs::write(top.join("work/venv/pyvenv.cfg"), "").unwrap();
    let python = top.join("python/3.12").display().to_string();
    let expect = format!(
        "the Python of venv/bin/python is in {python}; it needs the grant exec:{python}/**; to ask for it, \
        call again with {python:?} added to \"exec\""
    );
    assert_eq!(not_found(shell.setup(), &call, complaint), [expect]);
    assert!(not_found(shell.setup(), &call, "other: No such file or directory\n").is_empty());
}
