//! Finds the hooks of a run: the user's, and the project's if the user trusts their current
//! content. It does not parse or execute hooks; `holm-tools/src/hooks/` does. The commands that
//! list and trust hooks are in `commands/hooks.rs`.
//!
//! Hooks that were never trusted do nothing and are named in a note. Hooks that were trusted before
//! and are now changed, missing or unreadable stop the run, because what they guard would be open.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use holm::{
    guards::schema::closest,
    runtime::{HookSet, SecretRedactor},
};
use holm_jail::{JailEngine, JailLauncher};
use holm_tools::{
    hooks::{
        CommandHooks, HookEvent, HookFile, HookFileError, HookTrustSource, JailedRunner, TrustedHooks,
        UntrustedHooksError,
    },
    trust::{ContentHash, TrustLedger, TrustStatus},
};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    network_scope::NetworkScope,
    screen::TerminalOutput,
    tools::CommandConfinement,
    withheld_prompts::WithheldPrompts,
};

/// The bits of a mode that let others change a file.
const OTHERS_WRITE: u32 = 0o022;

/// What ends a run before it begins.
const CHANGED: &str = "they changed since you trusted them";
/// The same where there is nothing to look at.
const GONE: &str = "they no longer exist";

/// The owner of a hooks file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookOwner {
    /// The user's own: trusted because only the user writes the file, unless it was imported.
    User,
    /// The project's: another author may have written them.
    Project,
}

impl HookOwner {
    /// In the order in which they are asked.
    pub(crate) const ALL: [Self; 2] = [Self::User, Self::Project];

    /// What a program calls them.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }

    /// Where their file is.
    pub(crate) fn file(self, places: &HolmPaths) -> PathBuf {
        match self {
            Self::User => places.hooks(),
            Self::Project => places.project_hooks(),
        }
    }

    /// Reads their file; `None` if it does not exist.
    pub(crate) fn read(self, places: &HolmPaths) -> anyhow::Result<Option<HookFile>> {
        let path = self.file(places);
        if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        if self == Self::User {
            let (file, folder) = (fs::metadata(&path)?, fs::metadata(&places.data)?);
            if file.mode() & OTHERS_WRITE != 0 || file.uid() != folder.uid() {
                anyhow::bail!("other users can write it; make it private (chmod 600)");
            }
        }
        let read = HookFile::load(&places.work, &path);
        Ok(Some(read.map_err(|error| match meant(&error) {
            Some(event) => anyhow::anyhow!("{error}; did you mean `{event}`?"),
            None => error.into(),
        })?))
    }

    /// The hooks, if they were reviewed or are the user's own. A project script that the user's
    /// hooks name still belongs to the project, and must be reviewed.
    pub(crate) fn admit(
        self,
        file: HookFile,
        places: &HolmPaths,
        ledger: &TrustLedger,
    ) -> anyhow::Result<Result<TrustedHooks, UntrustedHooksError>> {
        let question = match file.clone().trusted(ledger) {
            Ok(hooks) => return Ok(Ok(hooks)),
            Err(question) => question,
        };
        if self.vouches(&file) == HookTrustSource::ByLedger {
            return Ok(Err(question));
        }
        let own = self.file(places).canonicalize()?;
        let mut known = TrustLedger::in_memory();
        for (path, hash) in &question.files {
            if *path == own || ledger.standing(path, hash) == TrustStatus::Trusted {
                known.trust_file(path, *hash)?;
            }
        }
        let open = question.files.into_iter().filter(|(path, _)| *path != own).collect();
        Ok(file.trusted(&known).map_err(|question| UntrustedHooksError { files: open, ..question }))
    }
}

impl HookOwner {
    /// The hooks for a run. A script that differs from the reviewed one closes the gate of the
    /// hook that names it.
    fn hold(self, file: HookFile, ledger: &TrustLedger) -> Result<TrustedHooks, UntrustedHooksError> {
        let vouched = self.vouches(&file);
        file.held(ledger, vouched)
    }

