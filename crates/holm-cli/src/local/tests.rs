use super::*;

#[test]
fn models_are_kept_where_things_are_that_can_be_fetched_again() {
    let check = |set: &[(&str, &str)], expect: Option<&str>| {
        let env =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        assert_eq!(folder(&env), expect.map(PathBuf::from));
    };
    check(&[("HOLM_MODELS", "/m"), ("HOME", "/home/x")], Some("/m"));
    check(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/home/x")], Some("/c/holm/models"));
    check(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/home/x")], Some("/home/x/.cache/holm/models"));
    check(&[("HOLM_MODELS", ""), ("HOME", "")], None);
}

#[test]
fn names_lead_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().to_str().unwrap().to_owned();
    let env = |name: &str| (name == "HOLM_MODELS").then(|| text.clone());
    let path = |name: &str| folder.path().join(name);
    assert!(!is_there(&env));
    let missing = files(DEFAULT, &env).unwrap_err();
    assert_eq!(missing.exit, CommandExit::Missing);
    assert!(missing.to_string().contains("`holm model pull smollm2` downloads the small one"), "{missing}");
    for name in [FILE, ADAPTER, "other.gguf"] {
        fs::write(path(name), b"GGUF").unwrap();
    }
    assert!(is_there(&env));
    assert_eq!(files(DEFAULT, &env).unwrap(), (path(FILE), Some(path(ADAPTER))));
    assert_eq!(files(BARE, &env).unwrap(), (path(FILE), None));
    assert_eq!(files("local/other", &env).unwrap(), (path("other.gguf"), None));
    assert_eq!(files("local/./x.gguf", &env).unwrap(), (PathBuf::from("./x.gguf"), None));
    assert_eq!(files("local//srv/x.gguf", &env).unwrap(), (PathBuf::from("/srv/x.gguf"), None));
}

#[test]
fn a_file_that_cannot_be_used_is_listed_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.gguf"), b"GGUF").unwrap();
    fs::write(folder.path().join("readme.txt"), b"no model").unwrap();
    let [found] = &list(folder.path())[..] else { panic!("one file ends like a model") };
    let told = describe(found);
    assert!(told.starts_with("local/broken  cannot be used: the file is truncated"), "{told}");
    assert_eq!(record(found)["name"], "local/broken");
    fs::write(folder.path().join(FILE), b"GGUF").unwrap();
    let names: Vec<String> = list(folder.path()).into_iter().map(|found| found.name).collect();
    assert_eq!(names, ["local/broken", DEFAULT, BARE]);
    for name in ["local/", "local/."] {
        let refused = files(name, &|_: &str| None).unwrap_err();
        assert!(
            refused.exit == CommandExit::Usage && refused.to_string().contains("unknown model"),
            "{refused}"
        );
    }
}
