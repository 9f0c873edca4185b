use super::*;

#[test]
fn a_name_never_leads_to_another_folder() {
    for name in ["nightly", "eval-1768-12", "v1.2_b"] {
        assert_eq!(name.parse::<EvaluationName>().unwrap().as_str(), name);
    }
    let long = "a".repeat(LONGEST + 1);
    for name in ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "ä", "a b", "a\0", long.as_str()] {
        assert_eq!(name.parse::<EvaluationName>().unwrap_err().code, "bad_name", "{name}");
    }
}

#[test]
fn the_latest_evaluation_is_first_and_links_and_other_folders_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let evaluations = EvaluationFolder::new(folder.path().join("evals"));
    assert!(evaluations.names().unwrap().is_empty());
    for (name, age) in [("old", 100), ("new", 10), (".hidden", 1)] {
        let place = folder.path().join("evals").join(name);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(RESULTS), "").unwrap();
        let file = fs::File::options().write(true).open(place.join(RESULTS)).unwrap();
        file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
    }
    fs::create_dir(folder.path().join("evals/without")).unwrap();
    std::os::unix::fs::symlink("old", folder.path().join("evals/link")).unwrap();
    let names: Vec<String> = evaluations.names().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["new", "old"]);
    let link = "link".parse().unwrap();
    assert_eq!(evaluations.read(&link).unwrap_err().code, "not_found");
    assert!(evaluations.read(&"old".parse().unwrap()).unwrap().results().is_empty());
}

#[test]
fn results_that_cannot_be_read_are_an_error_without_a_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("bad")).unwrap();
    fs::write(folder.path().join("bad").join(RESULTS), "nonsense\n").unwrap();
    let error = EvaluationFolder::new(folder.path().to_owned()).read(&"bad".parse().unwrap()).unwrap_err();
    assert_eq!(error.code, "bad_results");
    assert!(error.message.contains("line 1") && !error.message.contains('/'), "{error}");
}
