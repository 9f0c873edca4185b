//! The registry's loader for programs. It is asked only about trusted files (`registry/`).
//! Describing is done in `interface.rs`, calls in `tool.rs`. Without a jail no program becomes a
//! tool, because asking one for its description would run it with all rights of the user.

use holm_kernel::visible_line;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{DenialSet, NeedTemplate};
use holm_jail::{JailEngine, JailLauncher, JailLimits};
use holm_net::Connector;
use holm_runtime::BoxFuture;

use super::declare::declaration;
use super::interface::ask;
use super::tool::ProgramTool;
use crate::registry::{PinStatus, ToolFile, ToolLoadError, ToolLoader, ToolOffer};
use crate::trust::ContentHash;
use crate::undo::UndoStore;

/// Extensions of files in tool folders that are not programs.
const OTHERS: [&str; 12] =
    ["wasm", "toml", "json", "md", "txt", "yaml", "yml", "lock", "html", "css", "png", "license"];
/// How a program that the system starts itself begins.
const ELF: &[u8] = b"\x7fELF";

/// What a program's name begins with if another tool has the name that the program gives itself.
pub(crate) const PREFIX: &str = "bash_";

/// How long a program may take to describe itself. An interpreter with many libraries takes
/// a second or two.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes tools of programs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ProgramLoader(Arc<ProgramSetup>);

/// The settings with which every program of a host is run.
#[derive(Debug, Clone)]
pub(super) struct ProgramSetup {
    pub(super) launcher: JailLauncher,
    pub(super) engine: JailEngine,
    pub(super) workspace: PathBuf,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) limits: JailLimits,
    pub(super) patience: Duration,
    pub(super) denials: DenialSet,
    pub(super) hidden: Vec<PathBuf>,
    pub(super) connector: Option<Connector>,
    pub(super) undo: Option<UndoStore>,
    /// The folders whose programs need something each, unless a sidecar says otherwise.
    pub(super) usual: Vec<(PathBuf, NeedTemplate)>,
}

impl ProgramLoader {
    /// Programs that work in this workspace, confined by this engine. With
    /// [`JailEngine::Unconfined`] none is a tool.
    #[must_use]
    pub fn new(launcher: JailLauncher, engine: JailEngine, workspace: impl Into<PathBuf>) -> Self {
        let setup = ProgramSetup {
            launcher,
            engine,
            workspace: workspace.into(),
            env: Vec::new(),
            limits: JailLimits::default(),
            patience: PATIENCE,
            denials: DenialSet::default(),
            hidden: Vec::new(),
            connector: None,
            undo: None,
            usual: Vec::new(),
        };
        Self(Arc::new(setup))
    }

    /// Lets every program see a variable, such as `AGENT_SESSION_ID` of the protocol. No
    /// other variables are inherited.
    #[must_use]
    pub fn env(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let mut setup = (*self.0).clone();
        setup.env.push((name.into(), value.into()));
        Self(Arc::new(setup))
    }

    /// Whether a file could be a program, or could be meant as one; `head` is how it begins.
    #[must_use]
    pub fn is_program(path: &Path, head: &[u8]) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let other = ending.is_some_and(|ending| OTHERS.contains(&ending.as_str()));
        head.starts_with(b"#!") || head.starts_with(ELF) || !other
    }

    /// Adds files that no program may see or write, no matter what its calls are granted.
    #[must_use]
    pub fn denials(self, denials: DenialSet) -> Self {
        Self(Arc::new(ProgramSetup { denials, ..(*self.0).clone() }))
    }

    /// With a way to the hosts that a call is granted, which a sidecar can ask for. Without this no
    /// program has a network.
    #[must_use]
    pub fn network(self, connector: Connector) -> Self {
        Self(Arc::new(ProgramSetup { connector: Some(connector), ..(*self.0).clone() }))
    }

    /// Keeps what programs change in the workspace, so that it can be undone.
    /// Without this, nothing is kept.
    #[must_use]
    pub fn undo(self, undo: UndoStore) -> Self {
        Self(Arc::new(ProgramSetup { undo: Some(undo), ..(*self.0).clone() }))
    }

    /// Says what each program of this folder needs that has no sidecar, such as `read:**` where
    /// another system starts them in the workspace. It is a need like any other, and grants nothing.
    #[must_use]
    pub fn usual_need(self, folder: PathBuf, need: NeedTemplate) -> Self {
        let mut setup = (*self.0).clone();
        setup.usual.push((folder, need));
        Self(Arc::new(setup))
    }

    /// Hides an existing folder, such as Holm's own data, from every program. A program inside that
    /// folder sees itself and its neighbours, and nothing else of it.
    #[must_use]
    pub fn hide(self, folder: &Path) -> Self {
        let mut setup = (*self.0).clone();
        setup.hidden.extend(folder.canonicalize());
        Self(Arc::new(setup))
    }

    /// Sets the time within which a program must have described itself.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self(Arc::new(ProgramSetup { patience, ..(*self.0).clone() }))
    }

    /// With other bounds for each call; a sidecar can lower them.
    #[must_use]
    pub fn limits(self, limits: JailLimits) -> Self {
        Self(Arc::new(ProgramSetup { limits, ..(*self.0).clone() }))
    }
}

