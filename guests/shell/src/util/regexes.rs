//! Regular expressions as `grep` and `sed` write them, translated for the engine here.

use regex::{Regex, RegexBuilder};

/// Which way an expression is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegexDialect {
    /// Braces and brackets mean something when escaped.
    Basic,
    /// They mean something as they are.
    Extended,
    /// No character has a special meaning.
    Fixed,
}

pub(super) fn regex(source: &str, dialect: RegexDialect, ignore_case: bool) -> Result<Regex, String> {
    let translated = match dialect {
        RegexDialect::Basic => basic(source),
        RegexDialect::Extended => source.to_owned(),
        RegexDialect::Fixed => regex::escape(source),
    };
    RegexBuilder::new(&translated)
        .case_insensitive(ignore_case)
        .build()
        .map_err(|_| format!("'{source}' is no regular expression that works here"))
}

/// Turns a basic expression into an extended one: escaped characters lose their escape, and
/// the other way round.
fn basic(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source.chars().peekable();
    let mut at_start = true;
    while let Some(c) = rest.next() {
        let mut start = false;
        match c {
            '\\' => match rest.next() {
                Some(c @ ('(' | ')' | '{' | '}' | '+' | '?' | '|')) => {
                    out.push(c);
                    start = matches!(c, '(' | '|');
                }
                Some('<' | '>') => out.push_str("\\b"),
                Some(c) => {
                    out.push('\\');
                    out.push(c);
                }
                None => out.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '+' | '?' | '|' => {
                out.push('\\');
                out.push(c);
            }
            '*' if at_start => out.push_str("\\*"),
            '^' if !at_start => out.push_str("\\^"),
            '$' if !ends(&rest) => out.push_str("\\$"),
            '[' => set(&mut out, &mut rest),
            c => {
                start = c == '^';
                out.push(c);
            }
        }
        at_start = start;
    }
    out
}

type RegexChars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Whether a group or everything ends here, so that `$` still means the end of a line.
fn ends(rest: &RegexChars<'_>) -> bool {
    let text: String = rest.clone().take(2).collect();
    text.is_empty() || text == "\\)" || text == "\\|"
}

/// A set of characters is the same in both, except that backslashes are literal.
fn set(out: &mut String, rest: &mut RegexChars<'_>) {
    out.push('[');
    if rest.peek() == Some(&'^') {
        out.extend(rest.next());
    }
    if rest.peek() == Some(&']') {
        out.push_str("\\]");
        rest.next();
    }
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.push_str("\\\\"),
            '[' if rest.peek() == Some(&':') => {
                out.push('[');
                for c in rest.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '[' => out.push_str("\\["),
            ']' => {
                out.push(']');
                return;
            }
            c => out.push(c),
        }
    }
}
