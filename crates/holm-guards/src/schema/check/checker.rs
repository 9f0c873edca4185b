//! Validation: one walk over nodes and value, counted in steps.
//!
//! It enters nodes, asks the files next to it for each kind of value, and collects violations.
//! Running out of steps or nesting means that the value is not valid; it never means that it is. A
//! valid value costs no allocation, so messages are built only when they are reported. Keywords are
//! in `schema/check/scalar.rs`, `schema/check/array.rs`, `schema/check/object.rs` and
//! `schema/check/logic.rs`.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::json::Json;
use crate::schema::message;
use crate::schema::node::{SchemaNode, SchemaNodeId};
use crate::schema::path::ValuePath;
use crate::schema::{CompiledSchema, MAX_VIOLATIONS, SchemaViolation};

/// Work that one validation may cost: an array of some hundred thousand items passes, a bomb of
/// nested `anyOf` ends within a tenth of a second.
const MAX_STEPS: u64 = 1_000_000;

/// Schemas applied inside one another: twice the nesting of the deepest value, which fits the
/// stack of a browser.
const MAX_NESTING: u32 = 256;

/// Bytes of a string that count as one step of matching.
pub(super) const BYTES_A_STEP: usize = 64;

/// One validation under way.
pub(crate) struct SchemaChecker<'s> {
    schema: &'s CompiledSchema,
    steps: u64,
    depth: u32,
    pub(super) stopped: bool,
    found: Vec<SchemaViolation>,
}

/// Whether violations are reported or only counted as one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportMode {
    Quiet,
    Report,
}

impl ReportMode {
    /// Checks both demands. After a failure, the second is checked only if violations are reported.
    pub(super) fn and(self, first: bool, second: impl FnOnce() -> bool) -> bool {
        if first {
            return second();
        }
        if self == Self::Report {
            second();
        }
        false
    }
}

impl<'s> SchemaChecker<'s> {
    pub(crate) const fn new(schema: &'s CompiledSchema) -> Self {
        Self { schema, steps: MAX_STEPS, depth: 0, stopped: false, found: Vec::new() }
    }

    /// Validates against the whole schema and reports the violations.
    pub(in crate::schema) fn report(mut self, value: &Json) -> Result<(), Vec<SchemaViolation>> {
        let valid = self.check(self.schema.root(), value, &ValuePath::ROOT, ReportMode::Report);
        if self.stopped {
            return Err(vec![SchemaViolation {
                pointer: String::new(),
                keyword: "$limit",
                message: "the value is too large or too deeply nested to check; send a smaller one".into(),
            }]);
        }
        if valid { Ok(()) } else { Err(self.found) }
    }

    /// Validates against one node without telling; running out of steps is not valid.
    pub(crate) fn is_valid(&mut self, id: SchemaNodeId, value: &Json) -> bool {
        self.quiet(id, value) && !self.stopped
    }

    pub(in crate::schema) fn quiet(&mut self, id: SchemaNodeId, value: &Json) -> bool {
        self.check(id, value, &ValuePath::ROOT, ReportMode::Quiet)
    }

    /// Whether the budget is spent, so that every verdict from now on is "no".
    pub(crate) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(in crate::schema) const fn schema(&self) -> &'s CompiledSchema {
        self.schema
    }

    /// Takes steps from the budget; `false` when it is spent.
    pub(in crate::schema) fn charge(&mut self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.steps = self.steps.saturating_sub(steps);
        self.stopped |= self.steps == 0;
        !self.stopped
    }

    /// Enters a node; every `true` is paired with [`leave`](Self::leave).
    pub(in crate::schema) fn enter(&mut self) -> bool {
        if self.depth >= MAX_NESTING {
            self.stopped = true;
        }
        if !self.charge(1) {
            return false;
        }
        self.depth += 1;
        true
    }

    pub(in crate::schema) const fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn check(
        &mut self,
        id: SchemaNodeId,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let Some(node) = self.schema.node(id) else { return true };
        if !self.enter() {
            return false;
        }
        let mode = if self.found.len() >= MAX_VIOLATIONS { ReportMode::Quiet } else { mode };
        let valid = self.node(node, value, at, mode);
        self.leave();
        valid
    }

    fn node(&mut self, node: &'s SchemaNode, value: &Json, at: &ValuePath<'_>, mode: ReportMode) -> bool {
        if node.refused {
            return self.fail(mode, at, "false", message::refused);
        }
        // A value of the wrong kind breaks every other keyword too; only the kind is worth
        // reporting.
        if !node.types.admit(value) {
            return self.fail(mode, at, "type", |at| message::wrong_type(at, node.types, value));
        }
        let ok = node.values.as_ref().is_none_or(|values| self.values(values, value, at, mode));
        let ok = mode.and(ok, || match value {
            Json::Number(number) => {
                node.number.as_ref().is_none_or(|rules| self.number(rules, number, at, mode))
            }
            Json::String(text) => node.string.as_ref().is_none_or(|rules| self.string(rules, text, at, mode)),
            Json::Array(items) => node.array.as_ref().is_none_or(|rules| self.array(rules, items, at, mode)),
            Json::Object(members) => {
                node.object.as_ref().is_none_or(|rules| self.object(rules, members, value, at, mode))
            }
            Json::Null | Json::Bool(_) => true,
        });
        let ok = mode.and(ok, || node.logic.as_ref().is_none_or(|logic| self.logic(logic, value, at, mode)));
        ok && self.unevaluated(node, value, at, mode)
    }

    /// Records a violation if violations are reported; always returns `false`.
    pub(super) fn fail(
        &mut self,
        mode: ReportMode,
        at: &ValuePath<'_>,
        keyword: &'static str,
        text: impl FnOnce(&ValuePath<'_>) -> String,
    ) -> bool {
        if mode == ReportMode::Report && self.found.len() < MAX_VIOLATIONS {
            self.found.push(SchemaViolation { pointer: at.pointer(), keyword, message: text(at) });
        }
        false
    }

    /// Notes a violation unless `ok`.
    pub(super) fn demand(
        &mut self,
        ok: bool,
        mode: ReportMode,
        at: &ValuePath<'_>,
        keyword: &'static str,
        text: impl FnOnce(&ValuePath<'_>) -> String,
    ) -> bool {
        ok || self.fail(mode, at, keyword, text)
    }

    pub(super) fn is_refused(&self, id: SchemaNodeId) -> bool {
        self.schema.node(id).is_some_and(|node| node.refused)
    }
}

pub(super) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
