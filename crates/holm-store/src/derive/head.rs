//! The facts that a list of sessions shows, computed from a run's first lines and its last one.
//!
//! It folds nothing and reads only the first `FIRST_LINES` lines, because a list asks for many runs
//! at once. What cannot be understood is left out: a list must work for every run. The time is
//! found by its place near the beginning of a line, so it depends on the order of keys in
//! `holm-kernel/src/journal/line.rs`. Titles are sealed in `store/index.rs`; titles that users give
//! are in `sessions/list.rs`.

use holm_kernel::{
    Input,
    journal::{self, JournalRecord},
    plain_text,
};

/// The lines that may come before the first prompt: record 0, changes of tools and mode. Later
/// lines give no title.
pub(crate) const FIRST_LINES: u64 = 16;

/// Characters of a derived title: about a line of a list.
const TITLE_CHARS: usize = 80;

/// The list entry of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SessionSummary {
    /// The number of records at that time.
    pub(crate) records: u64,
    /// When the last one was handled.
    pub(crate) updated: u64,
    pub(crate) agent: String,
    pub(crate) model: String,
    /// From the first prompt; sealed in an encrypted store.
    pub(crate) title: Option<Vec<u8>>,
}

/// The facts about a run in its first lines, up to the first prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FirstRecord {
    pub(crate) agent: String,
    pub(crate) model: String,
    pub(crate) title: Option<String>,
}

impl FirstRecord {
    /// Reads the first lines; what cannot be understood is left out, the list must
    /// work for every run.
    pub(crate) fn read(lines: &[Vec<u8>]) -> Self {
        let mut text = Vec::new();
        for line in lines {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        let records = journal::decode(&text).map(|decoded| decoded.records).unwrap_or_default();
        Self::of(&records)
    }

    fn of(records: &[JournalRecord]) -> Self {
        let mut opening = Self::default();
        for record in records {
            match record.payload().input() {
                Ok(Input::Started(started)) => {
                    opening.agent = started.config.name;
                    opening.model =
                        started.config.models.first().map(|model| model.name.clone()).unwrap_or_default();
                }
                Ok(Input::Prompted(prompt)) => {
                    opening.title = title(&plain_text(&prompt.blocks));
                    return opening;
                }
                Ok(_) | Err(_) => {}
            }
        }
        opening
    }
}

/// Bytes of a line within which the kernel writes its number and its time.
pub(crate) const TIME_BYTES: usize = 96;

/// When a line was handled, from its beginning alone; zero if it does not say.
pub(crate) fn time_of(line: &[u8]) -> u64 {
    const NAME: &[u8] = b"\"at\":";
    let line = line.get(..TIME_BYTES).unwrap_or(line);
    let found = line.windows(NAME.len()).position(|part| part == NAME);
    let digits = found.and_then(|at| line.get(at + NAME.len()..)).unwrap_or_default();
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |time: u64, digit| time.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

/// The first line of a prompt that is not blank.
fn title(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let mut title: String = line.chars().filter(|char| !char.is_control()).take(TITLE_CHARS).collect();
    if line.chars().count() > TITLE_CHARS {
        title.push('…');
    }
    Some(title)
}
