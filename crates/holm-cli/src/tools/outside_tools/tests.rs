use super::*;

fn names(env: &[(&str, &str)], confinement: CommandConfinement) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let env = |name: &str| env.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned());
    let places = HolmPaths::at(folder.path().join("data"), folder.path());
    let outside = OutsideTools::here(
        &places,
        &ProtectedPaths::default(),
        CommandRules::default(),
        confinement,
        None,
        None,
        env,
    );
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
fn there_is_no_shell_in_the_data_folder_but_in_a_worktree_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let work = |name: &str| {
        let work = data.join(name);
        std::fs::create_dir_all(&work).unwrap();
        let (kept, rules) = (ProtectedPaths::default(), CommandRules::default());
        let places = HolmPaths::at(&data, work);
        OutsideTools::here(&places, &kept, rules, CommandConfinement::None, None, None, |_| None)
    };
    for name in ["", "tools", "sessions/x"] {
        let outside = work(name);
        assert!(outside.tools.find("shell").is_none(), "{name}");
        assert!(outside.notes.iter().any(|note| note.contains("its own files")), "{:?}", outside.notes);
    }
    assert!(work("worktrees/project/one").tools.find("shell").is_some());
}

#[test]
fn programs_of_version_managers_are_found_the_newest_version_first() {
    let home = tempfile::tempdir().unwrap();
    for version in ["v9.0.0", "v20.11.1", "v20.9.0"] {
        std::fs::create_dir_all(home.path().join(".nvm/versions/node").join(version)).unwrap();
    }
    let found = programs_elsewhere(home.path());
    let found: Vec<_> = found.iter().filter_map(|path| path.strip_prefix(home.path()).ok()).collect();
    let versions = ["v20.11.1", "v20.9.0", "v9.0.0"];
    let expect = versions.map(|version| PathBuf::from(format!(".nvm/versions/node/{version}/bin")));
    assert!(found.ends_with(&expect.each_ref().map(PathBuf::as_path)), "{found:?}");
}
