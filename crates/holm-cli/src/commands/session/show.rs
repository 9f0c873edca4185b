//! `holm session show` and `export`: prints a session for people and for programs. The formats are
//! made by `holm-store`. A journal that is stored under another name than its own is refused,
//! except for the byte-for-byte export. A file is new and private to its owner.

use std::{io::Write as _, path::PathBuf};

use clap::ValueEnum;
use holm::{
    kernel::journal,
    store::{SessionFileFormat, Store, withheld},
};
use serde_json::{Value, json};

use super::{missing, records};
use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths,
    screen::TerminalOutput,
};

/// Arguments of `holm session show`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionShowArgs {
    /// Session name, a prefix of it, or `last`
    pub(super) id: String,
    /// Print the session and its messages as one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `holm session export`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionExportArgs {
    /// Session name, a prefix of it, or `last`
    pub(super) id: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = ExportFormat::Md)]
    format: ExportFormat,
    /// Write to a new file that only you can read, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The formats in which a session is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Markdown, for reading
    Md,
    /// One JSON object with the session and its messages
    Json,
    /// The journal, byte for byte; it can be replayed and verified
    Jsonl,
}

/// Shows what was said.
pub(super) async fn show(
    store: &Store,
    screen: &TerminalOutput,
    args: &SessionShowArgs,
) -> anyhow::Result<CommandExit> {
    if args.json {
        screen.line(&object(store, &args.id).await?.to_string());
        return Ok(CommandExit::Done);
    }
    screen.answer(&String::from_utf8_lossy(&markdown(store, &args.id).await?));
    Ok(CommandExit::Done)
}

/// Writes a session out.
pub(super) async fn export(
    store: &Store,
    screen: &TerminalOutput,
    args: &SessionExportArgs,
) -> anyhow::Result<CommandExit> {
    let bytes = match args.format {
        ExportFormat::Md => markdown(store, &args.id).await?,
        ExportFormat::Jsonl => store.export(&args.id, SessionFileFormat::JsonLines).await.map_err(missing)?,
        ExportFormat::Json => format!("{}\n", object(store, &args.id).await?).into_bytes(),
    };
    match &args.out {
        Some(path) => {
            let written = holm_paths::private_file(path).and_then(|mut file| file.write_all(&bytes));
            written.map_err(|error| {
                let why = holm_paths::why_unmade(&error);
                let message = format!("{} cannot be written: {why}", path.shown());
                CommandError::new(CommandExit::Failed, message).hint("name a new file in an existing folder")
            })?;
        }
        None => screen.line(String::from_utf8_lossy(&bytes).trim_end_matches('\n')),
    }
    Ok(CommandExit::Done)
}

/// The session to read, if it is its own.
async fn markdown(store: &Store, id: &str) -> anyhow::Result<Vec<u8>> {
    let text = store.export(id, SessionFileFormat::Markdown).await.map_err(missing)?;
    records(store, id).await?;
    Ok(text)
}

/// The session and its messages, for programs.
async fn object(store: &Store, id: &str) -> anyhow::Result<Value> {
    let session = store.session(id).await.map_err(missing)?;
    let records = records(store, id).await?;
    let run = journal::replay(&records)?;
    let (messages, withheld) = (run.transcript(), withheld(&records));
    Ok(json!({ "session": session, "messages": messages, "withheld": withheld }))
}
