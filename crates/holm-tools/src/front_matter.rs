//! Parses front matter: the lines between two `---` at the head of a file. It holds keys with
//! texts, lists, one level of nested keys, and lists of those. Which keys an agent may have is decided in
//! `agents/file.rs`, and for skills in `holm-config/src/skills/skill.rs`. It opens no file.
//!
//! This is the part of YAML that people write at the head of a file, with a parser of our own. It
//! has no anchors, no tags, and no types that depend on how a word looks. Every line that is not
//! understood is an error with its number, because a line that limits an agent must not be ignored.

use crate::agents::{AgentFileError, AgentFileErrorKind};

/// The most lines of a head; more than this was not written by hand.
const MOST_LINES: usize = 1_000;

/// The front matter of a file, and the body after it.
///
/// ```
/// use holm_tools::front_matter::{FrontMatter, FrontMatterValue};
///
/// let front = FrontMatter::parse("---\nname: reviewer\n---\nYou review.\n")?;
/// assert_eq!(
///     (front.entries[0].line, &front.entries[0].value),
///     (2, &FrontMatterValue::Text("reviewer".into()))
/// );
/// assert_eq!(front.body, "You review.");
/// # Ok::<(), holm_tools::agents::AgentFileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter<'a> {
    /// The entries of the head, in their order.
    pub entries: Vec<FrontMatterEntry>,
    pub body: &'a str,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterEntry {
    /// Its line, from 1.
    pub line: usize,
    pub key: String,
    pub value: FrontMatterValue,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatterValue {
    Text(String),
    /// A list of texts.
    List(Vec<FrontMatterItem>),
    /// Keys below the key.
    Map(Vec<FrontMatterEntry>),
    /// A list whose items have keys.
    Records(Vec<Vec<FrontMatterEntry>>),
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterItem {
    /// Its line, from 1.
    pub line: usize,
    pub text: String,
}

impl<'a> FrontMatter<'a> {
    /// Splits a file and reads its head.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(text: &'a str) -> Result<Self, AgentFileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut rest = text;
        let mut next = || {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let is_last = after.is_empty() && !rest.ends_with('\n');
            rest = after;
            (line.trim_end(), is_last, after)
        };
        let (first, is_last, _) = next();
        if first != "---" || is_last {
            return Err(AgentFileErrorKind::NoHead.at(1));
        }
        let mut lines = Vec::new();
        loop {
            let (line, is_last, after) = next();
            if line == "---" {
                return Ok(Self { entries: FrontMatterLines::new(&lines).entries()?, body: after.trim() });
            }
            if is_last {
                return Err(AgentFileErrorKind::Unclosed.at(1));
            }
            lines.push(line);
            if lines.len() > MOST_LINES {
                return Err(AgentFileErrorKind::TooLong { most: MOST_LINES }.at(lines.len()));
            }
        }
    }
}

/// The lines of a head, and the current position.
struct FrontMatterLines<'l, 'a> {
    lines: &'l [&'a str],
    at: usize,
}

impl<'l, 'a> FrontMatterLines<'l, 'a> {
    fn new(lines: &'l [&'a str]) -> Self {
        Self { lines, at: 0 }
    }

    fn entries(mut self) -> Result<Vec<FrontMatterEntry>, AgentFileError> {
        let mut entries: Vec<FrontMatterEntry> = Vec::new();
        while let Some((number, line)) = self.next_said() {
            if line.starts_with([' ', '\t', '-']) {
                return Err(AgentFileErrorKind::NoKey.at(number));
            }
            let (key, text) = keyed(line).ok_or_else(|| AgentFileErrorKind::NoKey.at(number))?;
            if entries.iter().any(|entry| entry.key == key) {
                return Err(AgentFileErrorKind::Twice { key: key.to_owned() }.at(number));
            }
            let value = match text {
                "" => self.below(number)?,
                "|" | "|-" | "|+" => FrontMatterValue::Text(self.block("\n")),
                ">" | ">-" | ">+" => FrontMatterValue::Text(self.block(" ")),
                text => inline(text).map_err(|problem| problem.at(number))?.numbered(number),
            };
            entries.push(FrontMatterEntry { line: number, key: key.to_owned(), value });
        }
        Ok(entries)
    }

    /// The next line that says something, with its number in the file.
    fn next_said(&mut self) -> Option<(usize, &'a str)> {
        while let Some(line) = self.lines.get(self.at) {
            self.at += 1;
            if !is_silent(line) {
                // The head's first line is the second of the file.
                return Some((self.at + 1, line));
            }
        }
        None
    }

    /// The lines that belong to the key before them: indented, or items of a list.
    fn belonging(&mut self) -> Vec<(usize, &'a str)> {
        let mut found = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !is_silent(line) && !line.starts_with([' ', '\t']) && !line.starts_with("- ") {
                break;
            }
            self.at += 1;
            if !is_silent(line) {
                found.push((self.at + 1, line.trim_start()));
            }
        }
        found
    }

    /// A list or nested keys below a key. If there is nothing below it, the value is an empty text.
    fn below(&mut self, owner: usize) -> Result<FrontMatterValue, AgentFileError> {
        let lines = self.belonging();
        let Some((_, first)) = lines.first() else { return Ok(FrontMatterValue::Text(String::new())) };
        if let Some(item) = first.strip_prefix("- ") {
            // Items with keys have lines of their own below the first key.
            if keyed(item.trim_start()).is_some() && lines.iter().any(|(_, text)| !text.starts_with("- ")) {
                return records(&lines);
            }
            let items = lines.into_iter().map(|(line, text)| {
                let text = text.strip_prefix("- ").ok_or_else(|| AgentFileErrorKind::NoItem.at(line))?;
                Ok(FrontMatterItem { line, text: scalar(text.trim()).map_err(|problem| problem.at(line))? })
            });
            return Ok(FrontMatterValue::List(items.collect::<Result<_, AgentFileError>>()?));
        }
        let mut entries: Vec<FrontMatterEntry> = Vec::new();
        for (line, text) in lines {
            add_entry(&mut entries, line, text)?;
        }
        debug_assert!(entries.iter().all(|entry| entry.line > owner), "what belongs to a key follows it");
        Ok(FrontMatterValue::Map(entries))
    }

    /// Text over several lines, without their common indentation.
    fn block(&mut self, joint: &str) -> String {
        let mut lines: Vec<&str> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
                break;
            }
            self.at += 1;
            lines.push(line);
        }
        let depth = |line: &&&str| line.len() - line.trim_start().len();
        let indent = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| depth(&line)).min();
        let cut = |line: &&str| line.get(indent.unwrap_or_default()..).unwrap_or_default().to_owned();
        lines.iter().map(cut).collect::<Vec<_>>().join(joint).trim().to_owned()
    }
}

