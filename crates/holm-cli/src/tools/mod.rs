//! The tools that the command has by itself: for files, for commands, for the web and for the time; native, and as guests of
//! the sandbox.
//!
//! Each says what it needs, and the kernel decides whether it may. Files are reached through the one root of
//! [`native`] alone, so what it keeps from tools is kept from all of them.

mod few;
mod guests;
mod native;
mod outside;

#[cfg(test)]
mod tests;

pub(crate) use few::own;
pub(crate) use guests::{Set, missing};
pub(crate) use native::{native, native_apart};
pub(crate) use outside::{Confinement, Outside};
