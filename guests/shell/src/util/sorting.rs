//! `sort` and `uniq`.

use std::cmp::Ordering;

use super::kit::{UtilityResult, OptionValues, OutputBuffer, UtilityError, all_lines, inputs, parse};
use crate::shell::ShellState;
use crate::shell::paths::WriteMode;

/// One key: from a field and character to another, and how it is compared.
#[derive(Debug, Clone, Default)]
struct SortKey {
    first: (usize, usize),
    last: Option<(usize, usize)>,
    numeric: bool,
    reverse: bool,
    fold: bool,
    general: bool,
    version: bool,
    blanks: bool,
}

impl SortKey {
    /// The letters after a key, or those of the whole command.
    fn mark(&mut self, letters: &str) {
        for letter in letters.chars() {
            match letter {
                'n' => self.numeric = true,
                'r' => self.reverse = true,
                'f' => self.fold = true,
                'g' | 'h' => self.general = true,
                'V' => self.version = true,
                'b' => self.blanks = true,
                _ => {}
            }
        }
    }

    fn marked(&self) -> bool {
        self.numeric || self.reverse || self.fold || self.general || self.version
    }

    fn parse(text: &str) -> Result<Self, UtilityError> {
        let mut key = Self::default();
        let mut place = |text: &str| -> Result<(usize, usize), UtilityError> {
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            let (numbers, letters) = text.split_at(end);
            key.mark(letters);
            let (field, letter) = numbers.split_once('.').unwrap_or((numbers, "0"));
            let wrong = || UtilityError::Said(format!("invalid key '{text}'"));
            Ok((field.parse().map_err(|_| wrong())?, letter.parse().map_err(|_| wrong())?))
        };
        let (first, last) = match text.split_once(',') {
            Some((first, last)) => (place(first)?, Some(place(last)?)),
            None => (place(text)?, None),
        };
        (key.first, key.last) = (first, last);
        Ok(key)
    }

    fn of<'a>(&self, line: &'a str, separator: Option<char>) -> &'a str {
        if self.first.0 == 0 {
            return line;
        }
        let fields = fields(line, separator);
        let start = fields
            .get(self.first.0 - 1)
            .map_or(line.len(), |(start, _)| start + self.first.1.saturating_sub(1));
        let end = match self.last {
            None => line.len(),
            Some((field, letter)) => {
                fields.get(field.saturating_sub(1)).map_or(line.len(), |(start, end)| {
                    if letter == 0 { *end } else { (start + letter).min(*end) }
                })
            }
        };
        let part = line.get(start.min(end)..end).unwrap_or_default();
        if self.blanks || separator.is_none() { part.trim_start() } else { part }
    }

    fn compare(&self, left: &str, right: &str) -> Ordering {
        let order = if self.numeric || self.general {
            number(left).total_cmp(&number(right))
        } else if self.version {
            version(left, right)
        } else if self.fold {
            left.to_uppercase().cmp(&right.to_uppercase())
        } else {
            left.cmp(right)
        };
        if self.reverse { order.reverse() } else { order }
    }
}

/// The start and the end of each field.
fn fields(line: &str, separator: Option<char>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut blank = true;
    for (at, c) in line.char_indices() {
        match separator {
            Some(separator) if c == separator => {
                found.push((start, at));
                start = at + c.len_utf8();
            }
            Some(_) => {}
            // Blanks belong to the field that follows them.
            None if c.is_whitespace() => {
                if !blank {
                    found.push((start, at));
                    start = at;
                }
                blank = true;
            }
            None => blank = false,
        }
    }
    found.push((start, line.len()));
    found
}

/// The number that a text begins with; sizes such as 2K count.
fn number(text: &str) -> f64 {
    let text = text.trim_start();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let scale = match rest.chars().next() {
        Some('K' | 'k') => 1e3,
        Some('M') => 1e6,
        Some('G') => 1e9,
        Some('T') => 1e12,
        _ => 1.0,
    };
    digits.parse::<f64>().unwrap_or(0.0) * scale
}

