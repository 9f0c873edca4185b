//! The compiled schema and its public methods. It only holds the nodes and passes calls on:
//! `schema/compile/` makes them and lists demands that are not enforced, `schema/check/` validates
//! a value, `schema/message.rs` words the violations, and `schema/summary.rs` describes the schema
//! in one line.
//!
//! Compile once when a tool is registered, not for each call. Arguments that almost fit are
//! repaired in `repair/`, never here.

use alloc::string::String;
use alloc::vec::Vec;

use super::check::SchemaChecker;
use super::compile;
use super::node::{SchemaNode, SchemaNodeId};
use super::summary;
use super::{SchemaDialect, SchemaError, SchemaViolation, UnsupportedKeyword};
use crate::guard_switches::{GuardSwitch, off};
use crate::json::Json;

/// A compiled JSON Schema.
///
/// Compile once when a tool is registered, validate every call. Validation neither allocates for a
/// valid value nor takes more than a fixed number of steps.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_guards::schema::CompiledSchema;
///
/// let schema = CompiledSchema::compile(&Json::parse(
///     r#"{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}"#,
/// )?)?;
/// assert!(schema.validate(&Json::parse(r#"{"count":50}"#)?).is_ok());
///
/// let violations = schema.validate(&Json::parse(r#"{"count":"50"}"#)?).unwrap_err();
/// assert_eq!(violations[0].pointer, "/count");
/// assert_eq!(
///     violations[0].message,
///     "`count` must be an integer, got the string \"50\"; send 50 without quotes"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CompiledSchema {
    pub(super) source: Json,
    pub(super) nodes: Vec<SchemaNode>,
    pub(super) root: SchemaNodeId,
    pub(super) unsupported: Vec<UnsupportedKeyword>,
}

impl CompiledSchema {
    /// Compiles a schema; draft 2020-12 unless its `$schema` names an older draft.
    ///
    /// # Errors
    /// [`SchemaError`] if the document cannot be a schema. Demands that are merely not enforced are
    /// not an error: see [`unsupported`](CompiledSchema::unsupported).
    pub fn compile(source: &Json) -> Result<Self, SchemaError> {
        Self::compile_as(SchemaDialect::default(), source)
    }

    /// Compiles a schema whose dialect is `dialect` unless its `$schema` says otherwise.
    ///
    /// # Errors
    /// The same errors as [`compile`](CompiledSchema::compile).
    pub fn compile_as(dialect: SchemaDialect, source: &Json) -> Result<Self, SchemaError> {
        compile::compile(dialect, source)
    }

    /// The demands of the schema that validation does not enforce; shown when a tool is registered.
    #[must_use]
    pub fn unsupported(&self) -> &[UnsupportedKeyword] {
        &self.unsupported
    }

    /// The document that was compiled.
    #[must_use]
    pub const fn source(&self) -> &Json {
        &self.source
    }

    /// Checks a value and lists what violates the schema.
    ///
    /// # Errors
    /// The first few [violations](SchemaViolation), at most
    /// [`MAX_VIOLATIONS`](super::MAX_VIOLATIONS) of them.
    pub fn validate(&self, value: &Json) -> Result<(), Vec<SchemaViolation>> {
        if off(GuardSwitch::Schema) {
            return Ok(());
        }
        SchemaChecker::new(self).report(value)
    }

    /// Whether a value is valid, without saying why not.
    #[must_use]
    pub fn is_valid(&self, value: &Json) -> bool {
        off(GuardSwitch::Schema) || SchemaChecker::new(self).is_valid(self.root, value)
    }

    /// A summary of the schema in one short line, for people and models.
    ///
    /// ```
    /// use holm_guards::{json::Json, schema::CompiledSchema};
    ///
    /// let source = r#"{"properties":{"path":{"type":"string"},"line":{"type":"integer"}},
    ///     "required":["path"]}"#;
    /// let schema = CompiledSchema::compile(&Json::parse(source)?)?;
    /// assert_eq!(schema.shape(), "{line?: integer, path: string}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> String {
        summary::shape(self, self.root)
    }

    /// The declared property names of the root object with whether each is required.
    pub fn properties(&self) -> impl Iterator<Item = (&str, bool)> {
        let rules = self.node(self.root).and_then(|node| node.object.as_deref());
        rules
            .into_iter()
            .flat_map(|rules| rules.properties.iter().map(|(name, _)| (&**name, rules.is_required(name))))
    }

    /// The node with an index; ids only come from this schema's own compilation.
    pub(crate) fn node(&self, id: SchemaNodeId) -> Option<&SchemaNode> {
        self.nodes.get(usize::try_from(id.0).ok()?)
    }

    pub(crate) const fn root(&self) -> SchemaNodeId {
        self.root
    }
}

/// Schemas are equal when their documents are.
impl PartialEq for CompiledSchema {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for CompiledSchema {}
