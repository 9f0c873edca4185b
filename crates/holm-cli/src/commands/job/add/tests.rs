use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    changes: Changes,
}

fn changed(spec: &Spec, args: &[&str]) -> Result<Spec, String> {
    let line =
        Line::try_parse_from([&["holm", "nightly"], args].concat()).map_err(|error| error.to_string())?;
    line.changes.check(spec).map_err(|error| error.to_string())?;
    Ok(line.changes.told(spec))
}

fn spec() -> Spec {
    let when = When::Cron { pattern: "30 2 * * *".into(), zone: "Europe/Berlin".into() };
    Spec {
        agent: Some("scout".into()),
        budget: Some(NanoUsd::new(5)),
        ..Spec::new(when, "report".to_owned())
    }
}

#[test]
fn what_is_not_said_stays_as_it_is() {
    let before = spec();
    assert_eq!(changed(&before, &[]).unwrap(), before);
    let after = changed(&before, &["--cron", "0 3 * * *", "--timeout", "60"]).unwrap();
    let when = When::Cron { pattern: "0 3 * * *".into(), zone: "Europe/Berlin".into() };
    assert_eq!(after, Spec { when, timeout_s: 60, ..before.clone() });
    let after = changed(&before, &["--zone", "UTC"]).unwrap();
    assert_eq!(after.when, When::Cron { pattern: "30 2 * * *".into(), zone: "UTC".into() });
    let after = changed(&before, &["--prompt", "look", "--hook", "--misfire", "all"]).unwrap();
    assert_eq!(
        (after.prompt.as_str(), after.hook, after.misfire),
        ("look", Door::Open, Misfire::All { most: 10 })
    );
}

#[test]
fn what_was_said_can_be_taken_back() {
    let after = changed(&spec(), &["--asked", "--no-budget", "--agent", ""]).unwrap();
    assert_eq!((after.when, after.budget, after.agent), (When::Asked, None, None));
}

#[test]
fn what_contradicts_itself_is_refused() {
    for args in
        [&["--asked", "--cron", "* * * * *"][..], &["--budget", "1", "--no-budget"], &["--hook", "--no-hook"]]
    {
        assert!(changed(&spec(), args).unwrap_err().contains("cannot be used with"), "{args:?}");
    }
    let asked = Spec::new(When::Asked, "report".to_owned());
    assert!(changed(&asked, &["--zone", "UTC"]).unwrap_err().contains("there is none"));
}
