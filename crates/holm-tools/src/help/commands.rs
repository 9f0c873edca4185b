//! Reads lists of subcommands with their descriptions. Their own help is asked for by the caller
//! and attached later (`help/describe/mod.rs`); usage lines are read in `usage.rs`. Nothing is run
//! here.

use super::draft::CommandDraft;
use super::entry::{HelpEntry, outermost};
use super::limits::{MAX_ABOUT, MAX_COMMANDS};
use super::lines::{HelpLine, columns};
use super::marks::DescriptionMarks;
use super::spec;
use crate::text::tidy;

/// The subcommands in the lines under their title.
pub(super) fn listed(lines: &[HelpLine], program: &str, path: &[String]) -> Vec<CommandDraft> {
    let skip = |line: &HelpLine| spec::is_start(line);
    outermost(lines, skip)
        .iter()
        .filter_map(|entry| command(entry, program, path))
        .take(MAX_COMMANDS)
        .collect()
}

/// The subcommands under a selector, as argparse lists them: one step further in than its name.
pub(super) fn nested(lines: &[HelpLine], selector: &str) -> Vec<CommandDraft> {
    let Some(at) = lines.iter().position(|line| columns(&line.text).0 == selector) else { return Vec::new() };
    let base = lines.get(at).map_or(0, |line| line.indent);
    let under: Vec<HelpLine> =
        lines.iter().skip(at + 1).take_while(|line| line.is_blank() || line.indent > base).cloned().collect();
    let mut commands = listed(&under, "", &[]);
    if commands.is_empty() {
        let names = selector
            .trim_matches(['{', '}'])
            .split(',')
            .filter(|name| selector.starts_with('{') && !name.is_empty());
        commands =
            names.map(|name| CommandDraft { name: name.trim().into(), ..CommandDraft::default() }).collect();
    }
    commands
}

/// Lines like `name   What it does` without a title of their own, as git lists its commands.
pub(super) fn loose(lines: &[HelpLine]) -> Vec<CommandDraft> {
    let fits = |line: &&HelpLine| {
        let (name, about) = columns(&line.text);
        line.indent > 0 && about.is_some() && is_name(name)
    };
    let entry = |line: &HelpLine| HelpEntry { line: line.clone(), body: Vec::new() };
    lines.iter().filter(fits).filter_map(|line| command(&entry(line), "", &[])).take(MAX_COMMANDS).collect()
}

fn command(entry: &HelpEntry, program: &str, path: &[String]) -> Option<CommandDraft> {
    let text = entry.line.text.as_str();
    let (left, right) = match text.split_once(" # ") {
        Some((left, right)) => (left, Some(right)),
        None => columns(text),
    };
    let (left, right) = match (right, left.split_once(" - ")) {
        (None, Some((left, right))) => (left, Some(right)),
        (right, _) => (left, right),
    };
    // yargs and thor write the whole call.
    let mut left = left.trim();
    for word in std::iter::once(program).chain(path.iter().map(String::as_str)) {
        left = left.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(left);
    }
    let (names, rest) = names(left);
    let (first, aliases) = names.split_first()?;
    // Prose between commands has no gap and continues in lower case.
    if right.is_none() && entry.body.is_empty() && rest.split(' ').count() > 3 {
        return None;
    }
    let marks = DescriptionMarks::read(right.unwrap_or_default(), &entry.body);
    let mut command =
        CommandDraft { name: first.clone(), aliases: aliases.to_vec(), about: tidy(&marks.about, MAX_ABOUT) };
    take_aliases(&mut command);
    Some(command)
}

/// The spellings of a command: `save|s`, `buy, b`, `save (commit)`, `auth:`; and what follows them.
fn names(left: &str) -> (Vec<String>, &str) {
    let mut names = Vec::new();
    let mut rest = left;
    loop {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        let goes_on = word.ends_with(',');
        let bare = word.trim_end_matches([',', ':']);
        let parts: Vec<&str> = bare.split('|').collect();
        if bare.is_empty() || !parts.iter().all(|part| is_name(part)) {
            break;
        }
        names.extend(parts.into_iter().map(str::to_owned));
        rest = after;
        if !goes_on {
            break;
        }
    }
    if let Some((inner, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        names.extend(inner.split(',').map(str::trim).filter(|name| is_name(name)).map(str::to_owned));
        rest = after;
    }
    (names, rest)
}

/// `[aliases: s]` after the description.
fn take_aliases(command: &mut CommandDraft) {
    for mark in ["[aliases: ", "[alias: "] {
        let Some((about, rest)) = command.about.split_once(mark) else { continue };
        let Some((list, after)) = rest.split_once(']') else { continue };
        command
            .aliases
            .extend(list.split(',').map(str::trim).filter(|name| is_name(name)).map(str::to_owned));
        command.about = format!("{}{after}", about.trim_end());
        return;
    }
}

/// Whether a word can be a subcommand.
fn is_name(word: &str) -> bool {
    word.chars().count() <= 64
        && word.starts_with(char::is_alphanumeric)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@' | '+'))
        && !word.ends_with(['.', ':'])
}
