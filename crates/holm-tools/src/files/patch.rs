//! The `patch` tool: changes to one or several files, as a unified diff or in sections. Parsing and
//! placing is done in `diff.rs`, writing in `change.rs`. This file decides which paths a patch
//! means and checks that all of them were granted. All files change, or none.

use std::sync::Arc;

use holm_grants::{FilePath, Level, patch_path};
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::{NewContent, OriginalContent},
    changed_lines::{self, LineAllowance},
    comparison_budget::ComparisonBudget,
    diff::{self, DiffTarget, FileAction, FileDiff, PatchedText},
    file_tool_context::{FileToolContext, FileToolError, declared, failed},
    text::DecodedText,
};
use crate::root::MissingFolderPolicy;

const NAMES_NO_FILE: &str = "the diff names no file; begin it with --- and +++; nothing was changed";

/// Files in one patch: a person has to be able to judge the call.
const MOST_FILES: usize = 64;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatchArguments {
    /// The patch. Either a unified diff (`---`, `+++` and `@@` lines; /dev/null for a file that is
    /// not there), or sections: `*** Begin Patch`, `*** Update File: path` (also Add File, Delete
    /// File, Move to), `@@ def f():`, `*** End Patch`.
    diff: String,
    /// The files, only where the patch does not name them.
    paths: Option<Vec<String>>,
}

pub(super) fn tool(context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Applies a patch to one or more files: all of it, or nothing. The lines around each change must be in \
                the file, in one place; line numbers and counts may be off or missing. Shows the changed lines.";
    let patch = blocking_tool("patch", text, move |arguments: PatchArguments, invocation: ToolInvocation| {
        run(&context, &arguments, &invocation)
    });
    let needs = ["read:{paths?}", "write:{paths?}", "read:{diff:files?}", "write:{diff:files?}"];
    declared(patch, Level::Write, &needs)
}

/// Why `patch` would refuse a call in every case: the patch cannot be read or names no file. Such a
/// call has no needs, so the kernel would ask whether it may change anything at all.
pub(crate) fn unreadable_patch(tool: &str, arguments: &str) -> Option<String> {
    let PatchArguments { diff, paths } = serde_json::from_str(arguments).ok().filter(|_| tool == "patch")?;
    let is_nameless = |files: &[FileDiff]| files.iter().any(|file| file.name == DiffTarget::Nowhere);
    match diff::parse(&diff) {
        Err(reason) => Some(and_unchanged(&reason)),
        Ok(files) if paths.is_none_or(|paths| paths.is_empty()) && is_nameless(&files) => {
            Some(NAMES_NO_FILE.into())
        }
        Ok(_) => None,
    }
}

/// The change of one file.
struct PatchStep {
    diff: FileDiff,
    path: FilePath,
    /// The number of its path among all paths of the call; where it moves, the one before is where to.
    at: usize,
}

/// A reason, and that the patch had no effect. Advice after the reason comes last.
fn and_unchanged(reason: &str) -> String {
    match reason.split_once(". ") {
        Some((reason, advice)) => format!("{reason}; nothing was changed. {advice}"),
        None => format!("{}; nothing was changed", reason.strip_suffix('.').unwrap_or(reason)),
    }
}

