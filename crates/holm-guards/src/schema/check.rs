//! Validation: one walk over nodes and value, counted in steps.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::evaluated::Evaluated;
use super::message;
use super::node::{ArrayRules, Logic, Node, NodeId, NumberRules, ObjectRules, StringRules, Values};
use super::path::Path;
use super::union::plausible;
use super::{MAX_VIOLATIONS, Schema, Violation};
use crate::json::{Json, Number, Object};

/// Work that one validation may cost: an array of some hundred thousand items passes, a bomb of nested `anyOf` ends
/// within a tenth of a second.
const MAX_STEPS: u64 = 1_000_000;

/// Schemas applied inside one another: twice the nesting of the deepest value, which fits the stack of a browser.
const MAX_NESTING: u32 = 256;

/// Characters of a string that count as one step of matching.
const BYTES_A_STEP: usize = 64;

/// One validation under way.
pub(crate) struct Checker<'s> {
    schema: &'s Schema,
    steps: u64,
    depth: u32,
    stopped: bool,
    found: Vec<Violation>,
}

/// Whether violations are told or only counted as one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Quiet,
    Report,
}

impl Mode {
    /// Both demands; the second is looked at after a failure only if violations are told.
    fn and(self, first: bool, second: impl FnOnce() -> bool) -> bool {
        if first {
            return second();
        }
        if self == Self::Report {
            second();
        }
        false
    }
}

impl<'s> Checker<'s> {
    pub(crate) const fn new(schema: &'s Schema) -> Self {
        Self { schema, steps: MAX_STEPS, depth: 0, stopped: false, found: Vec::new() }
    }

    /// Validates against the whole schema and tells what is wrong.
    pub(super) fn report(mut self, value: &Json) -> Result<(), Vec<Violation>> {
        let valid = self.check(self.schema.root(), value, &Path::ROOT, Mode::Report);
        if self.stopped {
            return Err(vec![Violation {
                pointer: String::new(),
                keyword: "$limit",
                message: "the value is too large or too deep to be checked; send a smaller one".into(),
            }]);
        }
        if valid { Ok(()) } else { Err(self.found) }
    }

    /// Validates against one node without telling; running out of steps is not valid.
    pub(crate) fn is_valid(&mut self, id: NodeId, value: &Json) -> bool {
        self.quiet(id, value) && !self.stopped
    }

    pub(super) fn quiet(&mut self, id: NodeId, value: &Json) -> bool {
        self.check(id, value, &Path::ROOT, Mode::Quiet)
    }

