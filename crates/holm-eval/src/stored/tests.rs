use std::fs;

use super::*;

fn line(case: &str, attempt: u32) -> String {
    format!(
        "{{\"case\":\"{case}\",\"digest\":\"\",\"model\":\"m\",\"attempt\":{attempt},\"verdict\":\"passed\",\
         \"checks\":[],\"session\":\"s\",\"turns\":1,\"tokens\":2,\"cost_nano_usd\":3,\"seconds\":0.5}}\n"
    )
}

#[test]
fn results_are_read_in_order_while_a_line_is_being_written_and_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(RESULTS);
    let text = format!("{}{}{}{{\"case\":", line("b", 1), line("a", 2), line("a", 1));
    fs::write(&path, &text).unwrap();
    let stored = StoredEvaluation::read(folder.path()).unwrap();
    let order: Vec<_> =
        stored.results().iter().map(|result| (result.case.as_str(), result.attempt)).collect();
    assert_eq!(order, [("a", 1), ("a", 2), ("b", 1)]);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_wrong_line_a_missing_file_and_a_link_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let check = |expect: &str| {
        let error = StoredEvaluation::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check("No such file");
    let path = folder.path().join(RESULTS);
    fs::write(&path, format!("{}{{}}\n", line("a", 1))).unwrap();
    check("line 2");
    fs::rename(&path, folder.path().join("other")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("other"), &path).unwrap();
    check("it is not a file");
}

#[test]
fn results_that_are_too_large_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join(RESULTS)).unwrap();
    file.set_len(MAX_RESULTS_BYTES + 1).unwrap();
    let error = StoredEvaluation::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("larger than 64 MiB"), "{error}");
}
