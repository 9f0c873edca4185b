//! What most programs use: `use holm::prelude::*`.

pub use crate::{
    grants::{Grant, GrantSet, Level, Mode},
    kernel::{
        Approvals, Ending, Event, Input, Limits, NanoUsd, Numbered, Prompt, Proposal, ToolOutput, Verdict,
    },
    runtime::{Agent, Approver, EventSink, RunHandle, RunReport, Session, ToolInvocation, Toolbox},
};

#[cfg(feature = "macros")]
pub use crate::tool;

#[cfg(feature = "models")]
pub use crate::models::{ModelClient, ProviderKeys, ScriptedModel};

#[cfg(feature = "store")]
pub use crate::store::Store;
