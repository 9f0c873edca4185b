//! The settings of a local model. They are checked against the files and the machine in
//! `host/mod.rs`. Nothing here opens a file. Which model the command uses is decided in
//! `holm-cli/src/local.rs`.

use std::path::{Path, PathBuf};

use holm_jail::{JailEngine, JailLauncher};

/// The default context in tokens: what the small default model was trained for.
const CONTEXT: u32 = 8192;
/// The number of sessions whose caches are kept.
const SEQUENCES: u32 = 8;
/// The default limit of a reply in tokens. A small model that writes more is rambling.
const MOST: u32 = 512;

/// A model file and how to run it.
///
/// ```
/// use holm_local::{GrammarConstraint, LocalModelSettings};
///
/// let settings = LocalModelSettings::new("/models/small.gguf")
///     .context(4096)
///     .constraint(GrammarConstraint::Off);
/// assert_eq!(settings.model(), "/models/small.gguf");
/// ```
#[derive(Debug, Clone)]
pub struct LocalModelSettings {
    pub(crate) model: PathBuf,
    pub(crate) adapter: Option<PathBuf>,
    pub(crate) context: u32,
    pub(crate) sequences: u32,
    pub(crate) threads: Option<u32>,
    pub(crate) most: u32,
    pub(crate) seed: u32,
    pub(crate) stops: Vec<String>,
    pub(crate) constraint: GrammarConstraint,
    pub(crate) choosing: ToolSelection,
    pub(crate) believe_none_from_milli: Option<u32>,
    pub(crate) worker: Option<PathBuf>,
    pub(crate) launcher: JailLauncher,
    pub(crate) engine: Option<JailEngine>,
}

/// Whether a grammar keeps replies valid for the schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrammarConstraint {
    #[default]
    Grammar,
    /// The model writes freely. Calls are checked afterwards, like all calls.
    Off,
}

/// How the tool of a call is chosen, if a grammar constrains the reply and there are several tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSelection {
    /// The model writes the tool's name, token by token.
    #[default]
    Likeliest,
    /// Chooses the tool whose name gains most in likelihood through the request, compared with the
    /// same tools and no request.
    ///
    /// The model still decides whether to make a call. If it makes one, every name is scored after
    /// the prompt, which takes one short step per tool. The names are also scored once per list of
    /// tools, after three requests that ask for nothing, and the mean is kept. If another name than
    /// the written one wins, the call is written again with that name. The small default model
    /// gains nothing by it (`training/README.md` has the figures).
    Calibrated,
}

impl LocalModelSettings {
    /// Settings for the model in this file.
    #[must_use]
    pub fn new(model: impl Into<PathBuf>) -> Self {
        Self {
            model: model.into(),
            adapter: None,
            context: CONTEXT,
            sequences: SEQUENCES,
            threads: None,
            most: MOST,
            seed: 0,
            stops: Vec::new(),
            constraint: GrammarConstraint::default(),
            choosing: ToolSelection::default(),
            believe_none_from_milli: None,
            worker: None,
            launcher: JailLauncher::this_executable(),
            engine: None,
        }
    }

    /// The path of the model file.
    #[must_use]
    pub fn model(&self) -> &Path {
        &self.model
    }

    /// Applies this adapter to the model. An adapter that names its base by hash is used
    /// with no other model.
    #[must_use]
    pub fn adapter(self, path: impl Into<PathBuf>) -> Self {
        Self { adapter: Some(path.into()), ..self }
    }

    /// Sets the context in tokens for all sessions together, up to what the model was trained for.
    #[must_use]
    pub fn context(self, context: u32) -> Self {
        Self { context, ..self }
    }

    /// Sets for how many sessions caches are kept.
    #[must_use]
    pub fn sequences(self, sequences: u32) -> Self {
        Self { sequences: sequences.max(1), ..self }
    }

    /// Sets the number of threads. The default is one less than the number of processors, so that
    /// the machine stays usable.
    #[must_use]
    pub fn threads(self, threads: u32) -> Self {
        Self { threads: Some(threads.max(1)), ..self }
    }

    /// Sets the limit of a reply in tokens, unless a request gives its own.
    #[must_use]
    pub fn most(self, most: u32) -> Self {
        Self { most: most.max(1), ..self }
    }

    /// Sets the seed for models whose temperature is not zero.
    #[must_use]
    pub fn seed(self, seed: u32) -> Self {
        Self { seed, ..self }
    }

    /// Sets stop sequences: texts that end a reply and are not part of it.
    #[must_use]
    pub fn stops(self, stops: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { stops: stops.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets whether a grammar is used.
    #[must_use]
    pub fn constraint(self, constraint: GrammarConstraint) -> Self {
        Self { constraint, ..self }
    }

    /// Sets how the tool of a call is chosen. It has no effect without a grammar.
    #[must_use]
    pub fn choosing(self, choosing: ToolSelection) -> Self {
        Self { choosing, ..self }
    }

    /// Accepts the reply that no tool fits only from this likelihood on, in thousandths. Below it,
    /// the model must call a tool.
    #[must_use]
    pub fn believe_none_from(self, milli: u32) -> Self {
        Self { believe_none_from_milli: Some(milli), ..self }
    }

    /// Uses this program as the worker instead of the current one. The program must
    /// call the function [`serve_if_asked`](crate::serve_if_asked).
    #[must_use]
    pub fn worker(self, program: impl Into<PathBuf>) -> Self {
        Self { worker: Some(program.into()), ..self }
    }

    /// Uses this launcher for confined processes.
    #[must_use]
    pub fn launcher(self, launcher: JailLauncher) -> Self {
        Self { launcher, ..self }
    }

    /// Confines the worker with this engine, instead of the strongest one that works here.
    #[must_use]
    pub fn engine(self, engine: JailEngine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// The number of compute threads.
    pub(crate) fn thread_count(&self) -> u32 {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(|| u32::try_from(cores.saturating_sub(1)).unwrap_or(1).max(1))
    }
}
