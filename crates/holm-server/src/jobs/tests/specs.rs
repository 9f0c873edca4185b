use super::{at, cron};
use crate::jobs::{Approval, HookKey, JobError, JobId, JobRunKey, Misfire, ScheduledJob, Spec, When};

fn check(change: impl FnOnce(&mut Spec)) -> Option<JobError> {
    let mut spec = Spec::new(cron("0 * * * *", "UTC"), "work");
    change(&mut spec);
    let id: JobId = "nightly".parse().unwrap();
    ScheduledJob::to_come(id, spec, HookKey::new().unwrap(), at("2026-01-01T00:00:00Z")).err()
}

#[test]
fn some_fields_are_changed_and_the_rest_stays() {
    let mut spec = Spec::new(When::Asked, "work");
    (spec.about, spec.timeout_s) = ("nightly".into(), 7);
    let check = |fields: serde_json::Value, expect: Option<Spec>| {
        let changed = spec.with(fields.as_object().unwrap());
        assert_eq!(changed.ok(), expect, "{fields}");
    };
    check(serde_json::json!({}), Some(spec.clone()));
    check(serde_json::json!({ "prompt": "other" }), Some(Spec { prompt: "other".into(), ..spec.clone() }));
    check(serde_json::json!({ "timeout_s": null }), Some(Spec { timeout_s: 600, ..spec.clone() }));
    let when = When::Cron { pattern: "* * * * *".into(), zone: "UTC".into() };
    let cron = serde_json::json!({ "when": { "cron": { "pattern": "* * * * *", "zone": "UTC" } } });
    check(cron, Some(Spec { when, ..spec.clone() }));
    for bad in [
        serde_json::json!({ "promt": "other" }),
        serde_json::json!({ "prompt": null }),
        serde_json::json!({ "timeout_s": "long" }),
    ] {
        check(bad, None);
    }
}

#[test]
fn what_is_out_of_bounds_is_refused() {
    assert_eq!(check(|_| {}), None);
    assert_eq!(check(|spec| spec.prompt = " \n".into()), Some(JobError::Missing("prompt")));
    assert!(matches!(check(|spec| spec.prompt = "x".repeat(70_000)), Some(JobError::TooLong { .. })));
    for wrong in [
        |spec: &mut Spec| spec.timeout_s = 0,
        |spec: &mut Spec| spec.per_hour = 61,
        |spec: &mut Spec| spec.off_after = 0,
        |spec: &mut Spec| spec.retry.most = 11,
        |spec: &mut Spec| spec.misfire = Misfire::All { most: 0 },
    ] {
        assert!(matches!(check(wrong), Some(JobError::Bounds { .. })));
    }
}

#[test]
fn messages_go_to_https_alone_and_questions_to_somebody() {
    for address in ["http://example.com/", "ftp://example.com/", "example.com", "file:///etc/passwd"] {
        assert_eq!(check(|spec| spec.notify = Some(address.into())), Some(JobError::Address), "{address}");
    }
    assert_eq!(check(|spec| spec.notify = Some("https://example.com/hook".into())), None);
    assert_eq!(check(|spec| spec.approval = Approval::Notify), Some(JobError::NobodyToTell));
}

#[test]
fn a_schedule_that_the_hourly_limit_would_cut_is_refused() {
    let due = |pattern: &'static str, per_hour: u32| {
        check(move |spec| (spec.when, spec.per_hour) = (cron(pattern, "UTC"), per_hour))
    };
    for (pattern, per_hour, expect) in [
        ("*/5 * * * *", 12, None),
        ("*/5 * * * *", 11, Some(12)),
        ("* * * * *", 12, Some(60)),
        ("* * * * *", 60, None),
        ("* 9 1 1 *", 12, Some(60)),
        ("*/30 * * * * *", 60, Some(120)),
    ] {
        let expect = expect.map(|due| JobError::TooOften { due, per_hour });
        assert_eq!(due(pattern, per_hour), expect, "{pattern}");
    }
}

#[test]
fn a_time_that_never_comes_is_refused() {
    let past = When::Once { at: at("2025-01-01T00:00:00Z") };
    assert_eq!(check(|spec| spec.when = past), Some(JobError::Never));
    assert_eq!(check(|spec| spec.when = cron("0 0 30 2 *", "UTC")), Some(JobError::Never));
    assert_eq!(check(|spec| spec.when = When::Asked), None);
}

#[test]
fn every_slot_names_a_session() {
    let longest: JobId = "j".repeat(48).parse().unwrap();
    let slots =
        [JobRunKey::at(at("9999-01-01T00:00:00Z")), JobRunKey::now().unwrap(), JobRunKey::message("../../x")];
    for slot in slots {
        assert!(slot.session(&longest, 11).is_ok(), "{slot}");
    }
    assert_eq!(JobRunKey::message("msg_1"), JobRunKey::message("msg_1"));
    assert_ne!(JobRunKey::message("msg_1"), JobRunKey::message("msg_2"));
}

#[test]
fn what_is_left_out_is_the_careful_choice() {
    let spec: Spec = serde_json::from_str(r#"{"when": "asked", "prompt": "x"}"#).unwrap();
    assert_eq!(spec, Spec::new(When::Asked, "x"));
    let text = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
}

#[test]
fn a_job_with_a_member_that_nobody_knows_is_none() {
    let spec = serde_json::from_str::<Spec>(r#"{"when": "asked", "prompt": "x", "per_our": 1}"#);
    assert!(spec.unwrap_err().to_string().contains("unknown field `per_our`"));
}
