//! A ladder of models: a run starts with a small model and steps up when the small one fails.
//!
//! Everything here is data, so every host steps up in the same way, and a journal says why a run
//! began on its rung. `run/ladder.rs` decides when to step up. The host chooses the first rung
//! before record 0 is written (`holm-runtime/src/ledger/starting_rung.rs`). Fallbacks after a
//! failed call are not part of a ladder; `run/failure.rs` handles them.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use holm_read::{Read, ReadError, Reader};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most characters of a task kind: enough for a label.
const MOST_KIND_CHARS: usize = 48;

/// The default hint for a model on the last rung; it is given once.
const HINT: &str = "No stronger model is left for this task. Split it into smaller steps: list them, do \
    only the first, check its result, then continue. If a step cannot be done, say which one and why.";

/// The models of a run from weak to strong, and when to step up.
///
/// A run begins each turn group on the rung `start`, or higher if it stepped up before. It steps up
/// when the one correction did not cure a guard's rejection, when calls are invalid repeatedly, or
/// when a model announces an action and takes none. On the last rung the model gets `hint` once
/// before the run fails.
///
/// ```
/// use holm_kernel::{Config, Ladder, ModelSpec};
///
/// let mut config = Config::new(ModelSpec::named("local/small"));
/// config.models.push(ModelSpec::named("cloud/large"));
/// config.ladder = Some(Ladder::of_kind("Invoice extraction"));
/// assert_eq!(config.ladder.map(|ladder| ladder.kind.to_string()).as_deref(), Some("invoice-extraction"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Ladder {
    /// The kind of task of the run.
    pub kind: TaskKind,
    /// Names of configured models, the weakest first; empty means all of them in their order.
    /// Unknown names are skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rungs: Vec<String>,
    /// The rung to begin on, counted from 0; larger numbers mean the last rung.
    pub start: u64,
    /// Why the run begins there, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// When it steps up.
    pub step_up: StepUp,
    /// The hint for the model on the last rung before the run fails; empty means no hint.
    pub hint: String,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            kind: TaskKind::default(),
            rungs: Vec::new(),
            start: 0,
            why: String::new(),
            step_up: StepUp::default(),
            hint: HINT.to_string(),
        }
    }
}

impl Ladder {
    /// A ladder over all configured models for tasks of this kind, with the defaults.
    pub fn of_kind(kind: impl AsRef<str>) -> Self {
        Self { kind: TaskKind::new(kind), ..Self::default() }
    }
}

/// When a run steps up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct StepUp {
    /// The reaction to a guard's rejection.
    pub rejection: OnRejection,
    /// Step up after this many turns in a row without a valid call; 0 means never.
    pub invalid_turns: u64,
}

impl Default for StepUp {
    fn default() -> Self {
        Self { rejection: OnRejection::default(), invalid_turns: 3 }
    }
}

/// The reaction to a guard's rejection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum OnRejection {
    /// The model may correct itself once; if that does not help, the next one takes over.
    #[default]
    AfterCorrection,
    /// The next model takes over at once.
    AtOnce,
    /// No step up: the run ends as it would without a ladder.
    Never,
}

/// A kind of task: a short label under which the ledger keeps the scores of models.
///
/// Free text is normalised, so that `Code review`, `code-review` and ` CODE  REVIEW ` are one kind.
///
/// ```
/// use holm_kernel::TaskKind;
///
/// assert_eq!(TaskKind::new(" Code  Review! ").as_str(), "code-review");
/// assert_eq!(TaskKind::new("?").as_str(), "general");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskKind(String);

impl TaskKind {
    /// The kind of a task for which no kind was given.
    pub const GENERAL: &str = "general";

    /// Normalises free text to a kind.
    pub fn new(text: impl AsRef<str>) -> Self {
        let mut kind = String::new();
        let mut gap = false;
        for letter in text.as_ref().chars() {
            let kept = letter.is_ascii_alphanumeric() || !(letter.is_ascii() || letter.is_whitespace());
            if !kept {
                gap = true;
                continue;
            }
            if gap && !kind.is_empty() {
                kind.push('-');
            }
            gap = false;
            kind.push(letter.to_ascii_lowercase());
        }
        let kind: String = kind.chars().take(MOST_KIND_CHARS).collect();
        let kind = kind.trim_end_matches('-');
        Self(if kind.is_empty() { Self::GENERAL } else { kind }.to_string())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for TaskKind {
    fn default() -> Self {
        Self(Self::GENERAL.to_string())
    }
}

impl fmt::Display for TaskKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Serialize for TaskKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TaskKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

impl<'a> Read<'a> for TaskKind {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        String::read(reader).map(Self::new)
    }
}
