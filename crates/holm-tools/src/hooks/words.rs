//! Splits a command into words, as far as that is possible without running it. It is not the reader
//! for commands of a model, which is `shell/script.rs`. Parts that only a shell could expand are
//! marked and never guessed; `scripts.rs` decides what that means.

use std::path::Path;

/// The variable that names the project's folder to a command.
const PROJECT: &str = "HOLM_PROJECT_DIR";

/// How deep commands may be nested in commands; deeper ones are not read.
const MOST_DEPTH: usize = 8;

/// One word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HookWord {
    /// Its text without quotes and without its unknown parts.
    pub(super) text: String,
    /// The position of the first part that only a shell could expand.
    pub(super) unknown: Option<(usize, ShellExpansion)>,
}

/// The part of a word that only a shell could expand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellExpansion {
    /// The value of a variable or the output of a command: any path.
    Value,
    /// Which files fit a pattern.
    Names,
}

impl HookWord {
    /// The word itself, and its parts around characters that join a path to something else.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        let parts = self.text.split(['=', ',', ':']).filter(|part| part.len() < self.text.len());
        std::iter::once(&*self.text).chain(parts).filter(|part| !part.is_empty())
    }
}

/// The words of a line, and those of lines nested inside its words. Returns `None` if they
/// are nested too deeply.
pub(super) fn words(line: &str, project: &Path) -> Option<Vec<HookWord>> {
    let mut scan = HookWordScan { project: project.to_str()?, found: Vec::new() };
    scan.line(line, MOST_DEPTH)?;
    Some(scan.found)
}

struct HookWordScan<'a> {
    project: &'a str,
    found: Vec<HookWord>,
}

/// The quotes around a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteState {
    None,
    Single,
    Double,
}

impl HookWordScan<'_> {
    fn line(&mut self, line: &str, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let (mut word, mut quotes, mut rest) = (HookWord::default(), QuoteState::None, line);
        while let Some(sign) = rest.chars().next() {
            rest = rest.get(sign.len_utf8()..).unwrap_or_default();
            match (quotes, sign) {
                (QuoteState::Single, '\'') | (QuoteState::Double, '"') => quotes = QuoteState::None,
                (QuoteState::Single, _) => word.text.push(sign),
                (QuoteState::None, '\'') => quotes = QuoteState::Single,
                (QuoteState::None, '"') => quotes = QuoteState::Double,
                (_, '\\') => {
                    let next = rest.chars().next().unwrap_or_default();
                    rest = rest.get(next.len_utf8()..).unwrap_or_default();
                    if quotes == QuoteState::Double && !"$`\"\\\n".contains(next) {
                        word.text.push('\\');
                    }
                    if next != '\n' && next != '\0' {
                        word.text.push(next);
                    }
                }
                (_, '$' | '`') => rest = self.value(sign, rest, &mut word, depth)?,
                (QuoteState::Double, _) => word.text.push(sign),
                (QuoteState::None, _) if sign.is_whitespace() || ";|&()<>".contains(sign) => {
                    self.end(&mut word, depth)?;
                }
                (QuoteState::None, _) => {
                    if "*?[{".contains(sign) || (sign == '~' && word.text.is_empty()) {
                        let kind = if sign == '~' { ShellExpansion::Value } else { ShellExpansion::Names };
                        word.unknown.get_or_insert((word.text.len(), kind));
                    }
                    word.text.push(sign);
                }
            }
        }
        self.end(&mut word, depth)
    }

    /// Reads the text after a `$` or a backtick, and returns the rest of the line.
    fn value<'a>(&mut self, sign: char, rest: &'a str, word: &mut HookWord, depth: usize) -> Option<&'a str> {
        let braced = rest.strip_prefix('{').and_then(|rest| rest.strip_prefix(PROJECT)?.strip_prefix('}'));
        let bare = rest.strip_prefix(PROJECT).filter(|rest| !rest.starts_with(is_of_name));
        if let Some(rest) = braced.or(bare).filter(|_| sign == '$') {
            word.text.push_str(self.project);
            return Some(rest);
        }
        word.unknown.get_or_insert((word.text.len(), ShellExpansion::Value));
        let inside = match (sign, rest.chars().next()) {
            ('`', _) => Some(('`', rest)),
            (_, Some('(')) => Some((')', rest.get(1..).unwrap_or_default())),
            (_, Some('{')) => Some(('}', rest.get(1..).unwrap_or_default())),
            (_, _) => None,
        };
        let Some((close, inside)) = inside else {
            return Some(rest.trim_start_matches(is_of_name));
        };
        let length = length(inside, close);
        let (inner, after) = inside.split_at_checked(length).unwrap_or((inside, ""));
        self.line(inner, depth)?;
        Some(after.strip_prefix(close).unwrap_or(after))
    }

    /// Adds a complete word. A word with spaces may be a line for another shell.
    fn end(&mut self, word: &mut HookWord, depth: usize) -> Option<()> {
        let word = std::mem::take(word);
        if word == HookWord::default() {
            return Some(());
        }
        if word.text.contains(|c: char| c.is_whitespace() || ";|&()<>".contains(c)) {
            self.line(&word.text, depth)?;
        }
        self.found.push(word);
        Some(())
    }
}

fn is_of_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// The length of a text up to its closing character; all of it if there is no such character.
fn length(text: &str, close: char) -> usize {
    let open = match close {
        ')' => '(',
        '}' => '{',
        other => other,
    };
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, sign) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match sign {
            '\\' => escaped = true,
            _ if sign == close && depth == 0 => return at,
            _ if sign == close => depth -= 1,
            _ if sign == open => depth += 1,
            _ => {}
        }
    }
    text.len()
}
