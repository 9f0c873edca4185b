use std::cell::RefCell;

use super::*;

#[test]
fn what_a_command_prints_counts_and_a_failure_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("here.txt"), "x").unwrap();
    let told = RefCell::new(Vec::new());
    let tell = |note: &str| told.borrow_mut().push(note.to_owned());
    assert_eq!(output("ls; echo", folder.path(), tell).unwrap(), "here.txt");
    assert!(told.borrow().is_empty());
    assert_eq!(output("echo broken; exit 3", folder.path(), tell).unwrap(), "broken");
    assert!(told.borrow().len() == 1 && told.borrow()[0].contains("exit status: 3"), "{told:?}");
    // Nothing comes in, so nothing waits.
    assert_eq!(output("cat", folder.path(), tell).unwrap(), "");
}

#[test]
fn a_command_that_gives_nothing_usable_is_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let check = |command: &str, expect: &str| {
        let error = output(command, folder.path(), |_| {}).unwrap_err();
        assert!(error.exit == CommandExit::Failed && error.to_string().contains(expect), "{error}");
    };
    check("exit 4", "cannot use the output of `exit 4`: it failed without output (exit status: 4)");
    check("printf '\\377'", "is not UTF-8 text");
    check("yes", "more than 16 MiB");
}
