//! Parses git's configuration format without git, and writes it in its simplest form. Which
//! settings are dangerous is decided in `named_paths.rs`. It says whether all of a file was
//! understood, and whether git can read it in only one way; `shell/new_repository.rs` keeps a file
//! only with both. Size and number of entries are bounded.

use std::path::Path;

use crate::plain_files::read_plain_within;

/// The largest configuration file that is read. Git's own are a few kilobytes.
pub(super) const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// The most entries of one file that are read.
const MAX_ENTRIES: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct GitConfig {
    pub(crate) entries: Vec<GitConfigEntry>,
    /// Whether every line is of the simplest form, so that git cannot read it in any other way.
    pub(crate) is_simple: bool,
    /// Whether all of it was understood.
    pub(crate) is_whole: bool,
}

/// One setting: `section.subsection.key = value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitConfigEntry {
    pub(crate) section: String,
    pub(crate) subsection: Option<String>,
    pub(crate) key: String,
    /// `None` for a key without `=`, which means true.
    pub(crate) value: Option<String>,
}

impl GitConfigEntry {
    /// The name as git prints it.
    pub(crate) fn name(&self) -> String {
        match &self.subsection {
            Some(subsection) => format!("{}.{subsection}.{}", self.section, self.key),
            None => format!("{}.{}", self.section, self.key),
        }
    }

    /// Whether the value is one of git's words for yes and no.
    pub(crate) fn is_boolean(&self) -> bool {
        self.value.as_deref().is_none_or(|value| {
            ["true", "false", "yes", "no", "on", "off", "1", "0", ""]
                .iter()
                .any(|word| value.eq_ignore_ascii_case(word))
        })
    }
}

impl GitConfig {
    /// Reads a file. Returns `None` if it is not a plain file within the size limit.
    pub(crate) fn read(file: &Path) -> Option<Self> {
        read_plain_within(file, MAX_CONFIG_BYTES).ok().map(|bytes| Self::parse(&bytes))
    }

    /// Parses a text. It stops at the first error, because git refuses such a file.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut reader =
            GitConfigReader { rest: text.chars().peekable(), section: None, entries: Vec::new() };
        let is_whole = reader.read_all().is_some();
        Self {
            entries: reader.entries,
            is_simple: bytes.split(|byte| *byte == b'\n').all(is_simple),
            is_whole,
        }
    }

    /// The text of these entries, in the simplest form that git reads.
    pub(crate) fn write<'a>(entries: impl IntoIterator<Item = &'a GitConfigEntry>) -> String {
        let mut text = String::new();
        let mut section = None;
        for entry in entries {
            let here = (&entry.section, &entry.subsection);
            if section != Some(here) {
                let head = match &entry.subsection {
                    Some(subsection) => format!("[{} \"{}\"]\n", entry.section, escaped(subsection)),
                    None => format!("[{}]\n", entry.section),
                };
                text.push_str(&head);
                section = Some(here);
            }
            match &entry.value {
                Some(value) => text.push_str(&format!("\t{} = \"{}\"\n", entry.key, escaped(value))),
                None => text.push_str(&format!("\t{}\n", entry.key)),
            }
        }
        text
    }
}

/// Whether git and all other parsers read a line alike: a section, a key with a plain value, a
/// comment, or an empty line.
fn is_simple(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let line = line.trim_matches([' ', '\t']);
    if line.is_empty() || line.starts_with(['#', ';']) {
        return !line.contains(['\\', '\r', '\0']);
    }
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    if let Some(head) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
        return match head.split_once(" \"") {
            None => is_name(head),
            Some((section, rest)) => {
                let inner = rest.strip_suffix('"');
                is_name(section) && inner.is_some_and(|inner| !inner.contains(['"', '\\', '\r', '\0', ']']))
            }
        };
    }
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    is_name(key.trim_matches([' ', '\t'])) && !value.contains(['"', '\\', '#', ';', '\r', '\0'])
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
}

/// The parser's position in the text.
struct GitConfigReader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    section: Option<(String, Option<String>)>,
    entries: Vec<GitConfigEntry>,
}

