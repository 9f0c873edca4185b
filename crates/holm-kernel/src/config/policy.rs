//! A product's vocabulary as data: the notation of calls, other names of tools, and the notes that
//! a stuck model gets.

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

/// A product's words. The default is generic and names no tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct ProtocolPolicy {
    /// Tools whose success votes to end the run.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub terminal_tools: BTreeSet<String>,
    /// Whether a native run must end by a terminal tool; a plain answer is then reminded once.
    pub plain_answer: PlainAnswer,
    /// Other names for tools and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
    /// What a model is told when it asks for a tool that is hidden from it; the key is the tool's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hidden: BTreeMap<String, HiddenToolNote>,
    /// How planning prose without an action is recognised and answered.
    pub inconclusive: Inconclusive,
    /// What a native reply means that announces an action and takes none.
    #[serde(skip_serializing_if = "Announcements::are_answers")]
    pub announcements: Announcements,
    /// What a model is told when the turns run out; `{left}` is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrap_up: Option<String>,
    /// What a model is told when its reply was cut; none uses the built-in sentence.
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

/// What a native reply means whose last sentence announces an action ("Let me read the file.") and which makes no call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Announcements {
    /// It is the answer, as every text without a call.
    #[default]
    Answers,
    /// The model gets the correction of [`Inconclusive`] once. If it announces again, the ladder steps up; where nothing
    /// is left to do, the text is the answer.
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
    /// Argument names: what a model may write → what is meant. `list.name` is a name in the objects of the argument `list`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
}

/// What is said of a hidden tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct HiddenToolNote {
    /// The text the model gets as the result.
    pub message: String,
}

/// Recognises prose that announces an action and takes none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Inconclusive {
    /// Lower-case phrases that announce.
    pub phrases: Vec<String>,
    /// Text of this many bytes or more is an answer, regardless of its content.
    pub shorter_than: u64,
    /// What the model is told; it gets one chance.
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
