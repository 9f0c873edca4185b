//! Makes tools from what people already have. The modules for descriptions run nothing and open
//! nothing. They turn what a program says about itself into a schema and a plan, and arguments into
//! the exact words of its command line.
//!
//! - [`help`]: makes a tool of any program with `--help`, whichever library printed the text.
//! - [`describe`]: programs that answer `describe` with JSON, the protocol of agents-exe.
//! - [`catalogue`]: the list of tools, under names that every provider accepts, and the search in
//!   it.
//! - [`registry`]: the tools that exist right now, kept in step with folders while agents run.
//! - [`root`]: the one folder in which file tools work; [`files`]: those tools; [`undo`]: the
//!   earlier contents of files.
//! - [`simple_tools`]: look-ups for models that are too small for those tools.
//! - [`info`]: the date, and the kind of machine.
//! - [`text`]: removes unsafe characters from untrusted text.
//! - [`plain_files`]: reads untrusted files without blocking and within a size limit.
//! - [`trust`]: the files that a person has reviewed, by their content.
//! - [`access_words`]: grants and needs as a user reads them.
//! - [`shell`]: commands in a jail, rules about them, and the memory of a person's approvals.
//! - [`program`]: runs the programs of a folder as tools.
//! - [`fetch`], [`search`]: fetches web pages, and searches the web.
//! - [`openapi`]: the operations of an OpenAPI document as tools. [`yaml`]: reads YAML.
//! - [`agents`]: agents defined by files, as helpers of other agents.
//! - [`front_matter`]: front matter, the head of a Markdown file, as agents and skills have one.
//! - [`conversation`]: asks and notifies the user, waits, keeps a to-do list, looks up tools.
//! - [`hooks`]: commands that check what a run does.
//! - [`worktree`]: a git worktree for every child.
//! - `wasm` (feature `wasm`): WASM files, sandboxed; `shipped_guests`: those that come inside the
//!   program.
//! - `aliases`: names that models learned elsewhere; `authority`: from needs to grants;
//!   `proposed_needs`: the needs of tools that name none.
//!
//! This crate does not decide whether a call may run: the kernel does, from the needs that a tool
//! declares. A tool then enforces exactly what the call was granted (`authority.rs`). Confinement
//! is in `holm-jail` and `holm-sandbox`, connections are in `holm-net`, and which tools a user has
//! is assembled in `holm-cli`.
//!
//! What a program says about itself is hostile text until a person trusts the program. The text is
//! bounded and cleaned of control characters, and it can only describe. It never grants anything.

pub mod access_words;
pub mod agents;
mod aliases;
mod authority;
pub mod catalogue;
pub mod conversation;
pub mod describe;
pub mod fetch;
#[cfg(unix)]
pub mod files;
pub mod front_matter;
pub mod help;
pub mod hooks;
pub mod info;
pub mod openapi;
pub mod plain_files;
pub mod program;
mod proposed_needs;
pub mod registry;
#[cfg(unix)]
pub mod root;
pub mod search;
pub mod shell;
#[cfg(feature = "wasm")]
pub mod shipped_guests;
#[cfg(unix)]
pub mod simple_tools;
pub mod text;
pub mod trust;
#[cfg(unix)]
pub mod undo;
#[cfg(feature = "wasm")]
pub mod wasm;
pub mod worktree;
pub mod yaml;

pub use aliases::aliases;
