//! The tools that ask the user a question and notify the user. Who the user is and where they
//! answer is decided by the host, which implements [`UserChannel`]
//! (`holm-cli/src/helper_terminal.rs`), or by `user_mailbox.rs`. No answer is a failed call that
//! tells the model to decide itself. An answer here never approves a call.

use std::sync::Arc;

use holm_grants::Level;
use holm_kernel::{Pace, Retention, ToolOutput, ToolSpec};
use holm_runtime::{BoxFuture, ToolInvocation, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ASK_USER;

/// How long a question waits. People sleep, but a run that gets no answer for
/// a day should continue.
const PATIENCE_MS: u64 = 24 * 3_600_000;

/// The user in front of a run.
pub trait UserChannel: Send + Sync + 'static {
    /// Asks a question, with a list of answers to choose from if there are any. Returns `None` if
    /// there is no user to answer.
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>>;

    /// Notifies the user, without waiting for an answer.
    fn tell(&self, text: &str);
}

/// The tool with which a model asks the user: `TypedToolAdapter::new(AskUserTool::of(people))`.
pub struct AskUserTool<P> {
    people: Arc<P>,
}

impl<P> AskUserTool<P> {
    pub fn of(people: Arc<P>) -> Self {
        Self { people }
    }
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AskUserArguments {
    /// What you want to know, in one or two sentences.
    question: String,
    /// Answers to choose from; leave it out for a free answer.
    #[serde(default)]
    choices: Vec<String>,
}

impl<P: UserChannel> TypedTool for AskUserTool<P> {
    type Arguments = AskUserArguments;
    type Output = ToolOutput;

    fn declare(&self) -> ToolSpec {
        let what = "Asks the user a question and waits for the answer. Ask only what you cannot find out \
            yourself.";
        let tool = Self::named(ASK_USER, what).level(Level::None);
        // One at a time: a person who is asked two questions at once answers neither well.
        let (timeout_ms, pace) = (Some(PATIENCE_MS), Pace::Exclusive);
        // What a person answered is not to be asked again after a compaction.
        ToolSpec { timeout_ms, pace, retention: Retention::Each, ..tool }
    }

    async fn call(self: Arc<Self>, asked: AskUserArguments, job: ToolInvocation) -> ToolOutput {
        let answer = self.people.ask(&asked.question, &asked.choices);
        let answer = tokio::select! {
            biased;
            () = job.stop.cancelled() => None,
            answer = answer => answer,
        };
        match answer {
            Some(answer) => ToolOutput::text(format!("The user answers: {answer}")),
            None => ToolOutput::failed("the user did not answer; decide yourself, and say what you assumed"),
        }
    }
}

/// The tool with which a model reports progress to the user while it keeps working.
pub struct NotifyUserTool<P> {
    people: Arc<P>,
}

impl<P> NotifyUserTool<P> {
    pub fn of(people: Arc<P>) -> Self {
        Self { people }
    }
}

/// What people are told.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NotifyUserArguments {
    /// What they should know, in a few sentences.
    text: String,
}

impl<P: UserChannel> TypedTool for NotifyUserTool<P> {
    type Arguments = NotifyUserArguments;
    type Output = &'static str;

    fn declare(&self) -> ToolSpec {
        Self::named("brief", "Tells the user about your progress, without waiting for an answer.")
            .level(Level::None)
    }

    async fn call(self: Arc<Self>, news: NotifyUserArguments, _: ToolInvocation) -> &'static str {
        self.people.tell(&news.text);
        "told"
    }
}
