use super::*;

fn places(data: &Path, work: &Path) -> HolmPaths {
    HolmPaths::at(data, work)
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
fn no_level_grants_the_network_or_never_asks() {
    for level in TrustLevel::ALL {
        let reaches_out = |grant: &Grant| grant.to_string().starts_with("fetch:");
        assert!(!level.grants().iter().any(reaches_out));
        assert_ne!(level.mode(), Mode::Full);
    }
}

#[test]
fn a_level_holds_for_the_folders_below_and_the_nearest_one_counts() {
    let (data, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let inner = work.path().join("a/b");
    fs::create_dir_all(&inner).unwrap();
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
    let data = tempfile::tempdir().unwrap();
    for text in ["[folders]\n\"/x\" = \"everything\"\n", "what = 1\n", "[[[\n"] {
        fs::write(data.path().join(FILE), text).unwrap();
        let refused = FolderAccess::of(&places(data.path(), data.path())).unwrap_err().to_string();
        assert!(refused.contains(FILE) && refused.contains("fix or remove"), "{refused}");
    }
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
}
