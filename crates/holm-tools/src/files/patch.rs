//! `patch`: a unified diff over one file or several.

use std::sync::Arc;

use holm_grants::{FilePath, Level};
use holm_runtime::{ClosureTool, Job, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::{Before, New},
    desk::{Desk, Failed, declared, told},
    diff::{self, Effort, FileDiff},
    text::Text,
};
use crate::root::Folders;

/// Files in one diff: a person has to be able to judge the call.
const MOST_FILES: usize = 64;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// Every file that the diff changes, makes or removes, relative to the task's folder.
    paths: Vec<String>,
    /// The unified diff: `---`, `+++` and `@@` lines. /dev/null stands for a file that is not there.
    diff: String,
}

pub(super) fn tool(desk: Arc<Desk>) -> ClosureTool<impl JsonSchema> {
    let text = "Applies a unified diff to files: all hunks of all files, or nothing. The lines around each change must \
                stand in the file exactly so; line numbers may be off. Name all files of the diff in paths.";
    let patch =
        blocking_tool("patch", text, move |arguments: Arguments, job: Job| run(&desk, &arguments, &job));
    declared(patch, Level::Write, &["read:{paths}", "write:{paths}"])
}

fn run(desk: &Desk, arguments: &Arguments, job: &Job) -> Result<String, Failed> {
    let files =
        diff::parse(&arguments.diff).map_err(|reason| told(format!("{reason}; nothing was changed")))?;
    if files.len() > MOST_FILES {
        return Err(told(format!("a diff may change {MOST_FILES} files at the most; nothing was changed")));
    }
    let named = arguments.paths.iter().map(|path| desk.root.path(path)).collect::<Result<Vec<_>, _>>()?;
    let paths = files.iter().map(|file| path_of(desk, file, &named)).collect::<Result<Vec<_>, _>>()?;
    let permit = desk.root.permit(&job.needs);
    for (at, path) in paths.iter().enumerate() {
        permit.read(path)?;
        if paths.iter().take(at).any(|other| other == path) {
            return Err(told(format!("`{path}` stands in the diff twice; put its hunks together")));
        }
    }
    let makes = files.iter().any(|file| file.old.is_none());
    desk.change(job, &paths, if makes { Folders::Made } else { Folders::Wanted }, |befores| {
        let mut news = Vec::new();
        let mut said = Vec::new();
        let mut effort = Effort::default();
        for ((file, path), before) in files.iter().zip(&paths).zip(befores) {
            // Others wait for these files: whoever gave up need not be waited for.
            if job.stop.is_cancelled() {
                return Err(told("the call was cancelled; nothing was changed"));
            }
            let (new, words) = decide(file, path, before, &mut effort)?;
            news.push(new);
            said.push(format!("`{path}` {words}"));
        }
        Ok((news, said.join("\n")))
    })
}

/// Which of the named files a part of the diff is about.
fn path_of(desk: &Desk, file: &FileDiff, named: &[FilePath]) -> Result<FilePath, Failed> {
    let names = [file.new.as_deref(), file.old.as_deref()];
    let mut found = Vec::new();
    for name in names.into_iter().flatten() {
        // Git writes a/ and b/ in front; the list of paths says whether that is part of the name.
        let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
        let candidates = [Some(name), bare].into_iter().flatten();
        let hit = candidates.filter_map(|name| desk.root.path(name).ok()).find(|path| named.contains(path));
        found.push(
            hit.ok_or_else(|| {
                told(format!("`{name}` is in the diff and not in paths; nothing was changed"))
            })?,
        );
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [one, other] if one == other => Ok(one.clone()),
        _ => Err(told("a diff cannot rename a file; give --- and +++ the same name; nothing was changed")),
    }
}

fn decide(
    file: &FileDiff,
    path: &FilePath,
    before: &Before,
    effort: &mut Effort,
) -> Result<(New, &'static str), Failed> {
    let misfit = |reason: String| told(format!("`{path}`: {reason}; nothing was changed"));
    let text = match (&before.bytes, &file.old) {
        (Some(_), None) => return Err(misfit("the diff makes it, but it exists".into())),
        (None, Some(_)) => return Err(misfit("it does not exist".into())),
        (None, None) => Text::read(b""),
        (Some(bytes), Some(_)) => Text::read(bytes),
    };
    let text = text.ok_or_else(|| misfit("it is no text".into()))?;
    let changed = file.apply(&text.text, text.line_end(), effort).map_err(misfit)?;
    if file.new.is_none() {
        if !changed.is_empty() {
            return Err(misfit("the diff removes it, but not all of its lines".into()));
        }
        return Ok((New::Nothing, "removed"));
    }
    let bytes =
        text.write(&changed).ok_or_else(|| misfit("its encoding has no place for a new character".into()))?;
    Ok((New::Bytes(bytes), if file.old.is_none() { "made" } else { "changed" }))
}
