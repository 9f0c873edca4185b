//! Child processes under OS confinement: bubblewrap, or Landlock with seccomp.
//!
//! This crate does **not** decide what is granted, ask the user, parse commands or run anything by
//! itself, and it does not confine the process that calls it. It takes a [`Jail`] (deny-all, each
//! power added by name), a [`JailTask`] (program and arguments) and a [`JailEngine`], and returns a
//! [`JailJob`] that ends as a [`JailOutcome`].
//!
//! # What a child may never do, under either engine
//!
//! Read or write outside its roots; change what is protected inside them; see the parent's
//! environment or files; open a socket unless the network is open; trace, signal or limit processes
//! outside, or change their priorities; leave shared memory behind; gain privileges; outlive its
//! job. Its time, output, file sizes, descriptors, processes and memory are bounded.
//!
//! # How a child is started
//!
//! A large process must not fork: copying its page tables takes tens of milliseconds. So a
//! [`JailLauncher`] keeps one small process (this crate's binary, or the host's own binary when its
//! `main` calls [`launch_if_asked`] first), started by `posix_spawn`. For each job that process
//! forks a *supervisor*, which forks the child; the child confines itself and becomes the program.
//! Orders travel over a socket, never over arguments or environment, so nothing of them is left to
//! be read in `/proc`.
//!
//! The supervisor is the reaper of everything that the child starts: when the program ends, is
//! cancelled, runs out of time, or when the process that wanted it dies, all descendants are killed
//! and reaped, also those in sessions of their own. Under bubblewrap the kernel does that too,
//! since they share a PID namespace.
//!
//! # What is not held
//!
//! - Names: a protected path that does not exist is not made, so a child can make it for moments;
//!   see [`JailOutcome::appeared`].
//! - Metadata: under Landlock a child can ask whether a path exists and how large it is. Under
//!   bubblewrap it cannot.
//! - Hosts: neither engine can open the network for some hosts alone. [`JailNetwork::Open`] is all
//!   of it; a caller that wants less gives [`JailNetwork::Proxied`], whose only way out is a
//!   listener that the caller serves.
//! - `exec`: Landlock refuses to start programs other than those granted, but a child that may read
//!   a program can have the dynamic loader map it. That gains nothing: the mapped program runs in
//!   the same jail.
//! - Hard links: a link inside a root to a file outside it is the file. Roots that others can write
//!   to are their risk.
//! - Watches: under Landlock a child has no `inotify`, which would tell names outside; it must
//!   poll.
//! - Memory that belongs to no process: small pieces of System V shared memory (64 MiB together),
//!   and what pipes and sockets hold. Files in memory without a name (`memfd_create`) and message
//!   queues are refused.
//! - Disk: one file's size is bounded, the sum of all files is not.
//! - Signals and abstract sockets, on kernels before 6.12 without bubblewrap; see
//!   [`JailEngine::strength`].
//!
//! # Where things are
//!
//! Paths in all module comments are relative to `src/`.
//!
//! - `jail.rs`: what a child may do, as a builder.
//! - `from_grants.rs`: the same from grants.
//! - `limits.rs`: bounds of a job.
//! - `engine.rs`: which engine works here.
//! - `launcher.rs`: the launcher as the host sees it.
//! - `job.rs`: a running child.
//! - `order.rs`: the messages between host and launcher.
//! - `path_set.rs`: sets of paths.
//! - `outcome.rs`, `output.rs`, `error.rs`: how a job ended, what it wrote, why it did not start.
//! - `suspected_denial.rs`: guesses what was refused, for the user.
//! - `launcher_side/`: everything that runs in the launcher and in the processes that it forks.
//! - `main.rs`: the launcher as a program.

#![cfg(target_os = "linux")]

mod engine;
mod error;
mod from_grants;
mod jail;
mod job;
mod launcher;
mod launcher_side;
mod limits;
mod order;
mod outcome;
mod output;
mod path_set;
mod suspected_denial;

pub use engine::{JailEngine, JailStrength};
pub use error::JailError;
pub use jail::{Jail, JailNetwork, JailTask, PROXY_PORT, is_protected_in_git};
pub use job::{JailJob, JobKiller};
pub use launcher::JailLauncher;
pub use launcher_side::{LAUNCHER_ARGUMENT, launch_if_asked, launcher_main};
pub use limits::JailLimits;
pub use outcome::{JailEnding, JailOutcome, ProtectedName, ProtectedNameFate, StartStage};
pub use output::{CaptureOptions, CapturedOutput, JobStream, OutputSpill};
pub use suspected_denial::SuspectedDenial;
