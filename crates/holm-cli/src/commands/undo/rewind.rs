//! `holm undo --from`: restores the files as they were before a prompt, and prints what it does.
//! Files that changed since are named and left. The conversation is not changed; `holm session
//! fork` rewinds it.
//!
//! The plan is made in `session_rewind.rs`, which the chat uses too, and files are restored in
//! `holm-tools/src/undo/`. The undo of a single turn, and the common parts of the output, are in
//! `commands/undo.rs`.

use holm::grants::FilePath;
use holm_tools::undo::{TreePath, UndoOutcome, UndoStep, UndoStore};

use super::{
    UndoArgs, counted, done, elsewhere, forced, named, print_restored, print_some, refused, state_before,
    step_json,
};
use crate::{
    exit::{CommandError, CommandExit},
    screen::TerminalOutput,
    session_rewind::{FileRewind, LineCounts, MOST_COUNTED_FILES, SessionPrompt, line_counts, turns_of},
};

pub(super) fn rewind(
    undo: &UndoStore,
    screen: &TerminalOutput,
    args: &UndoArgs,
    (session, prompts, from): (&str, &[SessionPrompt], u64),
    here: &FilePath,
) -> anyhow::Result<CommandExit> {
    let Some(prompt) = prompts.iter().find(|prompt| prompt.number == from) else {
        let message = format!("session `{session}` has no prompt {from}; it has {}", prompts.len());
        return Err(CommandError::new(CommandExit::Usage, message)
            .hint(format!("`holm session show {session}` shows the prompts with their numbers"))
            .into());
    };
    let rewind = FileRewind::plan(undo, session, prompts, from)?;
    let forced = forced(&rewind.plan, &args.force)?;
    let rewind = rewind.leave_changed(undo, &forced)?;
    if args.dry_run {
        preview(undo, screen, (&rewind, &forced), (here, args.json));
    } else {
        let outcome = rewind.restore(undo, &forced).map_err(|error| refused(screen, error))?;
        report(screen, &rewind, &outcome, here, args.json);
        // Undo data that was not used for a month is no longer needed.
        undo.prune(super::KEPT, super::MOST_KEPT)?;
    }
    for text in &rewind.uncovered {
        screen.note(&format!("holm: not restored: {text}"));
    }
    if let Some(at) = prompt.before {
        screen.note(&format!(
            "holm: the conversation is unchanged; to continue it from there: \
             holm session fork {session} --at {} -p TEXT",
            at.value()
        ));
    }
    Ok(CommandExit::Done)
}

/// Prints what would be restored, with the numbers of lines, and what would be left.
fn preview(
    undo: &UndoStore,
    screen: &TerminalOutput,
    (rewind, forced): (&FileRewind, &[TreePath]),
    (here, is_json): (&FilePath, bool),
) {
    if is_json {
        let state = |step: &UndoStep| step_json(&rewind.label, step, state_before(step, forced));
        rewind.plan.steps.iter().for_each(|step| screen.line(&state(step)));
        rewind.left.iter().for_each(|step| screen.line(&step_json(&rewind.label, step, "changed")));
        return;
    }
    let line = |(at, step): (usize, &UndoStep)| {
        let counts = (at < MOST_COUNTED_FILES).then(|| line_counts(undo, step)).flatten();
        format!("{}  would be {}{}", named(step, here), done(step), lines_of(counts))
    };
    let lines: Vec<String> = rewind.changes().enumerate().map(line).collect();
    print_some(screen, &lines);
    left(screen, rewind, here, "would be left");
    if lines.is_empty() {
        screen.note("holm: nothing to restore");
    }
}

fn lines_of(counts: Option<LineCounts>) -> String {
    counts.map_or_else(String::new, |counts| format!(", +{} −{}", counts.added, counts.removed))
}

/// Says what was restored, and what was left.
fn report(
    screen: &TerminalOutput,
    rewind: &FileRewind,
    outcome: &UndoOutcome,
    here: &FilePath,
    is_json: bool,
) {
    let steps = print_restored(screen, &rewind.label, &rewind.plan, outcome, (here, is_json));
    if is_json {
        rewind.left.iter().for_each(|step| screen.line(&step_json(&rewind.label, step, "changed")));
    }
    let (turns, session) = (turns_of(&rewind.label), &rewind.label.session);
    let elsewhere = elsewhere(&rewind.plan, here);
    let done = if steps.is_empty() && !rewind.left.is_empty() {
        "nothing was restored".to_owned()
    } else {
        counted(&steps)
    };
    screen.note(&format!("holm: {turns} of session {session}{elsewhere}: {done}"));
    left(screen, rewind, here, "was left");
}

/// Names the files that changed since.
fn left(screen: &TerminalOutput, rewind: &FileRewind, here: &FilePath, what: &str) {
    for step in rewind.left.iter().take(super::MOST_LINES) {
        let path = named(step, here);
        screen.note(&format!("holm: {path} changed since and {what}; --force {path} restores it too"));
    }
    let more = rewind.left.len().saturating_sub(super::MOST_LINES);
    if more > 0 {
        screen.note(&format!("holm: {more} more files changed since"));
    }
}
