//! `holm tool trust`, `distrust` and `confirm`: records whether the user trusts files of other
//! authors. Trust is for files of a project (`holm-tools/src/trust/`), confirmation for changed
//! code of the user's own tools (`holm-tools/src/registry/pins.rs`). Settings and hooks are trusted
//! with `commands/config.rs` and `commands/hooks.rs`.
//!
//! Only content that was shown is trusted, by its hash, together with the project files that a
//! server starts with. Nothing runs here, except that a WASM file describes itself in the sandbox,
//! without any grant. Running agents check before each call, so withdrawn trust
//! counts at once.

use std::{
    collections::BTreeSet,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use holm_config::{read_plain, read_plain_within};
use holm_tools::{
    openapi::OpenApiLoader,
    registry::{PinFileStore, PinStore},
    trust::{ContentHash, FolderSurvey, MAX_FILE, TrustLedger, TrustStatus, place},
};

use super::{is_named, may_be_named, wasm};
use crate::screen::DisplayablePath as _;
use crate::{
    consent::ConsentQuestion,
    content_preview::{PreviewLength, PreviewRoom, preview},
    exit::{CommandError, CommandExit},
    holm_paths::{HolmPaths, quoted},
    mcp_entries::{ENDING, McpEntryFile, McpServerEntry},
    screen::TerminalOutput,
};

/// Arguments of `holm tool trust`.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolTrustArgs {
    /// Folder to trust [default: .holm/tools]
    folder: Option<PathBuf>,
    /// Print the files in full, without asking
    #[arg(long, conflicts_with = "yes")]
    show: bool,
    /// Trust the file with this SHA-256 without asking; can be repeated
    #[arg(long, value_name = "HASH")]
    yes: Vec<ContentHash>,
}

/// Arguments of `holm tool distrust`.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolDistrustArgs {
    /// Name of a project tool, a file or a folder [default: .holm/tools]
    what: Option<PathBuf>,
}

/// Arguments of `holm tool confirm`.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolConfirmArgs {
    /// File in your tools folder, or the name of its tool or server
    file: String,
    /// Print the file in full, without asking
    #[arg(long, conflicts_with = "yes")]
    show: bool,
    /// Confirm the code with this SHA-256 without asking
    #[arg(long, value_name = "HASH")]
    yes: Option<ContentHash>,
}

/// Reviews the files of a tool folder.
pub(super) fn trust(
    args: &ToolTrustArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<CommandExit> {
    let folder = args.folder.clone().unwrap_or_else(|| places.project_tools());
    if !folder.is_dir() {
        let message = format!("folder not found: {}", folder.shown());
        let hint = "name a folder; without one, Holm uses .holm/tools of the project";
        return Err(CommandError::new(CommandExit::Missing, message).hint(hint).into());
    }
    let command = match &args.folder {
        Some(folder) => places.typed(&format!("tool trust {}", quoted(&folder.to_string_lossy()))),
        None => places.typed("tool trust"),
    };
    TrustReview { folder: &folder, command: &command, yes: &args.yes, show: args.show }.run(places, screen)
}

/// A review of the files of one folder.
pub(crate) struct TrustReview<'a> {
    pub(crate) folder: &'a Path,
    /// The command that reviews this folder, as the user types it.
    pub(crate) command: &'a str,
    /// The content that the user has agreed to already.
    pub(crate) yes: &'a [ContentHash],
    /// Whether everything is shown and nothing asked.
    pub(crate) show: bool,
}

impl TrustReview<'_> {
    /// Shows the files that are new or changed with their content, and
    /// records consent for exactly that content.
    pub(crate) fn run(&self, places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
        // Its files are reached through this folder, so the folder must not be a link. Links to
        // other folders are the responsibility of the user who names them.
        place(&places.work, &self.folder.join("any")).map_err(|linked| {
            CommandError::new(CommandExit::NoAnswer, linked.to_string())
                .hint("replace the link with the folder itself")
        })?;
        let survey = FolderSurvey::of(self.folder)?;
        let mut ledger = TrustLedger::open(places.trust())?;
        let along = along(&survey, places)?;
        let open = open_files(&survey, &along, &ledger, places);
        self.tell(&open, screen)?;
        for skipped in survey.skipped() {
            screen.answer(&format!("passed over: {} ({})", skipped.path.shown(), skipped.why));
        }
        if open.is_empty() {
            screen.note("holm: nothing new to trust");
            return Ok(CommandExit::Done);
        }
        if self.show {
            return Ok(CommandExit::Done);
        }
        let shown: BTreeSet<ContentHash> = open.iter().map(|file| file.hash).collect();
        let words = "Have you reviewed these files, and may Holm use them here as they are now?";
        let yes = self.yes.iter().copied().collect();
        if !(ConsentQuestion { command: self.command, words }).ask(&yes, &shown, screen)? {
            if TerminalOutput::can_ask() {
                screen.note("Not trusted.");
            }
            return Ok(CommandExit::NoAnswer);
        }
        let count = open.len();
        ledger.trust(&survey)?;
        for one in along {
            ledger.trust_along(&one.lead, [(one.path, one.hash)])?;
        }
        let files = match count {
            1 => "1 file is trusted as it was shown".to_owned(),
            count => format!("{count} files are trusted as they were shown"),
        };
        screen.note(&format!("holm: {files}"));
        Ok(CommandExit::Done)
    }

    /// Shows each file: its name, size and hash, what it asks for, and its content unless the user
    /// has named its hash.
    fn tell(&self, open: &[UntrustedFile], screen: &TerminalOutput) -> anyhow::Result<()> {
        let unseen = open.iter().filter(|file| !self.yes.contains(&file.hash)).count();
        let mut room = PreviewRoom::for_files(unseen);
        let whole = format!("{} --show", self.command);
        for file in open {
            screen.answer(&file.head);
            file.notes.iter().for_each(|line| screen.answer(&format!("  {line}")));
            if self.yes.contains(&file.hash) {
                continue;
            }
            let length = if self.show { PreviewLength::Whole } else { room.take() };
            let content = same_content(&file.path, file.hash)?;
            preview(&file.path, &content, length, &whole).iter().for_each(|line| screen.answer(line));
        }
        Ok(())
    }
}

