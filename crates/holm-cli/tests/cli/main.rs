//! Drives the real binary, with the provider double over the loopback interface.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected should stop")]

mod acp;
mod agents;
mod aliases;
mod answers;
mod approvals;
mod attendance;
mod chat;
mod commands;
mod conversation;
mod crash;
mod default_prompt;
#[path = "../../../holm-models/tests/models/delegation.rs"]
mod delegation;
mod door;
mod endings;
mod eval_checks;
mod eval_lists;
mod evals;
mod exe;
mod first_contact;
mod grouped_questions;
mod guests;
mod habits;
mod handover;
mod helpers;
mod history;
mod hooks;
mod jobs;
mod keyring;
mod ladder;
#[cfg(feature = "local")]
mod local;
mod logs;
mod machines;
mod managed;
mod mcp;
mod newcomer;
#[cfg(feature = "local")]
mod offline;
mod openapi;
mod patience;
mod peers;
mod plan_mode;
mod planted;
mod programs;
mod prompts;
mod pty;
#[cfg(feature = "local")]
mod pull;
mod reading;
mod resumed_trust;
mod run;
mod screens;
mod sdk;
mod serve;
mod served;
mod served_trust;
mod serving;
mod sessions;
mod settings;
#[cfg(feature = "postgres")]
mod shared;
mod skills;
mod spinner;
mod stage;
mod strokes;
mod templates;
mod terminal;
mod tmux;
mod tools;
#[cfg(feature = "local")]
mod tour;
mod tutorial;
mod undo;
mod usage;
mod wasi;
mod wasm;
mod watching;
