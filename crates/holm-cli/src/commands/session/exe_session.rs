//! Converts a session file of agents-exe into a journal. The turns are played once, in memory, with the
//! recorded replies as the model and the recorded results as the tools, so that the journal is one
//! that Holm itself would have written. Nothing of the file runs, and no model is asked.
//!
//! What such a journal may do here is decided in `import.rs`, as for every journal from elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use holm::{
    grants::{Level, Mode},
    guards::{
        json::Json,
        plausibility::{EmptyOutput, ErrorText},
        ruling::Severity,
    },
    kernel::{
        Block, Bound, Exemption, ModelResult, ModelSpec, Reply, StopReason, ToolCall, ToolOutput, ToolSpec,
    },
    models::ScriptedModel,
    runtime::{Agent, JournalStore as _, MemoryJournalStore, ToolInvocation, tool_fn},
};
use serde_json::Value;

/// What the name of an imported session begins with; the id that it had follows.
const PREFIX: &str = "agents-exe-";

/// A session of agents-exe, oldest turn first.
pub(super) struct ExeSession {
    id: String,
    system: String,
    /// The prompts of the user, each with the replies of the model until the next one.
    rounds: Vec<ExeRound>,
    /// The results of each tool, in the order of its calls.
    outputs: BTreeMap<String, VecDeque<String>>,
    /// All tools that were called.
    tools: BTreeSet<String>,
}

struct ExeRound {
    prompt: String,
    replies: Vec<ModelResult>,
}

impl ExeSession {
    /// Reads a file; `None` if it is not a session of agents-exe.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(text).ok()?;
        let turns = document.get("turns")?.as_array()?;
        let id = document.get("sessionId")?.as_str()?;
        let mut session = Self {
            id: id.to_owned(),
            system: String::new(),
            rounds: Vec::new(),
            outputs: BTreeMap::new(),
            tools: BTreeSet::new(),
        };
        // The file has the latest turn first.
        for turn in turns.iter().rev() {
            let contents = turn.get("contents")?;
            match turn.get("tag")?.as_str()? {
                "UserTurn" => session.user_turn(contents),
                "LlmTurn" => session.model_turn(contents),
                _ => return None,
            }
        }
        Some(session)
    }

    /// Its name here, unless the user chooses one.
    pub(super) fn name(&self) -> String {
        format!("{PREFIX}{}", self.id)
    }

    /// The journal of the session, under this name and for a model of this name.
    pub(super) async fn journal(self, name: &str, model: &str) -> anyhow::Result<Vec<u8>> {
        let replies = self.rounds.iter().flat_map(|round| round.replies.clone());
        let store = MemoryJournalStore::new();
        let outputs = Arc::new(Mutex::new(self.outputs));
        let mut agent = Agent::builder(ModelSpec::named(model), ScriptedModel::new(replies))
            .system(self.system)
            .mode(Mode::Full)
            .journals(store.clone())
            .config(|config| config.limits.turns = Bound::Unbounded);
        for tool in self.tools {
            let outputs = Arc::clone(&outputs);
            agent =
                agent.tool(tool_fn(recorded_tool(&tool), move |_: ToolInvocation| {
                    let next = {
                        let mut outputs = outputs.lock().unwrap_or_else(PoisonError::into_inner);
                        outputs.get_mut(&tool).and_then(VecDeque::pop_front)
                    };
                    async move {
                        next.map_or_else(|| ToolOutput::failed("no result was recorded"), ToolOutput::text)
                    }
                }));
        }
        let mut session = agent.build()?.start_as(name).await?;
        for round in self.rounds {
            session.prompt(round.prompt.as_str()).await?;
        }
        session.close().await;
        Ok(store.read(name).await?)
    }

    fn user_turn(&mut self, contents: &Value) {
        if self.system.is_empty() {
            self.system = text(contents, "userPrompt");
        }
        for pair in contents.get("userToolResponses").and_then(Value::as_array).into_iter().flatten() {
            let (Some(call), Some(answer)) = (pair.get(0), pair.get(1)) else { continue };
            let name = called(call).0;
            let content = answer.get("content").unwrap_or(answer);
            let said = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
            self.outputs.entry(name).or_default().push_back(said);
        }
        if let Some(prompt) = contents.get("userQuery").and_then(Value::as_str) {
            self.rounds.push(ExeRound { prompt: prompt.to_owned(), replies: Vec::new() });
        }
    }

    fn model_turn(&mut self, contents: &Value) {
        let said = contents.get("llmResponse").map(|reply| text(reply, "responseText")).unwrap_or_default();
        let mut blocks = if said.is_empty() { Vec::new() } else { vec![Block::Text(said)] };
        let calls = contents.get("llmToolCalls").and_then(Value::as_array);
        let mut stop = StopReason::default();
        for call in calls.into_iter().flatten() {
            let (name, arguments) = called(call);
            self.tools.insert(name.clone());
            stop = StopReason::ToolUse;
            blocks.push(Block::ToolCall(ToolCall { id: text(call, "id"), name, arguments, replay: None }));
        }
        let reply = ModelResult::Replied(Reply { blocks, stop, ..Reply::default() });
        match self.rounds.last_mut() {
            Some(round) => round.replies.push(reply),
            // A file that begins with a reply lost its prompt.
            None => self.rounds.push(ExeRound { prompt: "(not recorded)".into(), replies: vec![reply] }),
        }
    }
}

/// The tool and the arguments of a call.
fn called(call: &Value) -> (String, String) {
    let function = call.get("function").unwrap_or(call);
    (text(function, "name"), text(function, "arguments"))
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A tool that takes anything: its results are recorded, and were judged when they were made.
fn recorded_tool(name: &str) -> ToolSpec {
    ToolSpec {
        exemption: Exemption::Polling,
        empty: EmptyOutput::Allowed,
        error_text: ErrorText::Allowed,
        severity: Severity::Warn,
        ..ToolSpec::new(name, "", Json::object([("type", Json::from("object"))])).level(Level::None)
    }
}
