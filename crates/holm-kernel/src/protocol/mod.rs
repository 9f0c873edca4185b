//! Turns a model's text into calls: extracts JSON, resolves aliases, and makes ids and names that
//! providers accept.
//!
//! Everything here is a pure function over text that a model wrote. It accepts any input, takes
//! linear time and never fails: text that is not a call is an answer, and an inconclusive reply
//! gets a second chance. Whether a call may run is decided in `run/permit.rs`, and arguments are
//! validated in `run/call.rs`. Formats of providers are in `holm-wire`.
//!
//! Where things are:
//!
//! - `protocol/scan.rs`: splits a reply into thinking, JSON objects and text.
//! - `protocol/read.rs`: what a reply of the text protocol means.
//! - `protocol/announcement.rs`: whether a native reply only announces an action.
//! - `protocol/alias.rs`: other names of tools and arguments.
//! - `protocol/passed_on.rs`: calls through the tool search.
//! - `protocol/id.rs`, `protocol/name.rs`: ids of calls and names of tools for providers.
//! - `protocol/instructions.rs`: the system prompt of the text protocol.
//! - `protocol/text.rs`: the text protocol for hosts.

mod alias;
mod announcement;
mod id;
mod instructions;
mod name;
mod passed_on;
mod read;
mod scan;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use alias::{resolve_alias, unsupported_argument};
pub(crate) use announcement::is_announcement;
pub(crate) use id::unique_id;
pub(crate) use instructions::instructions;
pub use name::{name_key, provider_name, provider_names, provider_names_beside};
pub(crate) use passed_on::{passed_on, passes_calls_on};
pub(crate) use read::{ParsedReply, read_text};
pub use text::{TextReply, read_text_reply, text_system_prompt};
