//! Lists to choose from: sessions, turns, and completions. It holds the rows, the filter and the
//! choice. The rows are made in `local_actions.rs` and `update/actions.rs`, drawn in
//! `draw/overlay.rs`, and chosen in `update/key_presses.rs` and `update/mouse.rs`.

use super::{
    rewind::{RewindScope, RewindTarget},
    state::SessionOrigin,
};

/// The most rows of a completion.
const MOST_COMPLETIONS: usize = 8;

/// A list to choose from, shown over everything else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ListPicker {
    pub(super) title: String,
    rows: Vec<PickerRow>,
    /// Only rows that contain this text are shown.
    pub(super) filter: String,
    at: usize,
}

/// One row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PickerRow {
    pub(super) label: String,
    pub(super) about: String,
    pub(super) pick: PickerAction,
}

/// What choosing a row does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PickerAction {
    /// Opens a session, and puts text into its input.
    Open { how: SessionOrigin, typed: String },
    /// Shows what going back to before a prompt would do.
    RewindTo(RewindTarget),
    /// Goes back to before a prompt.
    Rewind { target: RewindTarget, scope: RewindScope },
    /// The row only says something.
    Nothing,
}

impl ListPicker {
    pub(super) fn new(title: &str, rows: Vec<PickerRow>) -> Self {
        Self { title: title.to_owned(), rows, ..Self::default() }
    }

    /// The rows that fit the filter.
    pub(super) fn shown(&self) -> Vec<&PickerRow> {
        let wanted = self.filter.to_lowercase();
        let fits = |row: &&PickerRow| {
            row.label.to_lowercase().contains(&wanted) || row.about.to_lowercase().contains(&wanted)
        };
        self.rows.iter().filter(fits).collect()
    }

    /// Which of them is chosen.
    pub(super) fn at(&self) -> usize {
        self.at.min(self.shown().len().saturating_sub(1))
    }

    pub(super) fn chosen(&self) -> Option<&PickerRow> {
        self.shown().get(self.at()).copied()
    }

    /// Chooses one of those that are shown. Says whether there is such a one.
    pub(super) fn choose(&mut self, at: usize) -> bool {
        let is_there = at < self.shown().len();
        if is_there {
            self.at = at;
        }
        is_there
    }

    pub(super) fn up(&mut self, by: usize) {
        self.at = self.at().saturating_sub(by);
    }

    pub(super) fn down(&mut self, by: usize) {
        self.at = (self.at() + by).min(self.shown().len().saturating_sub(1));
    }

    pub(super) fn narrow(&mut self, c: char) {
        self.filter.push(c);
        self.at = 0;
    }

    pub(super) fn widen(&mut self) {
        self.filter.pop();
        self.at = 0;
    }
}

/// Completions for the word before the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordCompletion {
    /// How many bytes before the cursor are replaced.
    pub(super) replaces: usize,
    pub(super) rows: Vec<(String, String)>,
    pub(super) at: usize,
}

impl WordCompletion {
    /// Candidates for a word, the best first: those that begin with it, then those that contain it,
    /// then those that contain its letters in order.
    pub(super) fn of(
        word: &str,
        replaces: usize,
        candidates: impl IntoIterator<Item = (String, String)>,
    ) -> Option<Self> {
        let word = word.to_lowercase();
        let mut rows: Vec<(u8, (String, String))> = candidates
            .into_iter()
            .filter_map(|row| Some((rank(&row.0.to_lowercase(), &word)?, row)))
            .collect();
        rows.sort_by(|(rank, row), (other, beside)| {
            (rank, row.0.len(), &row.0).cmp(&(other, beside.0.len(), &beside.0))
        });
        rows.truncate(MOST_COMPLETIONS);
        let rows: Vec<(String, String)> = rows.into_iter().map(|(_, row)| row).collect();
        (!rows.is_empty()).then_some(Self { replaces, rows, at: 0 })
    }

    pub(super) fn next(&mut self) {
        self.at = (self.at + 1) % self.rows.len().max(1);
    }

    pub(super) fn previous(&mut self) {
        self.at = self.at.checked_sub(1).unwrap_or(self.rows.len().saturating_sub(1));
    }

    pub(super) fn chosen(&self) -> Option<&str> {
        self.rows.get(self.at).map(|(text, _)| text.as_str())
    }
}

fn rank(candidate: &str, word: &str) -> Option<u8> {
    let name = candidate.rsplit('/').next().unwrap_or(candidate);
    if candidate.starts_with(word) || name.starts_with(word) {
        return Some(0);
    }
    if candidate.contains(word) {
        return Some(1);
    }
    let mut letters = candidate.chars();
    word.chars().all(|wanted| letters.any(|letter| letter == wanted)).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str) -> PickerRow {
        let how = SessionOrigin::Resume { session: label.into() };
        PickerRow {
            label: label.into(),
            about: String::new(),
            pick: PickerAction::Open { how, typed: String::new() },
        }
    }

    #[test]
    fn typing_narrows_a_list_and_the_choice_stays_on_it() {
        let mut picker = ListPicker::new("sessions", vec![row("alpha"), row("beta"), row("gamma")]);
        picker.down(5);
        assert_eq!(picker.chosen().unwrap().label, "gamma");
        "bet".chars().for_each(|c| picker.narrow(c));
        assert_eq!(picker.chosen().unwrap().label, "beta");
        picker.narrow('x');
        assert_eq!(picker.chosen(), None);
        (0..4).for_each(|_| picker.widen());
        assert_eq!(picker.shown().len(), 3);
    }

    #[test]
    fn the_best_completion_comes_first() {
        let check = |word: &str, expect: &[&str]| {
            let all = ["src/main.rs", "docs/main.md", "src/domain.rs", "README.md"];
            let rows = all.map(|name| (name.to_owned(), String::new()));
            let found = WordCompletion::of(word, 0, rows).map(|found| found.rows).unwrap_or_default();
            let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(found, expect, "{word}");
        };
        check("main", &["src/main.rs", "docs/main.md", "src/domain.rs"]);
        check("READ", &["README.md"]);
        check("smr", &["src/main.rs", "src/domain.rs"]);
        check("zzz", &[]);
    }
}
