//! What a session did, by turns, read from its journal.

use std::path::Path;

use holm_kernel::journal::{self, JournalRecord};
use holm_kernel::{Author, Block, Effect, Ending, Event, Input, Message, ModelResult, Outcome, Role};
use serde::{Deserialize, Serialize};

use crate::recording::RecordedTool;

/// A session, by turns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionTranscript {
    pub turns: Vec<SessionTurn>,
    /// The answer to the last prompt, if there is one.
    pub answer: Option<String>,
    /// How the last prompt ended, in a word; `None` if it has not.
    pub ending: Option<String>,
    /// Input and output tokens.
    pub tokens: (u64, u64),
    /// Whether Holm estimated tokens, because the replies do not say how many they took.
    pub is_estimated: bool,
    /// The cost in billionths of a US dollar, as far as prices are known.
    pub cost_nano_usd: u64,
    /// The replies of the model to each prompt.
    pub replies: Vec<Vec<ModelResult>>,
    pub prompts: Vec<String>,
    pub system: String,
    pub(crate) tools: Vec<RecordedTool>,
}

/// A reply of the model, and what became of its calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionTurn {
    /// The number of the prompt, from 1.
    pub prompt: usize,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<SessionCall>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionCall {
    #[serde(skip)]
    id: String,
    pub tool: String,
    /// The arguments as JSON text.
    pub arguments: String,
    pub outcome: Outcome,
    /// Empty in a recording of decisions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
}

impl SessionTranscript {
    /// Reads what a session did from its journal.
    ///
    /// # Errors
    /// If it cannot be replayed: why.
    pub fn of(records: &[JournalRecord], workspace: &Path) -> Result<Self, String> {
        let mut session = Self::default();
        let run = journal::replay_with(records, |_, effect| {
            if let Effect::Emit(event) = effect {
                session.add(&event.event);
            }
        });
        let run = run.map_err(|error| error.to_string())?;
        for record in records {
            match record.payload().input() {
                Ok(Input::Prompted(_)) => session.replies.push(Vec::new()),
                Ok(Input::ModelFinished { result: result @ ModelResult::Replied(_), .. }) => {
                    if let Some(replies) = session.replies.last_mut() {
                        replies.push(result);
                    }
                }
                _ => {}
            }
        }
        let (usage, config) = (run.usage(), run.config());
        session.tokens = (usage.input, usage.output);
        session.is_estimated = usage.is_estimated();
        session.cost_nano_usd = run.spent().value();
        session.system = config.system.clone();
        session.tools = config.tools.iter().map(RecordedTool::of).collect();
        session.tools.sort();
        session.rename_folder(workspace, "/workspace");
        Ok(session)
    }

    /// All calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &SessionCall> {
        self.turns.iter().flat_map(|turn| &turn.calls)
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::GroupStarted { .. } => {
                self.prompts.push(String::new());
                (self.answer, self.ending) = (None, None);
            }
            Event::MessageAdded { message } => self.add_message(message),
            Event::GroupEnded { ending, .. } => {
                self.ending = Some(name_of(ending).to_owned());
                self.answer = match &**ending {
                    Ending::Answered { text } => Some(text.clone()),
                    _ => None,
                };
            }
            _ => {}
        }
    }

    fn add_message(&mut self, message: &Message) {
        let text: Vec<&str> = message.blocks.iter().filter_map(Block::as_text).collect();
        match message.role {
            Role::User if message.author != Author::Kernel => {
                if let Some(prompt) = self.prompts.last_mut().filter(|prompt| prompt.is_empty()) {
                    *prompt = text.concat();
                }
            }
            Role::Assistant => {
                let calls = message.blocks.iter().filter_map(|block| match block {
                    Block::ToolCall(call) => Some(SessionCall {
                        id: call.id.clone(),
                        tool: call.name.clone(),
                        arguments: call.arguments.clone(),
                        outcome: Outcome::Unknown,
                        result: String::new(),
                    }),
                    _ => None,
                });
                let prompt = self.prompts.len();
                self.turns.push(SessionTurn { prompt, text: text.concat(), calls: calls.collect() });
            }
            _ => {
                for block in &message.blocks {
                    let Block::ToolResult(result) = block else { continue };
                    let mut calls = self.turns.iter_mut().rev().flat_map(|turn| &mut turn.calls);
                    if let Some(call) = calls.find(|call| *call.id == *result.call) {
                        call.outcome = result.outcome;
                        call.result = result.said().to_owned();
                    }
                }
            }
        }
    }

    /// Writes this name for a folder that each attempt has elsewhere.
    pub(crate) fn rename_folder(&mut self, folder: &Path, name: &str) {
        let place = folder.to_string_lossy();
        let hide = |text: &mut String| *text = text.replace(&*place, name);
        hide(&mut self.system);
        self.prompts.iter_mut().for_each(hide);
        for turn in &mut self.turns {
            hide(&mut turn.text);
            for call in &mut turn.calls {
                hide(&mut call.arguments);
                hide(&mut call.result);
            }
        }
    }
}

const fn name_of(ending: &Ending) -> &'static str {
    match ending {
        Ending::Answered { .. } => "answered",
        Ending::Refused { .. } => "refused",
        Ending::Rejected { .. } => "rejected",
        Ending::Looping { .. } => "looping",
        Ending::OverBudget { .. } => "over_budget",
        Ending::OverLimit { .. } => "over_limit",
        Ending::Cancelled { .. } => "cancelled",
        Ending::Failed { .. } => "failed",
    }
}
