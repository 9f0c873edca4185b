use holm::grants::AccessRequest;

use super::*;

/// Whether a sandboxed tool may read and write a path, with everything granted.
fn open_to(denials: &DenialSet, path: &str) -> (bool, bool) {
    let file = || path.parse().unwrap();
    let passes = |request: AccessRequest| denials.hitting(&request).is_none();
    (passes(AccessRequest::Read(file())), passes(AccessRequest::Write(file())))
}

#[test]
fn the_data_folder_is_kept_from_sandboxed_tools_wherever_it_lies() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let data = home.join(".local/share/holm");
    std::fs::create_dir_all(data.join("tools")).unwrap();
    for (work, relative) in [
        (home.clone(), Some(".local/share/holm/hooks.json")),
        (home.join(".local"), Some("share/holm/code/key")),
        (data.clone(), Some("trust.json")),
        (data.join("tools"), Some("x.wasm")),
        (home.join("project"), None),
    ] {
        std::fs::create_dir_all(&work).unwrap();
        let denials = denials(&HolmPaths::at(&data, &work)).unwrap();
        for path in relative.map(str::to_owned).into_iter().chain([format!("{}/holm.db", data.display())]) {
            assert_eq!(open_to(&denials, &path), (false, false), "{path} in {}", work.display());
        }
        // Holm's own rules of the project, by either name.
        for path in [".holm/hooks.json".to_owned(), format!("{}/.holm/hooks.json", work.display())] {
            assert!(!open_to(&denials, &path).1, "{path} in {}", work.display());
        }
    }
}

#[test]
fn a_worktree_in_the_data_folder_is_open_and_nothing_beside_it() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().canonicalize().unwrap();
    let work = data.join("worktrees/project/one");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(data.join("holm.db"), "").unwrap();
    let denials = denials(&HolmPaths::at(&data, &work)).unwrap();
    for (path, expect) in [
        ("src/main.rs".to_owned(), (true, true)),
        (format!("{}/src/main.rs", work.display()), (true, true)),
        (format!("{}/holm.db", data.display()), (false, false)),
        (".git/config".to_owned(), (false, false)),
    ] {
        assert_eq!(open_to(&denials, &path), expect, "{path}");
    }
}

#[test]
fn sandboxed_tools_are_kept_from_the_names_that_all_others_are_kept_from() {
    let home = tempfile::tempdir().unwrap();
    let (data, work) = (home.path().join("data"), home.path().join("work"));
    std::fs::create_dir_all(&data).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    let denials = denials(&HolmPaths::at(data.canonicalize().unwrap(), work)).unwrap();
    for (path, expect) in [
        (".git/config", (false, false)),
        (".git/hooks/pre-commit", (false, false)),
        ("sub/.env", (false, false)),
        (".ssh/id_ed25519", (false, false)),
        (".zshrc", (true, false)),
        ("notes.md", (true, true)),
    ] {
        assert_eq!(open_to(&denials, path), expect, "{path}");
    }
}

#[test]
fn everybody_in_a_process_has_the_same_engine() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("code");
    let make = |cache| {
        let compiler = CompilerProgram::program("never started here");
        Ok(Sandbox::new(SandboxSettings { cache: Some(cache), ..SandboxSettings::with_compiler(compiler) })?)
    };
    let first = shared(cache.clone(), make).unwrap();
    let again = shared(cache, |_| anyhow::bail!("a second one was made")).unwrap();
    assert!(first == again);
    // Code compiled for another folder is not used for this one.
    assert!(first != shared(folder.path().join("other"), make).unwrap());
}
