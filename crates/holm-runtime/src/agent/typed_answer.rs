//! Typed answers: the model answers by calling a tool whose arguments are the value. Every provider
//! supports that, and the kernel's validation of arguments, with its corrections, enforces the
//! schema.
//!
//! The value is never guessed: a text that is not a value of the type is an error. A model that
//! answers with text is reminded once; the text is set here and sent in
//! `holm-kernel/src/run/reply.rs` (`PlainAnswer::RemindOnce`). When a run is resumed or forked, the
//! answer tool is built again: with the Rust type by `resume_typed`, otherwise from the schema in
//! the journal by `AnswerTool::of`, which `agent/mod.rs` calls.
//!
//! The schema of a type is derived in `src/tool/schema.rs`. Answers that must fit a given JSON
//! Schema, for programs that have no Rust type, are in `src/answer_schema.rs`.

use std::sync::{Arc, Mutex, PoisonError};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{PlainAnswer, Prompt, Run, ToolKind, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

use super::{Agent, NoAnswerError, ResumeChanges, RunReport, name};
use crate::{BoxFuture, DriveError, Tool, ToolInvocation, schema_of};

/// The name of the tool with which the model answers.
const ANSWER: &str = "give_answer";

impl Agent {
    /// Runs one prompt and returns the answer as a value. The value is checked against the type's
    /// schema; an invalid one is sent back with the reason, as for every other call.
    ///
    /// # Errors
    /// [`TypedAnswerError`]; the value is never guessed.
    ///
    /// ```
    /// # use holm_runtime::{Agent, model_fn};
    /// # use holm_kernel::{Block, ModelResult, Reply, StopReason, ToolCall};
    /// # let client = model_fn(|_| {
    /// #     let call = ToolCall { id: "c1".into(), name: "give_answer".into(), arguments: r#"{"value":4}"#.into(), replay: None };
    /// #     let reply = Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() };
    /// #     Box::pin(async move { ModelResult::Replied(reply) })
    /// # });
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let agent = Agent::builder("example/model", client).build()?;
    /// let sum: u32 = agent.run_typed("What is 2 + 2?").await?;
    /// assert_eq!(sum, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn run_typed<T>(&self, prompt: impl Into<Prompt>) -> Result<T, TypedAnswerError>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        self.run_typed_with_report(prompt).await.map(|(value, _)| value)
    }

    /// As [`run_typed`](Self::run_typed), with the report.
    ///
    /// # Errors
    /// The same errors as [`run_typed`](Self::run_typed).
    pub async fn run_typed_with_report<T>(
        &self,
        prompt: impl Into<Prompt>,
    ) -> Result<(T, RunReport), TypedAnswerError>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let shape = AnswerShape::of::<T>();
        let given = Arc::new(Mutex::new(None::<T>));
        let answer = shape.answer(Arc::clone(&given));
        let mut config = self.inner.config.clone();
        if config.tools.iter().any(|tool| tool.name == ANSWER) {
            return Err(TypedAnswerError::NameTaken);
        }
        config.tools.push(answer.declaration.clone());
        config.policy.terminal_tools.insert(ANSWER.into());
        config.policy.plain_answer =
            PlainAnswer::RemindOnce(format!("Give your answer by calling the tool `{ANSWER}`."));
        let run = name::new_name(self.inner.host.clock.now());
        let mut session = self.start_with(&run, config, |host| host.tool(answer)).await?;
        let report = session.prompt(prompt).await?;
        shape.value(&given, report)
    }

    /// Resumes a run that owes a typed value, after a crash or from another process, and runs it to
    /// its end. A run that had ended is replayed: nothing is done twice.
    ///
    /// # Errors
    /// As [`run_typed`](Self::run_typed), and if the run never had a prompt.
    pub async fn resume_typed<T>(&self, run: &str) -> Result<(T, RunReport), TypedAnswerError>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        if self.inner.config.tools.iter().any(|tool| tool.name == ANSWER) {
            return Err(TypedAnswerError::NameTaken);
        }
        let shape = AnswerShape::of::<T>();
        let replayed = self.replay(run).await?;
        if let Some(ending) = replayed.ending() {
            let (usage, spent) = (replayed.run.usage(), replayed.run.spent());
            return shape.value(&Mutex::new(None), RunReport { run: run.into(), ending, usage, spent });
        }
        let given = Arc::new(Mutex::new(None::<T>));
        let mut session = self
            .resume_as(run, |_| Some(shape.answer(Arc::clone(&given))), |_| ResumeChanges::default())
            .await?;
        let report = session.go_on().await?.ok_or(TypedAnswerError::NotAsked)?;
        shape.value(&given, report)
    }
}

