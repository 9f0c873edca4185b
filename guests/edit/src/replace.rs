//! Finds the piece and replaces it.

use std::fmt::Write;

/// How many occurrences to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceCount {
    One,
    All,
}

/// A text with its replacements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedText {
    pub text: String,
    /// In how many places.
    pub places: usize,
    /// The byte range of the first replacement.
    first: (usize, usize),
}

/// Lines shown before and after a change.
const AROUND: usize = 3;
/// The most lines shown of a change.
const MAX_SHOWN: usize = 40;
/// The most occurrences that an error message names.
const MAX_NAMED: usize = 10;

/// Replaces `old` by `new`.
///
/// If the file ends its lines with CR LF and the model wrote LF, as models do, both pieces are
/// taken with CR LF.
///
/// # Errors
///
/// If the piece does not occur, nothing would change, or it is not clear which occurrence is meant.
pub fn replace(text: &str, old: &str, new: &str, count: ReplaceCount) -> Result<ReplacedText, String> {
    if old.is_empty() {
        return Err("the text to replace is empty; use write to make a file".to_owned());
    }
    let crlf = text.contains("\r\n") && !old.contains('\r') && !text.contains(old);
    let (old, new) = if crlf {
        (old.replace('\n', "\r\n"), new.replace("\r\n", "\n").replace('\n', "\r\n"))
    } else {
        (old.to_owned(), new.to_owned())
    };
    if old == new {
        return Err("the new text is the old one".to_owned());
    }
    let found: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    let Some(&at) = found.first() else {
        return Err(missing(text, &old));
    };
    if found.len() > 1 && count == ReplaceCount::One {
        return Err(ambiguous(text, &found));
    }
    let text = text.replace(&old, &new);
    Ok(ReplacedText { text, places: found.len(), first: (at, at + new.len()) })
}

impl ReplacedText {
    /// The first change with the lines around it, numbered.
    #[must_use]
    pub fn around(&self) -> String {
        let (start, end) = self.first;
        let first = self.line_of(start).saturating_sub(AROUND);
        let last = self.line_of(end) + AROUND;
        let mut shown = String::new();
        for (index, line) in self.text.lines().enumerate().skip(first).take((last - first + 1).min(MAX_SHOWN))
        {
            let _ = writeln!(shown, "{:>6}\t{line}", index + 1);
        }
        shown
    }

    fn line_of(&self, at: usize) -> usize {
        line_of(&self.text, at)
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count()
}

fn ambiguous(text: &str, found: &[usize]) -> String {
    let mut lines: Vec<String> =
        found.iter().take(MAX_NAMED).map(|&at| (line_of(text, at) + 1).to_string()).collect();
    if found.len() > MAX_NAMED {
        lines.push("…".to_owned());
    }
    format!(
        "found in {} places, lines {}; take more of the text around it, or replace all",
        found.len(),
        lines.join(", ")
    )
}

/// The message for a piece that does not occur, with the text that is nearly it.
fn missing(text: &str, old: &str) -> String {
    let wanted: Vec<&str> = old.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let have: Vec<(usize, &str)> =
        text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()).collect();
    let near = wanted.len().checked_sub(1).and_then(|_| {
        have.windows(wanted.len())
            .find(|lines| lines.iter().map(|(_, line)| *line).eq(wanted.iter().copied()))
    });
    match near.and_then(|lines| lines.first()) {
        Some((index, _)) => format!(
            "not found; line {} is the same but for its white space: read the file again and copy it exactly",
            index + 1
        ),
        None => "not found: read the file again and copy the text exactly".to_owned(),
    }
}
