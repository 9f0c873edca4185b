//! Decides whether a result may be believed.
//!
//! This crate runs nothing, reads nothing and asks no user: it holds pure functions over text and
//! values. It does not change a tool's result, it does not fetch remote schemas, and it never
//! guesses. A model's arguments are [parsed](json), [repaired](repair) where only one meaning is
//! possible, and [validated](schema) before any other code sees them. A tool's result is checked
//! before it is believed. What follows from a ruling is decided elsewhere
//! (`holm-kernel/src/run/result_checks.rs`). Texts come from models and strangers, so every
//! function has a bound on its time and its stack.
//!
//! Where things are (paths in all module comments are relative to `src/`):
//!
//! - `json/`: JSON values with exact numbers and one canonical text.
//! - `schema/`: JSON Schema, compiled and validated.
//! - `schema/pattern/`: its regular expressions.
//! - `repair/`: a call's arguments, repaired and validated.
//! - `plausibility/`: whether an output looks like a success.
//! - `postcondition/`: whether it keeps a tool's promises.
//! - `skill/`: contract skills.
//! - `skill/source/`: whether a value occurs in the text that it claims to come from.
//! - `ruling.rs`: the ruling of a guard.
//! - `guard_switches.rs`: turns guards off in tests.

#![no_std]

extern crate alloc;

#[cfg(feature = "mutate")]
pub mod guard_switches;
#[cfg(not(feature = "mutate"))]
mod guard_switches;
pub mod json;
pub mod plausibility;
pub mod postcondition;
pub mod repair;
pub mod ruling;
pub mod schema;
pub mod skill;
