//! A limit for the comparisons of lines that are made while files are locked. It only counts:
//! `text_search.rs` and `diff/hunk.rs` spend it and stop.

/// Lines that one call may compare to find its places, which takes seconds.
const MOST_COMPARED: u64 = 100_000_000;

/// How many comparisons may still be made.
#[derive(Debug)]
pub(super) struct ComparisonBudget(u64);

/// The limit of comparisons is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ComparisonBudgetError;

impl Default for ComparisonBudget {
    fn default() -> Self {
        Self(MOST_COMPARED)
    }
}

impl ComparisonBudget {
    #[cfg(test)]
    pub(super) fn of(lines: u64) -> Self {
        Self(lines)
    }

    /// Takes note of one more line.
    pub(super) fn spend(&mut self) -> Result<(), ComparisonBudgetError> {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(ComparisonBudgetError)
    }
}
