//! Entries: a line that names something, and the lines under it that describe it. It only groups
//! lines by indentation. What an option line says is read in `spec.rs`, and what a description says
//! in `marks.rs`.

use super::lines::{HelpFrame, HelpLine};
use super::spec::{self, OptionBody, OptionSpec};

/// The longest left column that continues on another line; real ones are shorter than a line.
const MAX_JOINED: usize = 200;

/// A name with its description.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HelpEntry {
    pub line: HelpLine,
    /// The lines under it, empty ones between paragraphs.
    pub body: Vec<String>,
}

/// The options among the lines with their descriptions, and the lines that belong to no option.
pub(super) fn options(lines: &[HelpLine]) -> (Vec<(OptionSpec, Vec<String>)>, Vec<HelpLine>) {
    let mut found: Vec<HelpEntry> = Vec::new();
    let mut others = Vec::new();
    // Where the text under the current option begins; `None` while no option is open.
    let mut open: Option<OpenHelpEntry> = None;
    for line in lines {
        if line.is_blank() {
            if let (Some(_), Some(entry)) = (&open, found.last_mut()) {
                entry.body.push(String::new());
            }
            others.push(line.clone());
            continue;
        }
        let inside = open.as_ref().and_then(|open| open.text).is_some_and(|text| line.indent >= text);
        if spec::is_start(line) && !inside {
            match found.last_mut() {
                Some(entry)
                    if open.is_some()
                        && entry.body.is_empty()
                        && entry.line.text.len() < MAX_JOINED
                        && spec::is_open(&entry.line) =>
                {
                    entry.line = join(&entry.line, line);
                }
                _ => found.push(HelpEntry { line: line.clone(), body: Vec::new() }),
            }
            open = Some(OpenHelpEntry { indent: line.indent, text: text_column(line) });
            continue;
        }
        match (&mut open, found.last_mut()) {
            (Some(open), Some(entry)) if line.indent > open.indent => {
                open.text = open.text.or(Some(line.indent));
                entry.body.push(line.text.clone());
            }
            _ => {
                open = None;
                others.push(line.clone());
            }
        }
    }
    let specs = found.into_iter().map(|entry| {
        let below = if entry.body.iter().any(|line| !line.is_empty()) {
            OptionBody::Text
        } else {
            OptionBody::Nothing
        };
        (spec::read(&entry.line, below), entry.body)
    });
    (specs.collect(), others)
}

/// Entries that begin where the first line begins, up to the first line that is further out; `skip`
/// tells lines that are none.
pub(super) fn outermost(lines: &[HelpLine], skip: impl Fn(&HelpLine) -> bool) -> Vec<HelpEntry> {
    let first = lines.iter().find(|line| !line.is_blank() && !skip(line));
    let Some(base) = first.map(|line| line.indent) else { return Vec::new() };
    let mut entries: Vec<HelpEntry> = Vec::new();
    for line in lines {
        match entries.last_mut() {
            Some(entry) if line.is_blank() => entry.body.push(String::new()),
            Some(entry) if line.indent > base => entry.body.push(line.text.clone()),
            Some(_) if line.indent < base => break,
            _ if line.is_blank() || line.indent != base || skip(line) => {}
            _ => entries.push(HelpEntry { line: line.clone(), body: Vec::new() }),
        }
    }
    entries
}

struct OpenHelpEntry {
    indent: usize,
    text: Option<usize>,
}

fn text_column(line: &HelpLine) -> Option<usize> {
    spec::read(line, OptionBody::Text).column.map(|column| line.indent + column)
}

/// Two lines of which the first ended with a comma: their left columns, then their descriptions.
fn join(first: &HelpLine, second: &HelpLine) -> HelpLine {
    let left = |line: &HelpLine| {
        let (left, right) = super::lines::columns(&line.text);
        (left.to_owned(), right.unwrap_or_default().to_owned())
    };
    let ((a, x), (b, y)) = (left(first), left(second));
    let text = format!("{a} {b}  {x} {y}");
    HelpLine {
        indent: second.indent.min(first.indent),
        text: text.trim_end().into(),
        frame: HelpFrame::None,
        star: false,
    }
}