impl ToolLoader for ProgramLoader {
    /// Claims what begins like a program, and what could be meant as one: that gets a
    /// message instead of silence.
    fn claims(&self, path: &Path, head: &[u8]) -> bool {
        Self::is_program(path, head)
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            startable(&found)?;
            // Asking the program means running it. Without a jail it would run with all rights of
            // the user before any approval.
            if self.0.engine == JailEngine::Unconfined {
                return Err(ToolLoadError::unavailable(
                    "this machine cannot confine programs; install \
                    bubblewrap",
                ));
            }
            let nature = ask(&self.0, found.path, found.name).await.map_err(ToolLoadError::refused)?;
            let usual =
                self.0.usual.iter().filter(|(folder, _)| found.path.parent() == Some(folder.as_path()));
            let usual: Vec<NeedTemplate> = usual.map(|(_, need)| need.clone()).collect();
            let declaration = declaration(&nature, found.name, found.sidecar, &usual, found.standing);
            let if_taken = format!("{PREFIX}{}", declaration.name);
            let hash = ContentHash::from_bytes(*found.sha256);
            let keywords = found.sidecar.map(|sidecar| sidecar.keywords.clone()).unwrap_or_default();
            let disclosure = found.sidecar.and_then(|sidecar| sidecar.disclosure);
            let limits = found.sidecar.map(|sidecar| sidecar.limits.clone()).unwrap_or_default();
            let tool = ProgramTool::new(
                Arc::clone(&self.0),
                declaration,
                nature,
                found.path.to_owned(),
                hash,
                &limits,
            );
            let tool = tool.ends_run(found.sidecar.is_some_and(|sidecar| sidecar.ends_run));
            let mut offer = ToolOffer::new(Arc::new(tool)).keywords(keywords).if_taken(if_taken);
            offer.notes.extend(lost(&found));
            Ok(vec![match disclosure {
                Some(disclosure) => offer.disclosure(disclosure),
                None => offer,
            }])
        })
    }
}

/// A note for a person about replaced code, if the code asks for anything.
fn lost(found: &ToolFile<'_>) -> Option<String> {
    let asks = found.sidecar.is_some_and(|sidecar| !sidecar.asks.is_empty());
    let name = found.path.file_name().unwrap_or_default().to_string_lossy();
    (asks && found.standing == PinStatus::Replaced).then(|| {
        format!(
            "its code changed, so its grants are withheld; review it, then run `holm tool confirm \
            {name}`"
        )
    })
}

/// Whether the system can start the file.
fn startable(found: &ToolFile<'_>) -> Result<(), ToolLoadError> {
    let data = found.file.metadata().map_err(|error| ToolLoadError::unavailable(error.to_string()))?;
    let begins = found.bytes.starts_with(b"#!") || found.bytes.starts_with(ELF);
    match (data.permissions().mode() & 0o111 != 0, begins) {
        (true, true) => match interpreter(found.bytes) {
            Some(path) if !path.exists() => Err(ToolLoadError::refused(format!(
                "its first line names {}, which does not exist; install it, or name another interpreter",
                visible_line(&path.to_string_lossy())
            ))),
            Some(_) | None => Ok(()),
        },
        (false, true) => Err(ToolLoadError::refused("it is not executable; run chmod +x on it")),
        (true, false) => {
            Err(ToolLoadError::refused("its first line does not name an interpreter; begin it with #!"))
        }
        (false, false) => Err(ToolLoadError::refused(
            "it is not a program: begin it with #! and run chmod +x on it, or move it elsewhere",
        )),
    }
}

/// The interpreter that a script's first line names.
fn interpreter(bytes: &[u8]) -> Option<PathBuf> {
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let words = str::from_utf8(line).ok()?;
    words.split_whitespace().next().map(PathBuf::from).filter(|path| path.is_absolute())
}
