//! The left column of an option: its spellings and its value, in every form that libraries write.
//! Descriptions are read in `marks.rs`, the name of a value in `value.rs`. A new library's way to
//! write an option belongs here; its way to write usage lines belongs in `usage.rs`.

use super::draft::{OptionDraft, ValueDraft, ValueRepetition};
use super::limits::MAX_SPELLINGS;
use super::lines::{HelpFrame, HelpLine};
use super::plan::{OptionValueJoin, PlanValueKind};
use super::value::{is_shouted, kind_named};

/// The left column of an option, and the text to the right of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OptionSpec {
    pub option: OptionDraft,
    /// The description on the same line.
    pub inline: String,
    /// Characters before that description, from the start of the text.
    pub column: Option<usize>,
}

/// What the lines under an option hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionBody {
    /// Lines that are further in: its description, so the line itself may hold none.
    Text,
    /// Nothing of its own.
    Nothing,
}

/// Whether a line begins with an option.
pub(super) fn is_start(line: &HelpLine) -> bool {
    let text = line.text.as_str();
    if let Some(inner) = text.strip_prefix('[') {
        return line.indent > 0 && is_name(inner) && !inner.starts_with("- ");
    }
    is_name(text)
}

/// Whether the text begins with dashes and a name.
pub(super) fn is_name(text: &str) -> bool {
    let rest = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
    let Some(rest) = rest else { return false };
    let first = rest.chars().next();
    first.is_some_and(|c| c.is_alphanumeric() || matches!(c, '?' | '#' | '@' | '_' | '$' | '[' | '%'))
        && (!rest.starts_with('[') || rest.starts_with("[no"))
}

/// Whether the left column ends with a comma, so that the next line continues it.
pub(super) fn is_open(line: &HelpLine) -> bool {
    let end = left_column(line);
    line.text.get(..end).is_some_and(|left| left.trim_end().ends_with(','))
}

/// Reads a line that begins with an option.
pub(super) fn read(line: &HelpLine, below: OptionBody) -> OptionSpec {
    let end = left_column(line);
    let left = line.text.get(..end).unwrap_or(&line.text);
    let right = line.text.get(end..).unwrap_or_default().trim();
    let mut reader = OptionSpecReader::default();
    if let Some(spec) = parenthesised(left) {
        return spec;
    }
    let rest = reader.read(left, 0);
    let (values, rest) = reader.words(!right.is_empty(), below, rest);
    let mut option = reader.option;
    if let Some(value) = values {
        option.value = Some(value);
    }
    pair_off(&mut option);
    let inline = if rest.is_empty() { right.to_owned() } else { format!("{rest} {right}").trim().to_owned() };
    let column = (!right.is_empty()).then(|| {
        let before = line.text.len() - right.len();
        line.text.get(..before).map_or(0, |before| before.chars().count())
    });
    option.required |= line.star;
    OptionSpec { option, inline, column }
}

/// The end of the left column: the first gap that is not followed by another spelling
/// or a framed value.
fn left_column(line: &HelpLine) -> usize {
    let text = line.text.as_str();
    let mut end = 0;
    let mut valued = false;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let Some(start) = rest.find("  ") else { return text.len() };
        let after = rest.get(start..).unwrap_or_default().trim_start();
        let next = text.len() - after.len();
        let framed = line.frame == HelpFrame::Inside && !valued && is_framed_value(after);
        valued |= framed;
        if !framed && !is_name(after) {
            return end + start;
        }
        end = next;
        if after.is_empty() {
            return text.len();
        }
    }
}

/// A column of a table by rich: `<int>`, `TEXT`, `[a|b]`.
fn is_framed_value(text: &str) -> bool {
    let column = super::lines::columns(text).0;
    column.starts_with('<')
        || column.split(' ').all(|word| is_shouted(word) || word.starts_with('['))
        || (column.starts_with('[') && column.contains('|'))
}

/// `-name (description) type: int32 default: 80` of gflags.
fn parenthesised(left: &str) -> Option<OptionSpec> {
    let (name, rest) = left.split_once(" (")?;
    let (about, rest) = rest.rsplit_once(") type: ")?;
    let (kind, default) = rest.split_once(" default: ").unwrap_or((rest, ""));
    let mut option = OptionDraft { names: vec![name.into()], ..OptionDraft::default() };
    let default = super::choices::unquote(default.split(" currently: ").next().unwrap_or_default());
    option.default = (!default.is_empty()).then(|| default.into());
    if kind.trim() == "bool" {
        let word = name.trim_start_matches('-');
        let dashes = name.get(..name.len() - word.len()).unwrap_or("-");
        option.off = vec![format!("{dashes}no{word}")];
    } else {
        option.value = Some(ValueDraft {
            names: vec![kind.trim().into()],
            kind: kind_named(kind.trim()),
            glue: Some(OptionValueJoin::Equals),
            ..ValueDraft::default()
        });
    }
    Some(OptionSpec { option, inline: about.into(), column: None })
}

