//! Finds the parts of a valid value that some keyword has already evaluated, for
//! `unevaluatedProperties` and `unevaluatedItems`.
//!
//! Computed only where one of these keywords occurs, by walking the schemas that applied to the
//! same value. Branches that did not hold contribute nothing, as the specification requires.
//!
//! It does not decide whether a value is valid; `schema/check/logic.rs` does, and asks here. Its
//! work is charged to the budget of the same walk.

use alloc::collections::BTreeSet;

use super::check::SchemaChecker;
use super::node::{ArrayRules, LogicRules, ObjectRules, SchemaNode, SchemaNodeId};
use crate::json::{Json, JsonObject};

/// The evaluated parts of one value.
#[derive(Default)]
pub(super) struct EvaluatedParts<'v> {
    all: bool,
    names: BTreeSet<&'v str>,
    prefix: usize,
    items: BTreeSet<usize>,
}

impl<'v> EvaluatedParts<'v> {
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.all || self.names.contains(name)
    }

    pub(super) fn has_item(&self, index: usize) -> bool {
        self.all || index < self.prefix || self.items.contains(&index)
    }

    /// Collects the parts that a node evaluates, without its own `unevaluated…` keywords.
    pub(super) fn collect_own<'s>(
        &mut self,
        checker: &mut SchemaChecker<'s>,
        node: &'s SchemaNode,
        value: &'v Json,
    ) {
        match value {
            Json::Object(members) => {
                if let Some(rules) = &node.object {
                    self.object(checker, rules, members, value);
                }
            }
            Json::Array(items) => {
                if let Some(rules) = &node.array {
                    self.array(checker, rules, items);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return,
        }
        if let Some(logic) = &node.logic {
            self.logic(checker, logic, value);
        }
    }

    /// Collects the parts that a node evaluates, if the node holds for the value.
    fn collect(&mut self, checker: &mut SchemaChecker<'_>, id: SchemaNodeId, value: &'v Json) {
        let Some(node) = checker.schema().node(id) else { return };
        if self.all || !checker.enter() {
            return;
        }
        let object = node.object.as_ref().is_some_and(|rules| rules.unevaluated.is_some());
        let array = node.array.as_ref().is_some_and(|rules| rules.unevaluated.is_some());
        match value {
            Json::Object(_) if object => self.all = true,
            Json::Array(_) if array => self.all = true,
            _ => self.collect_own(checker, node, value),
        }
        checker.leave();
    }

    fn collect_if_valid(
        &mut self,
        checker: &mut SchemaChecker<'_>,
        id: SchemaNodeId,
        value: &'v Json,
    ) -> bool {
        let valid = checker.quiet(id, value);
        if valid {
            self.collect(checker, id, value);
        }
        valid
    }

    fn object(
        &mut self,
        checker: &mut SchemaChecker<'_>,
        rules: &ObjectRules,
        members: &'v JsonObject,
        value: &'v Json,
    ) {
        self.all |= rules.additional.is_some();
        if !self.all {
            for name in members.keys() {
                let matched = |pattern: &super::EcmaPattern| pattern.is_match(name);
                if !checker.charge(1 + rules.patterns.len()) {
                    return;
                }
                if rules.property(name).is_some()
                    || rules.patterns.iter().any(|(pattern, _)| matched(pattern))
                {
                    self.names.insert(name);
                }
            }
        }
        for (name, node) in &rules.dependent_schemas {
            if members.contains_key(name) {
                self.collect(checker, *node, value);
            }
        }
    }

    fn array(&mut self, checker: &mut SchemaChecker<'_>, rules: &ArrayRules, items: &'v [Json]) {
        self.all |= rules.items.is_some();
        self.prefix = self.prefix.max(rules.prefix.len());
        let Some(contains) = &rules.contains else { return };
        for (index, item) in items.iter().enumerate() {
            if checker.quiet(contains.node, item) {
                self.items.insert(index);
            }
        }
    }

    fn logic(&mut self, checker: &mut SchemaChecker<'_>, logic: &LogicRules, value: &'v Json) {
        for node in logic.always() {
            self.collect(checker, node, value);
        }
        for node in logic.any_of.iter().chain(&logic.one_of) {
            self.collect_if_valid(checker, *node, value);
        }
        if let Some(condition) = &logic.condition {
            let held = self.collect_if_valid(checker, condition.test, value);
            if let Some(branch) = if held { condition.then } else { condition.otherwise } {
                self.collect(checker, branch, value);
            }
        }
    }
}