/// The tool with which a model gives its answer.
pub(super) struct AnswerTool {
    declaration: ToolSpec,
    take: Box<dyn Fn(&str) -> ToolOutput + Send + Sync>,
}

impl Tool for AnswerTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let output = (self.take)(&job.arguments);
        Box::pin(async { output })
    }
}

impl AnswerTool {
    /// The answer tool of a run that owes a typed value. The Rust type is not known here, so every
    /// value that fits the run's schema is accepted, and becomes the text of the answer.
    pub(super) fn of(run: &Run) -> Option<Self> {
        if !run.config().policy.terminal_tools.contains(ANSWER) {
            return None;
        }
        let declaration = run.tools().find(|tool| tool.name == ANSWER && tool.kind == ToolKind::Host)?;
        let declaration = ToolSpec::clone(declaration);
        Some(Self { declaration, take: Box::new(|arguments| ToolOutput::terminal(arguments)) })
    }
}

/// There is no value of the type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypedAnswerError {
    /// One of the agent's own tools has the name of the answer tool.
    #[error("this agent has a tool named `{ANSWER}`; rename it")]
    NameTaken,
    /// The run never had a prompt, so there is no value to wait for.
    #[error("the run has no prompt yet; prompt it with `run_typed`")]
    NotAsked,
    /// The run cannot continue.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The run ended without an answer.
    #[error(transparent)]
    NotAnswered(#[from] NoAnswerError),
    /// The model answered with something else.
    #[error("the model's answer does not have the requested type ({reason})")]
    NotAValue {
        /// What is wrong with it.
        reason: String,
    },
}

/// The schema of a type, as the model sees it.
struct AnswerShape {
    schema: Json,
    wrapped: AnswerWrapping,
}

/// Whether the value is one of the arguments, or all of them: providers only
/// accept objects as arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerWrapping {
    No,
    Yes,
}

impl AnswerShape {
    fn of<T: JsonSchema>() -> Self {
        let schema = schema_of::<T>();
        if schema.pointer("/type").and_then(Json::as_str) == Some("object") {
            return Self { schema, wrapped: AnswerWrapping::No };
        }
        Self { schema: schema_of::<WrappedValue<T>>(), wrapped: AnswerWrapping::Yes }
    }

    fn answer<T: DeserializeOwned + Send + 'static>(&self, given: Arc<Mutex<Option<T>>>) -> AnswerTool {
        let about = "Gives the final answer. Call it once, when you know the answer.";
        let declaration = ToolSpec::new(ANSWER, about, self.schema.clone()).level(Level::None);
        let wrapped = self.wrapped;
        let take = move |arguments: &str| match read(wrapped, arguments) {
            Ok(value) => {
                *given.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
                ToolOutput::terminal(arguments)
            }
            Err(reason) => ToolOutput::failed(format!("the answer was rejected: {reason}")),
        };
        AnswerTool { declaration, take: Box::new(take) }
    }

    /// The value that the tool got, or else the one in the text of the answer.
    fn value<T: DeserializeOwned>(
        &self,
        given: &Mutex<Option<T>>,
        report: RunReport,
    ) -> Result<(T, RunReport), TypedAnswerError> {
        if let Some(value) = given.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok((value, report));
        }
        // A model that was reminded and still answers in text may have written the value itself.
        let value = self.read(report.text()?)?;
        Ok((value, report))
    }

    fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T, TypedAnswerError> {
        let text = text.trim();
        let fenced = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
        let text = fenced.and_then(|text| text.strip_suffix("```")).unwrap_or(text);
        let bare = || serde_json::from_str::<T>(text).map_err(|error| error.to_string());
        read(self.wrapped, text).or_else(|_| bare()).map_err(|reason| TypedAnswerError::NotAValue { reason })
    }
}

fn read<T: DeserializeOwned>(wrapped: AnswerWrapping, text: &str) -> Result<T, String> {
    match wrapped {
        AnswerWrapping::No => serde_json::from_str(text),
        AnswerWrapping::Yes => serde_json::from_str::<WrappedValue<T>>(text).map(|wrapper| wrapper.value),
    }
    .map_err(|error| error.to_string())
}

/// Wraps a value that is not an object.
#[derive(Deserialize, JsonSchema)]
struct WrappedValue<T> {
    value: T,
}
