//! Finds the instructions that a project gives to every agent: `AGENTS.md`, or `CLAUDE.md` if that
//! is missing. Files are only found and read here; the caller decides whether they are trusted and
//! puts them into the prompt (`holm-cli/src/commands/run/agent_parts.rs`). Settings files are found
//! in `find.rs`.

use std::path::{Path, PathBuf};

use crate::{ConfigError, ConfigLayer, find::config_folder, read::text_of};

/// The file with instructions for agents.
const GUIDE: &str = "AGENTS.md";
/// The file that is used if the other is missing.
const INSTEAD: &str = "CLAUDE.md";

/// The files of a project, from its root to the working folder. The nearest comes last, so
/// that it takes precedence. The root is the folder of the repository; without one, only the
/// working folder is searched.
#[must_use]
pub fn guides(work: &Path) -> Vec<PathBuf> {
    let root = work.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(work);
    let mut folders: Vec<&Path> = work.ancestors().take_while(|folder| folder.starts_with(root)).collect();
    folders.reverse();
    let file = |folder: &Path| {
        let paths = [GUIDE, INSTEAD].map(|name| folder.join(name));
        // A symbolic link is never trusted, and it usually leads to the other file.
        let plain = paths.iter().find(|path| path.is_file() && !path.is_symlink()).cloned();
        plain.or_else(|| paths.into_iter().find(|path| path.is_file()))
    };
    folders.into_iter().filter_map(file).collect()
}

/// The path of the user's own instructions, which apply to all of their agents in every project.
pub fn own_guide(env: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    config_folder(&env).map(|folder| folder.join(GUIDE))
}

/// The user's own instructions for all agents; `None` if the file is missing.
///
/// # Errors
/// If it cannot be read, or other users can write it.
pub fn own_guidance(env: impl Fn(&str) -> Option<String>) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let Some(path) = own_guide(env) else { return Ok(None) };
    let text = text_of(&path, ConfigLayer::User)?;
    Ok(text.map(|text| (path, text)))
}

#[cfg(test)]
mod tests;
