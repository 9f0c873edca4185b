use super::*;

fn names(env: &[(&str, &str)], confinement: CommandConfinement) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let env = |name: &str| env.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned());
    let places = HolmPaths::at(folder.path().join("data"), folder.path());
    let outside =
        OutsideTools::here(&places, &ProtectedPaths::default(), CommandRules::default(), confinement, env);
    outside.tools.check().unwrap();
    (outside.tools.declarations().into_iter().map(|tool| tool.name).collect(), outside.notes)
}

#[test]
fn commands_and_pages_are_there_and_a_search_where_a_service_is_named() {
    let (tools, notes) = names(&[], CommandConfinement::Required);
    assert_eq!((tools, notes), (["shell", "run_program", "fetch"].map(String::from).to_vec(), Vec::new()));
    for service in ["brave", "tavily", "https://search.example"] {
        let (tools, _) = names(&[(SEARCH, service), (SEARCH_KEY, "k")], CommandConfinement::None);
        assert_eq!(tools.last().map(String::as_str), Some("web_search"), "{service}");
    }
    let (tools, notes) = names(&[(SEARCH, "nowhere")], CommandConfinement::None);
    assert_eq!((tools.len(), notes.len()), (3, 1), "{notes:?}");
}

#[test]
fn variables_that_hold_secrets_are_told_from_others() {
    let is = |name: &str, value: &str| is_secret(OsStr::new(name), OsStr::new(value));
    for (name, value) in [
        ("OPENAI_API_KEY", "x"),
        ("github_token", "x"),
        ("DB_PASSWORD", "x"),
        ("DATABASE_URL", "postgres://me:word@host/db"),
        ("HOLM_SEARCH", "brave"),
        ("SMTP_PASS", "x"),
        ("SSHPASS", "x"),
        ("MYSQL_PWD", "x"),
        ("DBPWD", "x"),
        ("GITHUB_PAT", "x"),
        ("PAT", "x"),
        ("REDISCLI_AUTH", "x"),
        ("DOCKER_AUTH_CONFIG", "{}"),
        ("SENTRY_DSN", "https://x@host/1"),
        ("SLACK_WEBHOOK_URL", "https://host/x"),
    ] {
        assert!(is(name, value), "{name}");
    }
    for (name, value) in [
        ("PATH", "/usr/bin"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("HTTPS_PROXY", "http://proxy:3128/a@b:c"),
        ("EDITOR", "vi"),
        ("PWD", "/w"),
        ("OLDPWD", "/w"),
        ("XAUTHORITY", "/home/u/.Xauthority"),
        ("AUTHOR", "me"),
        ("MANPATH", "/usr/share/man"),
        ("CACHE_BYPASS", "1"),
        ("PATTERN", "x"),
    ] {
        assert!(!is(name, value), "{name}");
    }
}

#[test]
fn a_user_has_a_home_also_where_the_variable_is_not_set() {
    let folder = tempfile::tempdir().unwrap();
    let set = |_: &str| Some(folder.path().display().to_string());
    assert_eq!(home(&set), folder.path().canonicalize().ok());
    let known = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    assert!(known.is_some(), "the tests need a user with a home");
    for value in [None, Some(String::new())] {
        assert_eq!(home(&|_: &str| value.clone()), known);
    }
}
