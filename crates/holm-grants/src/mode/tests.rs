use alloc::string::ToString;

use super::{LevelDecision, Mode, UnknownModeError};
use crate::level::{Level, UnknownLevelError};

#[test]
fn levels_and_modes_print_as_they_read() {
    for level in Level::ALL {
        assert_eq!(level.to_string().parse(), Ok(level));
        assert_eq!(serde_json::from_str::<Level>(&serde_json::to_string(&level).unwrap()).unwrap(), level);
    }
    for mode in Mode::ALL {
        assert_eq!(mode.to_string().parse(), Ok(mode));
        assert_eq!(serde_json::from_str::<Mode>(&serde_json::to_string(&mode).unwrap()).unwrap(), mode);
    }
    assert_eq!("Plan".parse::<Mode>(), Err(UnknownModeError));
    assert_eq!("dangerous".parse::<Level>(), Err(UnknownLevelError));
}

#[test]
fn levels_rise_in_the_order_in_which_they_are_listed() {
    assert!(Level::ALL.is_sorted());
}

#[test]
fn a_higher_level_is_never_treated_more_leniently() {
    for mode in Mode::ALL {
        assert!(Level::ALL.map(|level| mode.stance(level)).is_sorted(), "{mode}");
    }
}

#[test]
fn a_wider_mode_is_never_stricter() {
    for level in Level::ALL {
        let stances = Mode::ALL.map(|mode| mode.stance(level));
        assert!(stances.is_sorted_by(|a, b| a >= b), "{level}");
    }
}

#[test]
fn each_mode_draws_its_line_where_the_table_says() {
    let check = |mode: Mode, expect: [LevelDecision; 4]| {
        assert_eq!(Level::ALL.map(|level| mode.stance(level)), expect, "{mode}");
    };
    use LevelDecision::{Allow, Ask, Deny};
    check(Mode::Plan, [Allow, Allow, Deny, Deny]);
    check(Mode::Default, [Allow, Allow, Ask, Ask]);
    check(Mode::AcceptEdits, [Allow, Allow, Allow, Ask]);
    check(Mode::Full, [Allow, Allow, Allow, Allow]);
}
