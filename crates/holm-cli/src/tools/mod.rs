//! The command's own tools: for files, commands, the web and the time; native, and as
//! guests of the sandbox.
//!
//! Each declares what it needs, and the kernel decides. Files are reached only through the one root
//! of [`native`], so its protections apply to all tools.

mod guests;
mod native;
mod outside_tools;
mod own_tools;

#[cfg(test)]
mod tests;

pub(crate) use guests::{BuiltinToolSet, missing};
pub(crate) use native::{native, native_apart};
pub(crate) use outside_tools::{CommandConfinement, OutsideTools};
pub(crate) use own_tools::own;
