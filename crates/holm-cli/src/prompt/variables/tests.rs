use std::fs;

use holm_config::TextTemplate;

use super::*;

fn around(template: &str, given: &[&str]) -> PromptTemplate {
    PromptTemplate {
        template: TextTemplate::parse(template),
        alias: "a".into(),
        variables: given.iter().map(|text| variable(text).unwrap()).collect(),
    }
}

#[test]
fn a_variable_has_a_name_and_a_value() {
    assert_eq!(variable("who=a=b"), Ok(("who".into(), "a=b".into())));
    assert_eq!(variable("who="), Ok(("who".into(), String::new())));
    for (bad, expect) in
        [("who", "name=value"), ("=x", "variable name"), ("a b=x", "variable name"), ("content=x", "with -p")]
    {
        assert!(variable(bad).unwrap_err().contains(expect), "{bad}");
    }
}

#[test]
fn what_was_given_wins_and_the_rest_is_known_or_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = Path::new("src/main.rs");
    let values =
        around("{{who}} {{date}} {{cwd}} {{filename}} {{language}} {{content}}", &["who=Ada", "date=now"])
            .values(folder.path(), Some(file))
            .unwrap();
    let value = |name: &str| values[name].as_str();
    assert_eq!((value("who"), value("date")), ("Ada", "now"));
    assert_eq!((value("filename"), value("language")), ("src/main.rs", "Rust"));
    assert_eq!(value("cwd"), folder.path().display().to_string());
    assert!(!values.contains_key("content"));
    let today = around("{{date}}", &[]).values(folder.path(), None).unwrap()["date"].clone();
    assert!(today.len() == 10 && today.chars().filter(|c| *c == '-').count() == 2, "{today}");
    let check = |template: &str, given: &[&str], expect: &str| {
        let error = around(template, given).values(folder.path(), None).unwrap_err();
        assert!(error.exit == CommandExit::Usage && error.to_string().contains(expect), "{error}");
    };
    check(
        "{{who}}",
        &[],
        "needs a value for `who`: only cwd, date, filename, git_branch, language are built in",
    );
    check("{{who}}", &[], "hint: set it with --var who=…");
    check("{{filename}}", &[], "no file was given with -f");
    check("{{language}}", &[], "has a known language");
    check("{{who}}", &["who=x", "whom=y"], "does not use `whom`\n  hint: it has who");
    check("plain", &["who=x"], "it uses no variables");
}

#[test]
fn the_branch_is_read_from_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("a/b");
    fs::create_dir_all(&work).unwrap();
    assert_eq!(git_branch(&work), None);
    let git = folder.path().join(".git");
    fs::create_dir(&git).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/feature/x\n").unwrap();
    assert_eq!(git_branch(&work).as_deref(), Some("feature/x"));
    fs::write(git.join("HEAD"), "0123456789abcdef0123\n").unwrap();
    assert_eq!(git_branch(&work).as_deref(), Some("0123456789ab"));
    // A worktree keeps it elsewhere.
    fs::create_dir_all(git.join("worktrees/b")).unwrap();
    fs::write(git.join("worktrees/b/HEAD"), "ref: refs/heads/other\n").unwrap();
    fs::write(work.join(".git"), "gitdir: ../../.git/worktrees/b\n").unwrap();
    assert_eq!(git_branch(&work).as_deref(), Some("other"));
}

#[test]
fn a_repository_above_the_folder_and_that_of_a_linked_work_tree_are_outside() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (git, inner, tree) = (root.join("main/.git"), root.join("main/inner"), root.join("tree"));
    for made in [&git.join("worktrees/tree"), &inner, &tree] {
        fs::create_dir_all(made).unwrap();
    }
    fs::write(tree.join(".git"), "gitdir: ../main/.git/worktrees/tree\n").unwrap();
    assert_eq!(repository_outside(&root.join("main")), None);
    assert_eq!(repository_outside(&inner), Some(git.clone()));
    assert_eq!(repository_outside(&tree), Some(git));
    fs::remove_file(tree.join(".git")).unwrap();
    assert_eq!(repository_outside(&tree), None);
}
