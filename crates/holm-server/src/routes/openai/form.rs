//! Answers as data. An agent works in words, with tools, for as long as it takes; so it is told what its answer must be, and
//! the answer is looked at before the client sees any of it. One that does not fit is asked for again.

use holm_guards::{
    json::Json,
    schema::{Gap, Schema},
};
use holm_kernel::{Block, Prompt};
use holm_wire::server::Asked;

use crate::Refusal;

/// How often an answer that does not fit is asked for again: a model that is told what is wrong mends it at once or hardly ever.
pub(super) const MOST_AGAIN: u32 = 2;
/// What is wrong is told so far; the first says most.
const MOST_TOLD: usize = 8;

/// The largest schema: some thirty pages, and the agent reads all of them with every request. A larger one would also be compiled for
/// long while others wait.
const MOST_SCHEMA: usize = 128 << 10;

/// What an answer must be.
pub(super) struct Form {
    schema: Schema,
    text: String,
}

impl Form {
    /// What a client wants; none where words will do.
    pub(super) fn of(asked: &Asked) -> Result<Option<Self>, Refusal> {
        let Some(format) = &asked.format else { return Ok(None) };
        let unusable = |why: String| {
            Refusal::bad("invalid_request_error", format!("the schema of the answer cannot be used: {why}"))
        };
        let text = format.canonical();
        if text.len() > MOST_SCHEMA {
            return Err(unusable(format!("it is larger than {MOST_SCHEMA} bytes; ask for less at once")));
        }
        let schema = Schema::compile(format).map_err(|error| unusable(error.to_string()))?;
        // The client would believe that its answer fits, and nobody has looked.
        if let Some(demand) = schema.unsupported().iter().find(|demand| !is_remark(demand.gap)) {
            return Err(unusable(demand.to_string()));
        }
        Ok(Some(Self { schema, text }))
    }

    /// Tells the agent, behind what it is asked: a session is called by the first words of the person.
    pub(super) fn tell(&self, mut prompt: Prompt) -> Prompt {
        let told = format!(
            "\n\nYour last words go to a program. They must be one JSON value that fits this JSON Schema, and nothing else: no \
             words around it, no code fence.\n{}",
            self.text
        );
        prompt.blocks.push(Block::Text(told));
        prompt
    }

    /// The answer as a program reads it, or what is wrong with it.
    pub(super) fn judge(&self, answer: &str) -> Result<String, String> {
        let bare = unfenced(answer);
        let value = Json::parse(bare).map_err(|error| format!("it is not valid JSON: {error}"))?;
        let problems = |violations: Vec<holm_guards::schema::Violation>| {
            let told: Vec<String> = violations.iter().take(MOST_TOLD).map(ToString::to_string).collect();
            told.join("; ")
        };
        self.schema.validate(&value).map_err(problems)?;
        Ok(bare.to_owned())
    }
}

/// Whether something in a schema that is not enforced demands nothing of an answer.
fn is_remark(gap: Gap) -> bool {
    match gap {
        Gap::UnknownKeyword | Gap::UnknownDialect | Gap::UnknownFormat => true,
        Gap::RemoteReference
        | Gap::DynamicReference
        | Gap::LookAround
        | Gap::BackReference
        | Gap::UnicodeProperty
        | Gap::PatternFlags
        | Gap::PatternTooLarge
        | Gap::UnknownPattern
        | Gap::LongDivisor => false,
    }
}

/// Asks for the answer again.
pub(super) fn again(problem: &str) -> Prompt {
    Prompt::text(format!("Your answer does not fit: {problem}\nSay it again as JSON alone."))
}

/// Without the fence that models put around data whatever they are told.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    // The first line names the language.
    inside.split_once('\n').map_or(text, |(_, data)| data.trim())
}
