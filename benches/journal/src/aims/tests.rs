use super::judge;
use crate::report::tests::{figure, replayed, size};

#[test]
fn every_aim_has_a_figure_or_says_that_it_has_none() {
    let figures =
        [figure("holm", "written", 1.1), figure("holm", "synced", 1.6), figure("file", "synced", 0.1)];
    let replays = [replayed("holm", 1_000, 10.0), replayed("holm", 10_000, 11.0)];
    let met: Vec<Option<bool>> =
        judge(&figures, &replays, &[size("holm", 330.0)]).iter().map(|aim| aim.met).collect();
    assert_eq!(met, [Some(true), Some(false), Some(true), None, Some(true)]);
}

#[test]
fn records_that_cost_more_in_a_long_journal_miss_the_aim() {
    let replays = [replayed("holm", 1_000, 10.0), replayed("holm", 10_000, 20.0)];
    let aims = judge(&[], &replays, &[size("holm", 900.0)]);
    assert_eq!(aims.iter().map(|aim| aim.met).collect::<Vec<_>>(), [Some(false), None, Some(false)]);
}
