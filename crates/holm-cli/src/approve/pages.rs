//! Shows questions that are longer than the terminal page by page, so that the user sees the
//! beginning before an answer counts. Between two pages the user can only refuse; every other
//! answer is read in `approve.rs`, after the last page. It does not build the question
//! (`approve.rs`), and the chat has its own paging in `chat/question.rs`.

use unicode_width::UnicodeWidthChar as _;

use super::{ApprovalAnswer, TerminalOutput};

/// Where a terminal goes at a tab: the next column that this divides.
const TAB_COLUMNS: usize = 8;

/// Lines of a terminal that does not say how many it has.
const USUAL_LINES: usize = 24;
/// The fewest lines on a page, and those that the choices take.
const FEWEST_LINES: usize = 6;
const CHOICE_LINES: usize = 3;

/// Shows the lines of a question. Gives an answer where the person has said no before the end.
pub(super) fn show(screen: &TerminalOutput, lines: &[String], refusals: Refusals) -> Option<ApprovalAnswer> {
    let room = PageSize::of_terminal();
    let pages = room.pages(lines);
    let total: usize = pages.iter().map(Vec::len).sum();
    let mut shown = 0;
    for (at, page) in pages.iter().enumerate() {
        page.iter().for_each(|line| screen.note(line));
        let first = shown + 1;
        shown += page.len();
        if at + 1 == pages.len() {
            break;
        }
        super::forget_typed();
        let left = total - shown;
        let prompt = format!(
            "  lines {first} to {shown} of {total}; Enter shows the next ({left} left); {}: ",
            refusals.choices()
        );
        let Some(line) = screen.question(&prompt) else {
            return Some(ApprovalAnswer::No { reason: "nobody answered".into() });
        };
        match line.trim().to_lowercase().as_str() {
            "n" | "no" => return Some(super::said_no()),
            "v" | "never" if refusals == Refusals::OfCall => return Some(ApprovalAnswer::Never),
            _ => {}
        }
    }
    if pages.len() > 1 {
        screen.note(&format!("  that was all of it: {total} lines"));
    }
    None
}

/// How a question can be refused before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusals {
    OfCall,
    /// Of several calls. "Never" is about a single one.
    OfGroup,
}

impl Refusals {
    const fn choices(self) -> &'static str {
        match self {
            Self::OfCall => "ne[v]er, [n]o",
            Self::OfGroup => "[n]o to all",
        }
    }
}

/// The size of a page on the terminal.
#[derive(Debug, Clone, Copy)]
struct PageSize {
    lines: usize,
    columns: usize,
}

impl PageSize {
    fn of_terminal() -> Self {
        let (columns, lines) = crate::screen::size();
        let lines = lines.unwrap_or(USUAL_LINES).saturating_sub(CHOICE_LINES);
        Self { lines: lines.max(FEWEST_LINES), columns: columns.max(1) }
    }

    /// Splits the lines of a question into pages. A question that fits on one page stays as it is;
    /// in a longer one, each line is broken where the terminal would break it.
    fn pages(self, lines: &[String]) -> Vec<Vec<String>> {
        let rows: Vec<String> = lines.iter().flat_map(|line| self.rows(line)).collect();
        if rows.len() <= self.lines {
            return vec![lines.to_vec()];
        }
        rows.chunks(self.lines).map(<[String]>::to_vec).collect()
    }

    /// The lines of a text, each broken where the terminal would break it: by columns, where a wide
    /// letter takes two, and a combining mark none.
    fn rows(self, text: &str) -> Vec<String> {
        text.split('\n').flat_map(|line| self.broken(line)).collect()
    }

    fn broken(self, line: &str) -> Vec<String> {
        let mut rows = Vec::new();
        let (mut row, mut taken) = (String::new(), 0);
        for letter in line.chars() {
            let columns = match letter {
                '\t' => TAB_COLUMNS - taken % TAB_COLUMNS,
                letter => letter.width().unwrap_or(1),
            };
            if taken + columns > self.columns && !row.is_empty() {
                rows.push(std::mem::take(&mut row));
                taken = 0;
            }
            row.push(letter);
            taken += columns;
        }
        rows.push(row);
        rows
    }
}

#[cfg(test)]
mod tests;
