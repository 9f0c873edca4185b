//! `holm model pull`: downloads a model file. An incomplete download is stored under its own name
//! and resumed the next time. The file is put in place only when it is complete, is a usable model
//! and has the expected hash, if one is known; one that is wrong is deleted. It starts no model.
//!
//! Where things are:
//! - `pull/source.rs`: what the user named, and which hash the file must have.
//! - `pull/downloader.rs`: the HTTP requests.
//! - `pull/partial_download.rs`: the file while it is incomplete.

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

/// How often a waiting user is shown the progress.
const TELL: Duration = Duration::from_secs(3);

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
        return there_already(&place, &source, screen);
    }
    let mut part = PartialDownload::open(&folder, &source.file)?;
    let way = ModelDownloader::open(&source)?;
    let arriving = way.begin(&part).await?;
    let wanted = source.hash.clone().or_else(|| arriving.hash.clone());
    receive(arriving, &mut part, screen).await?;
    let described = checked(&part, wanted.as_deref())?;
    part.place(&place)?;
    screen.line(&format!("{}  {described}", place.shown()));
    screen.line(&format!("use it with: holm run --model {} -p \"…\"", local::name_of(&place)));
    Ok(CommandExit::Done)
}

fn there_already(
    place: &Path,
    source: &DownloadSource,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    if let Some(wanted) = &source.hash {
        let found = file_hash(place).map_err(|error| local::refused(&error))?;
        if found != *wanted {
            let message =
                format!("{} already exists with different content: its SHA-256 is {found}", place.shown());
            let trouble = CommandError::new(CommandExit::Failed, message);
            return Err(trouble.hint("remove it with holm model rm, or move it away").into());
        }
    }
    screen.line(&format!("{} already exists", place.shown()));
    Ok(CommandExit::Done)
}

/// Takes in what comes, and says how far it is.
async fn receive(
    mut arriving: DownloadStream,
    part: &mut PartialDownload,
    screen: &TerminalOutput,
) -> anyhow::Result<()> {
    part.begin(arriving.from, arriving.tag.as_deref())?;
    let (began, at_first, mut told) = (Instant::now(), part.length(), Instant::now());
    screen.note(&format!("holm: fetching {}", progress(at_first, arriving.total, 0, Duration::ZERO)));
    loop {
        match arriving.piece().await {
            Ok(Some(bytes)) => part.write(&bytes)?,
            Ok(None) => break,
            Err(why) => return Err(broken_off(part, &why.to_string())),
        }
        if told.elapsed() >= TELL {
            told = Instant::now();
            let line = progress(part.length(), arriving.total, part.length() - at_first, began.elapsed());
            screen.note(&format!("holm: {line}"));
        }
    }
    part.sync()?;
    match arriving.total {
        Some(total) if part.length() < total => {
            Err(broken_off(part, &format!("received {} of {total} bytes", part.length())))
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

fn broken_off(part: &PartialDownload, why: &str) -> anyhow::Error {
    let message = format!("the download broke off: {why}");
    let hint = format!("run the same command to continue; {} has the received part", part.path().shown());
    CommandError::new(CommandExit::Provider, message).hint(hint).into()
}

/// How far it is, in words.
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

/// Looks at all that came. What is not what it should be is thrown away: nothing can be made of it.
fn checked(part: &PartialDownload, wanted: Option<&str>) -> anyhow::Result<String> {
    let found = file_hash(part.path()).map_err(|error| local::refused(&error))?;
    if let Some(wanted) = wanted
        && found != wanted
    {
        part.discard();
        let message = format!("wrong file: its SHA-256 is {found}, expected {wanted}");
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
    let checked = if wanted.is_some() { "checked" } else { "not verified" };
    Ok(format!(
        "{kind} {}, {} million parameters, {} MiB\nlicence: {licence}\nSHA-256: {found} ({checked})",
        holm::kernel::visible(&head.name),
        head.parameters / 1_000_000,
        head.size >> 20,
    ))
}

#[cfg(test)]
mod tests;
