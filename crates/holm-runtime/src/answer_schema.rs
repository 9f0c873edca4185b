//! Answers that a program reads. An agent works in words; so it is given the JSON Schema that its
//! answer must fit, the answer is checked before the caller sees it, and one that does not fit is
//! asked for again.
//!
//! This file words the demand and checks the answer; the caller sends the prompts again
//! (`holm-cli/src/commands/run/answer_schema.rs`,
//! `holm-server/src/routes/openai/answer_schema.rs`). A schema with a demand that cannot be checked
//! is refused, because an answer must not pass unchecked. For a Rust type use
//! `agent/typed_answer.rs`.

use holm_guards::{
    json::Json,
    schema::{CompiledSchema, SchemaViolation, SupportGap},
};
use holm_kernel::{Block, Prompt};

/// The number of violations that the model gets; the first ones matter most.
const MAX_VIOLATIONS: usize = 8;

/// A JSON Schema that an answer must fit.
#[derive(Debug)]
pub struct AnswerSchema {
    schema: CompiledSchema,
    text: String,
}

impl AnswerSchema {
    /// How often an answer that does not fit is asked for again: a model corrects it at
    /// once or hardly ever.
    pub const MOST_AGAIN: u32 = 2;

    /// The largest schema in bytes, about thirty pages: the model reads all of it with every request.
    pub const MOST_BYTES: usize = 128 << 10;

    /// Compiles the schema that answers must fit.
    ///
    /// # Errors
    /// If it is too large, is not a schema, or demands something that cannot be checked: an answer
    /// must not pass unchecked.
    pub fn new(schema: &Json) -> Result<Self, String> {
        let text = schema.canonical();
        if text.len() > Self::MOST_BYTES {
            return Err(format!("it is larger than {} bytes", Self::MOST_BYTES));
        }
        let schema = CompiledSchema::compile(schema).map_err(|error| error.to_string())?;
        match schema.unsupported().iter().find(|found| is_a_demand(found.gap)) {
            Some(demand) => Err(demand.to_string()),
            None => Ok(Self { schema, text }),
        }
    }

    /// Adds what the answer must be to a prompt, as its last block: sessions are named
    /// by the first words.
    #[must_use]
    pub fn tell(&self, mut prompt: Prompt) -> Prompt {
        let instruction = format!(
            "\n\nA program reads your answer. It must be one JSON value that matches this JSON Schema, \
            without other text and without a code fence.\n{}",
            self.text
        );
        prompt.blocks.push(Block::Text(instruction));
        prompt
    }

    /// The JSON text of an answer.
    ///
    /// # Errors
    /// If the answer does not fit: what is wrong with it, for [`ask_again`](Self::ask_again).
    pub fn check(&self, answer: &str) -> Result<String, String> {
        let bare = without_fence(answer);
        let value = Json::parse(bare).map_err(|error| format!("it is not valid JSON: {error}"))?;
        let problems = |violations: Vec<SchemaViolation>| {
            let messages: Vec<String> =
                violations.iter().take(MAX_VIOLATIONS).map(ToString::to_string).collect();
            messages.join("; ")
        };
        self.schema.validate(&value).map_err(problems)?;
        Ok(bare.to_owned())
    }

    /// Asks for the answer again.
    pub fn ask_again(problem: &str) -> Prompt {
        Prompt::text(format!(
            "Your answer does not match the schema: {problem}\nAnswer again, with JSON \
            only."
        ))
    }
}

/// Whether a part of a schema that is not enforced demands anything of an answer.
const fn is_a_demand(gap: SupportGap) -> bool {
    match gap {
        SupportGap::UnknownKeyword | SupportGap::UnknownDialect | SupportGap::UnknownFormat => false,
        SupportGap::RemoteReference
        | SupportGap::DynamicReference
        | SupportGap::LookAround
        | SupportGap::BackReference
        | SupportGap::UnicodeProperty
        | SupportGap::PatternFlags
        | SupportGap::PatternTooLarge
        | SupportGap::UnknownPattern
        | SupportGap::LongDivisor => true,
    }
}

/// Without the code fence that models put around data even when told not to. Its first
/// line names the language.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(text, |(_, data)| data.trim())
}
