//! Evaluation cases: sessions as tests.
//!
//! A case is a folder with a prompt, a workspace and checks ([`EvalCase`]). An attempt runs it with
//! the real `holm` command in a copy of the workspace ([`CaseRunner`]): with a model, or by replay
//! with recorded replies. The checks then look at the files, the answer, the calls and the cost. A
//! replay also compares each turn with the recording and says from which turn on the recording no
//! longer applies ([`ReplayDifference`]). The results of two evaluations are compared in pairs
//! ([`EvalComparison`]).
//!
//! ```no_run
//! use holm_eval::{AttemptMode, CaseRunner, EvalCase};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runner = CaseRunner::new("target/debug/holm", "target/evals/data");
//! for case in EvalCase::find(["evals/coding".as_ref()])? {
//!     let result = runner.attempt(&case, &AttemptMode::Replay, 1)?;
//!     assert!(result.is_passed(), "{}: {:?}", result.case, result.failures());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Where things are:
//! - `case.rs`: reads a case; `case_list.rs`: many in one file; `check.rs`: their checks.
//!   `contract_check.rs`: an answer that a contract skill checks.
//! - `case_grants.rs`: what a case may have by itself, and what the user has to grant.
//! - `attempt.rs`: runs one attempt; `workspace.rs`: copies the workspace.
//!   `extraction.rs`: an attempt that copies values out of a text.
//! - `transcript.rs`: what a session did, by turns; `recording.rs`: the same of a reference run.
//! - `replay.rs`: the differences between the two.
//! - `result.rs`: the result of an attempt; `evaluation.rs`: many attempts, in parallel and resumable.
//!   `stored.rs`: reads one that may still be running.
//! - `comparison.rs`: two evaluations; `report.rs`: `JUnit` and Markdown.
//! - `case_tests.rs`: cases as the tests of a program.
//! - `new_case.rs`: a case from a session; `dataset.rs`: cases from JSON Lines of other tools.

mod attempt;
mod case;
mod case_grants;
mod case_list;
mod case_tests;
mod check;
mod comparison;
mod contract_check;
mod dataset;
mod error;
mod evaluation;
mod extraction;
mod new_case;
mod recording;
mod replay;
mod report;
mod result;
mod stored;
mod transcript;
mod workspace;

pub use attempt::{AttemptMode, CaseRunner, EVAL_PARENT};
pub use case::{CaseLimits, EvalCase, TrustLevelName};
pub use case_tests::run_case_tests;
pub use check::{
    AnswerCheck, AnswerJudge, CaseCheck, CheckOutcome, FileCheck, FileExpectation, TextExpectation,
    TextPattern,
};
pub use comparison::{AttemptMeans, EvalComparison, PairedDifference, PassRate};
pub use contract_check::ContractCheck;
pub use dataset::import_dataset;
pub use error::EvalError;
pub use evaluation::{EvalPlan, Evaluation};
pub use extraction::CaseExtraction;
pub use new_case::{CaseOmissions, NewCase, PastFile, PastState};
pub use recording::{CaseRecording, RecordingScope, ReplyScript};
pub use replay::{DifferenceKind, ReplayDifference};
pub use report::{junit, markdown};
pub use result::{AttemptResult, AttemptVerdict};
pub use stored::StoredEvaluation;
pub use transcript::{SessionCall, SessionTranscript, SessionTurn};
pub use workspace::MAX_WORKSPACE_BYTES;