    /// Whether the budget is spent, so that every verdict from now on is "no".
    pub(crate) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) const fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// Takes steps from the budget; `false` when it is spent.
    pub(super) fn charge(&mut self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.steps = self.steps.saturating_sub(steps);
        self.stopped |= self.steps == 0;
        !self.stopped
    }

    /// Enters a node; every `true` is paired with [`leave`](Self::leave).
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_NESTING {
            self.stopped = true;
        }
        if !self.charge(1) {
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }

    fn check(&mut self, id: NodeId, value: &Json, at: &Path<'_>, mode: Mode) -> bool {
        let Some(node) = self.schema.node(id) else { return true };
        if !self.enter() {
            return false;
        }
        let mode = if self.found.len() >= MAX_VIOLATIONS { Mode::Quiet } else { mode };
        let valid = self.node(node, value, at, mode);
        self.leave();
        valid
    }

    fn node(&mut self, node: &'s Node, value: &Json, at: &Path<'_>, mode: Mode) -> bool {
        if node.refused {
            return self.fail(mode, at, "false", message::refused);
        }
        // A value of the wrong kind breaks every other keyword too; only the kind is worth telling.
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

    /// Notes a violation if violations are told; always `false`.
    fn fail(
        &mut self,
        mode: Mode,
        at: &Path<'_>,
        keyword: &'static str,
        text: impl FnOnce(&Path<'_>) -> String,
    ) -> bool {
        if mode == Mode::Report && self.found.len() < MAX_VIOLATIONS {
            self.found.push(Violation { pointer: at.pointer(), keyword, message: text(at) });
        }
        false
    }

    /// Notes a violation unless `ok`.
    fn demand(
        &mut self,
        ok: bool,
        mode: Mode,
        at: &Path<'_>,
        keyword: &'static str,
        text: impl FnOnce(&Path<'_>) -> String,
    ) -> bool {
        ok || self.fail(mode, at, keyword, text)
    }

    fn values(&mut self, values: &Values, value: &Json, at: &Path<'_>, mode: Mode) -> bool {
        if let Some(constant) = &values.constant {
            let ok = constant.same_value(value);
            if !self.demand(ok, mode, at, "const", |at| message::not_constant(at, constant, value)) {
                return false;
            }
        }
        let Some(allowed) = &values.one_of else { return true };
        let ok = self.charge(allowed.len()) && allowed.iter().any(|allowed| allowed.same_value(value));
        self.demand(ok, mode, at, "enum", |at| message::not_listed(at, allowed, value))
    }

    fn number(&mut self, rules: &NumberRules, number: &Number, at: &Path<'_>, mode: Mode) -> bool {
        type Limit<'r> = (&'r Option<Number>, &'static str, &'static str, fn(Ordering) -> bool);
        let limits: [Limit<'_>; 4] = [
            (&rules.minimum, "minimum", "at least", Ordering::is_ge),
            (&rules.maximum, "maximum", "at most", Ordering::is_le),
            (&rules.above, "exclusiveMinimum", "more than", Ordering::is_gt),
            (&rules.below, "exclusiveMaximum", "less than", Ordering::is_lt),
        ];
        let mut ok = true;
        for (limit, keyword, words, admitted) in limits {
            let Some(limit) = limit else { continue };
            let fits = admitted(number.cmp_value(limit));
            ok &= self.demand(fits, mode, at, keyword, |at| message::out_of_range(at, words, limit, number));
        }
        let Some(divisor) = &rules.multiple_of else { return ok };
        let fits = number.is_multiple_of(divisor).unwrap_or(true);
        ok & self.demand(fits, mode, at, "multipleOf", |at| message::not_multiple(at, divisor, number))
    }

    fn string(&mut self, rules: &StringRules, text: &str, at: &Path<'_>, mode: Mode) -> bool {
        let mut ok = true;
        if rules.min.is_some() || rules.max.is_some() {
            let length = count(text.chars().count());
            self.charge(text.len() / BYTES_A_STEP);
            let long = rules.min.is_none_or(|min| length >= min);
            ok &= self
                .demand(long, mode, at, "minLength", |at| message::length(at, "at least", rules.min, length));
            let short = rules.max.is_none_or(|max| length <= max);
            ok &= self
                .demand(short, mode, at, "maxLength", |at| message::length(at, "at most", rules.max, length));
        }
        let Some(pattern) = &rules.pattern else { return ok };
        let fits = self.charge(text.len() / BYTES_A_STEP) && pattern.is_match(text);
        ok & self.demand(fits, mode, at, "pattern", |at| message::no_match(at, pattern, text))
    }

    fn array(&mut self, rules: &ArrayRules, items: &[Json], at: &Path<'_>, mode: Mode) -> bool {
        let length = count(items.len());
        let enough = rules.min.is_none_or(|min| length >= min);
        let mut ok =
            self.demand(enough, mode, at, "minItems", |at| message::items(at, "at least", rules.min, length));
        let few = rules.max.is_none_or(|max| length <= max);
        ok &= self.demand(few, mode, at, "maxItems", |at| message::items(at, "at most", rules.max, length));
        for (index, item) in items.iter().enumerate() {
            if !ok && mode == Mode::Quiet || self.stopped {
                return false;
            }
            ok &= match (rules.prefix.get(index), rules.items) {
                (Some(node), _) => self.check(*node, item, &at.index(index), mode),
                (None, Some(node)) if self.is_refused(node) => {
                    self.fail(mode, &at.index(index), "items", |at| {
                        message::extra_item(at, rules.prefix.len())
                    })
                }
                (None, Some(node)) => self.check(node, item, &at.index(index), mode),
                (None, None) => break,
            };
        }
        let ok = mode.and(ok, || !rules.unique || self.unique(items, at, mode));
        mode.and(ok, || self.contains(rules, items, at, mode))
    }

    fn unique(&mut self, items: &[Json], at: &Path<'_>, mode: Mode) -> bool {
        if !self.charge(items.len()) {
            return false;
        }
        let mut sorted: Vec<_> = items.iter().enumerate().collect();
        sorted.sort_by(|(_, a), (_, b)| a.cmp_value(b));
        let twins = sorted.windows(2).find_map(|pair| match pair {
            [(first, a), (second, b)] if a.same_value(b) => Some((*first, *second)),
            _ => None,
        });
        let Some((first, second)) = twins else { return true };
        self.fail(mode, at, "uniqueItems", |at| message::twins(at, first, second))
    }

    fn contains(&mut self, rules: &ArrayRules, items: &[Json], at: &Path<'_>, mode: Mode) -> bool {
        let Some(contains) = &rules.contains else { return true };
        let matching = items.iter().filter(|item| self.quiet(contains.node, item)).count();
        let matching = count(matching);
        let schema = self.schema;
        let told = |at: &Path<'_>, words, limit| {
            message::contains(at, words, limit, schema, contains.node, matching)
        };
        let ok = self
            .demand(matching >= contains.min, mode, at, "contains", |at| told(at, "at least", contains.min));
        let max = contains.max.unwrap_or(u64::MAX);
        ok & self.demand(matching <= max, mode, at, "maxContains", |at| told(at, "at most", max))
    }

    fn object(
        &mut self,
        rules: &ObjectRules,
        members: &Object,
        value: &Json,
        at: &Path<'_>,
        mode: Mode,
    ) -> bool {
        if !self.charge((members.len() + rules.required.len()) / 4) {
            return false;
        }
        let ok = self.required(rules, members, at, mode);
        let ok = mode.and(ok, || self.members(rules, members, at, mode));
        let size = count(members.len());
        let ok = mode.and(ok, || {
            let enough = rules.min.is_none_or(|min| size >= min);
            let told = |at: &Path<'_>| message::properties(at, "at least", rules.min, size);
            let ok = self.demand(enough, mode, at, "minProperties", told);
            let few = rules.max.is_none_or(|max| size <= max);
            ok & self.demand(few, mode, at, "maxProperties", |at| {
                message::properties(at, "at most", rules.max, size)
            })
        });
        mode.and(ok, || self.dependent(rules, members, value, at, mode))
    }

    fn required(&mut self, rules: &ObjectRules, members: &Object, at: &Path<'_>, mode: Mode) -> bool {
        let mut ok = true;
        for name in rules.required.iter().filter(|name| !members.contains_key(&***name)) {
            let schema = self.schema;
            ok = self.fail(mode, at, "required", |at| {
                message::missing(&at.name(name), schema, rules.property(name))
            });
            if mode == Mode::Quiet {
                break;
            }
        }
        ok
    }

    fn members(&mut self, rules: &ObjectRules, members: &Object, at: &Path<'_>, mode: Mode) -> bool {
        let mut ok = true;
        for (name, member) in members {
            if !ok && mode == Mode::Quiet || self.stopped {
                return false;
            }
            let here = at.name(name);
            if let Some(names) = rules.names {
                ok &= self.property_name(names, name, &here, mode);
            }
            let mut known = false;
            if let Some(node) = rules.property(name) {
                known = true;
                ok &= self.check(node, member, &here, mode);
            }
            for (pattern, node) in &rules.patterns {
                if self.charge(1 + name.len() / BYTES_A_STEP) && pattern.is_match(name) {
                    known = true;
                    ok &= self.check(*node, member, &here, mode);
                }
            }
            let Some(additional) = rules.additional.filter(|_| !known) else { continue };
            ok &= if self.is_refused(additional) {
                self.fail(mode, &here, "additionalProperties", |at| {
                    message::unknown_property(at, name, rules)
                })
            } else {
                self.check(additional, member, &here, mode)
            };
        }
        ok
    }

    fn property_name(&mut self, names: NodeId, name: &str, at: &Path<'_>, mode: Mode) -> bool {
        let ok = self.quiet(names, &Json::from(name));
        let schema = self.schema;
        self.demand(ok, mode, at, "propertyNames", |at| message::bad_name(at, schema, names))
    }

    fn dependent(
        &mut self,
        rules: &ObjectRules,
        members: &Object,
        value: &Json,
        at: &Path<'_>,
        mode: Mode,
    ) -> bool {
        let mut ok = true;
        for (name, needed) in &rules.dependent_required {
            if !members.contains_key(&**name) || !self.charge(needed.len()) {
                continue;
            }
            for need in needed.iter().filter(|need| !members.contains_key(&***need)) {
                let told = |at: &Path<'_>| message::dependent(&at.name(need), name);
                ok = self.fail(mode, at, "dependentRequired", told);
            }
        }
        for (name, node) in &rules.dependent_schemas {
            if members.contains_key(&**name) {
                ok = mode.and(ok, || self.check(*node, value, at, mode));
            }
        }
        ok
    }

    fn logic(&mut self, logic: &Logic, value: &Json, at: &Path<'_>, mode: Mode) -> bool {
        let mut ok = true;
        for node in logic.always() {
            ok = mode.and(ok, || self.check(node, value, at, mode));
        }
        let ok = mode.and(ok, || {
            logic.any.is_empty()
                || logic.any.iter().any(|node| self.quiet(*node, value))
                || self.no_branch(&logic.any, value, at, mode, "anyOf")
        });
        let ok = mode.and(ok, || logic.one.is_empty() || self.one_of(&logic.one, value, at, mode));
        let ok = mode.and(ok, || match logic.not {
            None => true,
            Some(node) => {
                let (broken, schema) = (self.quiet(node, value), self.schema);
                self.demand(!broken, mode, at, "not", |at| message::forbidden(at, schema, node))
            }
        });
        mode.and(ok, || {
            let Some(condition) = &logic.condition else { return true };
            let branch = if self.quiet(condition.test, value) { condition.then } else { condition.otherwise };
            branch.is_none_or(|node| self.check(node, value, at, mode))
        })
    }

    fn one_of(&mut self, branches: &[NodeId], value: &Json, at: &Path<'_>, mode: Mode) -> bool {
        let mut fitting = branches.iter().enumerate().filter(|(_, node)| self.quiet(**node, value));
        match (fitting.next().map(|(index, _)| index), fitting.next().map(|(index, _)| index)) {
            (None, _) => self.no_branch(branches, value, at, mode, "oneOf"),
            (Some(_), None) => true,
            (Some(first), Some(second)) => {
                self.fail(mode, at, "oneOf", |at| message::several(at, first, second))
            }
        }
    }

    /// Tells why no branch fits: in detail if only one can have been meant, by their shapes otherwise.
    fn no_branch(
        &mut self,
        branches: &[NodeId],
        value: &Json,
        at: &Path<'_>,
        mode: Mode,
        keyword: &'static str,
    ) -> bool {
        if mode == Mode::Quiet || self.stopped {
            return false;
        }
        let schema = self.schema;
        let mut meant = branches.iter().filter(|node| plausible(schema, **node, value));
        if let (Some(only), None) = (meant.next(), meant.next()) {
            return self.check(*only, value, at, mode);
        }
        self.fail(mode, at, keyword, |at| message::no_branch(at, schema, branches, value))
    }

    fn unevaluated(&mut self, node: &'s Node, value: &Json, at: &Path<'_>, mode: Mode) -> bool {
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
        rest: NodeId,
        value: &Json,
        at: &Path<'_>,
        mode: Mode,
        keyword: &'static str,
    ) -> bool {
        if self.is_refused(rest) {
            return self.fail(mode, at, keyword, message::left_over);
        }
        self.check(rest, value, at, mode)
    }

    fn evaluated<'v>(&mut self, node: &'s Node, value: &'v Json) -> Evaluated<'v> {
        let mut seen = Evaluated::default();
        seen.collect_own(self, node, value);
        seen
    }

    fn is_refused(&self, id: NodeId) -> bool {
        self.schema.node(id).is_some_and(|node| node.refused)
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
