//! `holm doctor`: diagnoses whether this machine has what agents need, and says how to fix it. It
//! changes nothing, and keys are never shown. It looks at the machine; mistakes in files are found
//! by `check.rs`. A finding is bad only if Holm does not work with it; what is merely missing is
//! reported as missing. Disks are checked in `doctor/disk.rs`, user namespaces in
//! `doctor/namespaces.rs`.

mod disk;
mod namespaces;

use std::path::{Path, PathBuf};

use holm::{
    store::{Store, StoreError},
    wire::services::ServiceTable,
};
use holm_config::ConfigSettings;
use holm_jail::JailEngine;
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    exit::CommandExit,
    holm_paths::HolmPaths,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    settings::{FolderSettings, no_run},
    tools,
};

/// Arguments of `holm doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiagnosisState {
    /// It works as it should.
    Good,
    /// It is missing, but Holm works without it.
    Lacking,
    /// It does not work.
    Bad,
}

impl DiagnosisState {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Lacking => "missing",
            Self::Bad => "bad",
        }
    }
}

/// One checked item and its state.
struct DoctorFinding {
    what: &'static str,
    state: DiagnosisState,
    words: String,
}

pub(crate) async fn execute(args: &DoctorArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let (places, screen) = (HolmPaths::look(data)?, TerminalOutput::default());
    let database = database(&places).await;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let findings = std::iter::once(private(&places)).chain(disk::findings(&places.data, home));
    let findings = findings
        .chain([database, settings(&places), jail(), namespaces::finding()])
        .chain([keys(&places), guests(), git()])
        .chain(local());
    let mut exit = CommandExit::Done;
    for DoctorFinding { what, state, words } in findings {
        if state == DiagnosisState::Bad {
            exit = CommandExit::NoAnswer;
        }
        if args.json {
            screen.line(&json!({ "what": what, "state": state.as_str(), "words": words }).to_string());
        } else {
            screen.answer(&format!("{:7}  {what:11}  {words}", state.as_str()));
        }
    }
    Ok(exit)
}

/// Sessions contain conversations, so no other user may read them.
fn private(places: &HolmPaths) -> DoctorFinding {
    let path = places.data.shown();
    #[cfg(unix)]
    {
        let mode = std::fs::metadata(&places.data).map(|data| std::os::unix::fs::MetadataExt::mode(&data));
        if mode.is_ok_and(|mode| mode & 0o077 != 0) {
            let words = format!("other users can read {path}; run chmod 700 {path}");
            return DoctorFinding { what: "data", state: DiagnosisState::Bad, words };
        }
    }
    DoctorFinding { what: "data", state: DiagnosisState::Good, words: path }
}

/// Whether the stored sessions can be read. The database is not changed.
async fn database(places: &HolmPaths) -> DoctorFinding {
    let path = places.database();
    let (state, words) = if path.exists() {
        match Store::check(&path).await {
            Ok(()) => (DiagnosisState::Good, format!("{} is undamaged", path.shown())),
            Err(error) => (DiagnosisState::Bad, unsound(places, &error)),
        }
    } else {
        (DiagnosisState::Good, "none yet; the first session creates it".to_owned())
    };
    DoctorFinding { what: "database", state, words }
}

/// What is wrong with the database, and what to do about it.
fn unsound(places: &HolmPaths, error: &StoreError) -> String {
    let what = match error {
        // It names the file itself.
        StoreError::Foreign { .. } => error.to_string(),
        other => format!("{}: {other}", places.database().shown()),
    };
    // What a later version wrote is sound, and that version opens it.
    if matches!(error, StoreError::Newer { .. }) {
        return what;
    }
    // A folder with anything in it is not restored over.
    let hint = "`holm restore FOLDER` restores a backup there";
    let data = places.data.shown();
    format!("{what}; move the whole folder {data} away and keep it, and {hint}")
}

