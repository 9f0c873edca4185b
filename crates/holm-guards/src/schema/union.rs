//! Guesses which branch of a union a value was meant for, for messages and repair; never for
//! validity, which `schema/check/logic.rs` decides. The repair is made in `repair/fixer.rs` and
//! `repair/variant.rs`.

use super::CompiledSchema;
use super::node::{SchemaNode, SchemaNodeId};
use crate::json::Json;

/// References followed while looking at a branch.
const MAX_HOPS: usize = 8;

/// Whether a value may have been meant for a branch: its kind fits, and no property
/// contradicts a fixed value.
pub(crate) fn plausible(schema: &CompiledSchema, id: SchemaNodeId, value: &Json) -> bool {
    let Some(node) = follow(schema, id) else { return false };
    if node.refused || !node.types.admit(value) {
        return false;
    }
    let (Some(rules), Json::Object(members)) = (&node.object, value) else { return true };
    rules.properties.iter().all(|(name, property)| {
        let Some(fixed) = fixed(schema, *property) else { return true };
        members.get(name).is_none_or(|member| fixed.same_value(member))
    })
}

/// The first node with its own demands, after plain references.
pub(crate) fn follow(schema: &CompiledSchema, id: SchemaNodeId) -> Option<&SchemaNode> {
    let mut node = schema.node(id)?;
    for _ in 0..MAX_HOPS {
        match node.logic.as_ref().and_then(|logic| logic.reference) {
            Some(next) if node.object.is_none() && node.values.is_none() => node = schema.node(next)?,
            _ => break,
        }
    }
    Some(node)
}

/// The only value that a schema admits, if it names one directly: `const`, or an `enum` of one.
pub(crate) fn fixed(schema: &CompiledSchema, id: SchemaNodeId) -> Option<&Json> {
    let values = follow(schema, id)?.values.as_deref()?;
    match (&values.constant, values.one_of.as_deref()) {
        (Some(constant), _) => Some(constant),
        (None, Some([only])) => Some(only),
        (None, _) => None,
    }
}
