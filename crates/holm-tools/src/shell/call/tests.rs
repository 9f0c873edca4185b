use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ShellCall;
use crate::shell::ShellScript;

fn call(text: &str) -> ShellCall {
    ShellCall::new(text.into(), "/work".into(), ShellScript::read(text).expect("a script"), Arc::default())
}

#[test]
fn only_what_a_call_names_itself_is_named() {
    let check = |text: &str, path: &str, expect: Option<&str>| {
        assert_eq!(call(text).names_path(Path::new(path)), expect.map(PathBuf::from), "{text}: {path}");
    };
    check("cat /opt/x/file", "/opt/x/file", Some("/opt/x/file"));
    check("tar -C /opt/x -xf a.tgz", "/opt/x/a/b", Some("/opt/x"));
    check("echo x > .git/config", "/work/.git/config", Some("/work/.git/config"));
    check("cp --target-directory=../out a.txt", "/out/a.txt", Some("/out"));
    check("echo x > .git/hooks/pre-commit", "/work/.git/hooks", Some("/work/.git/hooks/pre-commit"));
    check("cat src/a.rs", "/work", None);
    // A program that complains about something else says nothing of the call.
    check("./build.sh", "/home/user/.ssh/x", None);
    check("echo x > .env", "/usr/bin/bash", None);
    check("cat ./a /", "/home/user/.ssh/x", None);
    check("ls . ..", "/work/a", None);
}

#[test]
fn programs_and_hosts_of_a_call_are_those_that_it_writes() {
    let call = call("cd x && /usr/bin/git commit; curl https://a.example/x?host=b.example");
    assert!(call.calls_git());
    assert_eq!(call.programs().collect::<Vec<_>>(), ["cd", "/usr/bin/git", "curl"]);
    assert!(call.names_host("a.example") && call.names_host("b.example"));
    assert!(!call.names_host("example") && !call.names_host("evil.example"));
}
