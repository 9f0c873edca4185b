//! `enum`, `const`, and what numbers and strings must satisfy.
//!
//! Numbers are compared as decimal text (`json/number.rs`), never as floats. Lengths count
//! characters. Patterns are matched in `schema/pattern/search.rs`. `format` is not checked here: it
//! is an annotation, and `schema/format.rs` serves callers that ask.

use core::cmp::Ordering;

use super::checker::{BYTES_A_STEP, ReportMode, SchemaChecker, count};
use crate::json::{Json, JsonNumber};
use crate::schema::message;
use crate::schema::node::{AllowedValues, NumberRules, StringRules};
use crate::schema::path::ValuePath;

impl SchemaChecker<'_> {
    pub(super) fn values(
        &mut self,
        values: &AllowedValues,
        value: &Json,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        if let Some(constant) = &values.constant {
            let ok = self.is_same(constant, value);
            if !self.demand(ok, mode, at, "const", |at| message::not_constant(at, constant, value)) {
                return false;
            }
        }
        let Some(allowed) = &values.one_of else { return true };
        let ok = allowed.iter().any(|allowed| self.is_same(allowed, value));
        self.demand(ok, mode, at, "enum", |at| message::not_listed(at, allowed, value))
    }

    fn is_same(&mut self, a: &Json, b: &Json) -> bool {
        let mut steps = 0;
        let same = a.cmp_counting(b, &mut steps).is_eq();
        self.charge(steps) && same
    }

    pub(super) fn number(
        &mut self,
        rules: &NumberRules,
        number: &JsonNumber,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
        type Limit<'r> = (&'r Option<JsonNumber>, &'static str, &'static str, fn(Ordering) -> bool);
        let limits: [Limit<'_>; 4] = [
            (&rules.minimum, "minimum", "at least", Ordering::is_ge),
            (&rules.maximum, "maximum", "at most", Ordering::is_le),
            (&rules.exclusive_minimum, "exclusiveMinimum", "more than", Ordering::is_gt),
            (&rules.exclusive_maximum, "exclusiveMaximum", "less than", Ordering::is_lt),
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

    pub(super) fn string(
        &mut self,
        rules: &StringRules,
        text: &str,
        at: &ValuePath<'_>,
        mode: ReportMode,
    ) -> bool {
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
}
