//! Models and tools for the tests of this crate.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{
    Block, Ending, Failure, FailureClass, ModelResult, Reply, Role, StopReason, Timestamp, ToolCall, Usage,
};
use tokio::time::{Duration, Instant};

use crate::{BoxFuture, Clock, Model, model_fn};

/// The clock of a test that begins with its time paused: it stops while anything works,
/// and continues when everything waits. A clock that only runs faster lets deadlines pass while a
/// busy machine still works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PausedClock {
    began: Instant,
}

impl PausedClock {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now() }
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        let passed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Timestamp::new(1_800_000_000_000 + passed)
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(at.since(self.now()))))
    }
}

/// A model that plays results in order and then says "done".
pub(crate) fn plays(results: impl IntoIterator<Item = ModelResult>) -> Arc<dyn Model> {
    let results = Mutex::new(results.into_iter().collect::<VecDeque<_>>());
    Arc::new(model_fn(move |_| {
        let next = results.lock().unwrap().pop_front().unwrap_or_else(|| says("done"));
        Box::pin(async move { next })
    }))
}

/// A model that answers by how often it has spoken in what it is shown, so that it says the same
/// when it is asked again after a crash.
pub(crate) fn follows(script: Vec<ModelResult>) -> Arc<dyn Model> {
    Arc::new(model_fn(move |ask| {
        let spoken = ask.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let next = script.get(spoken).cloned().unwrap_or_else(|| says("done"));
        Box::pin(async move { next })
    }))
}

/// A model that never answers until it is stopped, and then has used four tokens.
pub(crate) fn thinks() -> Arc<dyn Model> {
    Arc::new(model_fn(|ask| {
        Box::pin(async move {
            ask.stop.cancelled().await;
            let usage = Usage { input: 9, output: 4, ..Usage::default() };
            ModelResult::Aborted(Reply { usage, ..Reply::default() })
        })
    }))
}

pub(crate) fn says(text: &str) -> ModelResult {
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() })
}

/// Calls tools, each with its place as the argument `n`.
pub(crate) fn calls(names: &[&str]) -> ModelResult {
    calls_with(names.iter().enumerate().map(|(index, name)| (*name, format!(r#"{{"n":{index}}}"#))))
}

pub(crate) fn calls_with<'a>(calls: impl IntoIterator<Item = (&'a str, String)>) -> ModelResult {
    let block = |(index, (name, arguments)): (usize, (&str, String))| {
        Block::ToolCall(ToolCall { id: format!("c{index}"), name: name.into(), arguments, replay: None })
    };
    let blocks = calls.into_iter().enumerate().map(block).collect();
    ModelResult::Replied(Reply { blocks, stop: StopReason::ToolUse, ..Reply::default() })
}

pub(crate) fn fails(class: FailureClass, retry_after_ms: Option<u64>) -> ModelResult {
    ModelResult::Failed(Failure { class, message: "no".into(), retry_after_ms, usage: Usage::default() })
}

/// A tool that only reads.
pub(crate) fn declared(name: &str) -> holm_kernel::ToolSpec {
    let tool = holm_kernel::ToolSpec::new(name, "For tests.", Json::object([("type", "object".into())]));
    tool.level(Level::ReadOnly)
}

pub(crate) fn answered(text: &str) -> Ending {
    Ending::Answered { text: text.into() }
}
