use super::total;

#[test]
fn the_total_is_read_from_either_line() {
    for (profile, expect) in [
        ("events: Ir\nsummary: 12\n", Some(12)),
        ("events: Ir\nsummary: 12\ntotals: 34 5\n", Some(34)),
        ("events: Ir\n", None),
    ] {
        assert_eq!(total(profile), expect, "{profile}");
    }
}
