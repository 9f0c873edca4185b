//! Commands in jails, under both engines, as a user without rights, through whole runs with their journals.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking, its helpers too")]

mod attacks;
mod cell;
mod everyday;
mod later;
mod leases;
mod named_by_git;
mod network;
mod programs;
mod recorded;
