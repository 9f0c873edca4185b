use std::fs;

use super::*;

fn look<'a>(env: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn the_users_file_is_where_it_is_named_or_in_the_usual_place() {
    let check = |env: &[(&str, &str)], expect: Option<&str>, named: ExplicitPath| {
        let found = ConfigFiles::from(Path::new("/nowhere/at/all"), look(env));
        assert_eq!((found.user.as_deref(), found.named), (expect.map(Path::new), named), "{env:?}");
    };
    let all = [("HOLM_CONFIG", "/a.toml"), ("XDG_CONFIG_HOME", "/b"), ("HOME", "/c")];
    check(&all, Some("/a.toml"), ExplicitPath::Yes);
    check(&all[1..], Some("/b/holm/holm.toml"), ExplicitPath::No);
    check(&all[2..], Some("/c/.config/holm/holm.toml"), ExplicitPath::No);
    check(
        &[("XDG_CONFIG_HOME", "relative"), ("HOME", "/c")],
        Some("/c/.config/holm/holm.toml"),
        ExplicitPath::No,
    );
    check(&[], None, ExplicitPath::No);
}

#[test]
fn the_nearest_project_file_above_is_found_and_the_users_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    let none = ConfigFiles::from(&deep, look(&[]));
    assert!(none.project.is_none_or(|path| !path.starts_with(folder.path())));
    fs::write(folder.path().join(PROJECT_FILE), "").unwrap();
    assert_eq!(ConfigFiles::from(&deep, look(&[])).project, Some(folder.path().join(PROJECT_FILE)));
    let near = folder.path().join("a/b").join(PROJECT_FILE);
    fs::write(&near, "").unwrap();
    let both = ConfigFiles::from(&deep, look(&[]));
    assert_eq!(both.project.as_deref(), Some(near.as_path()));
    assert_eq!(both.above.first(), Some(&folder.path().join(PROJECT_FILE)), "the other is not forgotten");
    // A person whose own file lies above their projects has one file and not two.
    let own = [("HOLM_CONFIG", near.to_str().unwrap())];
    assert_eq!(ConfigFiles::from(&deep, look(&own)).project, Some(folder.path().join(PROJECT_FILE)));
}

#[test]
fn a_policy_that_a_variable_names_does_not_take_the_administrators_place() {
    let found = ConfigFiles::from(Path::new("/"), look(&[("HOLM_POLICY", "/mine.toml")]));
    let expect =
        [(PathBuf::from("/mine.toml"), ExplicitPath::Yes), (PathBuf::from(POLICY), ExplicitPath::No)];
    assert_eq!(found.policies, expect);
}

#[cfg(unix)]
#[test]
fn a_persons_own_file_is_no_projects_by_whichever_way_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    let deep = home.join("a");
    fs::create_dir_all(&deep).unwrap();
    fs::write(home.join(PROJECT_FILE), "").unwrap();
    let way = folder.path().join("way");
    std::os::unix::fs::symlink(&home, &way).unwrap();
    let own = way.join(PROJECT_FILE);
    let found = ConfigFiles::from(&deep, look(&[("HOLM_CONFIG", own.to_str().unwrap())]));
    assert_eq!(found.user.as_ref(), Some(&own));
    assert!(!found.projects().any(|file| file.starts_with(&home)), "{found:?}");
}
