//! Compares lines that mean the same although their bytes differ: trailing blanks, typographic
//! characters, indentation. It also names the differences for the model. Where a text is searched
//! is decided in `text_search.rs` and `diff/hunk.rs`. Characters are mapped one for one, so that
//! places in a line can be counted.

use std::borrow::Cow;

/// How exactly two lines are compared. Line ends never count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineComparison {
    Exact,
    /// Blanks at the end of a line do not count.
    Blanks,
    /// Neither they nor the difference between typographic characters and those of a keyboard.
    Characters,
}

/// A line as it is compared.
pub(super) fn normal(line: &str, closeness: LineComparison) -> Cow<'_, str> {
    match closeness {
        LineComparison::Exact => Cow::Borrowed(line.strip_suffix('\r').unwrap_or(line)),
        LineComparison::Blanks => Cow::Borrowed(line.trim_end_matches(is_blank)),
        LineComparison::Characters => {
            if line.is_ascii() {
                return Cow::Borrowed(line.trim_end_matches(is_blank));
            }
            let mut plain: String = line.chars().map(plain).collect();
            plain.truncate(plain.trim_end_matches(is_blank).len());
            Cow::Owned(plain)
        }
    }
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r')
}

/// The character of a keyboard for a typographic one. One for one, so that places in a line can
/// be counted in characters.
fn plain(letter: char) -> char {
    match letter {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' => ' ',
        other => other,
    }
}

/// The blanks at the beginning of a line, and the rest.
pub(super) fn split_indent(line: &str) -> (&str, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    line.split_at(line.len() - rest.len())
}

/// The differences between an old text and the place where it was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MatchDifferences {
    pub(super) line_ends: bool,
    pub(super) blanks: bool,
    pub(super) characters: bool,
    pub(super) indentation: bool,
    pub(super) numbers: bool,
    /// The text ends with a line end that the last line of the file does not have.
    pub(super) final_end: bool,
}

impl MatchDifferences {
    /// Adds the differences between a given line and the line in the file.
    pub(super) fn of_line(&mut self, given: &str, there: &str) {
        let given = given.strip_suffix('\r').unwrap_or(given);
        self.blanks |= blanks_behind(given) != blanks_behind(there);
        let ((indent, given), (indent_there, there)) = (split_indent(given), split_indent(there));
        let is_same = |closeness| normal(given, closeness) == normal(there, closeness);
        if is_same(LineComparison::Blanks) {
            self.indentation |= indent != indent_there && !given.is_empty();
        } else {
            self.characters = true;
            let plain = |text: &str| text.chars().map(plain).collect::<String>();
            let (one, other) = (plain(indent), plain(indent_there));
            self.indentation |= one != other && is_same(LineComparison::Characters);
        }
    }

    /// A note for the model, or `None` if nothing differs.
    pub(super) fn note(self, what: &str) -> Option<String> {
        let named: Vec<&str> = [
            (self.line_ends, "line ends"),
            (self.blanks, "blanks at line ends"),
            (self.characters, "typographic characters"),
            (self.indentation, "indentation"),
            (self.numbers, "line numbers"),
            (self.final_end, "the final line end, which the file does not have,"),
        ]
        .into_iter()
        .filter_map(|(differs, name)| differs.then_some(name))
        .collect();
        if named == ["line ends"] {
            return Some("[the file's line endings were kept]".into());
        }
        let list = match named.split_last()? {
            (last, []) => (*last).to_owned(),
            (last, rest) => format!("{} and {last}", rest.join(", ")),
        };
        let indented = if self.indentation { "; the new lines are indented like the file" } else { "" };
        Some(format!("[{what} differs from the file in {list} and matches only here{indented}]"))
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            line_ends: self.line_ends || other.line_ends,
            blanks: self.blanks || other.blanks,
            characters: self.characters || other.characters,
            indentation: self.indentation || other.indentation,
            numbers: self.numbers || other.numbers,
            final_end: self.final_end || other.final_end,
        }
    }
}

fn blanks_behind(line: &str) -> &str {
    line.get(line.trim_end_matches(is_blank).len()..).unwrap_or_default()
}