/// Collects spellings and values from the words of a left column.
#[derive(Default)]
struct OptionSpecReader {
    option: OptionDraft,
    /// The words after the latest spelling, and those of the longest list so far.
    words: Vec<String>,
    longest: Vec<String>,
    /// A value that is glued to a spelling.
    glued: Option<ValueDraft>,
    /// After a slash: spellings that turn it off.
    slash: bool,
}

impl OptionSpecReader {
    /// Reads words; returns the rest of the text where a colon ends the column.
    fn read(&mut self, left: &str, depth: usize) -> String {
        let mut rest = left;
        while let Some((word, after)) = next_word(rest) {
            rest = after;
            if let Some(off) = word.strip_prefix('/').filter(|word| is_name(word)) {
                self.slash = true;
                self.spelling(off);
            } else if is_name(word) {
                if self.spelling(word) == ColumnEnd::Column {
                    return after.trim().into();
                }
            } else if let Some(inner) = inner_option(word).filter(|_| depth < 2) {
                self.bracketed(inner, depth);
            } else if self.option.names.is_empty() {
                // A position that may also be given by name, or a mark in front.
            } else {
                self.plain(word, rest);
            }
        }
        String::new()
    }

    fn spelling(&mut self, word: &str) -> ColumnEnd {
        self.keep_words();
        let dashes = if word.starts_with("--") { "--" } else { "-" };
        let body = word.get(dashes.len()..).unwrap_or_default();
        let (negatable, body) = negation(body);
        let end =
            body.find(|c: char| !(c.is_alphanumeric() || "-_.?#@+$%".contains(c))).unwrap_or(body.len());
        let (name, tail) = body.split_at(end);
        let dotted = name.trim_end_matches('.');
        let repeat = name.len() - dotted.len() >= 2;
        let full = format!("{dashes}{dotted}");
        if let Some(no) = negatable {
            self.option.off.push(format!("{dashes}{no}{dotted}"));
        }
        let spellings = self.option.names.len() + self.option.off.len();
        if spellings >= MAX_SPELLINGS {
            return ColumnEnd::Word;
        }
        if self.slash {
            self.option.off.push(full);
        } else if self.option.is(&full) {
            self.repeated();
        } else {
            self.option.names.push(full);
        }
        self.option.repeat |= repeat;
        self.tail(tail)
    }

    /// Reads the text that is attached to a spelling: `=FILE`, `[=WHEN]`, `[SUFFIX]`, `...`, `:`.
    fn tail(&mut self, tail: &str) -> ColumnEnd {
        let value = |word: &str, glue| Some(ValueDraft::read(word, glue));
        match tail.chars().next() {
            None => {}
            Some(':') if tail == ":" => {
                // absl: no value is shown, but only switches have none.
                if self.option.off.is_empty() {
                    self.glued = value("value", OptionValueJoin::Equals);
                }
                return ColumnEnd::Column;
            }
            Some('=') => {
                let word = tail.get(1..).unwrap_or_default();
                self.glued = value(if word.is_empty() { "value" } else { word }, OptionValueJoin::Equals);
            }
            Some('[') if tail.starts_with("[=") => self.glued = value(tail, OptionValueJoin::Equals),
            Some('[' | '<') => self.glued = value(tail, OptionValueJoin::Attached),
            Some('|') => self.option.repeat = true,
            Some('{' | '…' | _) => {}
        }
        ColumnEnd::Word
    }

    fn bracketed(&mut self, inner: &str, depth: usize) {
        let first = next_word(inner).map_or("", |(word, _)| word);
        let name = first.split(['=', '[']).next().unwrap_or(first);
        if self.option.is(name) {
            return self.repeated();
        }
        self.read(inner, depth + 1);
    }

    /// The same spelling again: `--tag value [ --tag value ]`.
    fn repeated(&mut self) {
        self.option.repeat = true;
    }

    fn plain(&mut self, word: &str, rest: &str) {
        match word {
            "," | "|" | "or" => {}
            "/" => self.slash = true,
            "REQUIRED" | "(REQUIRED)" => self.option.required = true,
            _ if word.starts_with("(=") => {
                self.option.default =
                    word.strip_prefix("(=").and_then(|word| word.strip_suffix(')')).map(Into::into);
            }
            _ if word.starts_with("(or -") || word.starts_with("(-") => {
                // Getopt::Long::Descriptive writes dots for a list, of which each value
                // has the flag again.
                if self.words.iter().any(|word| word.ends_with("...")) {
                    self.option.repeat = true;
                }
                let inner = word.trim_start_matches("(or ").trim_matches(['(', ')']);
                for name in inner.split([',', ' ']).filter(|name| is_name(name)).take(MAX_SPELLINGS) {
                    self.option.names.push(name.into());
                }
            }
            // argh: an alias without dashes.
            "help" if rest.is_empty() && self.option.is("--help") => {}
            _ => self.words.push(word.into()),
        }
    }

