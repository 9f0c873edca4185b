use crate::{TOOL, work};

/// Runs a call in a folder with some files; paths come back without the folder.
fn glob(words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap().to_owned();
    for path in ["src/a.rs", "src/deep/b.rs", "c.txt", ".hidden/d.rs", "target/e.rs"] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    std::fs::write(folder.path().join(".gitignore"), "target\n").unwrap();
    let (pattern, options) = words.split_first().unwrap();
    let line = options.iter().copied().chain([*pattern, root.as_str()]).map(str::to_owned);
    let mut out = Vec::new();
    match TOOL.call(line).and_then(|values| work(&values, &mut out)) {
        Ok(()) => String::from_utf8(out).unwrap().replace(&format!("{root}/"), ""),
        Err(fault) => format!("! {fault}"),
    }
}

#[track_caller]
fn check(words: &[&str], expect: &str) {
    assert_eq!(glob(words).trim_end(), expect, "{words:?}");
}

#[test]
fn patterns_match_paths_or_names() {
    check(&["**/*.rs"], "src/a.rs\nsrc/deep/b.rs");
    check(&["*.rs"], "src/a.rs\nsrc/deep/b.rs");
    check(&["src/*.rs"], "src/a.rs");
    check(&["./src/*.rs"], "src/a.rs");
    check(&["**/{a,c}.*"], "c.txt\nsrc/a.rs");
    check(&["*.none"], "no file matches *.none");
}

#[test]
fn hidden_and_ignored_files_are_asked_for() {
    check(&["*.rs", "--hidden"], ".hidden/d.rs\nsrc/a.rs\nsrc/deep/b.rs");
    check(&["*.rs", "--ignored"], "src/a.rs\nsrc/deep/b.rs\ntarget/e.rs");
}

#[test]
fn the_list_ends_where_it_must() {
    check(&["*.rs", "--limit=1"], "src/a.rs\n[1 files more; a narrower pattern finds fewer]");
}

#[test]
fn a_wrong_pattern_or_folder_is_said() {
    assert!(glob(&["{a"]).starts_with("! this is no pattern: "));
    let line = ["*", "/nowhere"].map(str::to_owned);
    let fault = work(&TOOL.call(line).unwrap(), &mut Vec::new()).unwrap_err();
    assert_eq!(fault.to_string(), "could not search /nowhere: there is no such file or folder");
}
