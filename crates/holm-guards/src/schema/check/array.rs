//! What arrays must satisfy: counts, items, uniqueness and `contains`.
//!
//! The rules were read in `schema/compile/rules.rs`, violations are worded in `schema/message.rs`,
//! and `unevaluatedItems` is checked in `schema/check/logic.rs`. Comparing items is charged to the
//! budget of the walk (`schema/check/checker.rs`), because an array can be as long as the sender
//! likes.

use alloc::vec::Vec;

use super::checker::{ReportMode, SchemaChecker, count};
use crate::json::Json;
use crate::schema::message;
use crate::schema::node::ArrayRules;
use crate::schema::path::ValuePath;

impl SchemaChecker<'_> {
    pub(super) fn array(
        &mut self,
        rules: &ArrayRules,
        items: &[Json],
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        let length = count(items.len());
        let enough = rules.min.is_none_or(|min| length >= min);
        let mut ok =
            self.demand(enough, mode, at, "minItems", |at| message::items(at, "at least", rules.min, length));
        let few = rules.max.is_none_or(|max| length <= max);
        ok &= self.demand(few, mode, at, "maxItems", |at| message::items(at, "at most", rules.max, length));
        for (index, item) in items.iter().enumerate() {
            if !ok && mode == ReportMode::Quiet || self.stopped {
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

    fn unique(&mut self, items: &[Json], at: &ValuePath<'_>, mode: ReportMode) -> bool {
        if !self.charge(items.len()) {
            return false;
        }
        let mut sorted: Vec<_> = items.iter().enumerate().collect();
        let mut steps = 0;
        sorted.sort_by(|(_, a), (_, b)| a.cmp_counting(b, &mut steps));
        self.charge(steps / 16);
        let twins = sorted.windows(2).find_map(|pair| match pair {
            [(first, a), (second, b)] if a.same_value(b) => Some((*first, *second)),
            _ => None,
        });
        let Some((first, second)) = twins else { return true };
        self.fail(mode, at, "uniqueItems", |at| message::twins(at, first, second))
    }

    fn contains(&mut self, rules: &ArrayRules, items: &[Json], at: &ValuePath<'_>, mode: ReportMode) -> bool {
        let Some(contains) = &rules.contains else { return true };
        let matching = items.iter().filter(|item| self.quiet(contains.node, item)).count();
        let matching = count(matching);
        let schema = self.schema();
        let describe = |at: &ValuePath<'_>, words, limit| {
            message::contains(at, words, limit, schema, contains.node, matching)
        };
        let ok = self.demand(matching >= contains.min, mode, at, "contains", |at| {
            describe(at, "at least", contains.min)
        });
        let max = contains.max.unwrap_or(u64::MAX);
        ok & self.demand(matching <= max, mode, at, "maxContains", |at| describe(at, "at most", max))
    }
}