fn settings(places: &HolmPaths) -> DoctorFinding {
    let (state, words) = match FolderSettings::find(places) {
        Ok(here) => match (here.check(places).and_then(|()| here.validate()), here.inert().next()) {
            (Err(trouble), _) => (DiagnosisState::Bad, no_run(&trouble)),
            (Ok(()), Some((_, note))) => (DiagnosisState::Lacking, note),
            (Ok(()), None) => {
                (DiagnosisState::Good, "readable; `holm config show --origin` shows them".to_owned())
            }
        },
        Err(trouble) => (DiagnosisState::Bad, trouble.to_string().replace("\n  hint: ", "; ")),
    };
    DoctorFinding { what: "settings", state, words }
}

fn jail() -> DoctorFinding {
    let (state, words) = match JailEngine::detect() {
        Ok(JailEngine::Bubblewrap(path)) => {
            (DiagnosisState::Good, format!("commands run under {}", path.shown()))
        }
        Ok(JailEngine::Landlock) => (DiagnosisState::Good, "commands run under Landlock".to_owned()),
        Ok(JailEngine::Unconfined) => (DiagnosisState::Bad, "commands run without a sandbox".to_owned()),
        Err(error) => {
            (DiagnosisState::Bad, format!("this machine cannot sandbox commands, so none run: {error}"))
        }
    };
    DoctorFinding { what: "confinement", state, words }
}

/// Which providers have keys; the keys themselves are never shown. If the settings choose a model
/// that needs no key, a missing one is not reported.
fn keys(places: &HolmPaths) -> DoctorFinding {
    let settings = FolderSettings::find(places).map_or_else(
        |_| ConfigSettings::default(),
        |here| here.loaded.layers.settle(ConfigSettings::default()),
    );
    let reach = match ProviderAccess::here(&settings, places) {
        Ok(reach) => reach,
        Err(trouble) => {
            let words = trouble.to_string().replace("\n  hint: ", "; ");
            return DoctorFinding { what: "keys", state: DiagnosisState::Bad, words };
        }
    };
    let services = ServiceTable::stock();
    let known = services.iter().filter(|service| reach.has_key(&service.id));
    let known: Vec<&str> = known.map(|service| &*service.id).collect();
    let chosen = settings.model.as_ref().map(|model| model.value.as_str());
    let (state, words) = match (known.as_slice(), chosen) {
        ([], Some(model)) if reach.is_keyless(model) => {
            (DiagnosisState::Good, format!("{model} needs no key"))
        }
        ([], _) => {
            (DiagnosisState::Lacking, "no provider key; store one with `holm keys add PROVIDER`".to_owned())
        }
        (known, _) => (DiagnosisState::Good, format!("keys for {}", known.join(", "))),
    };
    DoctorFinding { what: "keys", state, words }
}

fn guests() -> DoctorFinding {
    let (state, words) = match tools::missing() {
        Some(what) => (DiagnosisState::Lacking, what),
        None => (DiagnosisState::Good, "all bundled tools work".to_owned()),
    };
    DoctorFinding { what: "WASM tools", state, words }
}

fn git() -> DoctorFinding {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|folder| folder.join("git")).find(|path| path.is_file());
    let (state, words) = match found {
        Some(path) => (DiagnosisState::Good, path.shown()),
        None => {
            (DiagnosisState::Lacking, "git not found, so helpers have no worktrees; install git".to_owned())
        }
    };
    DoctorFinding { what: "git", state, words }
}

#[cfg(feature = "local")]
fn local() -> Option<DoctorFinding> {
    let env = |name: &str| std::env::var(name).ok();
    let (state, words) = if crate::local::is_there(&env) {
        (DiagnosisState::Good, "the small local model is installed".to_owned())
    } else {
        (
            DiagnosisState::Lacking,
            "the small local model is missing; install it with `scripts/setup model` of the sources, or with `holm \
             model pull smollm2`, but without its adapter for tools"
                .to_owned(),
        )
    };
    Some(DoctorFinding { what: "local model", state, words })
}

#[cfg(not(feature = "local"))]
fn local() -> Option<DoctorFinding> {
    None
}
