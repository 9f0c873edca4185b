use super::{job, jobs, total};
use crate::{Session, System, peers::Floor};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Only {
    Floor,
}

impl System for Only {
    const ALL: &'static [Self] = &[Self::Floor];

    fn name(self) -> &'static str {
        "floor"
    }

    fn prepare(self, turns: u64) -> Box<dyn Session> {
        Box::new(Floor::new(turns))
    }
}

#[test]
fn the_total_of_a_profile_is_found() {
    for (profile, expect) in [
        ("events: Ir\nfn=(1) main\n4 17\n\ntotals: 4115238\n", Some(4_115_238)),
        ("events: Ir\nsummary: 12 3\n", Some(12)),
        ("events: Ir\n", None),
        ("totals: many\n", None),
    ] {
        assert_eq!(total(profile), expect, "{profile}");
    }
}

#[test]
fn every_loop_is_profiled_at_every_number_of_turns_and_once_without_any() {
    let expected = [job("set-up", "floor", 1), job("one", "floor", 1), job("one", "floor", 10)];
    assert_eq!(jobs::<Only>(&[1, 10]), expected);
}
