//! What a model may write. The schemas of the tools on offer become a grammar, so that every reply is either words or a
//! call that validates; a small model cannot misspell a name, forget an argument or invent an address.
//!
//! # Which part of JSON Schema the grammar holds
//!
//! `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `minItems` and `maxItems` up to 256,
//! `minLength` and `maxLength` up to 4,096, `minimum`, `maximum`, `exclusiveMinimum` and `exclusiveMaximum` of up to 15
//! digits, `anyOf` that stands alone, and `$ref` into `$defs` or `definitions`. An object with `properties` is closed unless
//! `additionalProperties` opens it: an argument that nobody declared would be invented. Everything else is left out of the
//! grammar (`oneOf` is taken for `anyOf`) and validated after decoding, as every call is.
//!
//! Members come in the order of their names, with one space after each colon and comma; numbers in plain notation.

mod calls;
mod grounded;
mod subset;

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::Tool;
use serde::{Deserialize, Serialize};

pub(crate) use calls::{Call, OPENING, begun, parse_call, spelled};

/// What a reply must look like, in the notation of llguidance.
///
/// ```
/// use std::sync::Arc;
/// use holm_guards::json::Json;
/// use holm_kernel::Tool;
/// use holm_local::Grammar;
///
/// let schema = Json::parse(r#"{"properties":{"path":{"type":"string"}},"required":["path"]}"#)?;
/// let read = Arc::new(Tool::new("read", "Reads a file.", schema));
/// assert!(Grammar::reply(&[read]).as_str().contains("\"tool\""));
/// # Ok::<(), holm_guards::json::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grammar {
    text: Arc<str>,
    /// Takes the place of the first where that is too much for llguidance.
    loose: Arc<str>,
}

impl Grammar {
    /// Words, or a call of one of these tools.
    #[must_use]
    pub fn reply(tools: &[Arc<Tool>]) -> Self {
        Self::new(
            &calls::reply(tools, calls::Strictness::Schema),
            &calls::reply(tools, calls::Strictness::Name),
        )
    }

    /// A call of one of these tools, and nothing else.
    #[must_use]
    pub fn call(tools: &[Arc<Tool>]) -> Self {
        Self::new(
            &calls::call(tools, calls::Strictness::Schema),
            &calls::call(tools, calls::Strictness::Name),
        )
    }

    /// A value of this schema.
    #[must_use]
    pub fn value(schema: &Json) -> Self {
        Self::new(&calls::value(schema), &calls::value(&Json::Bool(true)))
    }

    /// A value of this schema whose every text stands in one of the sources: words of it, in their order.
    #[must_use]
    pub fn grounded(schema: &Json, sources: &[&str]) -> Self {
        Self::new(&grounded::value(schema, sources), &calls::value(schema))
    }

    /// The grammar's own text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What to use where the text is refused.
    pub(crate) fn loose(&self) -> &str {
        &self.loose
    }

    fn new(text: &str, loose: &str) -> Self {
        Self { text: text.into(), loose: loose.into() }
    }
}

#[cfg(test)]
mod tests;
