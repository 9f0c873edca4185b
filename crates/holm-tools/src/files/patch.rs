//! The `patch` tool: changes to one or several files, as a unified diff or in sections.

use std::sync::Arc;

use holm_grants::{FilePath, Level, patch_path};
use holm_runtime::{ClosureTool, Job, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::{Before, New},
    desk::{Desk, Failed, declared, told},
    diff::{self, Action, FileDiff, Named, Patched},
    echo::{self, Room},
    effort::Effort,
    text::Text,
};
use crate::root::Folders;

/// Files in one patch: a person has to be able to judge the call.
const MOST_FILES: usize = 64;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The patch. Either a unified diff (`---`, `+++` and `@@` lines; /dev/null for a file that is not there), or sections:
    /// `*** Begin Patch`, `*** Update File: path` (also Add File, Delete File, Move to), `@@ def f():`, `*** End Patch`.
    diff: String,
    /// The files, only where the patch does not name them.
    paths: Option<Vec<String>>,
}

pub(super) fn tool(desk: Arc<Desk>) -> ClosureTool<impl JsonSchema> {
    let text = "Applies a patch to one or more files: all of it, or nothing. The lines around each change must be in \
                the file, in one place; line numbers and counts may be off or missing. Shows the changed lines.";
    let patch =
        blocking_tool("patch", text, move |arguments: Arguments, job: Job| run(&desk, &arguments, &job));
    let needs = ["read:{paths?}", "write:{paths?}", "read:{diff:files?}", "write:{diff:files?}"];
    declared(patch, Level::Write, &needs)
}

/// The change of one file.
struct Step {
    diff: FileDiff,
    path: FilePath,
    /// The number of its path among all paths of the call; where it moves, the one before is where to.
    at: usize,
}

fn run(desk: &Desk, arguments: &Arguments, job: &Job) -> Result<String, Failed> {
    let unchanged = |reason: String| told(format!("{reason}; nothing was changed"));
    let files = diff::parse(&arguments.diff).map_err(unchanged)?;
    let named = arguments.paths.iter().flatten().map(|path| desk.root.path(path));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let (steps, paths) = steps(desk, files, &named)?;
    if paths.len() > MOST_FILES {
        return Err(unchanged(format!("a patch may change {MOST_FILES} files at the most")));
    }
    let permit = desk.root.permit(&job.needs);
    for path in &paths {
        permit.read(path)?;
    }
    let makes = |step: &Step| matches!(step.diff.action, Action::Make | Action::Move(_));
    let folders = if steps.iter().any(makes) { Folders::Made } else { Folders::Wanted };
    desk.change(job, &paths, folders, |befores| {
        let mut news = Vec::new();
        let mut said = Vec::new();
        let mut work = Work { effort: Effort::default(), room: Room::default() };
        for step in &steps {
            // Other calls wait for these files, so a call that was cancelled stops here.
            if job.stop.is_cancelled() {
                return Err(told("the call was cancelled; nothing was changed"));
            }
            let (new, words) = work.decide(step, &paths, befores)?;
            news.extend(new);
            said.push(words);
        }
        Ok((news, said.join("\n")))
    })
}

/// The files of a patch in their order, and all paths that it touches.
fn steps(
    desk: &Desk,
    files: Vec<FileDiff>,
    named: &[FilePath],
) -> Result<(Vec<Step>, Vec<FilePath>), Failed> {
    let mut steps: Vec<Step> = Vec::new();
    let mut paths: Vec<FilePath> = Vec::new();
    for diff in files {
        let path = path_of(desk, &diff, named)?;
        let earlier = steps.iter_mut().find(|step| step.path == path);
        match earlier {
            Some(step) if step.diff.action == Action::Change && diff.action == Action::Change => {
                step.diff.join(diff);
                continue;
            }
            _ => {}
        }
        let to = match &diff.action {
            Action::Move(to) => Some(desk.root.path(to)?),
            Action::Make | Action::Change | Action::Remove { .. } => None,
        };
        // A moved file is written before the old one is removed.
        for path in to.into_iter().chain([path.clone()]) {
            if paths.contains(&path) {
                return Err(told(format!(
                    "`{path}` stands in the patch twice; say once what becomes of it; nothing was changed"
                )));
            }
            paths.push(path);
        }
        steps.push(Step { diff, path, at: paths.len() - 1 });
    }
    Ok((steps, paths))
}

