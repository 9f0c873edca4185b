//! Merges `-h` and `--help` of one program: the long text counts, and the short one adds what is
//! missing. Each text is read in `help/describe/read.rs`. Nothing of the long text is overwritten.

use super::draft::{HelpDraft, OptionDraft, StepDraft};

/// Both texts as one.
pub(super) fn merge(long: HelpDraft, short: HelpDraft) -> HelpDraft {
    let mut draft = long;
    draft.about = if draft.about.is_empty() { short.about } else { draft.about };
    draft.version = draft.version.or(short.version);
    draft.level = draft.level.or(short.level);
    for word in short.keywords {
        if !draft.keywords.contains(&word) {
            draft.keywords.push(word);
        }
    }
    for option in short.options {
        match draft.options.iter_mut().find(|known| option.names.iter().any(|name| known.is(name))) {
            Some(known) => complete(known, option),
            None => draft.options.push(option),
        }
    }
    for command in short.commands {
        if !draft.commands.iter().any(|known| known.name == command.name) {
            draft.commands.push(command);
        }
    }
    if draft.forms.iter().all(|form| form.steps.is_empty() && form.path.is_empty()) {
        draft.forms.retain(|form| form.selector.is_some() || !form.options.is_empty());
        draft.forms.extend(short.forms);
    } else {
        describe(&mut draft, &short.forms);
    }
    draft.evidence |= short.evidence;
    draft
}

fn complete(known: &mut OptionDraft, other: OptionDraft) {
    for name in other.names {
        if !known.is(&name) {
            known.names.push(name);
        }
    }
    for name in other.off {
        if !known.is(&name) {
            known.off.push(name);
        }
    }
    known.repeat |= other.repeat;
    known.required |= other.required;
    known.default = known.default.take().or(other.default);
    if known.about.is_empty() {
        known.about = other.about;
    }
    match (&mut known.value, other.value) {
        (Some(value), Some(other)) if value.choices.is_empty() => value.choices = other.choices,
        (value @ None, other) => *value = other,
        (Some(_), _) => {}
    }
}

/// Adds what only the short text says about positions.
fn describe(draft: &mut HelpDraft, forms: &[super::draft::UsageForm]) {
    let others = forms.iter().flat_map(|form| &form.steps);
    for other in others {
        let StepDraft::Position(other) = other else { continue };
        for step in draft.forms.iter_mut().flat_map(|form| &mut form.steps) {
            let StepDraft::Position(known) = step else { continue };
            if known.name.eq_ignore_ascii_case(&other.name) {
                if known.about.is_empty() {
                    known.about.clone_from(&other.about);
                }
                known.default = known.default.take().or_else(|| other.default.clone());
                if known.choices.is_empty() {
                    known.choices.clone_from(&other.choices);
                }
            }
        }
    }
}
