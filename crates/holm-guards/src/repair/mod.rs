//! Reads a model's arguments as they were meant, where only one meaning is possible.
//!
//! Models send `"50"` for `50`, `null` for "not given", or a whole object as text. Sending each of
//! these back costs a turn; guessing would run a tool with arguments that the model did not choose.
//! So only changes with one possible result are made, only where the value is invalid without them,
//! and the result is validated like any other. A value that was valid is never touched.
//!
//! Where things are:
//!
//! - `repair/argument_repair.rs`: the entry point.
//! - `repair/text.rs`: the text of arguments as JSON.
//! - `repair/fixer.rs`: changes by the schema.
//! - `repair/variant.rs`: wrapped variants of unions.
//! - `repair/fix.rs`: what was changed, for the journal.
//!
//! Other names of arguments are resolved before, in `holm-kernel/src/protocol/alias.rs`.

mod argument_repair;
mod fix;
mod fixer;
mod text;
mod variant;

pub use argument_repair::{ArgumentRepair, repair};
pub use fix::{ArgumentFix, ArgumentFixKind};

#[cfg(test)]
mod tests;
