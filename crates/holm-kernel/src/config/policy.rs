//! A product's vocabulary as data: the notation of calls, other names of tools, and the notes that
//! a stuck model gets.
//!
//! This file only declares it. `protocol/read.rs` and `protocol/alias.rs` read replies with it;
//! `run/reply.rs` (replies), `run/call.rs` (hidden and terminal tools) and `run/turn.rs` (the last
//! turn) act on it. The default names no tool, because the kernel knows no product. Permissions are
//! not a part of it: they are grants, denials and the mode in `config/mod.rs`.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    vec::Vec,
};

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// How a model writes its calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// The provider's own tool calls.
    #[default]
    Native,
    /// JSON in the text: `{"tool":…}` or `{"skill":…}`, an answer otherwise.
    Text,
}

/// A product's vocabulary. The default is generic and names no tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct ProtocolPolicy {
    /// Tools whose success votes to end the run.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub terminal_tools: BTreeSet<String>,
    /// Whether plain text ends a native run, or the model is reminded once to call a terminal tool.
    pub plain_answer: PlainAnswer,
    /// Other names for tools and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
    /// The notes for a model that calls a hidden tool; the key is the tool's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hidden: BTreeMap<String, HiddenToolNote>,
    /// How a reply that plans without acting is recognised and answered.
    pub inconclusive: Inconclusive,
    /// The meaning of a native reply that announces an action and takes none.
    #[serde(skip_serializing_if = "Announcements::are_answers")]
    pub announcements: Announcements,
    /// The note for the model when the turns run out; `{left}` is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrap_up: Option<String>,
    /// The note for the model when its reply was cut; `None` uses the built-in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
}

/// Whether plain text ends a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum PlainAnswer {
    /// Plain text ends the run.
    #[default]
    Ends,
    /// The model is reminded once with this text; the next plain answer ends the run.
    RemindOnce(String),
}

/// The meaning of a native reply without a call whose last sentence announces an action ("Let
/// me read the file.").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Announcements {
    /// It is the answer, like every text without a call.
    #[default]
    Answers,
    /// The model gets the correction of [`Inconclusive`] once. If it announces again, the ladder
    /// steps up. If there is no further step, the text is the answer.
    Corrected,
}

impl Announcements {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    const fn are_answers(&self) -> bool {
        matches!(self, Self::Answers)
    }
}

/// A tool's other name, with other names of its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Alias {
    /// The name a model may write.
    pub name: String,
    /// The tool that is meant.
    pub tool: String,
    /// Argument names: the model's name → the real one. `list.name` is a name in the objects
    /// of the argument `list`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Arguments whose values differ too; the key is the model's name, as in `arguments`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, ArgumentDialect>,
}

/// How a model writes the value of an argument, where the tool expects another form.
///
/// A value that does not fit is left as it is, under the model's name, so that validation names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentDialect {
    /// The argument changes nothing here and is removed.
    Ignored,
    /// `false` and `null` are removed. Any other value is answered with this text.
    Unsupported(String),
    /// From this number up it is milliseconds, and becomes whole seconds, rounded up.
    MillisecondsFrom(u64),
    /// A list of words, a program and its arguments, becomes a script for a shell.
    Argv,
    /// Of several arguments with one meaning, the largest number counts.
    Largest,
    /// The model's word → the real one.
    Words(BTreeMap<String, String>),
    /// The beginning of the value that the model writes → the real one. It is replaced under the
    /// argument's own name too.
    Beginnings(BTreeMap<String, String>),
}

/// The note about a hidden tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct HiddenToolNote {
    /// The text the model gets as the result.
    pub message: String,
}

/// Recognises prose that announces an action and takes none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Inconclusive {
    /// Lower-case phrases that announce an action.
    pub phrases: Vec<String>,
    /// Text of this many bytes or more is an answer, regardless of its content.
    pub shorter_than: u64,
    /// The correction for the model; it gets one chance.
    pub correction: String,
}

impl Default for Inconclusive {
    fn default() -> Self {
        Self {
            phrases: [
                "i will",
                "i'll",
                "let me",
                "let's",
                "we can",
                "we will",
                "to do this",
                "step 1",
                "i need to",
                "i am going to",
                "i'm going to",
            ]
            .map(String::from)
            .into(),
            shorter_than: 300,
            correction: String::from(
                "You described an action but took none. Either call a tool now, or give the final answer.",
            ),
        }
    }
}
