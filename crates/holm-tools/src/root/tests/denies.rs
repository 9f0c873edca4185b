use crate::root::Denies;

#[test]
fn rules_know_secrets_under_any_spelling_and_leave_their_neighbours_alone() {
    let denies = Denies::usual();
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
    let denies = Denies::usual().and("path:private/").unwrap().and_unwritten("path:locked.txt").unwrap();
    assert_eq!(denies.reading(&"private/x".parse().unwrap()).as_deref(), Some("path:private/"));
    assert_eq!(denies.reading(&"locked.txt".parse().unwrap()), None);
    assert_eq!(denies.writing(&"locked.txt".parse().unwrap()).as_deref(), Some("path:locked.txt"));
    assert!(Denies::usual().and("nonsense").is_err());
}
