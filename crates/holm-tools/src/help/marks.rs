//! Formal remarks in descriptions: defaults, choices, what is required, and what may be repeated.
//! It reads the text beside and under an option; the option's own column is read in `spec.rs`.
//! Remarks that are understood are taken out of the prose, everything else stays for the model.
//!
//! Lists of choices are recognised in `choices.rs`, and descriptions are collected in `entry.rs`.

use super::choices::{listed, unquote};
use super::draft::ValueRepetition;
use super::limits::MAX_ABOUT;
use super::plan::PlanValueKind;
use crate::text::tidy;

/// The formal remarks of a description, separated from its prose.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DescriptionMarks {
    /// The prose, without the remarks that were understood.
    pub about: String,
    pub default: Option<String>,
    pub choices: Vec<String>,
    pub required: bool,
    pub many: Option<ValueRepetition>,
    pub kind: Option<PlanValueKind>,
    /// A switch that counts.
    pub counts: bool,
    /// yargs prints the type of each value, so an option without a type takes no value.
    pub valued: bool,
}

/// Phrases which say that an option may be repeated.
const AGAIN: &[&str] = &[
    "may be given again",
    "may be repeated",
    "can be repeated",
    "multiple times",
    "more than once",
    "repeat this option",
    "repeatable",
    "multiple values allowed",
    "several times",
];

impl DescriptionMarks {
    /// Reads a description: the text beside the option, then the lines under it
    /// (empty ones between paragraphs).
    pub(super) fn read(inline: &str, body: &[String]) -> Self {
        let mut marks = Self::default();
        let text = marks.lines(inline, body);
        let text = marks.groups(&text);
        let text = marks.listed_first(text.trim());
        marks.phrases(text);
        marks.about = tidy(text, MAX_ABOUT);
        marks
    }

    /// Removes lines that consist of a mark, and joins the others to paragraphs.
    fn lines(&mut self, inline: &str, body: &[String]) -> String {
        let mut text = String::new();
        let mut listing = false;
        for line in std::iter::once(inline).chain(body.iter().map(String::as_str)) {
            let line = line.trim_start_matches("# ").trim_start_matches('#').trim();
            let lower = line.to_lowercase();
            if let Some(item) = line.strip_prefix("- ").filter(|_| listing) {
                let value = item.split(':').next().unwrap_or(item).trim();
                self.choices.push(unquote(value).into());
                text.push('\n');
                text.push_str(item);
                continue;
            }
            if lower == "possible values:" {
                listing = true;
            } else if let Some(list) = strip(line, &lower, "possible values:") {
                self.choices = listed(list, ',');
            } else if let Some(value) = strip(line, &lower, "default:") {
                self.set_default(value);
            } else if line.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n\n" });
            } else {
                let glue = if text.is_empty() || text.ends_with('\n') { "" } else { " " };
                text.push_str(glue);
                text.push_str(line);
            }
        }
        text
    }

    /// Takes bracketed marks out of the text.
    fn groups(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(['[', '(']) {
            let (before, group) = rest.split_at(start);
            out.push_str(before);
            let Some(length) = group_length(group) else {
                out.push_str(group);
                return out;
            };
            let (whole, after) = group.split_at(length);
            let square = whole.starts_with('[');
            let inner = whole.get(1..whole.len().saturating_sub(1)).unwrap_or_default().trim();
            if !self.group(inner, square) {
                out.push_str(whole);
            } else if out.ends_with(' ') && after.starts_with([' ', '.', ',', ';', ':']) {
                out.pop();
            }
            rest = after;
        }
        out.push_str(rest);
        // A full stop that belonged to the mark.
        let trimmed = out.trim_end();
        if trimmed.ends_with(" .") {
            return trimmed.trim_end_matches('.').trim_end().into();
        }
        out
    }

    /// Whether the inside of a bracket was understood.
    fn group(&mut self, inner: &str, square: bool) -> bool {
        let lower = inner.to_lowercase();
        let choices =
            ["possible values:", "choices:", "values:"].iter().find_map(|mark| strip(inner, &lower, mark));
        if let Some(list) = choices {
            let (list, default) = list.split_once(", default:").unwrap_or((list, ""));
            self.choices = listed(list, ',');
            if !default.is_empty() {
                self.set_default(default);
            }
            return true;
        }
        if let Some(value) = strip(inner, &lower, "default") {
            let value = value.trim_start_matches([':', '=']).trim();
            let value = value.strip_prefix("is ").unwrap_or(value);
            let (value, more) = value.split_once(';').unwrap_or((value, ""));
            self.required |= more.contains("required");
            if !value.is_empty() {
                self.set_default(value);
                return is_value(value);
            }
            return false;
        }
        match (square, lower.as_str()) {
            (_, "required") => self.required = true,
            (true, "string") => self.valued = true,
            (true, "number") => (self.valued, self.kind) = (true, Some(PlanValueKind::Number)),
            (true, "array") => (self.valued, self.many) = (true, Some(ValueRepetition::Occurrences)),
            (true, "boolean") => self.kind = Some(PlanValueKind::Boolean),
            (true, "count") => self.counts = true,
            (false, "an integer" | "a positive integer" | "a non-negative integer") => {
                self.kind = Some(PlanValueKind::Integer);
            }
            (false, "a number") => self.kind = Some(PlanValueKind::Number),
            (false, "multiple values allowed" | "accepted multiple times") => {
                self.many = Some(ValueRepetition::Occurrences);
            }
            _ => return false,
        }
        true
    }

    /// absl: the choices come before the description.
    fn listed_first<'a>(&mut self, text: &'a str) -> &'a str {
        let Some((list, rest)) = text.strip_prefix('<').and_then(|text| text.split_once(">:")) else {
            return text;
        };
        self.choices = listed(list, '|');
        rest.trim_start()
    }

    fn phrases(&mut self, text: &str) {
        let lower = text.to_lowercase();
        if self.many.is_none() && AGAIN.iter().any(|phrase| lower.contains(phrase)) {
            self.many = Some(ValueRepetition::Occurrences);
        }
        // plumbum
        self.required |= lower.ends_with("; required");
        if let Some((_, value)) = text.split_once("; the default is ") {
            let value = value.split(';').next().unwrap_or(value);
            self.set_default(value);
        }
    }

    fn set_default(&mut self, value: &str) {
        let plain = is_value(value.trim());
        let value = unquote(value);
        let none = matches!(value, "" | "None" | "null" | "nil" | "[]" | "{}" | "\"\"");
        if self.default.is_none() && !none && plain {
            self.default = Some(value.into());
        }
    }
}

/// Whether a default is a value and no prose about one.
fn is_value(text: &str) -> bool {
    let quoted = unquote(text) != text;
    quoted || (!text.contains(' ') && !text.starts_with('$'))
}

/// The rest of a text whose lower case begins with `mark`; the mark is ASCII, so both have it
/// in the same place.
fn strip<'a>(text: &'a str, lower: &str, mark: &str) -> Option<&'a str> {
    lower.starts_with(mark).then(|| text.get(mark.len()..)).flatten().map(str::trim)
}

/// How many bytes a bracket takes, itself included, with the ones inside it.
fn group_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}
