use std::time::Duration;

use super::{DurationHistogram, seconds};

#[test]
fn a_duration_is_counted_in_every_bucket_that_it_fits() {
    let histogram = DurationHistogram::default();
    for millis in [3, 25, 26, 200_000] {
        histogram.observe(Duration::from_millis(millis));
    }
    let mut out = String::new();
    histogram.write("x_seconds", "How long.", &mut out);
    for line in [
        "# TYPE x_seconds histogram",
        "x_seconds_bucket{le=\"0.005\"} 1",
        "x_seconds_bucket{le=\"0.025\"} 2",
        "x_seconds_bucket{le=\"0.05\"} 3",
        "x_seconds_bucket{le=\"120\"} 3",
        "x_seconds_bucket{le=\"+Inf\"} 4",
        "x_seconds_sum 200.054",
        "x_seconds_count 4",
    ] {
        assert!(out.lines().any(|written| written == line), "{line} in {out}");
    }
}

#[test]
fn seconds_are_written_without_needless_digits() {
    for (parts, per_second, expect) in [
        (5, 1_000, "0.005"),
        (250, 1_000, "0.25"),
        (120_000, 1_000, "120"),
        (1_500_001, 1_000_000, "1.500001"),
    ] {
        assert_eq!(seconds(parts, per_second), expect);
    }
    assert_eq!(seconds(0, 1_000), "0");
}
