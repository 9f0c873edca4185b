//! What a session stores beside its journal: the folder in which it works, the commands that it
//! never runs, and the grants that it has because the user trusts the folder.
//!
//! The kernel knows none of these, but all are binding. A grant such as `write:**` means that folder
//! and no other, a command forbidden once stays forbidden after a crash, and a user who trusts a
//! folder less means its old sessions too. So they are stored in the data folder, which no tool can
//! reach, and are read first when a session is resumed.
//!
//! A sidecar that cannot be read is an error and not an empty one. Everything else about a session
//! belongs in its journal (`holm-store`); the authority of a resumed session is in
//! `commands/run/session_authority.rs`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use holm::grants::Grant;
use holm_tools::{shell::CommandRule, trust::ContentHash};
use serde_json::{Value, json};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
};

/// The facts of a session that are stored beside its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionSidecar {
    pub(crate) folder: String,
    /// The commands that it never runs.
    pub(crate) deny: Vec<CommandRule>,
    /// The grants that come from the trust level of the folder.
    pub(crate) level_grants: Vec<Grant>,
    /// The session that it was forked from, and the last shared record. Undo records of the shared
    /// calls are stored for that session.
    pub(crate) forked_from: Option<(String, u64)>,
}

impl SessionSidecar {
    /// A session that works here.
    pub(crate) fn here(places: &HolmPaths, deny: Vec<CommandRule>) -> Self {
        let level_grants = places.folder_access.grants();
        let folder = places.work.to_string_lossy().into_owned();
        Self { folder, deny, level_grants, forked_from: None }
    }

    /// What is known of a session; none of one that an older version began.
    pub(crate) fn of(places: &HolmPaths, session: &str) -> Result<Option<Self>, CommandError> {
        let file = file(places, session);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(&file, &error.to_string())),
        };
        let found: Value =
            serde_json::from_str(&text).map_err(|error| unusable(&file, &error.to_string()))?;
        let folder = found.get("folder").and_then(Value::as_str);
        let deny = found.get("deny").cloned().unwrap_or_default();
        let deny = serde_json::from_value(deny).map_err(|error| unusable(&file, &error.to_string()))?;
        let folder = folder.ok_or_else(|| unusable(&file, "it names no folder"))?.to_owned();
        let level_grants = found.get("level_grants").cloned().unwrap_or_default();
        let level_grants =
            serde_json::from_value(level_grants).map_err(|error| unusable(&file, &error.to_string()))?;
        let forked_from = found.get("forked_from").cloned().unwrap_or_default();
        let forked_from =
            serde_json::from_value(forked_from).map_err(|error| unusable(&file, &error.to_string()))?;
        Ok(Some(Self { folder, deny, level_grants, forked_from }))
    }

    /// The same for a session that was forked from another one.
    pub(crate) fn forked(self, from: String, at: u64) -> Self {
        Self { forked_from: Some((from, at)), ..self }
    }

    /// Refuses to go on anywhere but where the session works.
    pub(crate) fn check(&self, places: &HolmPaths, session: &str) -> Result<(), CommandError> {
        let here = places.work.to_string_lossy();
        if self.folder == here {
            return Ok(());
        }
        let message = format!("session `{session}` works in {}, but you are in {here}", self.folder);
        let hint = format!("go to {} and resume it there, or start a new session here", self.folder);
        Err(CommandError::new(CommandExit::Usage, message).hint(hint))
    }

    /// Remembers it for a session. A file that is there is replaced whole.
    pub(crate) fn keep(&self, places: &HolmPaths, session: &str) -> Result<(), CommandError> {
        let file = file(places, session);
        let said = json!({ "session": session, "folder": self.folder, "deny": self.deny,
            "level_grants": self.level_grants, "forked_from": self.forked_from });
        holm_paths::keep(&file, &said.to_string()).map_err(|error| {
            let message = format!("{} cannot be written: {error}", file.shown());
            CommandError::new(CommandExit::Failed, message).hint(
                "free some space, or name another data folder with \
                                                      --data",
            )
        })
    }

    /// Forgets it, along with a session that is gone.
    pub(crate) fn forget(places: &HolmPaths, session: &str) -> Result<(), CommandError> {
        let file = file(places, session);
        holm_paths::forget(&file).map_err(|error| {
            CommandError::new(CommandExit::Failed, format!("{} cannot be removed: {error}", file.shown()))
        })
    }
}

/// Where it lies. A session's name may hold what no file name may.
fn file(places: &HolmPaths, session: &str) -> PathBuf {
    let name = ContentHash::of(session.as_bytes()).to_string();
    places.data.join("began").join(name).with_extension("json")
}

fn unusable(file: &Path, why: &str) -> CommandError {
    let message = format!("{} cannot be used: {why}", file.shown());
    let hint = "this file records the folder, the denied commands and the grants of the session; \
                restore it, or start a new session";
    CommandError::new(CommandExit::Failed, message).hint(hint)
}

#[cfg(test)]
mod tests;
