//! Combines the list of arguments with the positions in the usage line. Usage lines are read in
//! `usage.rs`; options among the lines are skipped and belong to `entry.rs`. The order of the usage
//! line counts; a position that no usage line has comes last.

use super::draft::{PositionDraft, StepDraft, UsageForm};
use super::entry::{HelpEntry, outermost};
use super::limits::MAX_POSITIONS;
use super::lines::{HelpLine, columns};
use super::marks::DescriptionMarks;
use super::spec;
use super::usage::plain;
use super::value::{enclosed, is_shouted, kind_named};

/// The positions that lines under the arguments' title describe.
pub(super) fn listed(lines: &[HelpLine]) -> Vec<PositionDraft> {
    let entries = outermost(lines, spec::is_start);
    entries.iter().filter_map(position).take(MAX_POSITIONS).collect()
}

/// The positions among the options: lines that begin with a bracket and a name.
pub(super) fn among_options(lines: &[HelpLine]) -> Vec<PositionDraft> {
    let is_one = |line: &HelpLine| {
        let left = columns(&line.text).0;
        line.indent > 0
            && (left.starts_with('<') || left.starts_with("[<"))
            && left.ends_with(['>', ']', '.'])
    };
    let mut found = Vec::new();
    let mut open: Option<HelpEntry> = None;
    for line in lines {
        match &mut open {
            Some(entry) if line.indent > entry.line.indent && !line.is_blank() => {
                entry.body.push(line.text.clone());
            }
            _ => {
                found.extend(open.take());
                open = is_one(line).then(|| HelpEntry { line: line.clone(), body: Vec::new() });
            }
        }
    }
    found.extend(open);
    found.iter().filter_map(position).take(MAX_POSITIONS).collect()
}

fn position(entry: &HelpEntry) -> Option<PositionDraft> {
    let (left, right) = columns(&entry.line.text);
    let (name, mut about) = (left.split(' ').next().unwrap_or(left), right.unwrap_or_default());
    let name = if left.starts_with(['<', '[', '{']) { left } else { name };
    // After a plain name only formal words may follow; anything else is prose.
    let formal = |word: &str| word.starts_with(['<', '[', '{', '.', '-', '(']) || is_shouted(word);
    if !left.starts_with(['<', '[', '{']) && !left.split(' ').skip(1).all(formal) {
        return None;
    }
    // A table by rich has a column for the type.
    let mut kind = None;
    if let Some(inner) = enclosed(columns(about).0, '<', '>') {
        kind = kind_named(inner);
        about = columns(about).1.unwrap_or_default();
    }
    let required = left.contains("REQUIRED") || entry.line.star;
    let marks = DescriptionMarks::read(about, &entry.body);
    let name = plain(name);
    if name.is_empty() || name.chars().count() > 64 {
        return None;
    }
    Some(PositionDraft {
        many: left.contains("...") || left.contains(".."),
        required: required || marks.required,
        choices: marks.choices,
        kind: kind.or(marks.kind),
        default: marks.default,
        about: marks.about,
        name,
        loose: false,
    })
}

/// Adds the descriptions of the list to the positions of the usage lines. A position that no usage
/// line has is added at the end.
pub(super) fn describe(forms: &mut Vec<UsageForm>, listed: &[PositionDraft], commands: &[String]) {
    for position in listed {
        let mut seen = false;
        for step in forms.iter_mut().flat_map(|form| &mut form.steps) {
            let StepDraft::Position(known) = step else { continue };
            if same(known, position) {
                seen = true;
                complete(known, position);
            }
        }
        let command = commands.contains(&position.name)
            || (!commands.is_empty()
                && matches!(position.name.to_lowercase().as_str(), "command" | "subcommand"))
            || position.name.contains(',');
        if seen || command {
            continue;
        }
        if forms.is_empty() {
            forms.push(UsageForm { all_options: true, ..UsageForm::default() });
        }
        let Some(form) = forms.first_mut().filter(|form| form.steps.len() < MAX_POSITIONS) else { continue };
        form.steps.push(StepDraft::Position(position.clone()));
    }
}

fn same(known: &PositionDraft, listed: &PositionDraft) -> bool {
    let choices = || known.choices.join(",") == listed.name;
    known.name.eq_ignore_ascii_case(&listed.name) || choices()
}

fn complete(known: &mut PositionDraft, listed: &PositionDraft) {
    known.about =
        if known.about.is_empty() { listed.about.clone() } else { std::mem::take(&mut known.about) };
    known.default = known.default.take().or_else(|| listed.default.clone());
    known.kind = known.kind.take().or_else(|| listed.kind.clone());
    known.many |= listed.many;
    known.required |= listed.required;
    if known.choices.is_empty() {
        known.choices.clone_from(&listed.choices);
    }
}