/// A file that the user has not trusted as it is.
struct UntrustedFile {
    path: PathBuf,
    hash: ContentHash,
    /// Its line: whether it is new, its path, size and hash.
    head: String,
    /// What else there is to know.
    notes: Vec<String>,
}

fn open_files(
    survey: &FolderSurvey,
    along: &[ServerCompanionFile],
    ledger: &TrustLedger,
    places: &HolmPaths,
) -> Vec<UntrustedFile> {
    let own = survey.questions(ledger).into_iter().map(|question| {
        let path = question.path.shown();
        let how = word(question.standing);
        let head = format!("{how}: {path} ({} bytes, {})", question.size, question.hash);
        UntrustedFile { notes: asks(&question.path, places), path: question.path, hash: question.hash, head }
    });
    let is_open = |one: &&ServerCompanionFile| ledger.standing(&one.path, &one.hash) != TrustStatus::Trusted;
    let others = along.iter().filter(is_open).map(|one| {
        let (path, entry) = (one.path.shown(), one.lead.file_name().unwrap_or_default().shown());
        let how = word(ledger.standing(&one.path, &one.hash));
        let head = format!("{how}: {path} ({} bytes, {})", one.size, one.hash);
        let notes = vec![format!("{entry} is started with it")];
        UntrustedFile { path: one.path.clone(), hash: one.hash, head, notes }
    });
    own.chain(others).collect()
}

const fn word(standing: TrustStatus) -> &'static str {
    match standing {
        TrustStatus::Changed => "changed",
        TrustStatus::Unknown => "new",
        TrustStatus::Trusted => "trusted",
    }
}

/// Reads a file again. What is shown must be what the user agrees to.
fn same_content(path: &Path, hash: ContentHash) -> Result<Vec<u8>, CommandError> {
    let failed = |why: String| {
        CommandError::new(CommandExit::Failed, format!("{}: {why}", path.shown()))
            .hint("run the command again")
    };
    let content = read_plain_within(path, MAX_FILE).map_err(|error| failed(error.to_string()))?;
    if ContentHash::of(&content) == hash {
        Ok(content)
    } else {
        Err(failed("it changed while it was read, so nothing was trusted".to_owned()))
    }
}

/// A project file that a server starts with: it is trusted together with the entry that names it.
struct ServerCompanionFile {
    lead: PathBuf,
    path: PathBuf,
    size: usize,
    hash: ContentHash,
}

/// The files with which the servers of a folder are started and that do not lie in it.
fn along(survey: &FolderSurvey, places: &HolmPaths) -> anyhow::Result<Vec<ServerCompanionFile>> {
    let mut found = Vec::new();
    for (lead, _) in survey.files().filter(|(path, _)| path.to_string_lossy().ends_with(ENDING)) {
        let Ok(bytes) = read_plain(lead) else { continue };
        let entry = McpEntryFile { path: lead.to_owned(), bytes };
        let wrong = |why: String| CommandError::new(CommandExit::Failed, format!("{}: {why}", lead.shown()));
        for path in entry.scripts(&project(lead, places), places).map_err(wrong)? {
            if survey.files().any(|(known, _)| known == path) {
                continue;
            }
            let code = read_plain_within(&path, MAX_FILE)
                .map_err(|error| wrong(format!("{}: {error}", path.shown())))?;
            let (lead, size, hash) = (lead.to_owned(), code.len(), ContentHash::of(&code));
            found.push(ServerCompanionFile { lead, path, size, hash });
        }
    }
    Ok(found)
}

/// The project in which the servers of an entry are started.
fn project(entry: &Path, places: &HolmPaths) -> PathBuf {
    let is_usual = entry.parent().is_some_and(|folder| folder.ends_with(".holm/tools"));
    let above = entry.ancestors().nth(3).filter(|_| is_usual);
    above.unwrap_or(&places.work).to_owned()
}

