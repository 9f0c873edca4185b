//! Finds commands in texts that Bash expands later, or that the grammar takes for plain text:
//! here-documents, patterns of expansions, quoted subscripts.
//!
//! It only cuts out scripts; `script_reader.rs` parses them. A script too many is harmless, but one
//! whose end is unclear is reported as such and never skipped.

/// The command substitutions in a text that is expanded as in double quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandSubstitutions {
    /// The scripts of its substitutions, which may be none.
    Scripts(Vec<String>),
    /// One begins, and where it ends cannot be told.
    Unclosed,
}

/// Whether a text could hold a substitution. Most texts do not, and need no second look.
pub(super) fn may_substitute(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

/// The scripts in `$(…)` and backticks of a text. Those in quotes count too, since a here-document
/// has none, and one too many is harmless.
pub(super) fn substitutions(text: &str) -> CommandSubstitutions {
    let mut scripts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '`', '$']) {
        let (mark, behind) = (rest.get(at..at + 1), rest.get(at + 1..).unwrap_or_default());
        rest = match mark {
            Some("\\") => without_first(behind),
            Some("`") => {
                let Some(end) = closing_backtick(behind) else { return CommandSubstitutions::Unclosed };
                scripts.push(unescaped(behind.get(..end).unwrap_or_default()));
                behind.get(end + 1..).unwrap_or_default()
            }
            _ if behind.starts_with('(') => {
                let inner = without_first(behind);
                // A here-document in here could hold any bracket.
                let end = closing_bracket(inner).filter(|end| !holds_document(inner.get(..*end)));
                let Some(end) = end else { return CommandSubstitutions::Unclosed };
                let script = inner.get(..end).unwrap_or_default();
                match sum(script) {
                    // Arithmetic is not a command itself, and may hold some: a parser reads those.
                    Some(sum) if may_substitute(sum) => {
                        scripts.push(format!(": \"{}\"", sum.replace(['"', '\\'], " ")));
                    }
                    Some(_) => {}
                    None => scripts.push(script.to_owned()),
                }
                inner.get(end + 1..).unwrap_or_default()
            }
            _ => behind,
        };
    }
    CommandSubstitutions::Scripts(scripts)
}

/// The text of an arithmetic expansion, which is enclosed in a second pair of brackets.
fn sum(script: &str) -> Option<&str> {
    let inner = script.strip_prefix('(')?;
    let end = closing_bracket(inner)?;
    inner.get(..end).filter(|_| end + 1 == inner.len())
}

fn holds_document(script: Option<&str>) -> bool {
    script.is_none_or(|script| script.replace("<<<", "").contains("<<"))
}

fn without_first(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.as_str()
}

/// Where the backtick is that ends a script.
fn closing_backtick(text: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '`' => return Some(at),
            _ => {}
        }
    }
    None
}

/// A script in backticks as the shell reads it.
fn unescaped(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut letters = script.chars().peekable();
    while let Some(letter) = letters.next() {
        let escapes = letter == '\\' && matches!(letters.peek(), Some('`' | '$' | '\\' | '"'));
        text.extend(if escapes { letters.next() } else { Some(letter) });
    }
    text
}

/// Where the bracket is that ends a script. Patterns of `case` end it too early; such a script
/// cannot be read then.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut open = vec!['('];
    let mut letters = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, letter)) = letters.next() {
        let in_quotes = open.last() == Some(&'"');
        match letter {
            '\\' => drop(letters.next()),
            '"' if in_quotes => drop(open.pop()),
            '"' => open.push('"'),
            '\'' if !in_quotes => skip_past(&mut letters, '\'', before == '$')?,
            '`' => skip_past(&mut letters, '`', true)?,
            '(' if !in_quotes || before == '$' => open.push('('),
            ')' if !in_quotes => {
                open.pop();
                if open.is_empty() {
                    return Some(at);
                }
            }
            '#' if !in_quotes && before.is_whitespace() => skip_past(&mut letters, '\n', false)?,
            _ => {}
        }
        before = letter;
    }
    None
}

/// Skips to the position after the next such mark, where a backslash may escape the mark.
fn skip_past(letters: &mut impl Iterator<Item = (usize, char)>, mark: char, escapes: bool) -> Option<()> {
    while let Some((_, letter)) = letters.next() {
        if letter == mark {
            return Some(());
        }
        if escapes && letter == '\\' {
            letters.next();
        }
    }
    None
}

#[cfg(test)]
mod tests;