/// A list whose items have keys: the first beside its dash, the others indented below it.
fn records(lines: &[(usize, &str)]) -> Result<FrontMatterValue, AgentFileError> {
    let mut records: Vec<Vec<FrontMatterEntry>> = Vec::new();
    for (line, text) in lines {
        let text = match text.strip_prefix("- ") {
            Some(text) => {
                records.push(Vec::new());
                text.trim_start()
            }
            None => text,
        };
        let record = records.last_mut().ok_or_else(|| AgentFileErrorKind::NoItem.at(*line))?;
        add_entry(record, *line, text).map_err(|_| AgentFileErrorKind::NoItem.at(*line))?;
    }
    Ok(FrontMatterValue::Records(records))
}

/// Adds a key with the value on its line.
fn add_entry(entries: &mut Vec<FrontMatterEntry>, line: usize, text: &str) -> Result<(), AgentFileError> {
    let (key, text) = keyed(text).ok_or_else(|| AgentFileErrorKind::NoKey.at(line))?;
    if entries.iter().any(|entry| entry.key == key) {
        return Err(AgentFileErrorKind::Twice { key: key.to_owned() }.at(line));
    }
    let value = inline(text).map_err(|problem| problem.at(line))?.numbered(line);
    entries.push(FrontMatterEntry { line, key: key.to_owned(), value });
    Ok(())
}

/// A value on the line of its key, before its line is known.
enum InlineValue {
    Text(String),
    List(Vec<String>),
}

impl InlineValue {
    fn numbered(self, line: usize) -> FrontMatterValue {
        match self {
            Self::Text(text) => FrontMatterValue::Text(text),
            Self::List(texts) => {
                FrontMatterValue::List(texts.into_iter().map(|text| FrontMatterItem { line, text }).collect())
            }
        }
    }
}

fn inline(text: &str) -> Result<InlineValue, AgentFileErrorKind> {
    let Some(inner) = text.strip_prefix('[') else { return Ok(InlineValue::Text(scalar(text)?)) };
    let inner = inner.strip_suffix(']').ok_or(AgentFileErrorKind::OpenList)?;
    Ok(InlineValue::List(split_items(inner).into_iter().map(scalar).collect::<Result<_, _>>()?))
}

/// The items of a list on one line; commas in quotes do not count.
pub(crate) fn split_items(text: &str) -> Vec<&str> {
    let (mut items, mut quote, mut start) = (Vec::new(), None, 0);
    for (place, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, ',') => {
                items.push(text.get(start..place).unwrap_or_default());
                start = place + 1;
            }
            (None | Some(_), _) => {}
        }
    }
    items.push(text.get(start..).unwrap_or_default());
    items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// One text: in quotes, or plain up to a comment.
fn scalar(text: &str) -> Result<String, AgentFileErrorKind> {
    match text.chars().next() {
        Some('"') => double_quoted(text),
        Some('\'') => {
            let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
            inner.map(|inner| inner.replace("''", "'")).ok_or(AgentFileErrorKind::OpenQuote)
        }
        Some('&' | '!' | '{') => Err(AgentFileErrorKind::NotPlain),
        Some(_) | None => Ok(text.split_once(" #").map_or(text, |(text, _)| text).trim().to_owned()),
    }
}

fn double_quoted(text: &str) -> Result<String, AgentFileErrorKind> {
    let mut out = String::new();
    let mut chars = text.strip_prefix('"').unwrap_or(text).chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let rest = chars.as_str().trim();
                let ends = rest.is_empty() || rest.starts_with('#');
                return if ends { Ok(out) } else { Err(AgentFileErrorKind::OpenQuote) };
            }
            '\\' => out.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other @ ('"' | '\\' | '/')) => other,
                Some(_) | None => return Err(AgentFileErrorKind::OpenQuote),
            }),
            other => out.push(other),
        }
    }
    Err(AgentFileErrorKind::OpenQuote)
}

/// A key and what follows it on its line.
fn keyed(line: &str) -> Option<(&str, &str)> {
    let (key, text) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let is_apart = text.is_empty() || text.starts_with([' ', '\t']);
    (is_key && is_apart).then(|| (key, text.trim()))
}

fn is_silent(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}
