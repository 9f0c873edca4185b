//! The command's own tools: for files, commands, the web and the time; native, and as guests of the
//! sandbox.
//!
//! Each declares what it needs, and the kernel decides. Files are reached only through the one root
//! of [`native`], so its protections apply to all tools. The tools are implemented in `holm-tools`;
//! this folder only sets them up for a folder and a user. Tools from files and servers are loaded
//! in `tool_sources.rs`.
//!
//! Where things are:
//! - `native.rs`: tools for files and about the machine.
//! - `outside_tools.rs`: commands, web pages and searches.
//! - `guests.rs`: the WASM tools inside the program, and the sets that a user can choose.
//! - `own_tools.rs`: the tools of the chosen set.

mod guests;
mod native;
mod outside_tools;
mod own_tools;

#[cfg(test)]
mod tests;

pub(crate) use guests::{BuiltinToolSet, missing};
pub(crate) use native::{native, native_apart, root};
pub(crate) use outside_tools::{CommandConfinement, OutsideTools};
pub(crate) use own_tools::own;
