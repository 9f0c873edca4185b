//! Splits a help text into sections: a title, and the lines until the next title. What the lines of
//! a section say is read by others (`entry.rs`, `usage.rs`, `commands.rs`, `positions.rs`). Nothing
//! in a section of examples counts as a declaration.

use super::limits::MAX_SECTIONS;
use super::lines::{HelpFrame, HelpLine, gap};
use super::spec;

/// A title with its lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HelpSection {
    pub kind: HelpSectionKind,
    /// The text after the title on the same line.
    pub rest: String,
    /// The indentation of the title.
    pub indent: usize,
    pub lines: Vec<HelpLine>,
}

/// The subject of a section in a help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelpSectionKind {
    /// The text before the first title.
    Preamble,
    /// How the program is called.
    Usage,
    About,
    /// Its name, a dash and its description.
    Name,
    Commands,
    Arguments,
    Options,
    /// Shows example calls; nothing in it is a declaration.
    Examples,
    Other,
}

/// Titles that some libraries print without a colon.
const BARE: &[&str] = &[
    "usage",
    "options",
    "flags",
    "arguments",
    "commands",
    "available commands",
    "subcommands",
    "examples",
    "example",
    "description",
    "positionals",
];

/// Takes lines apart at their titles.
pub(super) fn sections(lines: Vec<HelpLine>) -> Vec<HelpSection> {
    let mut sections = vec![HelpSection {
        kind: HelpSectionKind::Preamble,
        rest: String::new(),
        indent: 0,
        lines: Vec::new(),
    }];
    // For each line, the indentation of the next line with text.
    let mut below = vec![0; lines.len()];
    let mut next = 0;
    for (at, line) in lines.iter().enumerate().rev() {
        if let Some(place) = below.get_mut(at) {
            *place = next;
        }
        if !line.is_blank() {
            next = line.indent;
        }
    }
    for (line, below) in lines.into_iter().zip(below) {
        let title = title(&line, below).filter(|_| sections.len() < MAX_SECTIONS);
        match title {
            Some((kind, rest)) => {
                sections.push(HelpSection { kind, rest, indent: line.indent, lines: Vec::new() });
            }
            None => {
                if let Some(section) = sections.last_mut() {
                    section.lines.push(line);
                }
            }
        }
    }
    sections
}

fn title(line: &HelpLine, below: usize) -> Option<(HelpSectionKind, String)> {
    let text = line.text.as_str();
    match line.frame {
        HelpFrame::Title => return Some((kind(text), String::new())),
        HelpFrame::Inside => return None,
        HelpFrame::None => {}
    }
    if line.is_blank() || spec::is_start(line) {
        return None;
    }
    if let Some(rest) = usage(text).filter(|_| line.indent <= 4) {
        return Some((HelpSectionKind::Usage, rest.into()));
    }
    // Go's flag package prints only the program's name here: the options follow.
    if text.starts_with("Usage of ") && text.ends_with(':') {
        return Some((HelpSectionKind::Options, String::new()));
    }
    let lower = text.to_lowercase();
    if let Some(bare) = text.strip_suffix(':') {
        let short = bare.chars().count() <= 72 && bare.split(' ').count() <= 9;
        return (short && line.indent <= 6 && gap(bare).is_none()).then(|| (kind(bare), String::new()));
    }
    let shouted = line.indent == 0
        && text.chars().count() <= 40
        && text.chars().filter(|c| c.is_alphabetic()).count() >= 4
        && text.chars().all(|c| c.is_uppercase() || c == ' ');
    let bare = BARE.contains(&lower.as_str()) && line.indent <= 4;
    ((shouted || bare) && below > line.indent).then(|| (kind(text), String::new()))
}

/// The text after the word `usage`, if that is a title.
fn usage(text: &str) -> Option<&str> {
    let (word, rest) = text.split_at_checked(5)?;
    if !word.eq_ignore_ascii_case("usage") {
        return None;
    }
    if let Some(rest) = rest.strip_prefix(':') {
        return Some(rest.trim());
    }
    (word == "USAGE" && rest.starts_with(' ')).then_some(rest.trim())
}

fn kind(title: &str) -> HelpSectionKind {
    let lower = title.trim().to_lowercase();
    let has = |words: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    match lower.as_str() {
        "usage" | "synopsis" => HelpSectionKind::Usage,
        "description" | "about" => HelpSectionKind::About,
        "name" => HelpSectionKind::Name,
        _ if has(&["example", "examples", "alias", "aliases", "version", "notes"]) => {
            HelpSectionKind::Examples
        }
        _ if has(&["commands", "subcommands", "command"]) && lower.split(' ').count() <= 4 => {
            HelpSectionKind::Commands
        }
        _ if has(&["options", "flags", "switches"]) => HelpSectionKind::Options,
        "where" => HelpSectionKind::Arguments,
        _ if has(&["arguments", "args", "positionals", "parameters", "items"]) => HelpSectionKind::Arguments,
        _ => HelpSectionKind::Other,
    }
}
