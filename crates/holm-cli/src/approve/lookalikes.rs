//! Detects look-alike letters in approval questions. It only writes warnings and counts marks;
//! `approve.rs` shows them, and the user decides.
//!
//! There are three warnings, at most four lines in all:
//! - `mixed`: a word that has both Latin letters and letters of an alphabet in `ALPHABETS`, in the
//!   command, the arguments or the needs of the call. No language mixes them in one word.
//! - `foreign_programs`: a command of a shell script whose program name has a letter of such an
//!   alphabet, even if it has no Latin letter. Names that `mixed` reports are left out. Arguments
//!   are not checked, because a text in another language is usual there.
//! - `stacks`: more than three marks on one letter.
//!
//! These are small rules, not a table of look-alikes: `rn` for `m` or `1` for `l` is not detected.

use holm_tools::shell::ShellScript;

/// The most warnings in one question; a text full of such words is told by their number.
const MAX_WARNINGS: usize = 4;
/// The most marks on one letter that a language needs.
const MAX_MARKS: usize = 3;

/// Alphabets whose letters pass for Latin ones.
const ALPHABETS: [(&str, &[(u32, u32)]); 8] = [
    ("Greek", &[(0x370, 0x3ff), (0x1f00, 0x1fff)]),
    ("Cyrillic", &[(0x400, 0x52f), (0x1c80, 0x1c8f), (0x2de0, 0x2dff), (0xa640, 0xa69f)]),
    ("Armenian", &[(0x530, 0x58f)]),
    ("Cherokee", &[(0x13a0, 0x13ff), (0xab70, 0xabbf)]),
    ("Coptic", &[(0x2c80, 0x2cff)]),
    ("Lisu", &[(0xa4d0, 0xa4ff)]),
    ("full-width", &[(0xff21, 0xff3a), (0xff41, 0xff5a)]),
    ("mathematical", &[(0x2100, 0x214f), (0x1d400, 0x1d7ff)]),
];

/// What a person is warned of in a text that is shown.
pub(super) fn warnings(text: &str, command: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = words(text).filter_map(mixed).collect();
    found.extend(
        command.and_then(|command| ShellScript::read(command).ok()).iter().flat_map(foreign_programs),
    );
    if let Some(marks) = stacks(text).max() {
        found.push(format!("{marks} marks are stacked on one letter"));
    }
    let mut seen = Vec::new();
    found.retain(|line| {
        !seen.contains(line) && {
            seen.push(line.clone());
            true
        }
    });
    let more = found.len().saturating_sub(MAX_WARNINGS);
    found.truncate(MAX_WARNINGS);
    if more > 0 {
        found.push(format!("{more} more such words"));
    }
    found
}

/// A text in which stacks of marks are counted instead of shown: they are drawn over other lines.
pub(super) fn without_stacks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = String::new();
    for letter in text.chars().map(Some).chain([None]) {
        if let Some(mark) = letter.filter(|letter| is_mark(*letter)) {
            marks.push(mark);
            continue;
        }
        match marks.chars().count() {
            many if many > MAX_MARKS => out.push_str(&format!(" [{many} marks] ")),
            _ => out.push_str(&marks),
        }
        marks.clear();
        out.extend(letter);
    }
    out
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && !is_mark(letter)).filter(|word| !word.is_ascii())
}

/// A warning about a word of letters from Latin and another alphabet.
fn mixed(word: &str) -> Option<String> {
    let latin = |letter: char| letter.is_ascii_alphabetic() || (0xc0..=0x24f).contains(&u32::from(letter));
    let (other, alphabet) = word.chars().find_map(|letter| alphabet(letter).map(|name| (letter, name)))?;
    word.chars()
        .any(latin)
        .then(|| format!("`{word}` mixes Latin with {alphabet} letters (U+{:04X})", u32::from(other)))
}

/// Warnings about programs whose names have letters of another alphabet.
fn foreign_programs(script: &ShellScript) -> Vec<String> {
    let names = script.commands().iter().filter_map(|command| command.words.first()?.value());
    // One that mixes alphabets is warned of already.
    let names = names.filter(|name| words(name).all(|word| mixed(word).is_none()));
    let foreign = names.filter_map(|name| {
        let other = name.chars().find(|letter| alphabet(*letter).is_some())?;
        Some(format!("the program `{name}` is not written in Latin letters (U+{:04X})", u32::from(other)))
    });
    foreign.collect()
}

fn alphabet(letter: char) -> Option<&'static str> {
    let code = u32::from(letter);
    let holds = |ranges: &[(u32, u32)]| ranges.iter().any(|(first, last)| (*first..=*last).contains(&code));
    ALPHABETS.iter().find(|(_, ranges)| holds(ranges)).map(|(name, _)| *name)
}

/// The lengths of runs of marks that no language has.
fn stacks(text: &str) -> impl Iterator<Item = usize> {
    let runs = text.split(|letter: char| !is_mark(letter)).map(|run| run.chars().count());
    runs.filter(|run| *run > MAX_MARKS)
}

/// Whether a character is drawn on the one before it.
fn is_mark(letter: char) -> bool {
    const MARKS: [(u32, u32); 6] = [
        (0x300, 0x36f),
        (0x483, 0x489),
        (0x1ab0, 0x1aff),
        (0x1dc0, 0x1dff),
        (0x20d0, 0x20ff),
        (0xfe20, 0xfe2f),
    ];
    MARKS.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(letter)))
}

#[cfg(test)]
mod tests;
