//! Work that the chat does on this machine beside its runs: lists of sessions, searches, file
//! names, exports, undo, an external editor. `chat_loop.rs` starts it in tasks; nothing here
//! touches the state of the chat.
//!
//! Only sessions that can be resumed in this folder are listed. An export never overwrites a file.
//! Undo runs `holm undo` as a separate process, so its rules are those of `commands/undo.rs`.

use std::{io, path::Path, process::Command};

use holm::store::{SearchHit, SessionFileFormat, SessionQuery, Store, StoredSession};

use super::{
    item::NoteTone,
    picker::{ListPicker, PickerAction, PickerRow},
    state::{ChatMessage, SessionOrigin},
    tab::TabId,
    text::{clipped, one_line},
};
use crate::screen::DisplayablePath as _;
use crate::{
    children,
    editor::ExternalEditor,
    holm_paths::{self, HolmPaths},
    session_sidecar::SessionSidecar,
};

/// How many sessions are shown to choose from.
const MOST_SESSIONS: u32 = 200;
/// How many places are found at once.
const MOST_HITS: u32 = 100;
/// How many files are known for completion.
const MOST_FILES: usize = 20_000;
/// How wide a title is at the most.
const TITLE: usize = 60;

/// The sessions of this folder, the latest first. Sessions of other folders cannot be resumed here.
pub(super) async fn list(store: &Store, places: &HolmPaths) -> Result<ListPicker, String> {
    let wanted = SessionQuery { limit: Some(MOST_SESSIONS), ..SessionQuery::default() };
    let page = store.list(&wanted).await.map_err(|error| error.to_string())?;
    // One in which nothing was said has no title, and nothing to go on with.
    let said = page.sessions.iter().filter(|session| !session.title.trim().is_empty());
    let own = said.filter(|session| is_of(places, &session.run));
    Ok(ListPicker::new("resume a session", own.map(row).collect()))
}

/// Whether a session can be resumed here: it is not a helper's, and works in this folder. A session
/// whose folder is unknown, such as one of the tour, cannot be resumed.
fn is_of(places: &HolmPaths, session: &str) -> bool {
    let is_here = |began: SessionSidecar| began.check(places, session).is_ok();
    !children::is_named_like_one(session)
        && SessionSidecar::of(places, session).is_ok_and(|began| began.is_some_and(is_here))
}

fn row(session: &StoredSession) -> PickerRow {
    let title = clipped(&one_line(&session.title), TITLE);
    let how = SessionOrigin::Resume { session: session.run.clone() };
    PickerRow {
        label: title,
        about: one_line(&format!("{} {}", session.run, session.model)),
        pick: PickerAction::Open { how, typed: String::new() },
    }
}

/// Where words stand in any session of this folder.
pub(super) async fn find(store: &Store, places: &HolmPaths, words: &str) -> Result<ListPicker, String> {
    let hits = store.search(words, MOST_HITS).await.map_err(|error| error.to_string())?;
    let row = |hit: &SearchHit| PickerRow {
        label: one_line(&hit.run),
        about: one_line(&hit.excerpt),
        pick: PickerAction::Open {
            how: SessionOrigin::Resume { session: hit.run.clone() },
            typed: String::new(),
        },
    };
    let own = hits.iter().filter(|hit| is_of(places, &hit.run));
    Ok(ListPicker::new(&format!("sessions with `{}`", one_line(words)), own.map(row).collect()))
}

/// The files of a folder that its repository does not ignore, by their names from there.
pub(super) fn files(work: &Path) -> Vec<String> {
    let entries = ignore::WalkBuilder::new(work).require_git(false).build().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let named = files.filter_map(|entry| {
        let name = entry.path().strip_prefix(work).ok()?.to_str()?.to_owned();
        (one_line(&name) == name).then_some(name)
    });
    let mut names: Vec<String> = named.take(MOST_FILES).collect();
    names.sort();
    names
}

/// Writes a session as Markdown into a file that is not there yet, and that only its owner can read.
pub(super) async fn export(
    store: &Store,
    session: &str,
    path: Option<String>,
    work: &Path,
) -> Result<String, String> {
    let bytes =
        store.export(session, SessionFileFormat::Markdown).await.map_err(|error| error.to_string())?;
    let path = work.join(path.unwrap_or_else(|| format!("{session}.md")));
    let written =
        holm_paths::private_file(&path).and_then(|mut file| io::Write::write_all(&mut file, &bytes));
    written
        .map_err(|error| format!("{} is not written: {}", path.shown(), holm_paths::why_unmade(&error)))?;
    Ok(format!("written to {}", path.shown()))
}

/// Puts the files of a session's last turn back, as `holm undo` does.
pub(super) fn undo(tab: TabId, session: &str, places: &HolmPaths) -> ChatMessage {
    let ran = std::env::current_exe().and_then(|holm| {
        let mut command = Command::new(holm);
        command.arg("--data").arg(&places.data).args(["undo", "--session", session]);
        command.current_dir(&places.work).stdin(std::process::Stdio::null()).output()
    });
    let (tone, text) = match ran {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let tone = if output.status.success() { NoteTone::Quiet } else { NoteTone::Warning };
            (tone, String::from_utf8_lossy(&said).trim_end().to_owned())
        }
        Err(error) => (NoteTone::Error, error.to_string()),
    };
    ChatMessage::Noted { tab, tone, text }
}

/// Has a text edited; none if it is as it was.
///
/// # Errors
/// Why there is no editor, or no file for it.
pub(super) fn edit(text: &str, places: &HolmPaths) -> Result<Option<String>, String> {
    let editor = ExternalEditor::find(|name| std::env::var(name).ok());
    let edited = editor.and_then(|editor| editor.edit(&places.data, text));
    let edited = edited.map_err(|trouble| trouble.to_string())?;
    Ok((edited.trim_end() != text.trim_end()).then_some(edited))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_terms::SessionTerms;

    #[test]
    fn only_sessions_of_this_folder_are_shown() {
        let data = tempfile::tempdir().unwrap();
        let (here, there) = (HolmPaths::at(data.path(), "/here"), HolmPaths::at(data.path(), "/there"));
        SessionSidecar::here(&here, SessionTerms::default()).keep(&here, "mine").unwrap();
        SessionSidecar::here(&there, SessionTerms::default()).keep(&there, "other").unwrap();
        assert!(is_of(&here, "mine"));
        assert!(!is_of(&here, "other"));
        assert!(!is_of(&here, "tour"), "nobody knows where it works");
    }
}
