use std::fs;
use std::os::unix::fs::symlink;

use holm_jail::{JailEngine, JailLauncher};

use super::*;

/// A project with a server, a key, a link, and a folder of Holm's inside; a key is next to it.
fn project() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::create_dir_all(top.join("work/data")).unwrap();
    for name in ["work/server.py", "work/id_rsa", "work/data/holm.db", "outside.txt"] {
        fs::write(top.join(name), "").unwrap();
    }
    symlink(top.join("outside.txt"), top.join("work/link.txt")).unwrap();
    (folder, top)
}

#[test]
fn a_command_line_opens_plain_files_and_a_projects_only_those_of_the_project() {
    let (_folder, top) = project();
    let names =
        ["work/server.py", "work/id_rsa", "work/data/holm.db", "work/link.txt", "outside.txt", "nothing"];
    let paths = names.map(|name| top.join(name).display().to_string());
    let program = ServerProgram::new("python3").args(paths).args(["work/server.py"]);
    let opened = |named: NamedFileAccess| {
        let programs =
            ProgramSettings::new(JailLauncher::this_executable(), JailEngine::Unconfined, top.join("work"));
        let files = named_files(&programs.named(named), &program);
        files.iter().map(|path| path.strip_prefix(&top).unwrap().display().to_string()).collect::<Vec<_>>()
    };
    let anywhere = ["work/server.py", "work/id_rsa", "work/data/holm.db", "outside.txt"];
    assert_eq!(opened(NamedFileAccess::Anywhere), anywhere, "links are none");
    let within = NamedFileAccess::Within { folder: top.join("work"), except: top.join("work/data") };
    assert_eq!(opened(within), ["work/server.py"]);
}

#[test]
fn a_hint_speaks_of_known_places_alone() {
    let (_folder, top) = project();
    let known = [top.join("work"), top.join("outside.txt")];
    let hint = |name: &str| missed(&format!("EACCES '{}/{name}'", top.display()), &known);
    assert_eq!(hint("work/server.py"), Some(format!("read:{}/work/server.py", top.display())));
    assert!(hint("outside.txt").is_some(), "its command line names it");
    for name in ["work/../outside.txt", "work/nothing", "other"] {
        assert_eq!(hint(name), None, "{name}");
    }
    assert_eq!(missed("EACCES '/etc/passwd'", &known), None);
}

#[test]
fn the_file_that_is_complained_about_is_meant_and_not_who_complains() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let known = [file.path().to_owned()];
    let file = file.path().display().to_string();
    let check = |output: &str, expect: Option<String>| assert_eq!(missed(output, &known), expect, "{output}");
    let grant = Some(format!("read:{file}"));
    check(&format!("cat: {file}: Permission denied"), grant.clone());
    check(&format!("{file}: Permission denied"), grant.clone());
    check(&format!("/bin/sh: {file}: No such file or directory"), grant);
    check("/bin/sh: can't open file '/no/where.py': [Errno 2] No such file or directory", None);
    check("all is well", None);
}

#[test]
fn an_interpreter_that_is_installed_elsewhere_needs_its_folder() {
    let words = ServerStderr {
        packages: Some("/work/venv".into()),
        installation: Some("/home/me/.pyenv/versions/3.12.1".into()),
        ..ServerStderr::default()
    };
    words.add(b"/work/venv/bin/python: 1: exec: /work/venv/bin/python: not found\n");
    let last = words.last();
    assert!(last.ends_with("; it may need the grant read:/home/me/.pyenv/versions/3.12.1/**"), "{last}");
}
