//! Switches that turn guards off one at a time, so that a test suite can show that it notices.
//!
//! A guard that can be broken without a failing test is untested. Every host of Holm runs the same
//! guards, so every host's suite must fail with each of them off. The switch exists only with the
//! feature `mutate`; without it [`off`] is `false` at compile time.
//!
//! Each guard asks [`off`] where it decides, so the switch of a new guard is added here and asked
//! there. `holm-wasm/tests/vectors.rs` and `scripts/test-mutants-js` run the suites that must fail.
//! Defects of the kernel are a patch (`holm-testkit/planted/kernel.patch`).

/// The guards that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum GuardSwitch {
    /// Empty output where data was promised.
    Empty = 1,
    /// Output that is only metadata.
    Metadata,
    /// Output without a letter or digit.
    Substance,
    /// An error that claims to be a success.
    Disguise,
    /// The plausibility rules of agent.rs.
    AgentRs,
    /// JSON Schemas: arguments, outputs, skills.
    Schema,
    Repair,
    Pattern,
    Lines,
    /// The postcondition `length`, and counts of lines.
    Range,
    /// Values of a skill that must occur in the source.
    Source,
    /// Forms of a skill's values.
    Format,
    /// The source check of agent.rs.
    AgentRsSource,
}

/// Whether a test has switched this guard off.
#[cfg(not(feature = "mutate"))]
#[inline]
pub(crate) const fn off(_: GuardSwitch) -> bool {
    false
}

#[cfg(feature = "mutate")]
pub(crate) use switch::off;
#[cfg(feature = "mutate")]
pub use switch::{NAMES, switch_off};

#[cfg(feature = "mutate")]
mod switch {
    use core::sync::atomic::{AtomicU8, Ordering};

    use super::GuardSwitch;

    static OFF: AtomicU8 = AtomicU8::new(0);

    /// Every guard by name.
    pub const NAMES: [&str; 13] = [
        "empty",
        "metadata",
        "substance",
        "disguise",
        "agent_rs",
        "schema",
        "repair",
        "pattern",
        "lines",
        "range",
        "source",
        "format",
        "agent_rs_source",
    ];

    const ALL: [GuardSwitch; 13] = [
        GuardSwitch::Empty,
        GuardSwitch::Metadata,
        GuardSwitch::Substance,
        GuardSwitch::Disguise,
        GuardSwitch::AgentRs,
        GuardSwitch::Schema,
        GuardSwitch::Repair,
        GuardSwitch::Pattern,
        GuardSwitch::Lines,
        GuardSwitch::Range,
        GuardSwitch::Source,
        GuardSwitch::Format,
        GuardSwitch::AgentRsSource,
    ];

    /// Switches one guard off and every other on; the empty name switches all on. Returns false if
    /// no guard has this name.
    pub fn switch_off(name: &str) -> bool {
        let index = NAMES.iter().position(|known| *known == name);
        let guard = index.and_then(|index| ALL.get(index));
        OFF.store(guard.map_or(0, |guard| *guard as u8), Ordering::Relaxed);
        guard.is_some() || name.is_empty()
    }

    /// Whether a test has switched this guard off.
    pub(crate) fn off(guard: GuardSwitch) -> bool {
        OFF.load(Ordering::Relaxed) == guard as u8
    }
}
