//! Builds grammars that constrain what a model can write. The schemas of the tools become a
//! grammar, so every reply is either text or a valid call. A small model then cannot misspell a
//! name, forget an argument or invent an address.
//!
//! # Which part of JSON Schema the grammar holds
//!
//! The grammar enforces `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`,
//! `items`, `minItems` and `maxItems` up to 256, `minLength` and `maxLength` up to 4,096,
//! `minimum`, `maximum`, `exclusiveMinimum` and `exclusiveMaximum` of up to 15 digits, `anyOf` that
//! is the only keyword, and `$ref` into `$defs` or `definitions`. An object with `properties` is
//! closed unless `additionalProperties` opens it, because the model would invent undeclared
//! arguments. Everything else is left out of the grammar (`oneOf` is treated as `anyOf`) and
//! validated after decoding, as for every call.
//!
//! Members are sorted by name, with one space after each colon and comma. Numbers are in plain
//! notation.
//!
//! Where things are: `calls.rs` (calls and values), `grounded_values.rs` (texts that are copied
//! from a source), `subset.rs` (the part of a schema that is enforced). The grammar is only built
//! here; `worker/token_sampler.rs` applies it.

mod calls;
mod grounded_values;
mod subset;

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::ToolSpec;
use serde::{Deserialize, Serialize};

pub(crate) use calls::{OPENING, ParsedCall, begun, parse_call, spelled};

/// The allowed form of a reply, in the notation of llguidance.
///
/// ```
/// use std::sync::Arc;
/// use holm_guards::json::Json;
/// use holm_kernel::ToolSpec;
/// use holm_local::ReplyGrammar;
///
/// let schema = Json::parse(r#"{"properties":{"path":{"type":"string"}},"required":["path"]}"#)?;
/// let read = Arc::new(ToolSpec::new("read", "Reads a file.", schema));
/// assert!(ReplyGrammar::reply(&[read]).as_str().contains("\"tool\""));
/// # Ok::<(), holm_guards::json::JsonParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyGrammar {
    text: Arc<str>,
    /// The fallback if llguidance finds the first grammar too complex.
    loose: Arc<str>,
}

impl ReplyGrammar {
    /// Allows text, or a call of one of these tools.
    #[must_use]
    pub fn reply(tools: &[Arc<ToolSpec>]) -> Self {
        Self::new(
            &calls::reply(tools, calls::CallStrictness::Schema),
            &calls::reply(tools, calls::CallStrictness::Name),
        )
    }

    /// Allows only a call of one of these tools.
    #[must_use]
    pub fn call(tools: &[Arc<ToolSpec>]) -> Self {
        Self::new(
            &calls::call(tools, calls::CallStrictness::Schema),
            &calls::call(tools, calls::CallStrictness::Name),
        )
    }

    /// Allows a value of this schema.
    #[must_use]
    pub fn value(schema: &Json) -> Self {
        Self::new(&calls::value(schema), &calls::value(&Json::Bool(true)))
    }

    /// Allows a value of this schema whose texts all appear in one of the sources: words
    /// of it, in order.
    #[must_use]
    pub fn grounded(schema: &Json, sources: &[&str]) -> Self {
        Self::new(&grounded_values::value(schema, sources), &calls::value(schema))
    }

    /// The text of the grammar.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The grammar to use if llguidance refuses the text.
    pub(crate) fn loose(&self) -> &str {
        &self.loose
    }

    fn new(text: &str, loose: &str) -> Self {
        Self { text: text.into(), loose: loose.into() }
    }
}

#[cfg(test)]
mod tests;
