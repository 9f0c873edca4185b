//! `holm backup`: copies the whole data folder, also while a server runs.

use std::path::{Path, PathBuf};

use crate::screen::DisplayablePath as _;
use crate::{archive::BackupManifest, exit::CommandExit, holm_paths::HolmPaths, screen::TerminalOutput};

/// Arguments of `holm backup`.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupArgs {
    /// New folder for the backup; it must not exist yet
    folder: PathBuf,
}

pub(crate) async fn execute(args: &BackupArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let archive = BackupManifest::make(&HolmPaths::find(data)?.data, &args.folder).await?;
    let (folder, screen) = (args.folder.shown(), TerminalOutput::default());
    screen.note(&format!("holm: backed up {} files ({} bytes) to {folder}", archive.len(), archive.bytes()));
    if let Some(first) = archive.left_out().first() {
        let count = archive.left_out().len();
        screen.note(&format!("holm: skipped {count} in workspaces that could not be read, first {first:?}"));
    }
    Ok(CommandExit::Done)
}
