//! What the model, the tools, people and children do.

use holm_grants::GrantSet;
use holm_kernel::{
    Block, Failure, FailureClass, Marks, ModelResult, Reply, Spill, StopReason, Thinking, Timestamp,
    ToolCall, ToolOutput, Usage, Verdict,
};
use serde::{Deserialize, Serialize};

/// How one model call ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// It answers in words.
    Says(String),
    /// It asks for tools, with a word before if there is one.
    Calls(String, Vec<Ask>),
    /// It only thinks.
    Thinks(String),
    /// It says nothing at all.
    Silent,
    /// Its words are cut by the output cap; calls that were cut with them do not count.
    Cut(String, Vec<Ask>),
    /// It declines.
    Declines(String),
    /// The call fails.
    Fails(FailureClass),
    /// The call fails, and the provider asks to wait this many milliseconds.
    FailsFor(FailureClass, u64),
    /// The host stops the call by itself.
    Stops,
}

impl Line {
    /// Words.
    pub fn says(text: impl Into<String>) -> Self {
        Self::Says(text.into())
    }

    /// One call.
    pub fn calls(tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::Calls(String::new(), vec![Ask::new(tool, arguments)])
    }

    /// The fact that the host reports.
    pub fn result(&self, usage: Usage) -> ModelResult {
        let reply = |blocks, stop| ModelResult::Replied(Reply { blocks, usage, stop, model: None });
        let failed = |class, retry_after_ms| {
            let message = String::from("scripted failure");
            ModelResult::Failed(Failure { class, message, retry_after_ms, usage: Usage::default() })
        };
        match self {
            Self::Says(text) => reply(vec![Block::Text(text.clone())], StopReason::EndTurn),
            Self::Calls(text, asks) => reply(blocks(text, asks), StopReason::ToolUse),
            Self::Thinks(text) => {
                let thinking = Thinking { text: text.clone(), replay: None };
                reply(vec![Block::Thinking(thinking)], StopReason::EndTurn)
            }
            Self::Silent => reply(Vec::new(), StopReason::EndTurn),
            Self::Cut(text, asks) => reply(blocks(text, asks), StopReason::MaxTokens),
            Self::Declines(text) => reply(vec![Block::Text(text.clone())], StopReason::Refusal),
            Self::Fails(class) => failed(*class, None),
            Self::FailsFor(class, millis) => failed(*class, Some(*millis)),
            Self::Stops => ModelResult::Aborted(Reply { usage, ..Reply::default() }),
        }
    }
}

fn blocks(text: &str, asks: &[Ask]) -> Vec<Block> {
    let words = (!text.is_empty()).then(|| Block::Text(text.to_owned()));
    let calls = asks.iter().enumerate().map(|(index, ask)| {
        Block::ToolCall(ToolCall {
            id: ask.id.clone().unwrap_or_else(|| format!("c{index}")),
            name: ask.tool.clone(),
            arguments: ask.arguments.clone(),
            replay: None,
        })
    });
    words.into_iter().chain(calls).collect()
}

/// One call that the model wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The tool's name as the model writes it.
    pub tool: String,
    /// The arguments as the model writes them.
    pub arguments: String,
    /// The provider's id; none counts up within the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Ask {
    /// A call with an id of its own.
    pub fn new(tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { tool: tool.into(), arguments: arguments.into(), id: None }
    }
}

/// What a tool does when it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// It succeeds with this output.
    Gives(String),
    /// It fails with this output.
    Fails(String),
    /// It succeeds and votes to end the run.
    Ends(String),
    /// It succeeds, and what it gives is marked.
    Brings(String, Marks),
    /// Its output is this many bytes long and is kept elsewhere.
    Spills(u64),
    /// It does its work and never answers.
    Hangs,
}

impl Work {
    /// The fact that the host reports; none if the tool never answers.
    pub fn output(&self) -> Option<ToolOutput> {
        Some(match self {
            Self::Gives(text) => ToolOutput::text(text.clone()),
            Self::Fails(text) => ToolOutput::failed(text.clone()),
            Self::Ends(text) => ToolOutput::terminal(text.clone()),
            Self::Brings(text, marks) => ToolOutput { marks: *marks, ..ToolOutput::text(text.clone()) },
            Self::Spills(bytes) => {
                let spill = Spill {
                    head: "first line\n".into(),
                    tail: "last line\n".into(),
                    bytes: *bytes,
                    sha256: "0".repeat(64),
                    reference: "blob:0".into(),
                };
                ToolOutput { spill: Some(spill.into()), ..ToolOutput::default() }
            }
            Self::Hangs => return None,
        })
    }
}

/// What a person or a gate answers to a proposed call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// Yes, this once.
    Allows,
    /// Yes, and these grants with it, for so many milliseconds or until the run ends.
    Grants(GrantSet, Option<u64>),
    /// No.
    Denies(String),
    /// Yes, with other arguments.
    Rewrites(String),
    /// No answer: the run waits.
    Silent,
}

impl Ruling {
    /// The verdict at a time; none if nobody answers.
    pub fn verdict(&self, now: Timestamp) -> Option<Verdict> {
        Some(match self {
            Self::Allows => Verdict::allow(),
            Self::Grants(grants, millis) => {
                Verdict::Allow { grants: grants.clone(), until: millis.map(|millis| now.plus(millis)) }
            }
            Self::Denies(reason) => Verdict::deny(reason.clone()),
            Self::Rewrites(arguments) => Verdict::Rewrite { arguments: arguments.clone() },
            Self::Silent => return None,
        })
    }
}

/// What a child run comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Child {
    /// It answers, and has spent this share (in thousandths) of what was set aside for it.
    Answers(String, u64),
    /// It fails.
    Fails(String),
}
