//! Decides whether a result may be believed.
//!
//! This crate runs nothing, reads nothing and asks nobody: it holds pure functions over text and values. It does not repair what a tool
//! returned, it does not fetch remote schemas, and it never guesses. What a model sends is [parsed](json), repaired where the meaning is
//! certain and validated before anybody sees it; what a tool returns is checked before it is believed.

#![no_std]

extern crate alloc;

pub mod json;
pub mod plausibility;
pub mod postcondition;
pub mod ruling;
pub mod schema;
pub mod skill;
