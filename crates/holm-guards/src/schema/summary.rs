//! Summarises a schema in one line, for error texts that a model reads to correct its call.
//!
//! It leaves details out on purpose: the model has the whole schema in its tool list. Length and
//! depth are bounded, since a schema may be recursive. Violations are worded in
//! `schema/message.rs`, and nothing is validated here.
//!
//! A caller gets the summary through `schema/compiled_schema.rs`.

use alloc::string::String;
use core::fmt::Write;

use super::CompiledSchema;
use super::node::{ObjectRules, SchemaNode, SchemaNodeId, TypeSet};
use crate::json::Json;

/// How long a shape may become; a model needs the outline, and the full schema is in its tool list.
const MAX_LENGTH: usize = 400;

/// How many levels of objects, arrays and references are unfolded.
const MAX_DEPTH: u8 = 6;

/// How many values or branches are listed.
const MAX_LISTED: usize = 12;

/// Describes a node, such as `{path: string, mode?: "r" | "w"}`.
pub(super) fn shape(schema: &CompiledSchema, id: SchemaNodeId) -> String {
    let mut shape = SchemaSummary { schema, out: String::new() };
    shape.node(id, MAX_DEPTH);
    shape.out
}

/// Values as alternatives: `"r" | "w"`.
pub(super) fn list(values: &[Json]) -> String {
    let mut out = String::new();
    alternatives(values.iter(), &mut out, |value, out| {
        let text = value.canonical();
        match text.char_indices().nth(60) {
            Some((end, _)) => {
                out.push_str(text.get(..end).unwrap_or_default());
                out.push('…');
            }
            None => out.push_str(&text),
        }
    });
    out
}

struct SchemaSummary<'s> {
    schema: &'s CompiledSchema,
    out: String,
}

impl SchemaSummary<'_> {
    fn node(&mut self, id: SchemaNodeId, depth: u8) {
        let node = self.schema.node(id);
        let (Some(node), Some(depth)) = (node, depth.checked_sub(1)) else { return self.out.push('…') };
        if self.out.len() > MAX_LENGTH {
            return self.out.push('…');
        }
        if node.refused {
            return self.out.push_str("nothing");
        }
        if let Some(values) = &node.values {
            return match (&values.constant, &values.one_of) {
                (Some(constant), _) => self.out.push_str(&list(core::slice::from_ref(constant))),
                (None, allowed) => self.out.push_str(&list(allowed.as_deref().unwrap_or_default())),
            };
        }
        if self.structure(node, depth) || self.logic(node, depth) {
            return;
        }
        self.types(node.types);
    }

    /// An object or an array with something to say about its parts.
    fn structure(&mut self, node: &SchemaNode, depth: u8) -> bool {
        if let Some(rules) = node.object.as_ref().filter(|rules| !rules.properties.is_empty()) {
            self.object(rules, depth);
            return true;
        }
        let items = node.array.as_ref().and_then(|rules| rules.items);
        let Some(items) = items.filter(|_| node.types != TypeSet::ANY) else { return false };
        self.out.push_str("array of ");
        self.node(items, depth);
        true
    }

    fn object(&mut self, rules: &ObjectRules, depth: u8) {
        self.out.push('{');
        for (index, (name, node)) in rules.properties.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            if self.out.len() > MAX_LENGTH {
                self.out.push('…');
                break;
            }
            self.out.push_str(name);
            self.out.push_str(if rules.is_required(name) { ": " } else { "?: " });
            self.node(*node, depth);
        }
        self.out.push('}');
    }

    fn logic(&mut self, node: &SchemaNode, depth: u8) -> bool {
        let Some(logic) = &node.logic else { return false };
        let branches = if logic.any_of.is_empty() { &logic.one_of } else { &logic.any_of };
        if !branches.is_empty() {
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    self.out.push_str(" | ");
                }
                if index >= MAX_LISTED {
                    self.out.push('…');
                    break;
                }
                self.node(*branch, depth);
            }
            return true;
        }
        let Some(next) = logic.always().next() else { return false };
        self.node(next, depth);
        true
    }

    fn types(&mut self, types: TypeSet) {
        if types == TypeSet::ANY {
            return self.out.push_str("any");
        }
        alternatives(types.names(), &mut self.out, |name, out| out.push_str(name));
    }
}

fn alternatives<T>(items: impl Iterator<Item = T>, out: &mut String, mut write: impl FnMut(T, &mut String)) {
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push_str(" | ");
        }
        if index >= MAX_LISTED || out.len() > MAX_LENGTH {
            // Writing into a `String` cannot fail.
            let _ = out.write_str("…");
            return;
        }
        write(item, out);
    }
}
