//! What a local model is made of.

use std::path::{Path, PathBuf};

use holm_jail::{Engine, Launcher};

/// Tokens of context where nothing else is said: as much as the small default model was made for.
const CONTEXT: u32 = 8192;
/// Sessions whose caches are kept.
const SEQUENCES: u32 = 8;
/// Tokens of a reply where nothing else is said: a small model that goes on for longer is rambling.
const MOST: u32 = 512;

/// A model file and how to run it.
///
/// ```
/// use holm_local::{Constraint, Settings};
///
/// let settings = Settings::new("/models/small.gguf").context(4096).constraint(Constraint::Off);
/// assert_eq!(settings.model(), "/models/small.gguf");
/// ```
#[derive(Debug, Clone)]
pub struct Settings {
    pub(crate) model: PathBuf,
    pub(crate) adapter: Option<PathBuf>,
    pub(crate) context: u32,
    pub(crate) sequences: u32,
    pub(crate) threads: Option<u32>,
    pub(crate) most: u32,
    pub(crate) seed: u32,
    pub(crate) stops: Vec<String>,
    pub(crate) constraint: Constraint,
    pub(crate) choosing: Choosing,
    pub(crate) believe_none_from_milli: Option<u32>,
    pub(crate) worker: Option<PathBuf>,
    pub(crate) launcher: Launcher,
    pub(crate) engine: Option<Engine>,
}

/// Whether a grammar holds replies to the schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Constraint {
    #[default]
    Grammar,
    /// The model writes what it likes; calls are checked afterwards, as everybody's are.
    Off,
}

/// How the tool of a call is chosen, where a grammar holds the reply and there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choosing {
    /// The model writes its name, token by token.
    #[default]
    Likeliest,
    /// The tool whose name gains most in likelihood by what was asked, beside the same tools with nothing asked.
    ///
    /// Whether there is a call at all stays the model's choice. Where it makes one, every name is weighed after the prompt,
    /// which takes one short step a tool; and once for each list of tools after three requests that ask for nothing, whose
    /// mean is kept. If another name wins than the model wrote, the call is written again with that one. The small default
    /// model gains nothing by it (`training/README.md` has the figures).
    Calibrated,
}

impl Settings {
    /// The model in this file.
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
            constraint: Constraint::default(),
            choosing: Choosing::default(),
            believe_none_from_milli: None,
            worker: None,
            launcher: Launcher::this_executable(),
            engine: None,
        }
    }

    /// The file of the model.
    #[must_use]
    pub fn model(&self) -> &Path {
        &self.model
    }

    /// With this adapter upon the model. One that names its base by hash is used with no other.
    #[must_use]
    pub fn adapter(self, path: impl Into<PathBuf>) -> Self {
        Self { adapter: Some(path.into()), ..self }
    }

    /// With room for so many tokens, all sessions together; never more than the model was made for.
    #[must_use]
    pub fn context(self, context: u32) -> Self {
        Self { context, ..self }
    }

    /// With caches for so many sessions.
    #[must_use]
    pub fn sequences(self, sequences: u32) -> Self {
        Self { sequences: sequences.max(1), ..self }
    }

    /// With so many threads; otherwise one less than there are processors, so that the machine stays usable.
    #[must_use]
    pub fn threads(self, threads: u32) -> Self {
        Self { threads: Some(threads.max(1)), ..self }
    }

    /// With at most so many tokens a reply, unless a request says otherwise.
    #[must_use]
    pub fn most(self, most: u32) -> Self {
        Self { most: most.max(1), ..self }
    }

    /// With this seed for models whose temperature is not zero.
    #[must_use]
    pub fn seed(self, seed: u32) -> Self {
        Self { seed, ..self }
    }

    /// With texts that end a reply and do not belong to it.
    #[must_use]
    pub fn stops(self, stops: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { stops: stops.into_iter().map(Into::into).collect(), ..self }
    }

    /// With or without a grammar.
    #[must_use]
    pub fn constraint(self, constraint: Constraint) -> Self {
        Self { constraint, ..self }
    }

    /// With this way of choosing the tool of a call. Without a grammar it changes nothing.
    #[must_use]
    pub fn choosing(self, choosing: Choosing) -> Self {
        Self { choosing, ..self }
    }

    /// Believes that no tool fits only from this likelihood on, in thousandths; below, the model must call one.
    #[must_use]
    pub fn believe_none_from(self, milli: u32) -> Self {
        Self { believe_none_from_milli: Some(milli), ..self }
    }

    /// With this program as the worker, instead of the one that runs; it must call [`serve_if_asked`](crate::serve_if_asked).
    #[must_use]
    pub fn worker(self, program: impl Into<PathBuf>) -> Self {
        Self { worker: Some(program.into()), ..self }
    }

    /// With this launcher of confined processes.
    #[must_use]
    pub fn launcher(self, launcher: Launcher) -> Self {
        Self { launcher, ..self }
    }

    /// Confined by this engine, instead of the strongest that works here.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// How many threads compute.
    pub(crate) fn thread_count(&self) -> u32 {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(|| u32::try_from(cores.saturating_sub(1)).unwrap_or(1).max(1))
    }
}
