//! The server: Holm's agents and tools, for whoever speaks MCP.
//!
//! An agent is a tool `ask_<slug>`; the tools of a registry are there on request. A call is decided on by the kernel under
//! the [`Rights`] that whoever started the server gave, as any other call is: what would be asked and cannot be is denied.

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
