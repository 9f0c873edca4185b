//! The result of an expansion before word splitting: pieces that remember whether they were quoted.

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordPart {
    /// Written without quotes: its wildcards count, its spaces do not divide.
    Plain(String),
    /// The result of an unquoted expansion: its wildcards count and its spaces divide.
    Loose(String),
    /// Quoted: nothing in it counts.
    Quoted(String),
    /// One word ends here and another begins, as in `"$@"`.
    Break,
}

/// A word, as plain text and as a pattern with its quoted parts escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ExpandedField {
    pub(crate) text: String,
    pub(crate) pattern: String,
    /// Whether the pattern has an active wildcard.
    pub(crate) wild: bool,
}

impl ExpandedField {
    fn push(&mut self, c: char, quoted: bool) {
        self.text.push(c);
        if quoted {
            if is_special(c) {
                self.pattern.push('\\');
            }
        } else if matches!(c, '*' | '?' | '[') {
            self.wild = true;
        }
        self.pattern.push(c);
    }
}

/// Whether a character is special in a pattern.
fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | ']' | '\\' | '(' | ')' | '|' | '!' | '@' | '+' | '-' | '^')
}

/// Joins parts without dividing anything.
pub(crate) fn text(parts: &[WordPart]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            WordPart::Plain(piece) | WordPart::Loose(piece) | WordPart::Quoted(piece) => text.push_str(piece),
            WordPart::Break => text.push(' '),
        }
    }
    text
}

/// Joins parts to a pattern.
pub(crate) fn pattern(parts: &[WordPart]) -> String {
    let mut field = ExpandedField::default();
    for part in parts {
        match part {
            WordPart::Plain(piece) | WordPart::Loose(piece) => piece.chars().for_each(|c| field.push(c, false)),
            WordPart::Quoted(piece) => piece.chars().for_each(|c| field.push(c, true)),
            WordPart::Break => field.push(' ', true),
        }
    }
    field.pattern
}

/// Cuts parts into words, by the separators that `IFS` names.
pub(crate) fn fields(parts: &[WordPart], separators: &str) -> Vec<ExpandedField> {
    let mut cutter = FieldSplitter { separators, fields: Vec::new(), current: None, owed: false };
    for part in parts {
        match part {
            WordPart::Plain(piece) if piece.is_empty() => {}
            WordPart::Plain(piece) => piece.chars().for_each(|c| cutter.open().push(c, false)),
            WordPart::Quoted(piece) => {
                cutter.open();
                piece.chars().for_each(|c| cutter.open().push(c, true));
            }
            WordPart::Loose(piece) => piece.chars().for_each(|c| cutter.loose(c)),
            WordPart::Break => cutter.end(),
        }
    }
    cutter.fields.extend(cutter.current);
    cutter.fields
}

struct FieldSplitter<'a> {
    separators: &'a str,
    fields: Vec<ExpandedField>,
    current: Option<ExpandedField>,
    /// Whether white space just ended a word, so that one other separator after
    /// it ends nothing more.
    owed: bool,
}

impl FieldSplitter<'_> {
    fn open(&mut self) -> &mut ExpandedField {
        self.owed = false;
        self.current.get_or_insert_default()
    }

    fn end(&mut self) {
        self.fields.extend(self.current.take());
    }

    fn loose(&mut self, c: char) {
        if !self.separators.contains(c) {
            self.open().push(c, false);
        } else if c.is_whitespace() {
            if self.current.is_some() {
                self.end();
                self.owed = true;
            }
        } else if self.owed {
            self.owed = false;
        } else {
            let field = self.current.take().unwrap_or_default();
            self.fields.push(field);
        }
    }
}
