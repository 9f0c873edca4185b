//! The prompt of an agent that no file describes, and what every model is told about where it
//! works.
//!
//! The text is one of three files, by the family of the model. What differs from session to session
//! (the folder, the date, what is granted) comes last, so that providers can keep the rest in their
//! caches. It is made once, when a session begins: the journal keeps it, and a session that is
//! resumed sends the same text.
//!
//! The prompt enforces nothing: rules are code in the kernel and the tools. The parts of the whole
//! system prompt are joined in `commands/run/agent_parts.rs`.
//!
//! Where things are:
//! - `claude.md`, `gpt.md`, `open.md`: the texts.
//! - `environment.rs`: the folder, the date, git and the mode.
//! - `permissions.rs`: what is granted, in words. `permission_notice.rs`: what changed later.
//! - `host_note.rs`: how such a note is told apart from what the user says.

mod environment;
mod host_note;
mod permission_notice;
mod permissions;

#[cfg(test)]
mod tests;

use holm::kernel::{Family, ModelSpec};
use holm_tools::trust::ContentHash;

pub(crate) use environment::{GitState, SessionEnvironment};
pub(crate) use host_note::HostNote;
pub(crate) use permission_notice::PermissionNotice;
pub(crate) use permissions::CallPermissions;

/// The name of the agent that these texts describe. An agent file of this name replaces it.
pub(crate) const DEFAULT_AGENT: &str = "default";

/// What the default agent is for, in a list of agents.
pub(crate) const ABOUT: &str =
    "Works in the workspace until the task is done and checked. Used where no agent is named.";

/// How a family of models likes to be told what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptDialect {
    Claude,
    Gpt,
    /// Open models, and those of which nothing is known.
    Open,
}

impl PromptDialect {
    pub(crate) const ALL: [Self; 3] = [Self::Claude, Self::Gpt, Self::Open];

    /// The dialect for a model.
    pub(crate) fn of(model: &ModelSpec) -> Self {
        match model.family {
            Family::Anthropic => Self::Claude,
            Family::OpenAi => Self::Gpt,
            Family::Gemini | Family::Open | Family::Other => Self::Open,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gpt => "gpt",
            Self::Open => "open",
        }
    }

    /// The text of the file.
    pub(crate) fn text(self) -> &'static str {
        let text = match self {
            Self::Claude => include_str!("claude.md"),
            Self::Gpt => include_str!("gpt.md"),
            Self::Open => include_str!("open.md"),
        };
        text.trim_end()
    }
}

/// The instructions that a session begins with, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionInstructions {
    pub(crate) text: String,
    /// Where they come from and their hash, as record 0 of the journal names them.
    pub(crate) source: String,
}

impl SessionInstructions {
    /// The default text for a model.
    pub(crate) fn default_for(model: &ModelSpec) -> Self {
        let dialect = PromptDialect::of(model);
        Self::named(&format!("{DEFAULT_AGENT}/{}", dialect.name()), dialect.text())
    }

    /// The text of an agent file, or one that a flag or the settings give.
    pub(crate) fn named(name: &str, text: &str) -> Self {
        Self { text: text.to_owned(), source: format!("{name} sha256:{}", ContentHash::of(text.as_bytes())) }
    }
}