    /// Why a run would not begin with these hooks, or would deny what they guard. `None` if they
    /// match what was reviewed, and if they were never trusted, because then they do nothing.
    pub(crate) fn stale(self, file: HookFile, places: &HolmPaths, ledger: &TrustLedger) -> Option<String> {
        if self.vouches(&file) == HookTrustSource::ByLedger && file.standing(ledger) == TrustStatus::Changed {
            return Some(format!("{CHANGED}; `holm hooks trust` shows them and asks you"));
        }
        let held = self.hold(file, ledger).ok()?;
        held.shut().next().map(|script| shut(&script, &self.file(places)))
    }

    /// Why a run would not begin without the file: it was trusted before.
    pub(crate) fn gone(self, places: &HolmPaths, ledger: &TrustLedger) -> Option<String> {
        was_trusted(self, places, ledger).then(|| format!("{GONE}; {BACK}"))
    }

    /// Who vouches for a file. An imported file was written by another author, no matter
    /// where it is now.
    pub(crate) fn vouches(self, file: &HookFile) -> HookTrustSource {
        match self {
            Self::User if !file.is_imported() => HookTrustSource::ByOwner,
            Self::User | Self::Project => HookTrustSource::ByLedger,
        }
    }
}

/// The files of a question that a person has yet to look at, and how they stand.
pub(crate) fn open_files(
    question: &UntrustedHooksError,
    ledger: &TrustLedger,
) -> Vec<(PathBuf, ContentHash, TrustStatus)> {
    let standing = |(path, hash): &(PathBuf, ContentHash)| (path.clone(), *hash, ledger.standing(path, hash));
    question.files.iter().map(standing).filter(|(.., standing)| *standing != TrustStatus::Trusted).collect()
}

/// The hooks of a run, and notes about hooks that were left out.
pub(crate) struct RunHooks {
    pub(crate) hooks: HookSet,
    pub(crate) notes: Vec<String>,
    /// Tracks prompts that the hooks withhold.
    pub(crate) withholding: Arc<WithheldPrompts>,
}

impl RunHooks {
    /// Finds all hooks that may run here. Hooks that were never trusted do nothing, and are named.
    /// Secrets are removed from messages about denials.
    ///
    /// # Errors
    /// If trusted hooks cannot be run or differ from what was trusted: what they
    /// guard would be open.
    pub(crate) fn find(
        places: &HolmPaths,
        confinement: CommandConfinement,
        screen: &Arc<TerminalOutput>,
        secrets: &SecretRedactor,
    ) -> anyhow::Result<Self> {
        let withholding = WithheldPrompts::new(Arc::clone(screen));
        let mut gathered = Self { hooks: HookSet::default(), notes: Vec::new(), withholding };
        for owner in HookOwner::ALL {
            let path = owner.file(places);
            let ledger = TrustLedger::open(places.trust()).context("cannot read which hooks are trusted")?;
            let Some(read) = owner.read(places).transpose() else {
                if was_trusted(owner, places, &ledger) {
                    return Err(gone(&path).into());
                }
                continue;
            };
            let file = match read {
                Ok(file) => file,
                Err(error) => {
                    // What the file says must not look like a line of ours.
                    let why = format!("{error:#}").replace(['\n', '\r'], " ");
                    if was_trusted(owner, places, &ledger) {
                        return Err(unreadable(&path, &why).into());
                    }
                    gathered.notes.push(format!("{} is not used: {why}", path.shown()));
                    continue;
                }
            };
            for warning in file.warnings() {
                gathered.notes.push(format!("{} {warning}", path.shown()));
            }
            let is_by_ledger = owner.vouches(&file) == HookTrustSource::ByLedger;
            if is_by_ledger && file.standing(&ledger) == TrustStatus::Changed {
                return Err(refused(&path, CHANGED).into());
            }
            match owner.hold(file, &ledger) {
                Ok(hooks) => {
                    gathered.notes.extend(hooks.shut().map(|script| shut(&script, &path)));
                    let hooks = CommandHooks::new(hooks, runner(places, confinement)?);
                    let hooks = gathered.withholding.watch(hooks);
                    gathered.hooks = gathered.hooks.hook(telling(hooks, screen, secrets));
                }
                // A link here leads to another file than the trusted one.
                Err(_) if was_trusted(owner, places, &ledger) => return Err(refused(&path, CHANGED).into()),
                Err(_) => {
                    let hint = "`holm hooks trust` shows what it runs and asks you";
                    gathered.notes.push(format!(
                        "the hooks of {} are not used: you have not trusted them; {hint}",
                        path.shown()
                    ));
                }
            }
        }
        Ok(gathered)
    }
}

