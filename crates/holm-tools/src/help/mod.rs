//! Makes a tool of any program with `--help`: the text that it prints becomes a JSON Schema and a
//! plan of how to call it.
//!
//! [`HelpDescription::read`] takes what a program printed for `-h` and for `--help`, whichever
//! library printed it. It finds the options, positions and subcommands. The [`CallPlan`] then makes
//! the exact words of a call from a model's arguments, without a shell. So a value can never become
//! another option, another word or another command.
//!
//! A help text is written for people, so reading one means weighing evidence. Formal statements (a
//! usage line, a list of choices, a value's name) are believed. What is only likely is left open:
//! an unknown type is text, and an option that is not in the usage line is optional. So the schema
//! may admit what the program then refuses, but every call that the program needs is possible.
//!
//! The text is hostile until a person trusts the program. It is bounded in every direction, read in
//! linear time, and cleaned of escapes and control characters. What it says about itself (such as
//! its level) is only a claim.
//!
//! Programs with subcommands describe only their first level. [`HelpDescription::questions`] says
//! what to ask next, and [`HelpDescription::attach`] adds the answer. No program is started here;
//! `program/interface.rs` does that.
//!
//! Where things are, in the order of reading:
//! - `decode.rs`, `lines.rs`, `section.rs`: from bytes to lines and sections.
//! - `spec.rs`, `value.rs`, `choices.rs`, `entry.rs`, `marks.rs`: options, their values and
//!   descriptions.
//! - `pattern.rs`, `usage.rs`, `positions.rs`: usage lines and arguments. `commands.rs`:
//!   subcommands.
//! - `draft.rs`, `merge.rs`, `dialect.rs`: what was read. `describe/` combines it.
//! - `plan_builder.rs`, `schema.rs`, `plan/`: the plan, its schema, and the words of a call.
//! - `limits.rs`, `error.rs`: the limits, and the errors.

mod choices;
mod commands;
mod decode;
mod describe;
mod dialect;
mod draft;
mod entry;
mod error;
mod limits;
mod lines;
mod marks;
mod merge;
mod pattern;
mod plan;
mod plan_builder;
mod positions;
mod schema;
mod section;
mod spec;
mod usage;
mod value;

pub use describe::{HelpDescription, HelpProgram, HelpQuery};
pub use error::{HelpTextError, HelpTextErrorKind, PlanArgumentError, SubcommandAttachError};
pub use limits::{MAX_BYTES, MAX_COMMANDS, MAX_NESTING, MAX_OPTIONS, MAX_POSITIONS, MAX_WORDS};
pub use plan::{
    CallPlan, CommandNode, OptionArgument, OptionValueCount, OptionValueJoin, PlanArgument, PlanNeed,
    PlanOption, PlanPosition, PlanSubcommand, PlanValueKind, SwitchOffForm,
};

#[cfg(test)]
mod tests;
