//! The MCP server: exposes Holm's agents and tools to MCP clients.
//!
//! An agent is exposed as a tool `ask_<slug>`; the tools of a registry are exposed on request. The
//! kernel decides each call under the [`Rights`] that the caller set when starting the server. A
//! call that would need a question to the user is denied.

mod agents;
mod call;
mod changes;
mod described;
mod exposed;
mod hosts;
mod http;
mod library;
mod output;
mod reading;
mod stdio;
mod teller;

#[cfg(test)]
mod tests;

pub use agents::{Answering, Roster, slug};
pub use call::{Outfit, Rights, Starter};
pub use exposed::{Exposed, Shows};
pub use hosts::{ManyHosts, named_hosts};
pub use http::{Door, HttpError, HttpService, serve_http};
pub use library::{Library, LibraryEntry, LibraryPage, LibraryText, PromptText, Prompts};
pub use output::result;
pub use stdio::serve_stdio;
