//! Shared code of the shipped guests. The help text, the command-line parser, the JSON arguments
//! and the schema all follow from one [`GuestTool`] declaration, so that they cannot disagree.
//!
//! The kit does **not** touch the network or the clock, and files only where a guest asks it to
//! [`replace`] one; a guest's work is a function from [`ArgumentValues`] to text.

#[cfg(all(feature = "text", any(test, target_family = "wasm")))]
mod arena;
mod args;
mod fault;
mod files;
mod help;
#[cfg(feature = "text")]
mod json;
mod run;
mod tool;
mod values;

/// The two exported functions of the world `holm:tool`, for guests that answer with one text.
#[cfg(all(feature = "text", target_family = "wasm"))]
pub mod text;

pub use fault::GuestError;
pub use files::{make_folder_of, replace};
#[cfg(feature = "text")]
pub use json::{answer, description};
pub use run::main;
pub use tool::{ParamKind, GuestToolLevel, ParamNeed, GuestParam, ParamPlace, GuestTool};
pub use values::ArgumentValues;

#[cfg(test)]
mod tests;
