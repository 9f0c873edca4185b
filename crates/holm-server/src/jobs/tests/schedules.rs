use super::{at, cron};
use crate::jobs::{DueTimes, JobError, JobSchedule, When};

/// The times of a pattern in a span.
fn check(pattern: &str, zone: &str, from: &str, until: &str, expect: &[&str]) {
    let schedule = JobSchedule::new(&cron(pattern, zone)).unwrap();
    let due = schedule.due(at(from), at(until), 100);
    let expect: Vec<_> = expect.iter().map(|text| at(text)).collect();
    assert_eq!(due, DueTimes { times: expect, older: 0 }, "{pattern} in {zone}");
}

#[test]
fn five_fields_are_minutes_and_six_are_seconds() {
    let day = ("2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z");
    check("0 9 * * *", "UTC", day.0, day.1, &["2026-01-01T09:00:00Z"]);
    check("30 0 9 * * *", "UTC", day.0, day.1, &["2026-01-01T09:00:30Z"]);
    check("@daily", "UTC", "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z", &["2026-01-02T00:00:00Z"]);
}

#[test]
fn where_clocks_are_set_forward_a_time_that_is_not_there_is_the_first_that_is() {
    let (from, until) = ("2025-03-28T12:00:00Z", "2025-03-31T12:00:00Z");
    let nights = ["2025-03-29T01:30:00Z", "2025-03-30T01:00:00Z", "2025-03-31T00:30:00Z"];
    check("30 2 * * *", "Europe/Berlin", from, until, &nights);
    // Half an hour is left out there, not a whole one.
    let gap = ("2025-10-04T12:00:00Z", "2025-10-05T12:00:00Z");
    check("15 2 * * *", "Australia/Lord_Howe", gap.0, gap.1, &["2025-10-04T15:30:00Z"]);
}

#[test]
fn where_clocks_are_set_back_a_time_of_day_comes_once() {
    let (from, until) = ("2025-10-25T12:00:00Z", "2025-10-27T12:00:00Z");
    check("30 2 * * *", "Europe/Berlin", from, until, &["2025-10-26T00:30:00Z", "2025-10-27T01:30:00Z"]);
    let (from, until) = ("2025-11-01T12:00:00Z", "2025-11-03T12:00:00Z");
    check("30 1 * * *", "America/New_York", from, until, &["2025-11-02T05:30:00Z", "2025-11-03T06:30:00Z"]);
}

#[test]
fn an_interval_goes_on_through_both_hours_and_over_the_missing_one() {
    let back =
        ["2025-10-26T00:30:00Z", "2025-10-26T01:00:00Z", "2025-10-26T01:30:00Z", "2025-10-26T02:00:00Z"];
    check("*/30 * * * *", "Europe/Berlin", "2025-10-26T00:00:00Z", "2025-10-26T02:00:00Z", &back);
    let forward = ["2025-03-30T00:30:00Z", "2025-03-30T01:00:00Z", "2025-03-30T01:30:00Z"];
    check("*/30 * * * *", "Europe/Berlin", "2025-03-30T00:00:00Z", "2025-03-30T01:30:00Z", &forward);
}

#[test]
fn of_very_many_times_the_latest_are_taken_without_counting_all() {
    let schedule = JobSchedule::new(&cron("* * * * * *", "UTC")).unwrap();
    let (from, until) = (at("2020-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z"));
    let due = schedule.due(from, until, 3);
    let seconds = [2_000, 1_000, 0].map(|before| until.value() - before);
    assert_eq!(due.times.iter().map(|time| time.value()).collect::<Vec<_>>(), seconds);
    let all = until.since(from) / 1_000;
    assert!(due.older >= 1_000 && due.older <= all - 3, "{}", due.older);
}

#[test]
fn a_single_time_comes_once() {
    let noon = at("2026-01-01T12:00:00Z");
    let schedule = JobSchedule::new(&When::Once { at: noon }).unwrap();
    assert_eq!(schedule.next(at("2026-01-01T11:00:00Z")), Some(noon));
    assert_eq!(schedule.next(noon), None);
    assert_eq!(JobSchedule::new(&When::Asked).unwrap().next(noon), None);
}

#[test]
fn what_is_no_pattern_or_place_is_refused_in_words() {
    for pattern in ["", "* * *", "* * * * * * *", "61 * * * *", "a b c d e", "* * 32 * *", "\u{0}"] {
        let refused = JobSchedule::new(&cron(pattern, "UTC")).map(|_| ());
        assert!(matches!(refused, Err(JobError::Pattern { .. })), "{pattern:?}: {refused:?}");
        let message = refused.unwrap_err().to_string();
        assert!(!message.contains("Component") && !message.contains("CronPattern"), "{pattern:?}: {message}");
    }
    let long = "1,".repeat(400);
    assert!(matches!(JobSchedule::new(&cron(&long, "UTC")), Err(JobError::TooLong { .. })));
    for zone in ["", "Europe/Atlantis", "../../etc/passwd", "/etc/localtime"] {
        assert!(matches!(JobSchedule::new(&cron("* * * * *", zone)), Err(JobError::Zone(_))), "{zone}");
    }
}
