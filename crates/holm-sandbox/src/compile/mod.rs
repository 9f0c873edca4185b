//! Compiles guests in a separate process.
//!
//! A module of 15 KB can take minutes and gigabytes to compile, and wasmtime's authors leave the
//! defence to the embedder. So a child compiles the bytes, with limits on time and memory that grow
//! with their size. It is killed when it exceeds them.
//!
//! The child is the host program itself, started again with an argument that only [`compiler_main`]
//! knows. A library that is linked into another binary cannot bring a second program along, and
//! `holm` must work from one file. Where the host has no `main` to change, such as in a test
//! harness, [`CompilerProgram::program`] names any program that calls [`compiler_main`].
//!
//! Where things are:
//!
//! - `compile/parent.rs`: starts and watches the child.
//! - `compile/child.rs`: limits itself and compiles.
//! - `compile/budget.rs`: how much a compilation may cost.
//!
//! Bytes that are refused at first sight never get here (`wasm_shape.rs`); finished code is kept in
//! `cache.rs`.

mod budget;
mod child;
mod parent;

pub use budget::CompileProgress;
pub(crate) use parent::compile;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

/// The argument with which a program is started to compile.
const ARGUMENT: &str = "--holm-sandbox-compile";

/// Whether this program's `main` would compile when started again.
static PREPARED: AtomicBool = AtomicBool::new(false);

/// Compiles, if this process was started for that, and then ends it. To be called first in `main`.
///
/// ```
/// holm_sandbox::compiler_main();
/// // the rest of main
/// # assert!(holm_sandbox::CompilerProgram::itself().is_ok());
/// ```
pub fn compiler_main() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT) {
        std::process::exit(child::run());
    }
    PREPARED.store(true, Ordering::Release);
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerProgram(PathBuf);

/// Why this program cannot compile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompilerError {
    /// Started again, it would not compile but do its ordinary work.
    #[error("call holm_sandbox::compiler_main() first in main, or name a program that does")]
    NotPrepared,
    /// The system does not tell the path of the program.
    #[error("cannot find Holm's own program file: {0}")]
    NoProgram(String),
}

impl CompilerProgram {
    /// This program, started again.
    ///
    /// # Errors
    ///
    /// If [`compiler_main`] was not called in this process: started again, the
    /// program would not compile.
    pub fn itself() -> Result<Self, CompilerError> {
        if !PREPARED.load(Ordering::Acquire) {
            return Err(CompilerError::NotPrepared);
        }
        // On Linux this is the running program also when its file was replaced meanwhile, so
        // versions cannot differ.
        let running = Path::new("/proc/self/exe");
        if running.exists() {
            return Ok(Self(running.to_owned()));
        }
        std::env::current_exe().map(Self).map_err(|error| CompilerError::NoProgram(error.to_string()))
    }

    /// Uses another program, which must call [`compiler_main`] of the same version of this crate.
    /// Its output is run as machine code, so name only a program that you would run.
    #[must_use]
    pub fn program(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

/// Why a compilation failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The compiler does not accept the bytes.
    #[error("not valid: {0}")]
    Invalid(String),
    /// It took longer than bytes of this size may take.
    #[error(
        "compiling took more than {cpu_seconds} s of the processor or {wall:?} in all, too long for its size"
    )]
    TooSlow {
        /// The limit on processor time, in seconds.
        cpu_seconds: u64,
        /// The limit on the whole time.
        wall: std::time::Duration,
    },
    /// It needed more memory than bytes of this size may need.
    #[error("compiling needed more memory than its size allows")]
    TooLarge,
    /// The child could not be started or talked to.
    #[error("cannot run the compiler: {0}")]
    Unavailable(String),
}
