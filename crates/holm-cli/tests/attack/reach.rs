//! Counts the cases that are played against the built command, and those that ask a policy in this
//! process. The second kind does not show whether the command asks that policy at all, so both are
//! counted separately.

use std::{collections::BTreeMap, fmt};

use crate::case::{Case, Class};

/// Of each class, how many are played and how many are asked.
pub(crate) struct Reach(BTreeMap<Class, Counts>);

#[derive(Default)]
struct Counts {
    played: usize,
    asked: usize,
}

impl Reach {
    pub(crate) fn of(cases: &[&Case]) -> Self {
        let mut counts: BTreeMap<Class, Counts> = BTreeMap::new();
        for case in cases {
            let counts = counts.entry(case.class).or_default();
            if case.deed.is_played() {
                counts.played += 1;
            } else {
                counts.asked += 1;
            }
        }
        Self(counts)
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| class | against the built command or server | asked of a policy |\n|---|--:|--:|")?;
        let mut all = Counts::default();
        for (class, Counts { played, asked }) in &self.0 {
            writeln!(f, "| {} | {played} | {asked} |", class.name())?;
            all.played += played;
            all.asked += asked;
        }
        writeln!(f, "| **all** | {} | {} |", all.played, all.asked)
    }
}