/// Which file a part of the patch is about.
fn path_of(desk: &Desk, diff: &FileDiff, named: &[FilePath]) -> Result<FilePath, Failed> {
    match &diff.name {
        Named::Path(path) => Ok(desk.root.path(path)?),
        Named::Nowhere => match named {
            [one] => Ok(one.clone()),
            _ => Err(told("the diff names no file; begin it with --- and +++; nothing was changed")),
        },
        Named::Lines { old, new } => {
            if let Some(path) = listed(desk, old, new, named) {
                return Ok(path);
            }
            let path = patch_path(old, new).ok_or_else(|| {
                told(
                    "a unified diff cannot rename a file; give --- and +++ the same name, or use *** Update File: and \
                     *** Move to:; nothing was changed",
                )
            })?;
            Ok(desk.root.path(path)?)
        }
    }
}

/// The file of the call's own list that a unified diff means: the list says whether `a/` and `b/` are folders.
fn listed(desk: &Desk, old: &str, new: &str, named: &[FilePath]) -> Option<FilePath> {
    let mut found: Option<FilePath> = None;
    for name in [new, old] {
        let name = name.split('\t').next().unwrap_or_default().trim();
        if name == "/dev/null" {
            continue;
        }
        let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
        let candidates = [Some(name), bare].into_iter().flatten();
        let hit =
            candidates.filter_map(|name| desk.root.path(name).ok()).find(|path| named.contains(path))?;
        if found.as_ref().is_some_and(|found| *found != hit) {
            return None;
        }
        found = Some(hit);
    }
    found
}

/// The limits that the files of one call share.
struct Work {
    effort: Effort,
    room: Room,
}

impl Work {
    /// Decides the new content of the paths of one step, and the report about it.
    fn decide(
        &mut self,
        step: &Step,
        paths: &[FilePath],
        befores: &[Before],
    ) -> Result<(Vec<New>, String), Failed> {
        let path = &step.path;
        let misfit = |reason: String| told(format!("`{path}`: {reason}; nothing was changed"));
        let bytes = befores.get(step.at).and_then(|before| before.bytes.as_deref());
        let text = match (bytes, &step.diff.action) {
            (Some(_), Action::Make) => return Err(misfit("the patch makes it, but it exists".into())),
            (None, Action::Make) => Text::read(b""),
            (None, _) => return Err(misfit("it does not exist".into())),
            (Some(_), Action::Remove { lines: false }) => {
                return Ok((vec![New::Nothing], format!("`{path}` removed")));
            }
            (Some(bytes), Action::Move(_)) if step.diff.is_unchanged() => {
                let to = target(step, paths, befores).map_err(misfit)?;
                let moved = New::Moved(bytes.to_vec(), step.at);
                return Ok((vec![moved, New::Nothing], format!("`{path}` moved to `{to}`")));
            }
            (Some(bytes), Action::Change | Action::Move(_) | Action::Remove { lines: true }) => {
                Text::read(bytes)
            }
        };
        let text = text.ok_or_else(|| misfit("it is no text".into()))?;
        let patched = step.diff.apply(&text.text, text.line_end(), &mut self.effort).map_err(misfit)?;
        let new = || {
            text.write(&patched.text)
                .ok_or_else(|| misfit("its encoding has no place for a new character".into()))
        };
        match &step.diff.action {
            Action::Make => Ok((vec![New::Bytes(new()?)], format!("`{path}` made"))),
            Action::Change => {
                Ok((vec![New::Bytes(new()?)], self.report(format!("`{path}` changed"), &patched)))
            }
            Action::Move(_) => {
                let to = target(step, paths, befores).map_err(misfit)?;
                let said = self.report(format!("`{path}` moved to `{to}`"), &patched);
                Ok((vec![New::Moved(new()?, step.at), New::Nothing], said))
            }
            Action::Remove { .. } if !patched.text.is_empty() => {
                Err(misfit("the diff removes it, but not all of its lines".into()))
            }
            Action::Remove { .. } => Ok((vec![New::Nothing], format!("`{path}` removed"))),
        }
    }

    /// Reports the changes, with the lines around every place.
    fn report(&mut self, mut out: String, patched: &Patched) -> String {
        echo::echo(&mut out, &patched.text, &patched.places, &mut self.room);
        if let Some(note) = patched.differences.note("the patch") {
            out.push('\n');
            out.push_str(&note);
        }
        out
    }
}

/// The target of a move, which must not exist yet.
fn target<'p>(step: &Step, paths: &'p [FilePath], befores: &[Before]) -> Result<&'p FilePath, String> {
    let at = step.at.checked_sub(1);
    let there = at.and_then(|at| paths.get(at).zip(befores.get(at)));
    match there {
        Some((to, Before { bytes: None, .. })) => Ok(to),
        Some((to, _)) => Err(format!("it cannot move to `{to}`, which exists")),
        None => Err("it moves nowhere".into()),
    }
}
