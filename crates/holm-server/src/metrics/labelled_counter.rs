//! A counter for each value of a label, such as the classes of failures.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
};

/// Counts that only grow, by the value of one label. The values come from Holm's own lists, never
/// from clients, so there are few of them.
#[derive(Debug, Default)]
pub struct LabelledCounter(Mutex<BTreeMap<&'static str, u64>>);

impl LabelledCounter {
    pub(crate) fn add_one(&self, value: &'static str) {
        // A count cannot be left incomplete, so a poisoned lock is safe to use.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(value).or_default() += 1;
    }

    /// Appends the counts in the Prometheus text format.
    pub(super) fn write(&self, name: &str, label: &str, help: &str, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter");
        for (value, count) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(out, "{name}{{{label}=\"{value}\"}} {count}");
        }
    }
}
