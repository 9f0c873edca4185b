//! Makes tools of what people already have. The rooms for descriptions run nothing and open nothing: they turn what a
//! program says about itself into a schema and a plan, and arguments into the exact words that the program is started
//! with.
//!
//! - [`help`]: any program with `--help`; the text is read, whichever library printed it.
//! - [`describe`]: programs that answer `describe` with JSON, the protocol of agents-exe.
//! - [`catalogue`]: which tools there are, under names that every provider accepts, and how one is found among many.
//! - [`registry`]: the tools that there are right now, kept in step with folders while agents run.
//! - [`root`]: the one folder in which file tools work; [`files`]: those tools; [`undo`]: what files were before.
//! - [`simple`]: look-ups for models that are too small for those.
//! - [`info`]: the date, and what kind of machine this is.
//! - [`text`]: which characters of somebody else's text are shown.
//! - [`plain`]: files that anybody may have put there, read without waiting and within a bound.
//! - [`trust`]: which files a person has looked at, by what is in them.
//! - [`shell`]: commands in a jail, rules about them, and what is remembered of a person's answers.
//! - [`program`]: programs of a folder, run.
//! - [`fetch`], [`search`]: pages of the web, and how they are found.
//! - [`agents`]: agents that are files, as helpers of others.
//! - [`front`]: the head of a Markdown file, as agents and skills have one.
//! - [`conversation`]: asks a person, tells one, waits, keeps a list, looks up tools.
//! - [`hooks`]: commands that look at what a run does.
//! - [`worktree`]: a git worktree for every child.
//! - `wasm` (feature `wasm`): WASM files, sandboxed; `shipped`: those that come inside the program.
//!
//! What a program says about itself is hostile text until a person trusts the program: it is bounded, cleaned of control
//! characters, and it can only describe. No word of it grants anything.

pub mod agents;
mod aliases;
mod authority;
pub mod catalogue;
pub mod conversation;
pub mod describe;
pub mod fetch;
#[cfg(unix)]
pub mod files;
pub mod front;
pub mod help;
pub mod hooks;
pub mod info;
pub mod plain;
pub mod program;
pub mod registry;
#[cfg(unix)]
pub mod root;
pub mod search;
pub mod shell;
#[cfg(feature = "wasm")]
pub mod shipped;
#[cfg(unix)]
pub mod simple;
pub mod text;
pub mod trust;
#[cfg(unix)]
pub mod undo;
#[cfg(feature = "wasm")]
pub mod wasm;
pub mod worktree;

pub use aliases::aliases;
