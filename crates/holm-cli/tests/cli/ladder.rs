//! Tests `holm run --step-up` and `holm model ledger`: which model takes over, and where the next
//! task begins.

use holm_testkit::double::Act;

use crate::stage::{MODEL, Stage};

const STRONGER: &str = "openai/gpt-5";

/// A turn whose only call is to a tool that is not there.
fn lost(name: &str) -> Act {
    Act::calls(&[("c", name, "{}")])
}

#[test]
fn a_model_that_is_lost_is_taken_over_and_the_next_task_of_its_kind_begins_higher() {
    let acts = [lost("one"), lost("two"), lost("three"), Act::says("Found."), Act::says("At once.")];
    let stage = Stage::new(acts);
    let args = ["-p", "Find it.", "--step-up", STRONGER, "--kind", "Finding things"];
    let ran = stage.run(&[args.as_slice(), &["--session", "climbs"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Found.\n"), "{ran:?}");
    let climbed = "openai/gpt-5-mini is not up to it (there is no tool `three`";
    assert!(ran.err.contains(climbed) && ran.err.contains("; openai/gpt-5 takes over"), "{ran:?}");
    let ran = stage.run(&[args.as_slice(), &["--session", "higher"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "At once.\n"), "{ran:?}");
    assert!(
        ran.err.contains("holm: starting with a stronger model: openai/gpt-5-mini brought 0 of 1"),
        "{ran:?}"
    );
    for (verb, session, expect) in [
        ("replay", "climbs", "; openai/gpt-5 took over"),
        ("show", "climbs", "; openai/gpt-5 took over"),
        ("replay", "higher", "starts with a stronger one: openai/gpt-5-mini brought 0 of 1"),
        ("show", "higher", "- started with a stronger model: openai/gpt-5-mini brought 0 of 1"),
    ] {
        let told = stage.holm(["session", verb, session]).out;
        assert!(told.contains(expect), "{verb} {session}: {told}");
    }
    let asked: Vec<String> =
        stage.double.requests().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(asked, ["gpt-5-mini", "gpt-5-mini", "gpt-5-mini", "gpt-5", "gpt-5"]);

    let ran = stage.holm(["model", "ledger", "--kind", "finding things", "--json"]);
    let rows: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2, "{}", ran.out);
    assert_eq!((&rows[0]["model"], &rows[0]["score"]["successes"]), (&STRONGER.into(), &2.into()));
    let score = &rows[1]["score"];
    assert_eq!((&rows[1]["model"], &score["invalid_calls"]), (&MODEL.into(), &3.into()));
    assert_eq!((&score["step_ups"], &score["whys"][0]["cause"]), (&1.into(), &"invalid_calls".into()));
    let ran = stage.holm(["model", "ledger"]);
    assert!(ran.out.contains("openai/gpt-5 took over: there is no tool `three`"), "{}", ran.out);
}
