//! Checks that the kernel cannot make: they read the whole of a large result, or run a program.
//!
//! The rules are those of the guards (`holm-guards`); only the text comes from elsewhere. A check
//! that cannot be made counts as broken, and its result is not believed. This file starts no
//! program itself: a [`CheckRunner`] does, and it must confine the program
//! (`holm-cli/src/checks.rs`). What follows from a ruling is decided in
//! `holm-kernel/src/run/result_checks.rs`.

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc, time::Duration};

use holm_guards::{
    plausibility::{self, CallOutcome, ObservedOutput, PlausibilityResult},
    postcondition::{CompiledPostconditions, Postcondition, PostconditionResult, Rule},
    ruling::Ruling,
};
use holm_kernel::{Check, CheckRequest, CheckRuling, Spill, ToolOutput};
use sha2::{Digest, Sha256};
use tokio::task;

use crate::{BlobStore, BoxFuture, MemoryBlobStore, blobs::hex};

/// How long one check may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the programs of executable postconditions.
///
/// An implementation starts a foreign program with foreign text on its input, so it
/// must confine that program.
pub trait CheckRunner: Send + Sync {
    /// Runs the program on the text and returns the result.
    fn run(&self, program: CheckProgram) -> BoxFuture<'static, CheckRuling>;
}

/// A program that must succeed on a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckProgram {
    /// Its name, as the host knows it.
    pub command: String,
    pub arguments: Vec<String>,
    /// The whole result, for its standard input.
    pub text: Arc<str>,
}

/// Runs no programs: a result that needs such a check is not believed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullCheckRunner;

impl CheckRunner for NullCheckRunner {
    fn run(&self, program: CheckProgram) -> BoxFuture<'static, CheckRuling> {
        let reason = format!(
            "this host runs no programs, so `{}` did not check the result; give the host a check runner",
            program.command
        );
        Box::pin(async { CheckRuling::Broken { reason } })
    }
}

/// Makes the checks of a run.
///
/// ```
/// use std::sync::Arc;
/// use holm_guards::plausibility::Expectation;
/// use holm_kernel::{Check, CheckRequest, CheckRuling, ToolCallId, ToolOutput};
/// use holm_runtime::ResultChecker;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let check = Check::Plausibility(Expectation::default());
/// let request = CheckRequest { tool_call: ToolCallId::new(1), check };
/// let ruling = ResultChecker::new().check(&request, &ToolOutput::text("three rows")).await;
/// assert_eq!(ruling, CheckRuling::Passed);
/// # });
/// ```
#[derive(Clone)]
pub struct ResultChecker {
    blobs: Arc<dyn BlobStore>,
    runner: Arc<dyn CheckRunner>,
    patience: Duration,
}

impl ResultChecker {
    /// Runs no programs, and finds no large results until [`blobs`](Self::blobs) sets their store.
    pub fn new() -> Self {
        Self {
            blobs: Arc::new(MemoryBlobStore::new()),
            runner: Arc::new(NullCheckRunner),
            patience: PATIENCE,
        }
    }

    /// Sets the store of large results.
    #[must_use]
    pub fn blobs(mut self, blobs: Arc<dyn BlobStore>) -> Self {
        self.blobs = blobs;
        self
    }

    /// Sets the runner of programs.
    #[must_use]
    pub fn runner(mut self, runner: Arc<dyn CheckRunner>) -> Self {
        self.runner = runner;
        self
    }

    /// Sets how long one check may take; the default is 60 seconds.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Makes one check of a result. The
    /// result itself is what [`Run::checked_output`](holm_kernel::Run::checked_output) returns.
    pub fn check(&self, request: &CheckRequest, output: &ToolOutput) -> BoxFuture<'static, CheckRuling> {
        let (this, check) = (self.clone(), request.check.clone());
        let (text, spill) = (output.text.clone(), output.spill.clone());
        Box::pin(async move {
            let looked = async {
                let text = match spill {
                    None => text.into(),
                    Some(spill) => match this.whole(&spill).await {
                        Ok(text) => text,
                        Err(reason) => return CheckRuling::Broken { reason },
                    },
                };
                this.look(check, text).await
            };
            let late = || broken(format!("the check took longer than {} s", this.patience.as_secs()));
            tokio::time::timeout(this.patience, looked).await.unwrap_or_else(|_| late())
        })
    }

    async fn look(&self, check: Check, text: Arc<str>) -> CheckRuling {
        if let Check::Postcondition(Postcondition { rule: Rule::Executable { command, arguments }, .. }) =
            check
        {
            return self.run_program(CheckProgram { command, arguments, text }).await;
        }
        // Patterns and schemas over megabytes take a while; other runs must not wait for them.
        let judged = task::spawn_blocking(move || judge(&check, &text));
        judged.await.unwrap_or_else(|_| broken("the check panicked"))
    }

    async fn run_program(&self, program: CheckProgram) -> CheckRuling {
        let running = task::spawn(self.runner.run(program));
        let stop = AbortOnDrop(running.abort_handle());
        let ruling = running.await.unwrap_or_else(|_| broken("the check panicked"));
        drop(stop);
        ruling
    }

    /// The whole text of a spilled result, if it is unchanged.
    async fn whole(&self, spill: &Spill) -> Result<Arc<str>, String> {
        let bytes =
            self.blobs.get(&spill.reference, 0..spill.bytes).await.map_err(|error| error.to_string())?;
        if hex(&Sha256::digest(&bytes).0) != spill.sha256 {
            return Err(format!("the result `{}` is not the one that was stored", spill.reference));
        }
        String::from_utf8(bytes).map(Arc::from).map_err(|_| "the stored result is not UTF-8 text".into())
    }
}

impl Default for ResultChecker {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ResultChecker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ResultChecker").field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// Aborts a task when its caller stops waiting for it.
struct AbortOnDrop(task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn judge(check: &Check, text: &str) -> CheckRuling {
    let output = ObservedOutput::whole(text);
    match check {
        Check::Plausibility(expectation) => {
            match plausibility::judge(CallOutcome::Succeeded, &output, *expectation) {
                PlausibilityResult::Ruled(ruling) => answer(&ruling),
                PlausibilityResult::NeedsWhole => broken("the guard could not decide on the whole text"),
            }
        }
        Check::Postcondition(declared) => {
            match CompiledPostconditions::compile(std::slice::from_ref(declared)) {
                Ok(promises) => match promises.evaluate(CallOutcome::Succeeded, &output) {
                    PostconditionResult::Ruled(chain) => answer(&chain.ruling()),
                    PostconditionResult::Pending { .. } => broken("the promise needs a program"),
                },
                Err(error) => broken(error.to_string()),
            }
        }
    }
}

/// The finding. The kernel decides its consequences, because it knows the declared severity.
fn answer(ruling: &Ruling) -> CheckRuling {
    match ruling {
        Ruling::Accept => CheckRuling::Passed,
        Ruling::Warn(reason) | Ruling::Reject(reason) => {
            CheckRuling::Failed { reason: reason.message.clone() }
        }
    }
}

fn broken(reason: impl Into<String>) -> CheckRuling {
    CheckRuling::Broken { reason: reason.into() }
}
