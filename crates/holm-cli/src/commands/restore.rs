//! `holm restore`: restores a backup into a data folder that does not exist yet.

use std::path::{Path, PathBuf};

use crate::screen::ShownPath as _;
use crate::{archive::Archive, exit::Exit, places, screen::Screen};

/// Arguments of `holm restore`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder created by `holm backup`
    folder: PathBuf,
}

/// Runs the command. Nothing is made before it is known that nothing is overwritten.
pub(crate) fn execute(args: &Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let data = places::data_here(data)?;
    let archive = Archive::read(&args.folder)?;
    archive.restore(&args.folder, &data)?;
    Screen::default().note(&format!("holm: restored {} files into {}", archive.len(), data.shown()));
    Ok(Exit::Done)
}
