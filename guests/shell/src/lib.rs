//! Runs shell scripts on a system without processes. The grammar is bash's, read by `brush-parser`;
//! everything after that is done here, in one thread.
//!
//! - [`io`](crate): pipes in memory that hold little, so that a fast writer waits for a slow reader
//!   and `yes | head` ends. The stages of a pipeline are futures that take turns.
//! - Expansions, arrays, arithmetic, loops, functions, subshells (a copy of the shell), traps and
//!   `set -euo pipefail`.
//! - The utilities that scripts use, as built-ins, because nothing else can be started.
//!
//! What it cannot do: start programs, run things at the same time (`&` runs at once and to its
//! end), signals.

mod builtin;
mod expand;
mod io;
mod run;
mod shell;
mod tool;
mod util;

pub use shell::ShellState;
pub use tool::{TOOL, run_script, work};

#[cfg(test)]
mod tests;
