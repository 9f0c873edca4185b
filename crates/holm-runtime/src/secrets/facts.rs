//! Visits every text in a fact with exhaustive matches: a new kind of fact does not compile until
//! its texts are listed here.
//!
//! It only walks; what counts as a secret is decided in `secrets/finder.rs`, and grants are handled
//! in `secrets/authority.rs`. The driver calls it before a run handles a fact (`driver/batch.rs`),
//! because a handled fact is journaled for good. A new text field of an existing type is not found
//! by the compiler: add it here too.

use std::borrow::Cow;

use holm_guards::{
    json::{Json, JsonObject},
    postcondition::{Postcondition, Rule},
};
use holm_kernel::{
    Answer, Block, CheckRuling, ChildResult, Config, Input, Media, ModelResult, Patch, PlainAnswer, Prompt,
    ProtocolPolicy, Source, ToolKind, ToolOutput, ToolSpec, Verdict,
};

use super::{DetectionScope, SecretRedactor};

impl SecretRedactor {
    /// Removes secrets from a fact. Call it before a run handles the fact, because
    /// handled facts are journaled.
    pub fn input(&self, input: &mut Input) {
        match input {
            Input::Started(started) => self.config(&mut started.config),
            Input::Resumed { host } => self.clean(host),
            Input::Prompted(prompt) | Input::Steered(prompt) | Input::FollowedUp(prompt) => {
                self.prompt(prompt);
            }
            Input::ModelFinished { result, .. } | Input::Summarised { result, .. } => self.result(result),
            Input::Judged { verdict, .. } => match verdict {
                Verdict::Allow { grants, until: _ } => self.grants(grants),
                Verdict::Deny { reason } => self.clean(reason),
                Verdict::Rewrite { arguments } => self.clean(arguments),
            },
            Input::Consulted { answer, .. } => self.answer(answer),
            Input::ToolFinished { result, .. } => self.output(result),
            Input::Checked { ruling, .. } => match ruling {
                CheckRuling::Passed => {}
                CheckRuling::Failed { reason } | CheckRuling::Broken { reason } => self.clean(reason),
            },
            Input::ChildStarted { child, .. } => self.clean(child),
            Input::ChildFinished { result, .. } => {
                let ChildResult { output, .. } = result;
                self.output(output);
            }
            Input::ToolsChanged(tools) => tools.iter_mut().for_each(|tool| self.tool(tool)),
            Input::Cancelled { reason } => self.clean(reason),
            Input::GrantsChanged(grants) => self.grants(grants),
            // These hold only modes and numbers.
            Input::Dispatched { .. }
            | Input::ModeChanged(_)
            | Input::Narrowed(_)
            | Input::BudgetChanged(_)
            | Input::TimePassed => {}
        }
    }

    fn prompt(&self, prompt: &mut Prompt) {
        let Prompt { blocks, marks: _, past } = prompt;
        self.blocks(blocks);
        past.iter_mut().for_each(|message| self.blocks(&mut message.blocks));
    }

    /// Removes secrets from a model's result.
    pub fn result(&self, result: &mut ModelResult) {
        match result {
            ModelResult::Replied(reply) | ModelResult::Aborted(reply) => {
                self.blocks(&mut reply.blocks);
                reply.model.iter_mut().for_each(|model| self.clean(model));
            }
            ModelResult::Failed(failure) => self.clean(&mut failure.message),
        }
    }

    /// Removes secrets from a tool's output.
    pub fn output(&self, output: &mut ToolOutput) {
        self.clean(&mut output.text);
        self.blocks(&mut output.parts);
        if let Some(spill) = &mut output.spill {
            self.clean(&mut spill.head);
            self.clean(&mut spill.tail);
            self.clean(&mut spill.reference);
        }
        if let Some(metadata) = &mut output.metadata {
            self.json(metadata);
        }
    }

    /// Removes secrets from a JSON value: from its strings and its keys.
    pub fn json(&self, value: &mut Json) {
        self.json_by(value, self.sight);
    }

    fn json_by(&self, value: &mut Json, sight: DetectionScope) {
        match value {
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
            Json::String(text) => self.clean_by(text, sight),
            Json::Array(items) => items.iter_mut().for_each(|item| self.json_by(item, sight)),
            Json::Object(members) => {
                members.values_mut().for_each(|member| self.json_by(member, sight));
                if members.keys().any(|name| matches!(self.replaced(name, sight), Cow::Owned(_))) {
                    let renamed = std::mem::take(members).into_iter();
                    let renamed =
                        renamed.map(|(name, value)| (self.replaced(&name, sight).into_owned(), value));
                    *members = renamed.collect::<JsonObject>();
                }
            }
        }
    }

