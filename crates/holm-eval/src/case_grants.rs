//! What a case may have by itself, and what the user has to grant.
//!
//! A case belongs to a project, which may be hostile: it chooses the prompt, the grants and, in a
//! replay, every call. By itself it has its own copy of the workspace, commands in the jail, and
//! services of this machine. A grant that reaches further, another agent, or the mode that lets the
//! user's own tools run without a question needs a grant of the user (`holm eval run --grant`).

use std::path::Path;

use holm_grants::{Grant, GrantSet, Mode};

use crate::case::CASE_FILE;
use crate::{EvalCase, EvalError};

/// What every case may have: files below its workspace, commands in the jail, and services of this
/// machine, such as one that its setup starts.
const OWN: [&str; 12] = [
    "read:**",
    "write:**",
    "exec:*",
    "exec:./**",
    "tool:shell",
    "tool:run_program",
    "fetch:http://127.0.0.1:*",
    "fetch:http://localhost:*",
    "fetch:http://[::1]:*",
    "fetch:https://127.0.0.1:*",
    "fetch:https://localhost:*",
    "fetch:https://[::1]:*",
];

/// What the mode `full` gives: it runs the calls of all tools, also those of the user's servers.
const ALL_TOOLS: &str = "tool:*";

/// Checks that a case wants nothing but what every case may have and what the user granted.
pub(crate) fn check_grants(case: &EvalCase, granted: &GrantSet) -> Result<(), EvalError> {
    let path = case.folder.join(CASE_FILE);
    let own: GrantSet = OWN.iter().filter_map(|text| text.parse().ok()).collect();
    let missing =
        wanted(case, &path)?.into_iter().find(|grant| !own.contains(grant) && !granted.contains(grant));
    match missing {
        None => Ok(()),
        Some(grant) => Err(EvalError::NotGranted { case: case.name.clone(), grant: grant.to_string() }),
    }
}

/// All that a case wants, as grants.
fn wanted(case: &EvalCase, path: &Path) -> Result<Vec<Grant>, EvalError> {
    let read = |text: &str| {
        text.parse::<Grant>()
            .map_err(|error| EvalError::case(path, format!("`{text}` is not a valid grant: {error}")))
    };
    let mut wanted = case.grants.iter().map(|text| read(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(text) = &case.mode {
        let mode: Mode = text.parse().map_err(|error| EvalError::case(path, format!("{error}")))?;
        if mode == Mode::Full {
            wanted.push(read(ALL_TOOLS)?);
        }
    }
    // The agent's file may name programs, servers and grants of its own.
    if let Some(agent) = &case.agent {
        wanted.push(read(&format!("spawn:{agent}"))?);
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests;
