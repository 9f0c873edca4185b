//! What a session stores beside its journal: the folder in which it works, and its terms
//! (`session_terms.rs`): what the person gave it, what it has because the person trusts the folder,
//! and the commands that it never runs.
//!
//! The kernel knows none of these, but all are binding. A grant such as `write:**` means that folder
//! and no other, a command forbidden once stays forbidden after a crash, and a user who trusts a
//! folder less means its old sessions too. So they are stored in the data folder, which no tool can
//! reach, and are read first when a session is resumed or forked.
//!
//! A sidecar that cannot be read is an error and not an empty one. A session without one has at most
//! what a new session in the folder has. Everything else about a session belongs in its journal
//! (`holm-store`); the authority of a resumed session is in `commands/run/session_authority.rs`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use holm_tools::trust::ContentHash;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    session_terms::{LevelTerms, PastTerms, SessionTerms},
};

/// The facts of a session that are stored beside its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionSidecar {
    pub(crate) folder: String,
    pub(crate) terms: SessionTerms,
    /// The session that it was forked from, and the last shared record. Undo records of the shared
    /// calls are stored for that session.
    pub(crate) forked_from: Option<(String, u64)>,
}

impl SessionSidecar {
    /// A session that works here.
    pub(crate) fn here(places: &HolmPaths, terms: SessionTerms) -> Self {
        Self { folder: places.work.to_string_lossy().into_owned(), terms, forked_from: None }
    }

    /// What is known of a session; `None` if nothing is stored beside it.
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
        let folder = folder.ok_or_else(|| unusable(&file, "it names no folder"))?.to_owned();
        let level = LevelTerms {
            grants: field(&found, "level_grants", &file)?,
            mode: field(&found, "level_mode", &file)?,
        };
        let terms = SessionTerms {
            granted: field(&found, "granted", &file)?,
            level,
            denied: field(&found, "deny", &file)?,
            server_budget: field(&found, "server_budget", &file)?,
        };
        let forked_from = field(&found, "forked_from", &file)?;
        Ok(Some(Self { folder, terms, forked_from }))
    }

    /// The same for a session that was forked from another one.
    pub(crate) fn forked(self, from: String, at: u64) -> Self {
        Self { forked_from: Some((from, at)), ..self }
    }

    /// The terms of a session that is to go on here, or whose past another one is to have here.
    ///
    /// # Errors
    /// If it works in another folder, or what is stored beside it cannot be read.
    pub(crate) fn past(places: &HolmPaths, session: &str) -> Result<PastTerms, CommandError> {
        let Some(known) = Self::of(places, session)? else { return Ok(PastTerms::Lost) };
        known.check(places, session)?;
        Ok(PastTerms::Known(Box::new(known.terms)))
    }

    /// Changes the terms of a session that works here. Where they are lost, they stay so.
    ///
    /// # Errors
    /// If what is stored beside it cannot be read or written.
    pub(crate) fn change(
        places: &HolmPaths,
        session: &str,
        change: impl FnOnce(&mut SessionTerms),
    ) -> Result<(), CommandError> {
        let Some(mut known) = Self::of(places, session)? else { return Ok(()) };
        change(&mut known.terms);
        known.keep(places, session)
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
        // Where a session comes from never changes.
        let forked_from = match &self.forked_from {
            Some(origin) => Some(origin.clone()),
            None => Self::of(places, session)?.and_then(|known| known.forked_from),
        };
        let SessionTerms { granted, level, denied, server_budget } = &self.terms;
        let said = json!({ "session": session, "folder": self.folder, "deny": denied, "granted": granted,
            "level_grants": level.grants, "level_mode": level.mode, "server_budget": server_budget,
            "forked_from": forked_from });
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

/// A field of the file; one that an older version did not write is empty.
fn field<T: DeserializeOwned + Default>(found: &Value, name: &str, file: &Path) -> Result<T, CommandError> {
    let Some(value) = found.get(name) else { return Ok(T::default()) };
    serde_json::from_value(value.clone()).map_err(|error| unusable(file, &error.to_string()))
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