    fn blocks(&self, blocks: &mut [Block]) {
        for block in blocks {
            match block {
                Block::Text(text) => self.clean(text),
                Block::Thinking(thinking) => {
                    self.clean(&mut thinking.text);
                    self.opaque(thinking.replay.as_mut());
                }
                Block::ToolCall(call) => {
                    self.clean_by(&mut call.id, DetectionScope::Known);
                    self.clean(&mut call.name);
                    self.clean(&mut call.arguments);
                    self.opaque(call.replay.as_mut());
                }
                Block::ToolResult(result) => {
                    self.clean(&mut result.text);
                    self.blocks(&mut result.parts);
                }
                Block::Image(media) | Block::File(media) => self.media(media),
                Block::Custom(custom) => {
                    self.clean(&mut custom.kind);
                    self.json(&mut custom.payload);
                }
            }
        }
    }

    /// Data that a provider requires back unchanged. The provider sealed it, so nothing in it
    /// counts as a key by its shape. A known secret is still removed, and the provider will
    /// then refuse the item.
    fn opaque(&self, replay: Option<&mut Json>) {
        if let Some(replay) = replay {
            self.json_by(replay, DetectionScope::Known);
        }
    }

    fn media(&self, media: &mut Media) {
        self.clean(&mut media.media_type);
        media.name.iter_mut().for_each(|name| self.clean(name));
        match &mut media.source {
            // Long base64 contains every shape by chance, so only known secrets are searched.
            Source::Base64(data) => self.clean_by(data, DetectionScope::Known),
            Source::Url(text) | Source::Reference(text) => self.clean(text),
        }
    }

    fn answer(&self, answer: &mut Answer) {
        match answer {
            Answer::Nothing | Answer::Tools(_) => {}
            Answer::Patch(patches) => {
                for patch in patches {
                    match patch {
                        Patch::Hide(_) => {}
                        Patch::Replace { blocks, .. } | Patch::Append(blocks) => self.blocks(blocks),
                    }
                }
            }
            Answer::Model(text) | Answer::Failed { reason: text } => self.clean(text),
            Answer::Output(output) => self.output(output),
            Answer::Continue(prompt) => self.prompt(prompt),
        }
    }

    /// The texts of a configuration that people write; the other fields are numbers and names.
    fn config(&self, config: &mut Config) {
        self.clean(&mut config.name);
        self.clean(&mut config.system);
        self.grants(&mut config.grants);
        self.denials(&mut config.denials);
        self.policy(&mut config.policy);
        config.tools.iter_mut().for_each(|tool| self.tool(tool));
    }

    fn policy(&self, policy: &mut ProtocolPolicy) {
        let ProtocolPolicy {
            terminal_tools: _,
            plain_answer,
            aliases: _,
            hidden,
            inconclusive,
            wrap_up,
            resume,
            announcements: _,
        } = policy;
        match plain_answer {
            PlainAnswer::Ends => {}
            PlainAnswer::RemindOnce(text) => self.clean(text),
        }
        hidden.values_mut().for_each(|note| self.clean(&mut note.message));
        self.clean(&mut inconclusive.correction);
        wrap_up.iter_mut().chain(resume).for_each(|text| self.clean(text));
    }

    fn tool(&self, tool: &mut ToolSpec) {
        self.clean(&mut tool.description);
        self.json(&mut tool.schema);
        tool.postconditions.iter_mut().for_each(|promise| self.postcondition(promise));
        match &mut tool.kind {
            ToolKind::Agent { grants, .. } => self.grants(grants),
            ToolKind::Host | ToolKind::Skill { .. } | ToolKind::Plan(_) | ToolKind::Children => {}
        }
    }

    fn postcondition(&self, promise: &mut Postcondition) {
        self.clean(&mut promise.name);
        promise.message.iter_mut().for_each(|message| self.clean(message));
        match &mut promise.rule {
            Rule::Schema(schema) => self.json(schema),
            Rule::Pattern { regex, must: _ } => self.clean(regex),
            Rule::Lines { each, none, .. } => each.iter_mut().chain(none).for_each(|regex| self.clean(regex)),
            Rule::Length { .. } => {}
            Rule::Executable { command, arguments } => {
                self.clean(command);
                arguments.iter_mut().for_each(|argument| self.clean(argument));
            }
        }
    }
}
