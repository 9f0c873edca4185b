use super::*;

/// A folder with these files, and a workspace.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const CHECK: &str = "[[check]]\nfile = 'a'\n";

#[test]
fn a_case_has_what_it_says_and_what_it_extends() {
    let base = "trust = 'edit'\nseconds = 5\n[[check]]\nfile = 'base'\n";
    let case = format!("extends = '../base.toml'\nprompt = 'go'\nseconds = 9\n{CHECK}");
    let files =
        [("base.toml", base), ("one/case.toml", &case), ("one/workspace/a", ""), ("two/.x/case.toml", "?")];
    let folder = folder(&files);
    let found = EvalCase::find([folder.path()]).unwrap();
    let [case] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(case.name, "one");
    let alone = EvalCase::find([folder.path().join("one").as_path()]).unwrap();
    assert_eq!(alone[0].name, "one", "results of one case are compared with those of all");
    assert_eq!((case.trust, case.seconds, case.checks.len()), (TrustLevelName::Edit, 9, 2));
    fs::write(folder.path().join("one/workspace/a"), "other").unwrap();
    assert_ne!(
        EvalCase::find([folder.path()]).unwrap()[0].digest,
        case.digest,
        "a changed workspace changes the digest"
    );
}

#[test]
fn a_case_that_could_only_pass_or_cannot_run_is_an_error_that_names_it() {
    for (text, expected) in [
        ("prompt = 'go'", "it checks nothing"),
        (CHECK, "it has no prompt"),
        ("prompt = ' '\n[limits]\nturns = 1", "it has no prompt"),
        ("prompt = 'a'\nprompts = ['b']", "both `prompt` and `prompts`"),
        ("prompt = 'a'\nbudget = -1\n[limits]\nturns = 1", "`budget` must be more than 0"),
        ("prompt = 'a'\nseconds = 0\n[limits]\nturns = 1", "must be more than 0"),
        ("prompt = 'a'\nextends = 'case.toml'\n[limits]\nturns = 1", "it extends itself"),
        ("prompt = 'a'\nextends = 'none.toml'\n[limits]\nturns = 1", "none.toml"),
        (
            "prompt = 'a'\nvaries = ['(']\n[limits]\nturns = 1",
            "in `varies`, `(` is not a valid regular expression",
        ),
        ("prompt = 'a'\nvaries = ['x*']\n[limits]\nturns = 1", "`x*` also matches an empty text"),
        (
            "prompt = 'a'\nvaries = ['((\\w{90}){90}){9}']\n[limits]\nturns = 1",
            "is not a valid regular expression",
        ),
        (
            "prompt = 'a'\nvaries = ['a','a','a','a','a','a','a','a','a','a','a','a','a','a','a','a','a']\n[limits]\nturns = 1",
            "more than 16 patterns",
        ),
        ("prompt = 'a'\nnonsense = 1\n[limits]\nturns = 1", "unknown field `nonsense`"),
        ("prompt = 'a'\ntrust = 'root'\n[limits]\nturns = 1", "unknown variant `root`"),
    ] {
        let folder = folder(&[("case.toml", text), ("workspace/a", "")]);
        let error = EvalCase::find([folder.path()]).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("toml"), "{text}: {error}");
    }
    let no_workspace = folder(&[("case.toml", "prompt = 'a'\n[limits]\nturns = 1")]);
    let error = EvalCase::find([no_workspace.path()]).unwrap_err().to_string();
    assert!(error.contains("it has no workspace"), "{error}");
    std::os::unix::fs::symlink("/", no_workspace.path().join(WORKSPACE)).unwrap();
    let error = EvalCase::find([no_workspace.path()]).unwrap_err().to_string();
    assert!(error.contains("it has no workspace"), "a link is no workspace: {error}");
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(EvalCase::find([empty.path()]), Err(EvalError::NoCase(_))));
}

#[test]
fn a_large_workspace_is_an_error() {
    let folder = folder(&[("case.toml", "prompt = 'a'\n[limits]\nturns = 1"), ("workspace/a", "")]);
    let large = fs::File::create(folder.path().join("workspace/large")).unwrap();
    large.set_len(1 << 30).unwrap();
    let error = EvalCase::find([folder.path()]).unwrap_err().to_string();
    assert!(error.contains("the workspace is too large: more than 256 MiB"), "{error}");
}

#[test]
fn a_changed_file_that_a_case_extends_or_checks_with_changes_its_digest() {
    let check = "[[check]]\nanswer = { schema = '../answer.json' }\n";
    let case = format!("extends = '../base.toml'\nprompt = 'go'\n{check}");
    let list = "[[case]]\nname = 'a'\nextends = '../base.toml'\nprompt = 'go'\n[[case.check]]\nfile = 'a'\n";
    let files = [
        ("base.toml", "extends = 'deep.toml'"),
        ("deep.toml", "seconds = 5"),
        ("answer.json", "{\"type\":\"object\"}"),
        ("one/case.toml", &case),
        ("one/workspace/a", ""),
        ("set/cases.toml", list),
        ("set/workspace/a", ""),
    ];
    let folder = folder(&files);
    let digests = || -> Vec<String> {
        EvalCase::find([folder.path()]).unwrap().into_iter().map(|case| case.digest).collect()
    };
    let first = digests();
    assert_eq!(digests(), first, "nothing changed");
    fs::write(folder.path().join("deep.toml"), "seconds = 6").unwrap();
    let second = digests();
    assert!(second[0] != first[0] && second[1] != first[1], "{first:?} {second:?}");
    fs::write(folder.path().join("answer.json"), "{\"type\":\"object\",\"properties\":{}}").unwrap();
    let third = digests();
    assert!(third[0] != second[0] && third[1] == second[1], "{second:?} {third:?}");
}
