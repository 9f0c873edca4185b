//! Shared code of the utilities: options, input, output and errors.

use std::io;

use crate::io::IoHandle;
use crate::shell::paths::said;
use crate::shell::{BROKEN_PIPE, ShellFlow, ShellState, CommandResult};

/// Why a utility stopped.
pub(crate) enum UtilityError {
    /// The system returned an error.
    System(io::Error),
    /// The arguments make no sense; the text gives the reason.
    Said(String),
    /// A command that it ran leaves the shell.
    Flow(ShellFlow),
}

impl From<io::Error> for UtilityError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<String> for UtilityError {
    fn from(text: String) -> Self {
        Self::Said(text)
    }
}

impl From<ShellFlow> for UtilityError {
    fn from(flow: ShellFlow) -> Self {
        Self::Flow(flow)
    }
}

/// The result of a utility: its status.
pub(super) type UtilityResult = Result<i32, UtilityError>;

/// Turns trouble into a complaint and a status.
pub(super) async fn settle(shell: &ShellState, name: &str, done: UtilityResult) -> CommandResult {
    let text = match done {
        Ok(status) => return Ok(status),
        Err(UtilityError::Flow(flow)) => return Err(flow),
        // A loop around the writer would never end, so the whole stage ends.
        Err(UtilityError::System(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            return Err(ShellFlow::Exit(BROKEN_PIPE));
        }
        Err(UtilityError::System(error)) => said(&error),
        Err(UtilityError::Said(text)) => text,
    };
    shell.complain(&format!("{name}: {text}")).await;
    Ok(if matches!(name, "grep" | "egrep" | "fgrep" | "ls" | "sort") { 2 } else { 1 })
}

/// The options with their values, and the other words.
pub(crate) type ParsedOptions = (Vec<(char, String)>, Vec<String>);

/// Reads options as `getopt` does: letters with a colon take a value. Long names that mean
/// a letter are known.
pub(crate) fn options(args: &[String], spec: &str) -> Result<ParsedOptions, String> {
    let (mut found, mut words) = (Vec::new(), Vec::new());
    let takes = |letter: char| spec.contains(&format!("{letter}:"));
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            words.extend(args.cloned());
            break;
        }
        let letters = if let Some(long) = arg.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let letter = long_name(name).filter(|letter| spec.contains(*letter));
            let letter = letter.ok_or_else(|| format!("unrecognized option '--{name}'"))?;
            match value {
                Some(value) => found.push((letter, value.to_owned())),
                None if takes(letter) => found.push((letter, args.next().cloned().unwrap_or_default())),
                None => found.push((letter, String::new())),
            }
            continue;
        } else if let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            letters
        } else {
            words.push(arg.clone());
            continue;
        };
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            if !spec.contains(letter) || letter == ':' {
                return Err(format!("invalid option -- '{letter}'"));
            }
            if takes(letter) {
                let inline = rest.as_str().to_owned();
                let value = if inline.is_empty() { args.next().cloned().unwrap_or_default() } else { inline };
                found.push((letter, value));
                break;
            }
            found.push((letter, String::new()));
        }
    }
    Ok((found, words))
}

fn long_name(name: &str) -> Option<char> {
    Some(match name {
        "all" => 'a',
        "bytes" => 'c',
        "count" => 'c',
        "delimiter" => 'd',
        "extended-regexp" | "regexp-extended" => 'E',
        "fields" => 'f',
        "files-with-matches" => 'l',
        "fixed-strings" => 'F',
        "force" => 'f',
        "human-readable" => 'h',
        "ignore-case" => 'i',
        "in-place" => 'i',
        "invert-match" => 'v',
        "key" => 'k',
        "line-number" => 'n',
        "lines" => 'l',
        "no-filename" => 'h',
        "null" => '0',
        "numeric-sort" => 'n',
        "only-matching" => 'o',
        "parents" => 'p',
        "quiet" | "silent" => 'q',
        "recursive" => 'r',
        "repeated" => 'd',
        "reverse" => 'r',
        "unique" => 'u',
        "utc" => 'u',
        "word-regexp" => 'w',
        "words" => 'w',
        _ => return None,
    })
}

/// Options with their values, for lookups by letter.
pub(super) struct OptionValues(pub(super) Vec<(char, String)>);

impl OptionValues {
    pub(super) fn has(&self, letter: char) -> bool {
        self.0.iter().any(|(found, _)| *found == letter)
    }

    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.0.iter().rev().find(|(found, _)| *found == letter).map(|(_, value)| value.as_str())
    }
}

pub(super) fn parse(args: &[String], spec: &str) -> Result<(OptionValues, Vec<String>), UtilityError> {
    let (found, words) = options(args, spec)?;
    Ok((OptionValues(found), words))
}

/// Output in pieces of some size, because a write costs a call of the host.
pub(super) struct OutputBuffer {
    handle: Option<IoHandle>,
    bytes: Vec<u8>,
}

/// Enough to make calls rare, little enough that a reader gets something soon.
const PIECE: usize = 8 << 10;

impl OutputBuffer {
    pub(super) fn of(shell: &ShellState) -> Self {
        Self { handle: Some(shell.fds.get(1)), bytes: Vec::new() }
    }

    /// Output that is only kept.
    pub(super) fn to_memory() -> Self {
        Self { handle: None, bytes: Vec::new() }
    }

    pub(super) fn memory(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) async fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PIECE { self.send().await } else { Ok(()) }
    }

    pub(super) async fn line(&mut self, text: &str) -> io::Result<()> {
        self.bytes.extend_from_slice(text.as_bytes());
        self.put(b"\n").await
    }

    pub(super) async fn send(&mut self) -> io::Result<()> {
        let Some(handle) = &self.handle else { return Ok(()) };
        let bytes = std::mem::take(&mut self.bytes);
        handle.write(&bytes).await
    }
}

/// The inputs that words name, each with its name: files, `-` for standard input, and
/// that alone without any.
///
/// Reports files that cannot be opened; the second value says whether there were any.
pub(super) async fn inputs(shell: &ShellState, name: &str, words: &[String]) -> (Vec<(String, IoHandle)>, bool) {
    if words.is_empty() {
        return (vec![("-".to_owned(), shell.fds.get(0))], false);
    }
    let (mut opened, mut failed) = (Vec::new(), false);
    for word in words {
        let handle = if word == "-" { Ok(shell.fds.get(0)) } else { shell.open_read(word) };
        match handle {
            Ok(handle) => opened.push((word.clone(), handle)),
            Err(error) => {
                shell.complain(&format!("{name}: {word}: {}", said(&error))).await;
                failed = true;
            }
        }
    }
    (opened, failed)
}

/// A line without its end; nothing after the last.
pub(super) async fn next_line(handle: &IoHandle, delimiter: u8) -> io::Result<Option<Vec<u8>>> {
    let mut line = handle.read_until(delimiter).await?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() == Some(&delimiter) {
        line.pop();
    }
    Ok(Some(line))
}

/// All lines of all inputs, as text.
pub(super) async fn all_lines(inputs: &[(String, IoHandle)]) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    for (_, handle) in inputs {
        let bytes = handle.read_all().await?;
        let text = String::from_utf8_lossy(&bytes);
        lines.extend(text.lines().map(str::to_owned));
    }
    Ok(lines)
}
