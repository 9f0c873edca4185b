use super::*;

fn figure(name: &'static str, version_ms: u64, memory: u64, size: u64) -> Figure {
    let times = vec![Duration::from_millis(version_ms + 1), Duration::from_millis(version_ms)];
    Figure::new(name, times, vec![Duration::from_millis(30)], memory, size)
}

#[test]
fn aims_are_met_or_missed_by_the_quickest() {
    let check = |holm: Figure, expect: [&str; 3]| {
        let told = markdown(&[holm, figure("codex", 40, 1, 1)]);
        for part in expect {
            assert!(told.contains(part), "{part}: {told}");
        }
    };
    check(figure("holm", 10, 8 << 20, 40_000_000), ["4.00, met", "8.0, met", "40.0, met"]);
    check(figure("holm", 20, 9 << 20, 41_000_000), ["2.00, missed", "9.0, missed", "41.0, missed"]);
}

#[test]
fn what_was_not_measured_is_said() {
    assert_eq!(markdown(&[]).matches("not measured").count(), 3);
}
