use super::*;

fn line(attempt: u32) -> String {
    format!(
        r#"{{"case":"c","digest":"d","model":"replay","attempt":{attempt},"verdict":"passed","checks":[],"session":"s","turns":1,"tokens":1,"cost_nano_usd":0,"seconds":0.1}}"#
    )
}

#[test]
fn a_line_that_was_broken_off_is_dropped_and_a_wrong_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(RESULTS);
    assert!(Evaluation::open(folder.path()).unwrap().results().is_empty());
    fs::write(&path, format!("{}\n{}", line(1), &line(2)[..40])).unwrap();
    assert_eq!(Evaluation::open(folder.path()).unwrap().results().len(), 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}\n", line(1)), "the next line begins a line");
    fs::write(&path, &line(2)[..40]).unwrap();
    assert!(Evaluation::open(folder.path()).unwrap().results().is_empty());
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
    fs::write(&path, format!("{}\n{{}}\n", line(1))).unwrap();
    let error = Evaluation::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn a_judge_has_what_the_attempt_has_left_of_its_budget() {
    assert_eq!(MoneyShare::left(None, 7_000_000_000), MoneyShare::Unlimited);
    assert_eq!(MoneyShare::left(Some(2.0), 500_000_000), MoneyShare::AtMost(1.5));
    for spent in [2_000_000_000, 1_999_999_999, 9_000_000_000] {
        assert_eq!(MoneyShare::left(Some(2.0), spent), MoneyShare::UsedUp, "{spent}");
    }
}
