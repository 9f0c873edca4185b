//! `holm restore`: restores a backup into a data folder that is missing or empty. The rules are in
//! `archive.rs`.

use std::path::{Path, PathBuf};

use crate::screen::DisplayablePath as _;
use crate::{archive::BackupManifest, exit::CommandExit, holm_paths, screen::TerminalOutput};

/// Arguments of `holm restore`.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Folder created by `holm backup`
    folder: PathBuf,
}

/// Runs the command. Nothing is made before it is known that nothing is overwritten.
pub(crate) fn execute(args: &RestoreArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let data = holm_paths::data_here(data)?;
    let archive = BackupManifest::read(&args.folder)?;
    archive.restore(&args.folder, &data)?;
    TerminalOutput::default().note(&format!("holm: restored {} files into {}", archive.len(), data.shown()));
    Ok(CommandExit::Done)
}
