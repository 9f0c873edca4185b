use std::fs;

use super::*;
use crate::TrustLevelName;

/// A folder with this list, a workspace and a file to extend.
fn folder(list: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("workspace")).unwrap();
    fs::write(folder.path().join(LIST_FILE), list).unwrap();
    fs::write(folder.path().join("base.toml"), "[[check]]\nfile = 'base'\n").unwrap();
    folder
}

const TWO: &str = "[shared]\ntrust = 'edit'\nseconds = 7\n[[shared.check]]\nfile = 'all'\n\
    [[case]]\nname = 'one'\nprompt = 'go'\nextends = 'base.toml'\n[[case.check]]\nfile = 'own'\n\
    [[case]]\nname = 'two'\nextract = { text = 'to a@b.example', target = 'email' }\nseconds = 9\n";

#[test]
fn cases_of_a_list_share_a_workspace_and_values() {
    let folder = folder(TWO);
    let found = EvalCase::find([folder.path()]).unwrap();
    let [one, two] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((one.name.as_str(), two.name.as_str()), ("one", "two"));
    assert_eq!((one.trust, one.seconds, two.seconds), (TrustLevelName::Edit, 7, 9));
    let titles: Vec<String> = one.checks.iter().map(crate::CaseCheck::title).collect();
    assert_eq!(titles, ["file all", "file base", "file own"]);
    assert!(two.prompts.is_empty() && two.extraction.is_some());
    assert!(one.needs_model && one.replies(0).is_none());
}

#[test]
fn the_cases_of_a_list_below_a_folder_have_its_name() {
    let folder = folder(TWO);
    let top = tempfile::tempdir().unwrap();
    fs::rename(folder.path(), top.path().join("set")).unwrap();
    let names: Vec<String> =
        EvalCase::find([top.path()]).unwrap().into_iter().map(|case| case.name).collect();
    assert_eq!(names, ["set/one", "set/two"]);
}

#[test]
fn a_list_with_a_mistake_is_an_error_that_names_the_case() {
    let check = "[[case.check]]\nfile = 'a'\n";
    for (list, expected) in [
        (String::new(), "it has 0 cases"),
        (format!("[[case]]\nprompt = 'a'\n{check}"), "case 1 needs a `name`"),
        (format!("[[case]]\nname = '../a'\nprompt = 'a'\n{check}"), "case 1 needs a `name`"),
        (format!("[[case]]\nname = 'a'\nprompt = 'a'\n{check}").repeat(2), "two cases have the name `a`"),
        (format!("[[case]]\nname = 'a'\n{check}"), "case `a`: it has no prompt"),
        ("[[case]]\nname = 'a'\nprompt = 'a'\n".to_owned(), "case `a`: it checks nothing"),
        (format!("[[case]]\nname = 'a'\nprompt = 'a'\nnonsense = 1\n{check}"), "unknown field `nonsense`"),
        (format!("[[case]]\nname = 'a'\nprompt = 'a'\nvaries = ['b']\n{check}"), "`varies` is for replays"),
        (
            format!("[[case]]\nname = 'a'\nprompt = 'a'\nextract = {{ text = 'a', target = 'b' }}\n{check}"),
            "both a prompt and `extract`",
        ),
    ] {
        let folder = folder(&list);
        let error = EvalCase::find([folder.path()]).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(LIST_FILE), "{list}: {error}");
    }
    let both = folder(TWO);
    fs::write(both.path().join(CASE_FILE), "").unwrap();
    let error = EvalCase::find([both.path()]).unwrap_err().to_string();
    assert!(error.contains("there is also a case.toml"), "{error}");
}
