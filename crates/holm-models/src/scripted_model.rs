//! A model that follows a script, for tests, demonstrations and trials without a key.
//!
//! It uses no network and no key. Recorded answers of a real provider are in `cassette.rs`. A
//! script that is too short is an error, so that a test notices it.

use std::sync::Arc;

use holm_kernel::{Block, FailureClass, ModelResult, Reply};
use holm_runtime::{BoxFuture, Model, ModelConnection, ModelRequest};
use holm_wire::{classify, delta};
use serde::{Deserialize, Serialize};

use crate::exchange;

/// Returns the replies of a script in order. Every run starts at the beginning of the script.
///
/// The script is data, so a scenario can be stored in a file:
///
/// ```
/// use holm_models::ScriptedModel;
///
/// let model: ScriptedModel = serde_json::from_str(
///     r#"{
///         "results": [
///             {"replied": {"blocks": [{"tool_call": {"id": "1", "name": "add", "arguments": "{\"a\":2}"}}]}},
///             {"failed": {"class": "rate_limited", "retry_after_ms": 10}},
///             {"replied": {"blocks": [{"text": "4"}]}}
///         ],
///         "then": "stop"
///     }"#,
/// )?;
/// assert_eq!(model.results.len(), 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedModel {
    /// The results, in the order of the calls.
    pub results: Vec<ModelResult>,
    /// What happens after the last result.
    #[serde(default)]
    pub then: AfterScript,
}

/// What a scripted model does at the end of its script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterScript {
    /// It fails, which ends the run, because a script that is too short is a mistake.
    #[default]
    Stop,
    /// It starts the script again.
    Repeat,
}

impl ScriptedModel {
    /// A model with these results.
    pub fn new(results: impl IntoIterator<Item = ModelResult>) -> Self {
        Self { results: results.into_iter().collect(), then: AfterScript::Stop }
    }

    /// A model that replies with these texts, one per call.
    pub fn says<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let reply = |text: &str| Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() };
        Self::new(texts.into_iter().map(|text| ModelResult::Replied(reply(text))))
    }
}

impl Model for ScriptedModel {
    fn open(&self) -> Box<dyn ModelConnection> {
        Box::new(ScriptedConnection { script: Arc::new(self.clone()), at: 0 })
    }
}

struct ScriptedConnection {
    script: Arc<ScriptedModel>,
    at: usize,
}

impl ModelConnection for ScriptedConnection {
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
        let results = &self.script.results;
        if self.script.then == AfterScript::Repeat && self.at >= results.len() {
            self.at = 0;
        }
        let result = results.get(self.at).cloned().unwrap_or_else(|| {
            let message = format!("the script has {} results and was asked for one more", results.len());
            ModelResult::Failed(classify::failure(FailureClass::BadRequest, &message))
        });
        self.at = self.at.saturating_add(1);
        let (call, deltas, stop) = (ask.call, ask.deltas, ask.stop);
        Box::pin(async move {
            if stop.is_cancelled() {
                return ModelResult::Aborted(Reply::default());
            }
            if let ModelResult::Replied(reply) | ModelResult::Aborted(reply) = &result {
                delta::replay(reply, &mut |wire_delta| {
                    deltas.delta(call.into(), exchange::delta(wire_delta));
                });
            }
            result
        })
    }
}
