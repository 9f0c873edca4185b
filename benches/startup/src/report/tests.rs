use super::*;

fn figure(name: &'static str, version_ms: u64, memory: u64, size: u64) -> Figure {
    let times = vec![Duration::from_millis(version_ms + 1), Duration::from_millis(version_ms)];
    Figure::new(name, times, vec![Duration::from_millis(30)], memory, size)
}

#[test]
fn aims_are_met_or_missed_by_the_quickest() {
    let check = |holm: Figure, expect: [&str; 3]| {
        let told = markdown(&[holm, figure("codex", 40, 1, 1)], &[]);
        for part in expect {
            assert!(told.contains(part), "{part}: {told}");
        }
    };
    check(figure("holm", 10, 8 << 20, 40_000_000), ["4.00, met", "8.0, met", "40.0, met"]);
    check(figure("holm", 20, 9 << 20, 41_000_000), ["2.00, missed", "9.0, missed", "41.0, missed"]);
}

#[test]
fn what_was_not_measured_is_said() {
    assert_eq!(markdown(&[], &[]).matches("not measured").count(), 3);
    let told = markdown(&[figure("holm", 10, 1, 1)], &[("codex", "it is not there".into())]);
    assert!(told.contains("- codex could not be measured: it is not there\n"), "{told}");
    assert_eq!(told.matches("not measured").count(), 1, "{told}");
}

#[test]
fn a_program_reads_the_same_figures() {
    let told = json(&[figure("holm", 10, 2, 3), figure("codex", 40, 5, 6)]);
    let holm = "{\"system\":\"holm\",\"version_ms\":10.000,\"version_median_ms\":11.000,\"memory\":2,\"request_ms\":30.000,\
                \"request_median_ms\":30.000,\"size\":3}";
    assert!(told.starts_with(&format!("{{\"figures\":[{holm},{{\"system\":\"codex\"")), "{told}");
    assert!(told.ends_with("\"size\":6}]}\n"), "{told}");
}