    fn keep_words(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.len() >= self.longest.len() {
            self.longest = words;
        }
    }

    /// The value that the words make, and the words that rather begin a description.
    fn words(
        &mut self,
        described: bool,
        below: OptionBody,
        mut rest: String,
    ) -> (Option<ValueDraft>, String) {
        self.keep_words();
        let mut words = std::mem::take(&mut self.longest);
        let most = if described || below == OptionBody::Text { 4 } else { 2 };
        let formal = words.iter().all(|word| is_formal(word));
        if words.len() > most || (!described && below == OptionBody::Nothing && words.len() > 1 && !formal) {
            let keep = usize::from(words.first().is_some_and(|word| is_formal(word) || word == "arg"));
            rest = format!("{} {rest}", words.split_off(keep).join(" ")).trim().into();
        }
        let glue = OptionValueJoin::Space;
        let mut value = self.glued.take();
        if value.is_none() {
            for word in &words {
                let read = ValueDraft::read(word, glue);
                match &mut value {
                    None => value = Some(read),
                    // A type of two words is one value.
                    Some(value) if word == "RANGE" => {
                        value.kind = value.kind.take().or(Some(PlanValueKind::Text));
                    }
                    Some(value) => value.join(read),
                }
            }
        } else if let Some(value) = &mut value {
            value.many =
                if words.iter().any(|word| word == "...") { ValueRepetition::Values } else { value.many };
        }
        if let Some(value) = value.as_mut().filter(|_| self.option.repeat) {
            value.many = ValueRepetition::Occurrences;
            self.option.repeat = false;
        }
        (value.filter(|value| !value.names.is_empty()), rest)
    }
}

/// Whether a word ends the left column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnEnd {
    Word,
    Column,
}

/// Moves spellings such as `--no-cache` beside `--cache` to where they belong.
fn pair_off(option: &mut OptionDraft) {
    let names = std::mem::take(&mut option.names);
    for name in &names {
        let bare = name.strip_prefix("--no-").or_else(|| name.strip_prefix("--no"));
        let positive = bare.map(|bare| format!("--{bare}"));
        if positive.is_some_and(|positive| names.contains(&positive)) {
            option.off.push(name.clone());
        } else {
            option.names.push(name.clone());
        }
    }
    if option.names.is_empty() {
        option.names = names;
    }
    option.off.dedup();
}

/// `[no-]cache` is `cache` with a spelling that turns it off.
fn negation(body: &str) -> (Option<&str>, &str) {
    let Some(inner) = body.strip_prefix('[') else { return (None, body) };
    match inner.split_once(']') {
        Some((no, name)) if no.starts_with("no") && !name.is_empty() => (Some(no), name),
        _ => (None, body),
    }
}

fn inner_option(word: &str) -> Option<&str> {
    let inner = word.strip_prefix('[')?.strip_suffix(']')?.trim();
    is_name(inner).then_some(inner)
}

fn is_formal(word: &str) -> bool {
    let typed = word.split_once(':').is_some_and(|(name, _)| is_shouted(name));
    word.starts_with(['<', '{', '[']) || is_shouted(word) || typed || word == "..." || word == "value"
}

/// The next word, with brackets kept whole, and what follows. A comma ends a word where a space or
/// an option follows it.
pub(super) fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches([' ', ',']);
    if text.is_empty() {
        return None;
    }
    let mut open: Vec<char> = Vec::new();
    for (at, c) in text.char_indices() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            '<' => open.push('>'),
            '{' => open.push('}'),
            '[' => open.push(']'),
            '(' => open.push(')'),
            _ if open.last() == Some(&c) => {
                open.pop();
            }
            ' ' if open.is_empty() => return Some(text.split_at(at)),
            ',' if open.is_empty() && (after.is_empty() || after.starts_with([' ', '-'])) => {
                return Some((text.get(..at)?, after));
            }
            '|' if open.is_empty() && at > 0 && after.starts_with('-') => {
                return Some((text.get(..at)?, after));
            }
            // The slash stays with what follows: it says that the next spelling is the opposite.
            '/' if open.is_empty() && at > 0 && after.starts_with('-') => return Some(text.split_at(at)),
            _ => {}
        }
    }
    Some((text, ""))
}