/// Whether the hooks in this place were trusted before.
fn was_trusted(owner: HookOwner, places: &HolmPaths, ledger: &TrustLedger) -> bool {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    match owner {
        HookOwner::User => ledger.knows(&real(&places.hooks())),
        HookOwner::Project => ledger.knows(&real(&places.work).join(".holm/hooks.json")),
    }
}

/// The error that stops a run which would begin without its trusted hooks.
fn refused(hooks: &Path, why: &str) -> CommandError {
    let message = format!("the hooks of {} guard this project, but {why}", hooks.shown());
    CommandError::new(CommandExit::NoAnswer, message)
        .hint("`holm hooks trust` shows them and asks you; `holm hooks forget` continues without them")
}

/// What to do where the file is gone.
const BACK: &str = "restore the file, or continue without it: `holm hooks forget`";

/// The same for a missing file: a user who removed it on purpose must say so once.
fn gone(hooks: &Path) -> CommandError {
    let message = format!("the hooks of {} guard this project, but {GONE}", hooks.shown());
    CommandError::new(CommandExit::NoAnswer, message).hint(BACK)
}

/// The same for an invalid file: it must be fixed before the user can review and trust it.
fn unreadable(hooks: &Path, why: &str) -> CommandError {
    let message =
        format!("the hooks of {} guard this project, but they can no longer be read: {why}", hooks.shown());
    CommandError::new(CommandExit::Usage, message)
        .hint("fix the file, then run `holm hooks trust`; `holm hooks forget` continues without them")
}

/// The closest event name, if a file names an event that does not exist.
fn meant(error: &HookFileError) -> Option<&'static str> {
    let HookFileError::UnknownEvent { event, .. } = error else { return None };
    closest(event, HookEvent::ALL.into_iter().map(HookEvent::name))
}

/// The message for a script that differs from the reviewed one, with the consequences.
fn shut(script: &Path, hooks: &Path) -> String {
    if !script.is_file() {
        return missing(script, hooks);
    }
    let (script, hooks) = (script.shown(), hooks.shown());
    format!(
        "{script}, a script of the hooks of {hooks}, changed since you trusted it, so Holm denies the \
         calls it guards; `holm hooks trust` shows it and asks you"
    )
}

/// A script that was trusted and is gone, and what follows from it.
pub(crate) fn missing(script: &Path, hooks: &Path) -> String {
    let (script, hooks) = (script.shown(), hooks.shown());
    format!("{script}, a script of the hooks of {hooks}, is missing, so Holm denies the calls it guards")
}

/// Reports denials on standard error, if no terminal shows the calls.
fn telling(hooks: CommandHooks, screen: &Arc<TerminalOutput>, secrets: &SecretRedactor) -> CommandHooks {
    if TerminalOutput::notes_to_a_person() {
        return hooks;
    }
    let (screen, secrets) = (Arc::clone(screen), secrets.clone());
    hooks.on_denial(move |tool, reason| {
        // One line, regardless of the command's output, and without secrets.
        let reason = secrets.text(reason);
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        screen.note(&format!("holm: `{tool}` was denied by a hook: {reason}"));
    })
}

/// Runs commands in the project's folder.
fn runner(places: &HolmPaths, confinement: CommandConfinement) -> anyhow::Result<JailedRunner> {
    let engine = match confinement {
        CommandConfinement::Required => JailEngine::detect().map_err(|error| {
            let message = format!("your trusted hooks cannot run: {error}");
            CommandError::new(CommandExit::Failed, message)
                .hint("--unconfined runs them, and all commands, without a jail")
        })?,
        CommandConfinement::None => JailEngine::Unconfined,
    };
    let jailed = JailedRunner::within(places.work.canonicalize()?, engine, JailLauncher::this_executable());
    let jailed = match places.bounds {
        NetworkScope::Anywhere => jailed,
        NetworkScope::ThisMachine => jailed.offline(),
    };
    Ok(jailed.environment(std::env::vars_os()))
}
