use super::*;

fn check(flag: Option<&str>, env: &[(&str, &str)], expect: Option<&str>) {
    let look = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let found = data_folder(flag.map(Path::new), look).ok();
    assert_eq!(found.as_deref(), expect.map(Path::new), "{flag:?} {env:?}");
}

#[test]
fn the_flag_wins_over_the_environment_and_that_over_the_usual_place() {
    let all = [("HOLM_DATA", "/b"), ("XDG_DATA_HOME", "/c"), ("HOME", "/d")];
    check(Some("a"), &all, Some("a"));
    check(None, &all, Some("/b"));
    check(None, &all[1..], Some("/c/holm"));
    check(None, &all[2..], Some("/d/.local/share/holm"));
    check(
        None,
        &[("HOLM_DATA", ""), ("XDG_DATA_HOME", "relative"), ("HOME", "/d")],
        Some("/d/.local/share/holm"),
    );
    check(None, &[], None);
}

#[test]
fn a_word_is_one_word_for_a_shell() {
    for (word, expect) in [
        ("/a/b-c.d", "/a/b-c.d"),
        ("my data", "'my data'"),
        ("it's", r"'it'\''s'"),
        ("$HOME", "'$HOME'"),
        ("", "''"),
    ] {
        assert_eq!(quoted(word), expect);
    }
}

#[test]
fn a_command_names_a_data_folder_that_nobody_would_find_without() {
    let folder = tempfile::tempdir().unwrap();
    let places = HolmPaths::at(folder.path().join("my data"), "/work");
    let expect = format!("holm --data '{}/my data' session list", folder.path().display());
    assert_eq!(places.typed("session list"), expect);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_made_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    assert_eq!(database(&path).unwrap(), path.join("holm.db"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_made_is_its_owners_to_write_and_takes_no_others_place() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, make: fn(&Path) -> io::Result<fs::File>, most: u32| {
        let path = folder.path().join(name);
        let mode = make(&path).unwrap().metadata().unwrap().permissions().mode() & 0o777;
        // The umask of the test's user may be stricter.
        assert_eq!((mode & 0o600, mode & !most), (0o600, 0), "{name}: {mode:o}");
        assert_eq!(why_unmade(&make(&path).unwrap_err()), "it already exists", "{name}");
    };
    check("private", private_file, 0o600);
    check("readable", readable_file, 0o644);
}

#[test]
fn a_user_has_a_home_also_where_the_variable_is_not_set() {
    let folder = tempfile::tempdir().unwrap();
    let set = |_: &str| Some(folder.path().display().to_string());
    assert_eq!(home_of(set), folder.path().canonicalize().ok());
    let known = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    assert!(known.is_some(), "the tests need a user with a home");
    for value in [None, Some(String::new())] {
        assert_eq!(home_of(|_: &str| value.clone()), known);
    }
}

#[test]
fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("levels.toml");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let file = &file;
            scope.spawn(move || keep(file, &number.to_string().repeat(4096)).unwrap());
        }
    });
    let text = fs::read_to_string(&file).unwrap();
    let first = text.chars().next().unwrap();
    assert!(text.len() == 4096 && text.chars().all(|c| c == first), "{}", text.len());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
