//! JSON Schema without a network, a clock or a stack that input can exhaust.
//!
//! Every tool call is validated before a hook, the user or a tool sees it, in every host. So the
//! validator must be pure, exact about numbers and bounded in cost, for any schema that a foreign
//! server declares. The semantics are those of draft 2020-12 for this list of keywords:
//!
//! - any value: `type`, `enum`, `const`, `allOf`, `anyOf`, `oneOf`, `not`, `if`/`then`/`else`,
//!   `$ref`, `$defs`, `definitions`, `$id`, `$anchor`, boolean schemas; `$dynamicRef` where it can
//!   only mean one target;
//! - numbers: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`;
//! - strings: `minLength`, `maxLength` (in code points), `pattern` (linear time);
//! - arrays: `items`, `prefixItems`, `additionalItems` with the older array form of `items`,
//!   `contains`, `minContains`, `maxContains`, `minItems`, `maxItems`, `uniqueItems`,
//!   `unevaluatedItems`;
//! - objects: `properties`, `patternProperties`, `additionalProperties`, `propertyNames`,
//!   `required`, `minProperties`, `maxProperties`, `dependentRequired`, `dependentSchemas`,
//!   `dependencies`, `unevaluatedProperties`.
//!
//! `format` is an annotation; [`format::check`] asserts it where a guard asks for it.
//! [`CompiledSchema::unsupported`] names every demand of a schema beyond this list, so that no
//! caller relies on a check that is not made. Remote references are never fetched.
//!
//! Where things are:
//!
//! - `schema/compiled_schema.rs`: the public type.
//! - `schema/error.rs`: unusable schemas, and demands that are not enforced.
//! - `schema/compile/`: a document as nodes.
//! - `schema/node.rs`: the nodes.
//! - `schema/keywords.rs`: which keywords exist.
//! - `schema/dialect.rs`: the edition.
//! - `schema/index.rs`, `schema/uri.rs`: identifiers and references inside a document.
//! - `schema/loops.rs`: schemas that would never end.
//! - `schema/check/`: validation.
//! - `schema/evaluated_parts.rs`: for `unevaluatedProperties` and `unevaluatedItems`.
//! - `schema/path.rs`: the place in a value.
//! - `schema/message.rs`, `schema/summary.rs`, `schema/violation.rs`: the messages for a model.
//! - `schema/union.rs`: which branch was meant.
//! - `schema/pattern.rs`: regular expressions.
//! - `schema/format.rs`: formats, for callers that ask.

mod check;
mod compile;
mod compiled_schema;
mod dialect;
mod error;
mod evaluated_parts;
pub mod format;
mod index;
mod keywords;
mod loops;
mod message;
mod node;
mod path;
mod pattern;
mod summary;
mod union;
mod uri;
mod violation;

pub use compiled_schema::CompiledSchema;
pub use dialect::SchemaDialect;
pub use error::{SchemaError, SupportGap, UnsupportedKeyword};
pub use message::closest;
pub use pattern::{EcmaPattern, PatternError};

pub(crate) use check::SchemaChecker;
pub(crate) use node::{SchemaNode, SchemaNodeId, TypeSet};
pub(crate) use union::{fixed, follow, plausible};
pub use violation::{MAX_VIOLATIONS, SchemaViolation};

#[cfg(test)]
pub(crate) mod tests;
