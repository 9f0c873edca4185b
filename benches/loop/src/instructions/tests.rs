use super::{Part, profiles, total};
use crate::systems::System;

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
    let profiles = profiles(&[1, 10]);
    for system in System::ALL {
        for expected in [(system, 1, Part::SetUp), (system, 1, Part::Whole), (system, 10, Part::Whole)] {
            assert_eq!(profiles.iter().filter(|profile| **profile == expected).count(), 1, "{expected:?}");
        }
    }
    assert_eq!(profiles.last(), Some(&(System::Clark, 10, Part::Whole)));
}
