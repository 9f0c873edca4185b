//! What objects must satisfy: required, known, patterned and additional properties, names and
//! counts.
//!
//! `unevaluatedProperties` is checked in `schema/check/logic.rs`; the rules were read in
//! `schema/compile/rules.rs`; violations are worded in `schema/message.rs`. Members and patterns
//! are charged to the budget of the walk (`schema/check/checker.rs`).

use super::checker::{BYTES_A_STEP, ReportMode, SchemaChecker, count};
use crate::json::{Json, JsonObject};
use crate::schema::message;
use crate::schema::node::{ObjectRules, SchemaNodeId};
use crate::schema::path::ValuePath;

impl SchemaChecker<'_> {
    pub(super) fn object(
        &mut self,
        rules: &ObjectRules,
        members: &JsonObject,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let dependent = rules.dependent_required.len() + rules.dependent_schemas.len();
        if !self.charge((members.len() + rules.required.len() + dependent) / 4) {
            return false;
        }
        let ok = self.required(rules, members, at, mode);
        let ok = mode.and(ok, || self.members(rules, members, at, mode));
        let size = count(members.len());
        let ok = mode.and(ok, || {
            let enough = rules.min.is_none_or(|min| size >= min);
            let describe = |at: &ValuePath<'_>| message::properties(at, "at least", rules.min, size);
            let ok = self.demand(enough, mode, at, "minProperties", describe);
            let few = rules.max.is_none_or(|max| size <= max);
            ok & self.demand(few, mode, at, "maxProperties", |at| {
                message::properties(at, "at most", rules.max, size)
            })
        });
        mode.and(ok, || self.dependent(rules, members, value, at, mode))
    }

    fn required(
        &mut self,
        rules: &ObjectRules,
        members: &JsonObject,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let mut ok = true;
        for name in rules.required.iter().filter(|name| !members.contains_key(name)) {
            let schema = self.schema();
            ok = self.fail(mode, at, "required", |at| {
                message::missing(&at.name(name), schema, rules.property(name))
            });
            if mode == ReportMode::Quiet {
                break;
            }
        }
        ok
    }

    fn members(
        &mut self,
        rules: &ObjectRules,
        members: &JsonObject,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let mut ok = true;
        for (name, member) in members {
            if !ok && mode == ReportMode::Quiet || self.stopped {
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

    fn property_name(
        &mut self,
        names: SchemaNodeId,
        name: &str,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let ok = self.quiet(names, &Json::from(name));
        let schema = self.schema();
        self.demand(ok, mode, at, "propertyNames", |at| message::bad_name(at, schema, names))
    }

    fn dependent(
        &mut self,
        rules: &ObjectRules,
        members: &JsonObject,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let mut ok = true;
        for (name, needed) in &rules.dependent_required {
            if !members.contains_key(name) || !self.charge(needed.len()) {
                continue;
            }
            for need in needed.iter().filter(|need| !members.contains_key(need)) {
                let describe = |at: &ValuePath<'_>| message::dependent(&at.name(need), name);
                ok = self.fail(mode, at, "dependentRequired", describe);
            }
        }
        for (name, node) in &rules.dependent_schemas {
            if members.contains_key(name) {
                ok = mode.and(ok, || self.check(*node, value, at, mode));
            }
        }
        ok
    }
}
