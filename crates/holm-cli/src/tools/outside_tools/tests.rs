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
    ] {
        assert!(is(name, value), "{name}");
    }
    for (name, value) in [
        ("PATH", "/usr/bin"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("HTTPS_PROXY", "http://proxy:3128/a@b:c"),
        ("EDITOR", "vi"),
    ] {
        assert!(!is(name, value), "{name}");
    }
}
