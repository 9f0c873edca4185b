use super::*;

fn with(command: &str) -> ExternalEditor {
    ExternalEditor { command: command.into() }
}

#[test]
fn the_editor_is_the_one_that_git_would_take() {
    let check = |set: &[(&str, &str)], expect: Option<&str>| {
        let set: Vec<(String, String)> =
            set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let env = |name: &str| set.iter().find(|(set, _)| set == name).map(|(_, value)| value.clone());
        assert_eq!(ExternalEditor::find(env).ok().map(|editor| editor.command).as_deref(), expect, "{set:?}");
    };
    check(&[("EDITOR", "ed"), ("VISUAL", "vi"), ("GIT_EDITOR", "git-ed")], Some("git-ed"));
    check(&[("EDITOR", "ed"), ("VISUAL", "vi")], Some("vi"));
    check(&[("EDITOR", "ed"), ("VISUAL", " ")], Some("ed"));
    check(&[], None);
}

#[test]
fn a_text_comes_back_as_it_was_changed_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let check = |command: &str, text: &str, expect: &str| {
        assert_eq!(with(command).edit(folder.path(), text).unwrap(), expect, "{command}");
        assert_eq!(fs::read_dir(folder.path().join("drafts")).unwrap().count(), 0);
    };
    check("true", "as it was", "as it was");
    check("sed -i s/was/is/", "as it was", "as it is");
    check("printf 'one\\ntwo\\n' >", "", "one\ntwo");
    // What stands in the text is never a part of the command.
    check("true", "$(touch here)`touch here`", "$(touch here)`touch here`");
    // An editor may remove the file and write another of its name.
    check("f() { rm \"$1\"; echo new > \"$1\"; }; f", "old", "new");
}

#[test]
fn an_editor_that_fails_changes_nothing_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let check = |command: &str, exit: CommandExit| {
        assert_eq!(with(command).edit(folder.path(), "text").unwrap_err().exit, exit, "{command}");
        assert_eq!(fs::read_dir(folder.path().join("drafts")).unwrap().count(), 0);
    };
    check("false", CommandExit::Failed);
    check("no-such-editor-is-here", CommandExit::Failed);
    check("rm", CommandExit::Failed);
    check("printf '\\377' >", CommandExit::Failed);
}