/// Numbers inside texts are compared as numbers.
fn version(left: &str, right: &str) -> Ordering {
    let pieces = |text: &str| {
        let mut pieces: Vec<(String, u64)> = Vec::new();
        for c in text.chars() {
            match (c.to_digit(10), pieces.last_mut()) {
                (Some(digit), Some((_, number))) => {
                    *number = number.saturating_mul(10).saturating_add(u64::from(digit));
                }
                (Some(digit), None) => pieces.push((String::new(), u64::from(digit))),
                (None, _) => pieces.push((c.to_string(), 0)),
            }
        }
        pieces
    };
    pieces(left).cmp(&pieces(right))
}

pub(super) async fn sort(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "nrufghVbsck:t:o:zmM")?;
    let (inputs, failed) = inputs(shell, "sort", &words).await;
    let mut lines = all_lines(&inputs).await?;
    let keys = keys(&given)?;
    let separator =
        given.value('t').and_then(|text| if text == "\\t" { Some('\t') } else { text.chars().next() });
    let compare = |left: &String, right: &String| {
        keys.iter()
            .map(|key| key.compare(key.of(left, separator), key.of(right, separator)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    let whole = |left: &String, right: &String| {
        let order = left.cmp(right);
        if given.has('r') { order.reverse() } else { order }
    };
    if given.has('c') {
        let sorted = lines.is_sorted_by(|left, right| compare(left, right).is_le());
        return Ok(i32::from(!sorted));
    }
    lines.sort_by(|left, right| {
        let order = compare(left, right);
        if given.has('s') || given.has('u') { order } else { order.then_with(|| whole(left, right)) }
    });
    if given.has('u') {
        lines.dedup_by(|right, left| compare(left, right).is_eq());
    }
    let mut text = lines.join("\n");
    if !lines.is_empty() {
        text.push('\n');
    }
    match given.value('o') {
        Some(path) => shell.open_write(path, WriteMode::Replace)?.write(text.as_bytes()).await?,
        None => shell.fds.get(1).write(text.as_bytes()).await?,
    }
    Ok(if failed { 2 } else { 0 })
}

/// The keys; marks of the whole command hold for those without their own.
fn keys(given: &OptionValues) -> Result<Vec<SortKey>, UtilityError> {
    let letters: String =
        given.0.iter().map(|(letter, _)| *letter).filter(|letter| "nrfghVb".contains(*letter)).collect();
    let mut keys = Vec::new();
    for (_, text) in given.0.iter().filter(|(letter, _)| *letter == 'k') {
        let mut key = SortKey::parse(text)?;
        if !key.marked() {
            key.mark(&letters);
        }
        keys.push(key);
    }
    if keys.is_empty() {
        let mut key = SortKey::default();
        key.mark(&letters);
        keys.push(key);
    }
    Ok(keys)
}

pub(super) async fn uniq(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "cduif:s:w:")?;
    let (inputs, failed) = inputs(shell, "uniq", words.get(..1).unwrap_or_default()).await;
    let skip: usize = given.value('f').and_then(|text| text.parse().ok()).unwrap_or(0);
    let key = |line: &str| {
        let rest: Vec<&str> = line.split_whitespace().skip(skip).collect();
        let text = if skip > 0 { rest.join(" ") } else { line.to_owned() };
        if given.has('i') { text.to_lowercase() } else { text }
    };
    let mut groups: Vec<(usize, String)> = Vec::new();
    for line in all_lines(&inputs).await? {
        match groups.last_mut().filter(|(_, first)| key(first) == key(&line)) {
            Some((count, _)) => *count += 1,
            None => groups.push((1, line)),
        }
    }
    let mut out = OutputBuffer::of(shell);
    for (count, line) in groups {
        if (given.has('d') && count < 2) || (given.has('u') && count > 1) {
            continue;
        }
        let line = if given.has('c') { format!("{count:>7} {line}") } else { line };
        out.line(&line).await?;
    }
    out.send().await?;
    Ok(i32::from(failed))
}