/// What the file of a server or a sandboxed tool asks for: who says yes to it says yes to that.
fn asks(path: &Path, places: &HolmPaths) -> Vec<String> {
    if path.extension().is_some_and(|ending| ending == "wasm") {
        return vec![match wasm::needs(path, places) {
            Ok(needs) => format!("each call asks for: {needs}"),
            Err(why) => format!("cannot be used: {why}"),
        }];
    }
    if !path.to_string_lossy().ends_with(ENDING) {
        return Vec::new();
    }
    let read = read_plain(path).map_err(|error| error.to_string());
    match read.and_then(|bytes| McpEntryFile { path: path.to_owned(), bytes }.written()) {
        Ok(written) => written.iter().flat_map(McpServerEntry::asks).collect(),
        Err(why) => vec![format!("cannot be used: {why}")],
    }
}

/// Forgets trust. Running processes check before each call, so the next call is refused.
pub(super) fn distrust(
    args: &ToolDistrustArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<CommandExit> {
    let mut ledger = TrustLedger::open(places.trust())?;
    let known: Vec<PathBuf> = ledger.iter().map(|(path, _)| path.to_owned()).collect();
    let found: Vec<PathBuf> = match &args.what {
        None => beneath(&known, &places.project_tools()),
        Some(what) => match beneath(&known, &places.work.join(what)) {
            found if found.is_empty() => named(&known, what, &places.project_tools()),
            found => found,
        },
    };
    if found.is_empty() {
        let what = args.what.as_ref().map_or_else(|| ".holm/tools".into(), |what| what.shown());
        let message = format!("nothing trusted is named `{what}`");
        return Err(CommandError::new(CommandExit::Missing, message)
            .hint("give a tool's name, a file or a folder")
            .into());
    }
    // What was trusted along with an entry goes with it.
    let along = found.iter().flat_map(|path| ledger.along(path)).map(Path::to_owned);
    let along: Vec<PathBuf> = along.filter(|path| !found.contains(path)).collect();
    for path in found.iter().chain(&along) {
        ledger.forget(path)?;
        // Programs that watch the folder look again when its times change.
        let _ = fs::File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
        screen.answer(&format!("no longer trusted: {}", path.shown()));
    }
    Ok(CommandExit::Done)
}

/// What is known at a path or beneath it. The path may be gone, so its folder is what is looked up.
fn beneath(known: &[PathBuf], path: &Path) -> Vec<PathBuf> {
    let real = path
        .canonicalize()
        .ok()
        .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)));
    let real = real.unwrap_or_else(|| path.to_owned());
    known.iter().filter(|known| known.starts_with(&real)).cloned().collect()
}

/// Files of the project's tools with this name and any ending: a program and
/// its sidecar go together.
fn named(known: &[PathBuf], name: &Path, folder: &Path) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| name.to_str().is_some_and(|name| may_be_named(path, name));
    beneath(known, folder).into_iter().filter(is_it).collect()
}

/// Shows which code lies there, and confirms exactly that.
pub(super) fn confirm(
    args: &ToolConfirmArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<CommandExit> {
    let path = own_file(&args.file, places);
    let code = read_plain_within(&path, MAX_FILE).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            CommandError::new(CommandExit::Missing, format!("there is no file {}", path.shown()))
        }
        _ => CommandError::new(CommandExit::Missing, format!("{}: {error}", path.shown())),
    })?;
    let hash = ContentHash::of(&code);
    let command = places.typed(&format!("tool confirm {}", quoted(&args.file)));
    if args.yes.is_none() {
        screen.answer(&format!("{} ({} bytes, {hash})", path.shown(), code.len()));
        let length = if args.show { PreviewLength::Whole } else { PreviewRoom::for_files(1).take() };
        let whole = format!("{command} --show");
        preview(&path, &code, length, &whole).iter().for_each(|line| screen.answer(line));
    }
    if args.show {
        return Ok(CommandExit::Done);
    }
    let words = "Have you reviewed it, and may it have what it asks for?";
    let yes = args.yes.into_iter().collect();
    if !(ConsentQuestion { command: &command, words }).ask(&yes, &BTreeSet::from([hash]), screen)? {
        if TerminalOutput::can_ask() {
            screen.note("Not confirmed.");
        }
        return Ok(CommandExit::NoAnswer);
    }
    PinFileStore::new(places.pins()).confirm(&path, hash.as_bytes())?;
    // A document that was fetched for it is fetched again.
    OpenApiLoader::forget(&places.api_documents(), &code)?;
    // Programs that watch the folder look again when its times change.
    let file = fs::File::open(&path)?;
    let _ = file.set_modified(SystemTime::now());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    screen.answer(&format!("{name} is confirmed as {hash}"));
    Ok(CommandExit::Done)
}

/// The file of the user's tools with this name, or the only file with a tool of this name.
fn own_file(name: &str, places: &HolmPaths) -> PathBuf {
    let exact = places.tools().join(name);
    if exact.is_file() {
        return exact;
    }
    let files = fs::read_dir(places.tools()).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| {
        let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
        // What stands beside a tool is not its code.
        !file.ends_with(".toml") && is_named(path, name)
    });
    match (files.next(), files.next()) {
        (Some(only), None) => only,
        _ => exact,
    }
}
