use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn places(data: &Path, work: &Path) -> HolmPaths {
    HolmPaths::at(data, work)
}

/// A data folder and a folder with these folders in it.
fn folders(names: &[&str]) -> (tempfile::TempDir, tempfile::TempDir) {
    let (data, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in names {
        fs::create_dir_all(work.path().join(name)).unwrap();
    }
    (data, work)
}

#[test]
fn every_grant_of_a_level_is_valid_and_a_higher_level_includes_the_lower_ones() {
    let counts: Vec<usize> = TrustLevel::ALL.iter().map(|level| level.grants().len()).collect();
    assert_eq!(counts, [0, 1, 4, 6]);
    for pair in TrustLevel::ALL.windows(2) {
        let higher = pair[1].grants();
        assert!(pair[0].grants().iter().all(|grant| higher.contains(grant)), "{pair:?}");
        assert!(pair[0].mode() <= pair[1].mode());
    }
}

#[test]
fn a_level_grants_files_here_and_programs_and_nothing_else() {
    for level in TrustLevel::ALL {
        for grant in level.grants() {
            let text = grant.to_string();
            let expected = ["read:**", "write:**", "exec:*", "exec:./**", "tool:shell", "tool:run_program"];
            assert!(expected.contains(&text.as_str()), "{level:?}: {text}");
            let is_command = TrustLevel::command_tools().contains(&grant);
            assert_eq!(is_command, text.starts_with("tool:"), "{text}");
            assert!(!is_command || level == TrustLevel::Jail, "{level:?}: {text}");
        }
        assert_ne!(level.mode(), Mode::Full);
    }
    assert_eq!(TrustLevel::command_tools().len(), 2);
}

#[test]
fn every_chosen_level_sets_its_mode_and_the_default_sets_none() {
    for level in TrustLevel::ALL {
        let settings = FolderAccess::Trusted(level).settings();
        assert_eq!(settings.mode.map(|mode| mode.value), Some(level.mode()), "{level:?}");
    }
    assert_eq!(FolderAccess::Reads.settings().mode, None);
    assert_eq!(FolderAccess::None.settings().mode, None);
}

#[test]
fn a_level_holds_for_the_folders_below_and_the_nearest_one_counts() {
    let (data, work) = folders(&["a/b"]);
    let inner = work.path().join("a/b");
    let places = places(data.path(), &inner);
    assert_eq!(FolderAccess::of(&places).unwrap(), FolderAccess::Reads);
    let mut file = FolderTrustFile::open(&places).unwrap();
    assert!(file.set(work.path(), Some(TrustLevel::Jail)).unwrap());
    assert_eq!(FolderAccess::of(&places).unwrap(), FolderAccess::Trusted(TrustLevel::Jail));
    assert!(file.set(&work.path().join("a"), Some(TrustLevel::Look)).unwrap());
    assert_eq!(FolderAccess::of(&places).unwrap(), FolderAccess::Trusted(TrustLevel::Look));
    assert!(!file.set(&work.path().join("a"), Some(TrustLevel::Look)).unwrap(), "nothing changed");
    assert!(file.set(&work.path().join("a"), None).unwrap());
    assert_eq!(FolderTrustFile::open(&places).unwrap(), file);
    assert_eq!(FolderAccess::of(&places).unwrap(), FolderAccess::Trusted(TrustLevel::Jail));
}

#[test]
fn a_file_that_is_not_holms_is_refused_with_its_name() {
    let (data, work) = folders(&[]);
    let path = data.path().join(FILE);
    let refused = || FolderAccess::of(&places(data.path(), work.path())).unwrap_err().to_string();
    for text in ["[folders]\n\"/x\" = \"everything\"\n", "what = 1\n", "[[[\n"] {
        fs::write(&path, text).unwrap();
        assert!(refused().contains(FILE) && refused().contains("fix or remove"), "{}", refused());
    }
    assert_eq!(read_hint(ErrorKind::InvalidData), "fix or remove the file");
    assert!(read_hint(ErrorKind::PermissionDenied).contains("--data"), "there may be no file to fix");
    // Another user could have chosen the levels.
    fs::write(&path, "[folders]\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(refused().contains("other users may write it"), "{}", refused());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(refused().contains("not a regular file"), "{}", refused());
}

#[test]
fn a_folder_of_any_name_can_be_stored_and_read_again() {
    let names = ["a\u{7f}b", "it's \"quoted\"", "new\nline", "back\\slash", "größe", "a.b = c"];
    let (data, work) = folders(&names);
    let open = || FolderTrustFile::open(&places(data.path(), work.path())).unwrap();
    for name in names {
        let folder = work.path().join(name);
        assert!(open().set(&folder, Some(TrustLevel::Look)).unwrap(), "{name:?}");
        assert_eq!(open().level_of(&folder).map(|(_, level)| level), Some(TrustLevel::Look), "{name:?}");
    }
    assert_eq!(open().folders().count(), names.len());
}

#[test]
fn changes_at_the_same_time_are_all_kept() {
    let names: Vec<String> = (0..16).map(|number| format!("d{number}")).collect();
    let (data, work) = folders(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let places = places(data.path(), work.path());
    std::thread::scope(|scope| {
        for name in &names {
            let (mut file, folder) = (FolderTrustFile::open(&places).unwrap(), work.path().join(name));
            scope.spawn(move || file.set(&folder, Some(TrustLevel::Look)).unwrap());
        }
    });
    assert_eq!(FolderTrustFile::open(&places).unwrap().folders().count(), names.len());
}

#[test]
fn the_home_folder_and_what_is_above_it_are_no_project() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    fs::create_dir(home.join("project")).unwrap();
    assert!(is_own_project(&home.join("project"), Some(&home)));
    assert!(!is_own_project(&home, Some(&home)));
    assert!(!is_own_project(home.parent().unwrap(), Some(&home)));
    assert!(!is_own_project(Path::new("/"), None));
    assert!(!is_own_project(&home.join("missing"), Some(&home)));
    assert!(!is_own_project(&home.join("project"), None), "it could be the home folder");
}

#[test]
fn closed_folders_are_recognized_by_their_whole_path() {
    for (folder, secret) in [
        ("/home/me/.ssh", Some(true)),
        ("/home/me/.SSH/keys", Some(true)),
        ("/home/me/.aws", Some(true)),
        ("/home/me/.config/gcloud/logs", Some(true)),
        ("/home/me/.ssh/a\u{7f}b", Some(true)),
        ("/home/me/repo/.git/hooks", Some(true)),
        // A rule about a file or folder in it would no longer match.
        ("/home/me/.docker", Some(true)),
        ("/home/me/.config", Some(true)),
        ("/home/me/repo/.vscode", Some(false)),
        ("/home/me/repo/.husky/_", Some(false)),
        ("/home/me/.config/holm", Some(false)),
        ("/home/me/.local/bin", Some(false)),
        ("/home/me/.local", Some(false)),
        ("/home/me/repo", None),
        ("/home/me/repo/ssh", None),
        ("/home/me/docker/src", None),
        ("/", None),
    ] {
        let found = ClosedFolder::find(Path::new(folder), &[]);
        assert_eq!(found.as_ref().map(ClosedFolder::refuses_levels), secret, "{folder:?}: {found:?}");
    }
}

#[test]
fn in_a_closed_folder_nothing_is_readable_by_default_and_no_level_is_inherited() {
    let (data, work) = folders(&[".ssh", ".vscode/x", "src"]);
    let at = |name: &str| places(data.path(), &work.path().join(name));
    let access = |name: &str| FolderAccess::of(&at(name)).unwrap();
    for name in [".ssh", ".vscode", ".vscode/x"] {
        assert_eq!(access(name), FolderAccess::None, "{name}");
    }
    let mut file = FolderTrustFile::open(&at("")).unwrap();
    file.set(work.path(), Some(TrustLevel::Jail)).unwrap();
    assert_eq!(access("src"), FolderAccess::Trusted(TrustLevel::Jail));
    for name in [".ssh", ".vscode", ".vscode/x"] {
        assert_eq!(access(name), FolderAccess::None, "{name}");
    }
    // Only what is not secret can be opened, by name.
    file.set(&work.path().join(".vscode"), Some(TrustLevel::Edit)).unwrap();
    assert_eq!(access(".vscode/x"), FolderAccess::Trusted(TrustLevel::Edit));
    for level in [TrustLevel::Look, TrustLevel::Edit, TrustLevel::Jail] {
        let refused = file.set(&work.path().join(".ssh"), Some(level)).unwrap_err().to_string();
        assert!(refused.contains("closed to agents") && refused.contains("--grant"), "{refused}");
        let refused = check_level(&at(".ssh"), level).unwrap_err().to_string();
        assert!(refused.contains(level.name()) && refused.contains(".ssh"), "{refused}");
        check_level(&at(".vscode"), level).unwrap();
    }
    check_level(&at(".ssh"), TrustLevel::Ask).unwrap();
}

#[test]
fn no_level_counts_in_the_data_folder_but_in_a_worktree_there() {
    let (data, _) = folders(&[]);
    for name in ["tools", "worktrees/project/one"] {
        fs::create_dir_all(data.path().join(name)).unwrap();
    }
    let path = data.path().join(FILE);
    fs::write(&path, "[folders]\n\"/\" = \"jail\"\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let at = |name: &str| places(data.path(), &data.path().join(name));
    for name in ["", "tools", "worktrees"] {
        let expected = name == "worktrees";
        assert_eq!(!is_of_holm(&at(name)), expected, "{name}");
        assert_eq!(check_level(&at(name), TrustLevel::Jail).is_ok(), expected, "{name}");
    }
    assert_eq!(FolderAccess::of(&at("tools")).unwrap(), FolderAccess::None);
    let worktree = FolderAccess::of(&at("worktrees/project/one")).unwrap();
    assert_eq!(worktree, FolderAccess::Trusted(TrustLevel::Jail));
}

#[test]
fn a_project_cannot_bring_the_data_folder_and_its_levels_along() {
    let (_, work) = folders(&[".git", ".d", "src"]);
    let path = work.path().join(".d").join(FILE);
    fs::write(&path, "[folders]\n\"/\" = \"jail\"\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    for name in ["", "src"] {
        let here = places(&work.path().join(".d"), &work.path().join(name));
        assert_eq!(FolderAccess::of(&here).unwrap(), FolderAccess::Reads, "{name}");
        assert!(matches!(AnswerScope::of(&here), AnswerScope::Run(_)), "{name}");
        let mut file = FolderTrustFile::open(&here).unwrap();
        let refused = file.set(&here.work, Some(TrustLevel::Edit)).unwrap_err().to_string();
        assert!(refused.contains("is inside this project"), "{refused}");
    }
}

#[test]
fn an_answer_counts_for_the_top_folder_of_the_repository() {
    let (data, work) = folders(&["repo/.git", "repo/src/deep", "plain/src", "repo/.ssh"]);
    let real = work.path().canonicalize().unwrap();
    let scope = |name: &str| AnswerScope::of(&places(data.path(), &work.path().join(name)));
    for (name, expected) in [("repo/src/deep", "repo"), ("repo", "repo"), ("plain/src", "plain/src")] {
        assert_eq!(scope(name), AnswerScope::Folder(real.join(expected)), "{name}");
    }
    assert!(matches!(scope("repo/.ssh"), AnswerScope::Closed(ClosedFolder::Secret(_))));
    let home = home().unwrap();
    assert!(matches!(AnswerScope::of(&places(data.path(), &home)), AnswerScope::Run(_)));
    assert!(matches!(AnswerScope::of(&places(data.path(), Path::new("/"))), AnswerScope::Run(_)));
}

#[test]
fn a_folder_that_is_gone_can_only_be_forgotten() {
    let (data, work) = folders(&["gone"]);
    let folder = work.path().join("gone");
    let mut file = FolderTrustFile::open(&places(data.path(), work.path())).unwrap();
    file.set(&folder, Some(TrustLevel::Edit)).unwrap();
    let real = folder.canonicalize().unwrap();
    fs::remove_dir(&folder).unwrap();
    assert_eq!(file.set(&real, Some(TrustLevel::Look)).unwrap_err().exit, CommandExit::Missing);
    assert!(file.set(&real, None).unwrap());
    assert_eq!(file.folders().count(), 0);
}
