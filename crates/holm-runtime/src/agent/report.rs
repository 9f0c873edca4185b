//! The result of a prompt: how it ended, and what the run has used so far.
//!
//! It is data for the caller and is computed from the run, never stored. Every ending except an
//! answer becomes an error only if the caller asks for the text. The typed variant is in
//! `agent/typed_answer.rs`.

use holm_kernel::{Ending, FailureClass, NanoUsd, Usage, loop_in_words};

/// The result of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The name of the run, for resuming and replaying it.
    pub run: String,
    pub ending: Ending,
    /// Tokens of the whole run so far.
    pub usage: Usage,
    /// Money of the whole run so far.
    pub spent: NanoUsd,
}

impl RunReport {
    /// The answer of the run.
    ///
    /// # Errors
    /// [`NoAnswerError`] for every other ending.
    pub fn text(&self) -> Result<&str, NoAnswerError> {
        match &self.ending {
            Ending::Answered { text } => Ok(text),
            Ending::Refused { .. }
            | Ending::Rejected { .. }
            | Ending::Looping { .. }
            | Ending::OverBudget { .. }
            | Ending::OverLimit { .. }
            | Ending::Cancelled { .. }
            | Ending::Failed { .. } => {
                Err(NoAnswerError { run: self.run.clone(), ending: Box::new(self.ending.clone()) })
            }
        }
    }

    /// As [`text`](Self::text), but returns the text by value.
    ///
    /// # Errors
    /// The same errors as [`text`](Self::text).
    pub fn into_text(self) -> Result<String, NoAnswerError> {
        match self.ending {
            Ending::Answered { text } => Ok(text),
            ending => Err(NoAnswerError { run: self.run, ending: Box::new(ending) }),
        }
    }
}

/// A prompt ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run `{run}` ended without an answer: {}", in_words(ending))]
pub struct NoAnswerError {
    pub run: String,
    pub ending: Box<Ending>,
}

fn in_words(ending: &Ending) -> String {
    match ending {
        // Only other endings get here; this covers a host that misuses it.
        Ending::Answered { .. } => "it was answered".into(),
        Ending::Refused { reason } => format!("the model declined ({reason})"),
        Ending::Rejected { what, reason } => format!("{what} was rejected ({reason})"),
        Ending::Looping { tool, times } => loop_in_words(tool, *times),
        Ending::OverBudget { spent, limit } => {
            format!("{} of {} were spent", dollars(*spent), dollars(*limit))
        }
        Ending::OverLimit { limit, used, allowed } => {
            format!("a limit was reached ({used} of {allowed} {limit})")
        }
        Ending::Cancelled { reason } => format!("it was cancelled ({reason})"),
        Ending::Failed { class: FailureClass::HostCrash, message, .. }
        | Ending::Failed { attempts: 0, message, .. } => message.clone(),
        Ending::Failed { message, attempts, .. } => {
            let times = if *attempts == 1 { "attempt" } else { "attempts" };
            format!("the model failed after {attempts} {times} ({message})")
        }
    }
}

fn dollars(money: NanoUsd) -> String {
    let (dollars, nano_rest) = (money.value() / 1_000_000_000, money.value() % 1_000_000_000);
    format!("{dollars}.{:06} USD", nano_rest / 1_000)
}
