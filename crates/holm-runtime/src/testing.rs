//! Models and tools for the tests of this crate.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{
    Block, Ending, Failure, FailureClass, ModelResult, Reply, Role, StopReason, ToolCall, Usage,
};

use crate::{Model, model_fn};

/// A model that plays results in order and then says "done".
pub(crate) fn plays(results: impl IntoIterator<Item = ModelResult>) -> Arc<dyn Model> {
    let results = Mutex::new(results.into_iter().collect::<VecDeque<_>>());
    Arc::new(model_fn(move |_| {
        let next = results.lock().unwrap().pop_front().unwrap_or_else(|| says("done"));
        Box::pin(async move { next })
    }))
}

/// A model that answers by how often it has spoken in what it is shown, so that it says the same when it is asked again
/// after a crash.
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
pub(crate) fn declared(name: &str) -> holm_kernel::Tool {
    let tool = holm_kernel::Tool::new(name, "For tests.", Json::object([("type", "object".into())]));
    tool.level(Level::ReadOnly)
}

pub(crate) fn answered(text: &str) -> Ending {
    Ending::Answered { text: text.into() }
}
