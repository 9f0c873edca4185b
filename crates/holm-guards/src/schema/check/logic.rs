//! Schemas that apply to the same value (`allOf`, `anyOf`, `oneOf`, `not`, `if`), and what they
//! leave over.
//!
//! Which branch a value was meant for is guessed in `schema/union.rs`, for the report only:
//! validity never depends on the guess. The evaluated parts are collected in
//! `schema/evaluated_parts.rs`. Every branch costs steps of the walk's budget
//! (`schema/check/checker.rs`), so nested unions cannot explode.

use super::checker::{ReportMode, SchemaChecker};
use crate::json::Json;
use crate::schema::evaluated_parts::EvaluatedParts;
use crate::schema::message;
use crate::schema::node::{ArrayRules, LogicRules, ObjectRules, SchemaNode, SchemaNodeId};
use crate::schema::path::ValuePath;
use crate::schema::union::plausible;

impl<'s> SchemaChecker<'s> {
    pub(super) fn logic(
        &mut self,
        logic: &LogicRules,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let mut ok = true;
        for node in logic.always() {
            ok = mode.and(ok, || self.check(node, value, at, mode));
        }
        let ok = mode.and(ok, || {
            logic.any_of.is_empty()
                || logic.any_of.iter().any(|node| self.quiet(*node, value))
                || self.no_branch(&logic.any_of, value, at, mode, "anyOf")
        });
        let ok = mode.and(ok, || logic.one_of.is_empty() || self.one_of(&logic.one_of, value, at, mode));
        let ok = mode.and(ok, || match logic.not {
            None => true,
            Some(node) => {
                let (broken, schema) = (self.quiet(node, value), self.schema());
                self.demand(!broken, mode, at, "not", |at| message::forbidden(at, schema, node))
            }
        });
        mode.and(ok, || {
            let Some(condition) = &logic.condition else { return true };
            let branch = if self.quiet(condition.test, value) { condition.then } else { condition.otherwise };
            branch.is_none_or(|node| self.check(node, value, at, mode))
        })
    }

    fn one_of(
        &mut self,
        branches: &[SchemaNodeId],
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let mut fitting = branches.iter().enumerate().filter(|(_, node)| self.quiet(**node, value));
        match (fitting.next().map(|(index, _)| index), fitting.next().map(|(index, _)| index)) {
            (None, _) => self.no_branch(branches, value, at, mode, "oneOf"),
            (Some(_), None) => true,
            (Some(first), Some(second)) => {
                self.fail(mode, at, "oneOf", |at| message::several(at, first, second))
            }
        }
    }

    /// Reports why no branch fits: in detail if only one can have been meant,
    /// by their shapes otherwise.
    fn no_branch(
        &mut self,
        branches: &[SchemaNodeId],
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
        keyword: &'static str,
    ) -> bool {
        if mode == ReportMode::Quiet || self.stopped {
            return false;
        }
        let schema = self.schema();
        let mut meant = branches.iter().filter(|node| plausible(schema, **node, value));
        if let (Some(only), None) = (meant.next(), meant.next()) {
            return self.check(*only, value, at, mode);
        }
        self.fail(mode, at, keyword, |at| message::no_branch(at, schema, branches, value))
    }

    pub(super) fn unevaluated(
        &mut self,
        node: &'s SchemaNode,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        match (value, node.object.as_deref(), node.array.as_deref()) {
            (Json::Object(members), Some(ObjectRules { unevaluated: Some(rest), .. }), _) => {
                let seen = self.evaluated(node, value);
                let mut ok = true;
                for (name, member) in members.iter().filter(|(name, _)| !seen.has_name(name)) {
                    ok = mode.and(ok, || {
                        self.left_over(*rest, member, &at.name(name), mode, "unevaluatedProperties")
                    });
                }
                ok
            }
            (Json::Array(items), _, Some(ArrayRules { unevaluated: Some(rest), .. })) => {
                let seen = self.evaluated(node, value);
                let mut ok = true;
                for (index, item) in items.iter().enumerate().filter(|(index, _)| !seen.has_item(*index)) {
                    ok = mode
                        .and(ok, || self.left_over(*rest, item, &at.index(index), mode, "unevaluatedItems"));
                }
                ok
            }
            _ => true,
        }
    }

    fn left_over(
        &mut self,
        rest: SchemaNodeId,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
        keyword: &'static str,
    ) -> bool {
        if self.is_refused(rest) {
            return self.fail(mode, at, keyword, message::left_over);
        }
        self.check(rest, value, at, mode)
    }

    fn evaluated<'v>(&mut self, node: &'s SchemaNode, value: &'v Json) -> EvaluatedParts<'v> {
        let mut seen = EvaluatedParts::default();
        seen.collect_own(self, node, value);
        seen
    }
}
