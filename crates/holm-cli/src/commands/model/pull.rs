//! `holm model pull`: downloads a model file into the models folder. An incomplete download is
//! stored under its own name and resumed the next time. The file is put in place only when it is
//! complete, is a usable model and has the expected hash, if one is known; a wrong file is deleted.
//!
//! This file controls the steps, shows the progress and verifies the result. It starts no model:
//! `commands/model/local_models.rs` lists, tests and removes models. The models folder is defined
//! in `local.rs`, and model files are read in `holm-local`.
//!
//! Where things are:
//! - `pull/source.rs`: the short names, and the URL and expected hash of a file.
//! - `pull/downloader.rs`: the HTTP requests and redirects.
//! - `pull/partial_download.rs`: the incomplete file on disk.

mod downloader;
mod partial_download;
mod source;

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use holm_local::{GgufHead, GgufKind, file_hash};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    local,
    screen::TerminalOutput,
};
use downloader::{DownloadStream, ModelDownloader};
use partial_download::PartialDownload;
use source::DownloadSource;

/// How often the progress is shown.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(3);

/// Arguments of `holm model pull`.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelPullArgs {
    /// Model name (see --help), URL of a GGUF file, or hf:OWNER/REPOSITORY/FILE on Hugging Face
    #[arg(long_help = source::HELP)]
    model: String,
    /// Required SHA-256 of the file [default: the known one for the name, else the one the server
    /// reports]
    #[arg(long, value_name = "HASH")]
    sha256: Option<String>,
}

pub(super) async fn execute(args: &ModelPullArgs, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let env = |name: &str| std::env::var(name).ok();
    let source = DownloadSource::read(&args.model, args.sha256.as_deref(), &env)?;
    let Some(folder) = local::folder(&env) else {
        let trouble = CommandError::new(CommandExit::Usage, "no folder for models: HOME is not set");
        return Err(trouble.hint("set HOLM_MODELS to a folder").into());
    };
    fs::create_dir_all(&folder)?;
    let place = folder.join(&source.file);
    if place.is_file() {
        return report_existing(&place, &source, screen);
    }
    let mut part = PartialDownload::open(&folder, &source.file)?;
    let downloader = ModelDownloader::open(&source)?;
    let stream = downloader.begin(&part).await?;
    let expected = source.hash.clone().or_else(|| stream.hash.clone());
    receive(stream, &mut part, screen).await?;
    let summary = verify(&part, expected.as_deref())?;
    part.place(&place)?;
    screen.line(&format!("{}  {summary}", place.shown()));
    screen.line(&format!("use it with: holm run --model {} -p \"…\"", local::name_of(&place)));
    Ok(CommandExit::Done)
}

/// Reports a file that is already in the models folder. If the hash is known, it must match.
fn report_existing(
    place: &Path,
    source: &DownloadSource,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    if let Some(expected) = &source.hash {
        let found = file_hash(place).map_err(|error| local::refused(&error))?;
        if found != *expected {
            let message =
                format!("{} already exists with different content: its SHA-256 is {found}", place.shown());
            let trouble = CommandError::new(CommandExit::Failed, message);
            return Err(trouble.hint("remove it with holm model rm, or move it away").into());
        }
    }
    screen.line(&format!("{} already exists", place.shown()));
    Ok(CommandExit::Done)
}

/// Writes the received bytes to the partial file, shows the progress, and checks the total length.
async fn receive(
    mut stream: DownloadStream,
    part: &mut PartialDownload,
    screen: &TerminalOutput,
) -> anyhow::Result<()> {
    part.begin(stream.from, stream.tag.as_deref())?;
    let (began, start_length, mut last_shown) = (Instant::now(), part.length(), Instant::now());
    screen.note(&format!("holm: fetching {}", progress(start_length, stream.total, 0, Duration::ZERO)));
    loop {
        match stream.piece().await {
            Ok(Some(bytes)) => part.write(&bytes)?,
            Ok(None) => break,
            Err(why) => return Err(interrupted(part, &why.to_string())),
        }
        if last_shown.elapsed() >= PROGRESS_INTERVAL {
            last_shown = Instant::now();
            let line = progress(part.length(), stream.total, part.length() - start_length, began.elapsed());
            screen.note(&format!("holm: {line}"));
        }
    }
    part.sync()?;
    match stream.total {
        Some(total) if part.length() < total => {
            Err(interrupted(part, &format!("received {} of {total} bytes", part.length())))
        }
        Some(total) if part.length() > total => {
            part.discard();
            Err(CommandError::new(
                CommandExit::Provider,
                format!(
                    "the server sent more than the {total} bytes it \
                                                      announced"
                ),
            )
            .into())
        }
        Some(_) | None => Ok(()),
    }
}

fn interrupted(part: &PartialDownload, why: &str) -> anyhow::Error {
    let message = format!("the download was interrupted: {why}");
    let hint = format!("run the same command to continue; {} has the received part", part.path().shown());
    CommandError::new(CommandExit::Provider, message).hint(hint).into()
}

/// The progress as text: bytes, percentage, rate and remaining time.
fn progress(have: u64, total: Option<u64>, fetched: u64, elapsed: Duration) -> String {
    let mega = |bytes: u64| format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000);
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = fetched.saturating_mul(1000) / millis;
    let Some(total) = total.filter(|total| *total > 0) else { return mega(have) };
    let share = have.saturating_mul(100) / total;
    let pace = match total.saturating_sub(have).checked_div(rate) {
        Some(left) if fetched > 0 => format!(", {}/s, about {left} s left", mega(rate)),
        Some(_) | None => String::new(),
    };
    format!("{} of {} ({share} %){pace}", mega(have), mega(total))
}

/// Checks the hash and the model header of the whole file, and describes the model. A file that
/// fails is deleted, because it cannot be repaired.
fn verify(part: &PartialDownload, expected: Option<&str>) -> anyhow::Result<String> {
    let found = file_hash(part.path()).map_err(|error| local::refused(&error))?;
    if let Some(expected) = expected
        && found != expected
    {
        part.discard();
        let message = format!("wrong file: its SHA-256 is {found}, expected {expected}");
        return Err(CommandError::new(CommandExit::Provider, message)
            .hint("it was deleted; try again, or use another source")
            .into());
    }
    let head = GgufHead::open(part.path()).map_err(|why| {
        part.discard();
        CommandError::new(CommandExit::Provider, format!("the downloaded file is not a usable model: {why}"))
    })?;
    let kind = match head.kind {
        GgufKind::Model => "model",
        GgufKind::Adapter => "adapter",
    };
    let licence =
        if head.licence.is_empty() { "not given in the file; look at its source" } else { &head.licence };
    let checked = if expected.is_some() { "checked" } else { "not verified" };
    Ok(format!(
        "{kind} {}, {} million parameters, {} MiB\nlicence: {licence}\nSHA-256: {found} ({checked})",
        holm::kernel::visible(&head.name),
        head.parameters / 1_000_000,
        head.size >> 20,
    ))
}

#[cfg(test)]
mod tests;
