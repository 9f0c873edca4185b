use holm_grants::{AccessRequest, FilePath, GrantSet};

use crate::root::DenyRules;

#[test]
fn rules_know_secrets_under_any_spelling_and_leave_their_neighbours_alone() {
    let denies = DenyRules::usual();
    let check = |path: &str, read: bool, write: bool| {
        let path = path.parse().unwrap();
        assert_eq!(
            (denies.reading(&path).is_none(), denies.writing(&path).is_none()),
            (read, write),
            "{path}"
        );
    };
    check(".env", false, false);
    check("deep/down/.Env.Production", false, false);
    check(".env.example", true, true);
    check(".env.sample.local", false, false);
    check("environment.ts", true, true);
    check(".environment", true, true);
    check(".gitignore", true, true);
    check(".github/workflows/ci.yml", true, true);
    check(".git", false, false);
    check("vendor/x/.git/objects/aa", false, false);
    check("keys.md", true, true);
    check("tls/server.KEY", false, false);
    check("monkey", true, true);
    check("id_rsa.pub", true, true);
    check("id_rsa.bak", false, false);
    check("HEAD", true, false);
    check("src/header.rs", true, true);
    check(".holm/agents/a.json", true, false);
    check(".bashrc", true, false);
}

#[test]
fn rules_can_be_added_and_hold_for_what_they_say() {
    let denies = DenyRules::usual().and("path:private/").unwrap().and_unwritten("path:locked.txt").unwrap();
    assert_eq!(denies.reading(&"private/x".parse().unwrap()).as_deref(), Some("path:private/"));
    assert_eq!(denies.reading(&"locked.txt".parse().unwrap()), None);
    assert_eq!(denies.writing(&"locked.txt".parse().unwrap()).as_deref(), Some("path:locked.txt"));
    assert!(DenyRules::usual().and("nonsense").is_err());
}

#[test]
fn the_sandbox_and_commands_have_the_same_list() {
    use holm_grants::AccessRequest;

    let denials =
        DenyRules::usual().and("path:private/").unwrap().denials(&"/home/u/work".parse().unwrap()).unwrap();
    let hits = |request: AccessRequest| denials.hitting(&request).is_some();
    let check = |path: &str, read: bool, write: bool| {
        let file = || path.parse().unwrap();
        assert_eq!(
            (!hits(AccessRequest::Read(file())), !hits(AccessRequest::Write(file()))),
            (read, write),
            "{path}"
        );
    };
    for (path, read, write) in [
        (".git/config", false, false),
        (".git/hooks/pre-commit", false, false),
        ("deep/.ENV", false, false),
        (".netrc", false, false),
        (".holm/tools/x.wasm", true, false),
        ("holm.toml", true, false),
        ("deep/down/HOLM.toml", true, false),
        (".bashrc", true, false),
        ("src/main.rs", true, true),
    ] {
        check(path, read, write);
        check(&format!("/home/u/work/{path}"), read, write);
        check(&format!("/elsewhere/{path}"), read, write);
    }
    check("private/x", false, false);
    check("/home/u/work/private/x", false, false);
    check("/elsewhere/private/x", true, true);

    let commands = DenyRules::of_commands();
    let written = |path: &str| commands.hitting(&AccessRequest::Write(path.parse().unwrap())).is_none();
    let read = |path: &str| commands.hitting(&AccessRequest::Read(path.parse().unwrap())).is_none();
    assert!(read(".git/config") && written(".git/config"), "git is a command");
    for kept in
        [".env.production", "app/.env.local", "keys/id_rsa", "id_ed25519.old", ".kube/config", "home/.pypirc"]
    {
        assert!(!read(kept) && !written(kept), "{kept}");
        assert!(usual_keeps(kept), "{kept}: what commands are kept from, all are");
    }
    assert!(read("certs/ca.pem") && read(".npmrc"), "programs need these");
    assert!(!read(".ssh/id_rsa") && read(".bashrc") && !written(".bashrc") && !written(".holm/hooks.json"));
    assert!(
        DenyRules::startup().any(|name| name == ".config/git")
            && DenyRules::startup().all(|name| !name.contains('*'))
    );
}

fn usual_keeps(path: &str) -> bool {
    DenyRules::usual().reading(&path.parse().unwrap()).is_some()
}

#[test]
fn an_example_that_looks_like_a_secret_is_no_secret_for_commands_either() {
    let check = |path: &str, hidden: bool| {
        let path: FilePath = path.parse().unwrap();
        let request = AccessRequest::Read(path.clone());
        let commands = DenyRules::of_commands();
        let hits = commands.iter().any(|rule| rule.hits(&request) && !DenyRules::is_example(rule, &path));
        assert_eq!(hits, hidden, "{path}");
    };
    check(".env.example", false);
    check("app/.env.sample", false);
    check("keys/id_rsa.pub", false);
    check(".env.production", true);
    check("keys/id_rsa", true);
    // In a secret folder, every name is secret.
    check(".ssh/id_rsa.pub", true);
    // A user's own rule about an example file applies.
    let path: FilePath = ".env.example".parse().unwrap();
    assert!(!DenyRules::is_example(&"path:.env.example".parse().unwrap(), &path));
}

#[test]
fn a_grant_that_names_a_file_of_the_table_opens_it_for_commands_too() {
    let rules = |grant: &str| DenyRules::usual().naming(&GrantSet::parse([grant]).unwrap()).for_commands();
    let is_open = |grant: &str, path: &str| {
        rules(grant).hitting(&AccessRequest::Write(path.parse().unwrap())).is_none()
    };
    for name in
        ["lefthook.yml", "lefthook.toml", ".lefthook.yml", "mise.toml", ".lintstagedrc.json", ".mcp.json"]
    {
        assert!(is_open(&format!("write:{name}"), name), "{name}");
        assert!(!is_open("write:**", name), "{name}");
    }
    assert!(is_open("write:.vscode/**", ".vscode/tasks.json"));
    assert!(!is_open("write:lefthook.yml", ".vscode/tasks.json"));
    assert!(!is_open("write:lefthook.yml", ".lefthook.yml"), "it has another name");
    assert!(!is_open("write:.git/**", ".holm/x"));
}