fn run(
    context: &FileToolContext,
    arguments: &PatchArguments,
    invocation: &ToolInvocation,
) -> Result<String, FileToolError> {
    let unchanged = |reason: String| failed(and_unchanged(&reason));
    let files = diff::parse(&arguments.diff).map_err(unchanged)?;
    let named = arguments.paths.iter().flatten().map(|path| context.root.path(path));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let (steps, paths) = steps(context, files, &named)?;
    if paths.len() > MOST_FILES {
        return Err(unchanged(format!("a patch may change at most {MOST_FILES} files")));
    }
    let permit = context.root.permit(&invocation.needs);
    for path in &paths {
        permit.read(path)?;
    }
    let makes = |step: &PatchStep| matches!(step.diff.action, FileAction::Make | FileAction::Move(_));
    let folders =
        if steps.iter().any(makes) { MissingFolderPolicy::Made } else { MissingFolderPolicy::Wanted };
    context.change(invocation, &paths, folders, |befores| {
        let mut news = Vec::new();
        let mut said = Vec::new();
        let mut work = PatchAllowance { effort: ComparisonBudget::default(), room: LineAllowance::default() };
        for step in &steps {
            // Other calls wait for these files, so a call that was cancelled stops here.
            if invocation.stop.is_cancelled() {
                return Err(failed("the call was cancelled; nothing was changed"));
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
    context: &FileToolContext,
    files: Vec<FileDiff>,
    named: &[FilePath],
) -> Result<(Vec<PatchStep>, Vec<FilePath>), FileToolError> {
    let mut steps: Vec<PatchStep> = Vec::new();
    let mut paths: Vec<FilePath> = Vec::new();
    for diff in files {
        let path = path_of(context, &diff, named)?;
        let earlier = steps.iter_mut().find(|step| step.path == path);
        match earlier {
            Some(step) if step.diff.action == FileAction::Change && diff.action == FileAction::Change => {
                step.diff.join(diff);
                continue;
            }
            _ => {}
        }
        let to = match &diff.action {
            FileAction::Move(to) => Some(context.root.path(to)?),
            FileAction::Make | FileAction::Change | FileAction::Remove { .. } => None,
        };
        // A moved file is written before the old one is removed.
        for path in to.into_iter().chain([path.clone()]) {
            if paths.contains(&path) {
                return Err(failed(format!(
                    "`{path}` is in the patch twice; merge its changes; nothing was changed"
                )));
            }
            paths.push(path);
        }
        steps.push(PatchStep { diff, path, at: paths.len() - 1 });
    }
    Ok((steps, paths))
}

/// Which file a part of the patch is about.
fn path_of(
    context: &FileToolContext,
    diff: &FileDiff,
    named: &[FilePath],
) -> Result<FilePath, FileToolError> {
    match &diff.name {
        DiffTarget::Path(path) => Ok(context.root.path(path)?),
        DiffTarget::Nowhere => match named {
            [one] => Ok(one.clone()),
            _ => Err(failed(NAMES_NO_FILE)),
        },
        DiffTarget::Lines { old, new } => {
            if let Some(path) = listed(context, old, new, named) {
                return Ok(path);
            }
            let path = patch_path(old, new).ok_or_else(|| {
                failed(
                    "a unified diff cannot rename a file; give --- and +++ the same name, or use *** Update File: and \
                     *** Move to:; nothing was changed",
                )
            })?;
            Ok(context.root.path(path)?)
        }
    }
}

/// The file of the call's own list that a unified diff means: the list says whether `a/`
/// and `b/` are folders.
fn listed(context: &FileToolContext, old: &str, new: &str, named: &[FilePath]) -> Option<FilePath> {
    let mut found: Option<FilePath> = None;
    for name in [new, old] {
        let name = name.split('\t').next().unwrap_or_default().trim();
        if name == "/dev/null" {
            continue;
        }
        let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
        let candidates = [Some(name), bare].into_iter().flatten();
        let hit =
            candidates.filter_map(|name| context.root.path(name).ok()).find(|path| named.contains(path))?;
        if found.as_ref().is_some_and(|found| *found != hit) {
            return None;
        }
        found = Some(hit);
    }
    found
}

/// The limits that the files of one call share.
struct PatchAllowance {
    effort: ComparisonBudget,
    room: LineAllowance,
}

impl PatchAllowance {
    /// Decides the new content of the paths of one step, and the report about it.
    fn decide(
        &mut self,
        step: &PatchStep,
        paths: &[FilePath],
        befores: &[OriginalContent],
    ) -> Result<(Vec<NewContent>, String), FileToolError> {
        let path = &step.path;
        let misfit = |reason: String| failed(format!("`{path}`: {}", and_unchanged(&reason)));
        let bytes = befores.get(step.at).and_then(|before| before.bytes.as_deref());
        let text = match (bytes, &step.diff.action) {
            (Some(_), FileAction::Make) => {
                return Err(misfit("the patch creates it, but it already exists".into()));
            }
            (None, FileAction::Make) => DecodedText::read(b""),
            (None, _) => return Err(misfit("it does not exist".into())),
            (Some(_), FileAction::Remove { lines: false }) => {
                return Ok((vec![NewContent::Nothing], format!("`{path}` removed")));
            }
            (Some(bytes), FileAction::Move(_)) if step.diff.is_unchanged() => {
                let to = target(step, paths, befores).map_err(misfit)?;
                let moved = NewContent::Moved(bytes.to_vec(), step.at);
                return Ok((vec![moved, NewContent::Nothing], format!("`{path}` moved to `{to}`")));
            }
            (Some(bytes), FileAction::Change | FileAction::Move(_) | FileAction::Remove { lines: true }) => {
                DecodedText::read(bytes)
            }
        };
        let text = text.ok_or_else(|| misfit("it is not a text file".into()))?;
        let patched = step.diff.apply(&text.text, text.line_end(), &mut self.effort).map_err(misfit)?;
        let new = || {
            text.write(&patched.text)
                .ok_or_else(|| misfit("its encoding lacks a character of the new text".into()))
        };
        match &step.diff.action {
            FileAction::Make => Ok((vec![NewContent::Bytes(new()?)], format!("`{path}` made"))),
            FileAction::Change => {
                Ok((vec![NewContent::Bytes(new()?)], self.report(format!("`{path}` changed"), &patched)))
            }
            FileAction::Move(_) => {
                let to = target(step, paths, befores).map_err(misfit)?;
                let said = self.report(format!("`{path}` moved to `{to}`"), &patched);
                Ok((vec![NewContent::Moved(new()?, step.at), NewContent::Nothing], said))
            }
            FileAction::Remove { .. } if !patched.text.is_empty() => {
                Err(misfit("the diff removes it, but not all of its lines".into()))
            }
            FileAction::Remove { .. } => Ok((vec![NewContent::Nothing], format!("`{path}` removed"))),
        }
    }

    /// Reports the changes, with the lines around every place.
    fn report(&mut self, mut out: String, patched: &PatchedText) -> String {
        changed_lines::echo(&mut out, &patched.text, &patched.places, &mut self.room);
        if let Some(note) = patched.differences.note("the patch") {
            out.push('\n');
            out.push_str(&note);
        }
        out
    }
}

/// The target of a move, which must not exist yet.
fn target<'p>(
    step: &PatchStep,
    paths: &'p [FilePath],
    befores: &[OriginalContent],
) -> Result<&'p FilePath, String> {
    let at = step.at.checked_sub(1);
    let there = at.and_then(|at| paths.get(at).zip(befores.get(at)));
    match there {
        Some((to, OriginalContent { bytes: None, .. })) => Ok(to),
        Some((to, _)) => Err(format!("it cannot move to `{to}`, which already exists")),
        None => Err("its old and new path are the same".into()),
    }
}