impl GitConfigReader<'_> {
    /// Reads to the end. Returns `None` at a syntax error.
    fn read_all(&mut self) -> Option<()> {
        while let Some(&letter) = self.rest.peek() {
            match letter {
                '#' | ';' => self.skip_line(),
                '[' => self.section = Some(self.head()?),
                _ if letter.is_whitespace() => drop(self.rest.next()),
                _ => {
                    let entry = self.entry()?;
                    self.entries.push(entry);
                }
            }
            if self.entries.len() > MAX_ENTRIES {
                return None;
            }
        }
        Some(())
    }

    fn skip_line(&mut self) {
        while self.rest.next().is_some_and(|letter| letter != '\n') {}
    }

    /// `[section]`, `[section.subsection]` or `[section "subsection"]`.
    fn head(&mut self) -> Option<(String, Option<String>)> {
        self.rest.next();
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                ']' => break,
                letter if letter.is_whitespace() && letter != '\n' => {
                    let subsection = self.quoted_subsection()?;
                    return Some((name.to_ascii_lowercase(), Some(subsection)));
                }
                letter if letter.is_ascii_alphanumeric() || "-.".contains(letter) => name.push(letter),
                _ => return None,
            }
        }
        let name = name.to_ascii_lowercase();
        Some(match name.split_once('.') {
            Some((section, subsection)) => (section.to_owned(), Some(subsection.to_owned())),
            None => (name, None),
        })
    }

    fn quoted_subsection(&mut self) -> Option<String> {
        while self.rest.peek().is_some_and(|letter| letter.is_whitespace() && *letter != '\n') {
            self.rest.next();
        }
        (self.rest.next()? == '"').then_some(())?;
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                '"' => break,
                '\\' => name.push(self.rest.next()?),
                '\n' => return None,
                letter => name.push(letter),
            }
        }
        (self.rest.next()? == ']').then_some(name)
    }

    fn entry(&mut self) -> Option<GitConfigEntry> {
        let (section, subsection) = self.section.clone()?;
        let mut key = String::new();
        while let Some(letter) = self.rest.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        {
            key.push(letter.to_ascii_lowercase());
        }
        (!key.is_empty()).then_some(())?;
        while self.rest.next_if(|letter| matches!(letter, ' ' | '\t' | '\r')).is_some() {}
        let value = match self.rest.peek() {
            Some('=') => {
                self.rest.next();
                Some(self.value()?)
            }
            None | Some('\n' | '#' | ';') => {
                self.skip_line();
                None
            }
            Some(_) => return None,
        };
        Some(GitConfigEntry { section, subsection, key, value })
    }

    /// A value to the end of its line, which a backslash moves to the next.
    fn value(&mut self) -> Option<String> {
        let (mut value, mut kept, mut is_quoted) = (String::new(), 0, false);
        loop {
            match self.rest.next() {
                None | Some('\n') if is_quoted => return None,
                None | Some('\n') => break,
                Some('#' | ';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some(letter) if letter.is_whitespace() && !is_quoted => {
                    if !value.is_empty() {
                        value.push(letter);
                    }
                    continue;
                }
                Some('"') => is_quoted = !is_quoted,
                Some('\\') => match self.rest.next()? {
                    '\n' => {}
                    '\r' if self.rest.next_if_eq(&'\n').is_some() => {}
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    letter @ ('"' | '\\') => value.push(letter),
                    _ => return None,
                },
                Some(letter) => value.push(letter),
            }
            kept = value.len();
        }
        value.truncate(kept);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        let config = GitConfig::parse(text.as_bytes());
        let value = |entry: &GitConfigEntry| entry.value.clone().unwrap_or_else(|| "(true)".into());
        config.entries.iter().map(|entry| format!("{}={}", entry.name(), value(entry))).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let check = |text: &str, expect: &[&str]| assert_eq!(listed(text), expect, "{text:?}");
        check("[core]\n\tbare = false\n", &["core.bare=false"]);
        check("[CORE] HooksPath=.husky # x", &["core.hookspath=.husky"]);
        check("[remote \"a.B\"]\nurl = x;y\n", &["remote.a.B.url=x"]);
        check("[a.B]\nc\n", &["a.b.c=(true)"]);
        check("[a]\nb = \" x # \" y \\\n z\n", &["a.b= x #  y  z"]);
        check("[a]\nb = \\\"q\\\\\\t\n", &["a.b=\"q\\\t"]);
        check("[a] b = 1\n[d] e = 2", &["a.b=1", "d.e=2"]);
        check("\u{feff}[a]\r\nb = 1\r\n", &["a.b=1"]);
        check("x = 1", &[]);
        check("[a]\nb = \"open\n", &[]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = "[core]\n\tbare = false\n[remote \"o\\\"x\"]\n\turl = \"a;b # \\\\c\"\n\tflag\n";
        let config = GitConfig::parse(text.as_bytes());
        let again = GitConfig::parse(GitConfig::write(&config.entries).as_bytes());
        assert_eq!(again.entries, config.entries);
        assert!(again.is_whole);
    }

    #[test]
    fn only_lines_that_have_one_reading_are_simple() {
        let check = |text: &str, simple: bool| {
            assert_eq!(GitConfig::parse(text.as_bytes()).is_simple, simple, "{text:?}");
        };
        check("[core]\n\tbare = false\n# a comment\n[remote \"origin\"]\n\turl = https://h/x.git\n", true);
        check("[core] bare = false\n", false);
        check("[core]\n\tbare = \\\nfalse\n", false);
        check("[core]\r\n", false);
        check("[a.b]\n", false);
        check("[a \"b]c\"]\n", false);
    }
}
