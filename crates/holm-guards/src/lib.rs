//! Decides whether a result may be believed.
//!
//! This crate runs nothing, reads nothing and asks no user: it holds pure functions over text and
//! values. It does not change a tool's result, it does not fetch remote schemas, and it never
//! guesses. A model's arguments are [parsed](json), [repaired](repair) where only one meaning is
//! possible, and [validated](schema) before any other code sees them. A tool's result is checked
//! before it is believed.

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
