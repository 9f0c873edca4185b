//! Compiles the keywords of one subschema, group by group, into the rules of its node
//! (`schema/node.rs`).
//!
//! The raw values are read in `schema/compile/read.rs`, and the rules are enforced in
//! `schema/check/`. Which keywords are known is in `schema/keywords.rs`; unknown ones are reported
//! in `schema/compile/compiler.rs`. `format` is not a rule (`schema/format.rs`).
//! Where editions of JSON Schema differ, the older form is accepted too. A keyword that is only
//! partly enforceable is dropped and reported as a gap: a partial check could refuse a valid value.

use alloc::vec::Vec;

use super::compiler::{CompileResult, PointerToken, SchemaCompiler, SubschemaContext};
use crate::json::Json;
use crate::schema::node::{
    AllowedValues, ArrayRules, ConditionalRule, ContainsRule, LogicRules, NumberRules, ObjectRules,
    SchemaNodeId, StringRules, TypeSet,
};
use crate::schema::{EcmaPattern, SupportGap};

impl<'a> SchemaCompiler<'a> {
    pub(super) fn types(&self, here: SubschemaContext<'a>) -> CompileResult<TypeSet> {
        let expected = "a type name or a list of type names";
        let named = |json: &Json| match json.as_str() {
            Some(name) => TypeSet::named(name).ok_or_else(|| self.unknown_type(here, name)),
            None => Err(self.bad(here, "type", expected)),
        };
        match here.members.get("type") {
            None => Ok(TypeSet::ANY),
            Some(Json::Array(names)) => {
                names.iter().try_fold(TypeSet::NONE, |types, name| Ok(types.with(named(name)?)))
            }
            Some(name) => named(name),
        }
    }

    pub(super) fn values(&self, here: SubschemaContext<'a>) -> CompileResult<AllowedValues> {
        let one_of = match here.members.get("enum") {
            None => None,
            Some(Json::Array(values)) => Some(values.clone()),
            Some(_) => return Err(self.bad(here, "enum", "a list of values")),
        };
        Ok(AllowedValues { one_of, constant: here.members.get("const").cloned() })
    }

    pub(super) fn number_rules(&mut self, here: SubschemaContext<'a>) -> CompileResult<NumberRules> {
        let (mut minimum, mut maximum) = (self.number(here, "minimum")?, self.number(here, "maximum")?);
        // Draft 4 wrote exclusiveness as a flag beside the limit.
        let flagged = |keyword: &str| here.members.get(keyword).and_then(Json::as_bool);
        let above = match flagged("exclusiveMinimum") {
            Some(true) => minimum.take(),
            Some(false) => None,
            None => self.number(here, "exclusiveMinimum")?,
        };
        let below = match flagged("exclusiveMaximum") {
            Some(true) => maximum.take(),
            Some(false) => None,
            None => self.number(here, "exclusiveMaximum")?,
        };
        let mut multiple_of = self.number(here, "multipleOf")?;
        if let Some(divisor) = &multiple_of {
            if divisor.is_zero() || divisor.is_negative() {
                return Err(self.bad(here, "multipleOf", "a number above zero"));
            }
            if divisor.is_multiple_of(divisor).is_none() {
                self.report(here, "multipleOf", SupportGap::LongDivisor);
                multiple_of = None;
            }
        }
        Ok(NumberRules { minimum, maximum, above, below, multiple_of })
    }

    pub(super) fn string_rules(&mut self, here: SubschemaContext<'a>) -> CompileResult<StringRules> {
        let pattern = match here.members.get("pattern") {
            None => None,
            Some(Json::String(text)) => self.pattern(here, "pattern", text)?,
            Some(_) => return Err(self.bad(here, "pattern", "a regular expression in a string")),
        };
        Ok(StringRules { min: self.count(here, "minLength")?, max: self.count(here, "maxLength")?, pattern })
    }

    pub(super) fn array_rules(&mut self, here: SubschemaContext<'a>) -> CompileResult<ArrayRules> {
        // The array form of `items` is what later drafts call `prefixItems`.
        let tuple = matches!(here.members.get("items"), Some(Json::Array(_)));
        let (prefix, rest) = if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        let contains = match self.one(here, "contains")? {
            None => None,
            Some(node) => Some(ContainsRule {
                node,
                min: self.count(here, "minContains")?.unwrap_or(1),
                max: self.count(here, "maxContains")?,
            }),
        };
        Ok(ArrayRules {
            prefix: self.list(here, prefix)?,
            items: self.one(here, rest)?,
            contains,
            min: self.count(here, "minItems")?,
            max: self.count(here, "maxItems")?,
            unique: here.members.get("uniqueItems").and_then(Json::as_bool).unwrap_or(false),
            unevaluated: self.one(here, "unevaluatedItems")?,
        })
    }

    pub(super) fn object_rules(&mut self, here: SubschemaContext<'a>) -> CompileResult<ObjectRules> {
        let (patterns, whole) = self.pattern_properties(here)?;
        let mut rules = ObjectRules {
            properties: self.map(here, "properties")?,
            patterns,
            additional: self.one(here, "additionalProperties")?,
            names: self.one(here, "propertyNames")?,
            required: self.names(here, "required", here.members.get("required"))?,
            min: self.count(here, "minProperties")?,
            max: self.count(here, "maxProperties")?,
            dependent_required: Vec::new(),
            dependent_schemas: self.map(here, "dependentSchemas")?,
            unevaluated: self.one(here, "unevaluatedProperties")?,
        };
        rules.required.sort_unstable();
        rules.required.dedup();
        if let Some(json) = here.members.get("dependentRequired") {
            let Json::Object(map) = json else {
                return Err(self.bad(here, "dependentRequired", "an object of name lists"));
            };
            for (name, list) in map {
                let names = self.names(here, "dependentRequired", Some(list))?;
                rules.dependent_required.push((name.as_str().into(), names));
            }
        }
        self.dependencies(here, &mut rules)?;
        // If a pattern is missing, it is unknown which properties are additional, so they are not
        // refused.
        if !whole && rules.additional.take().is_some() {
            self.report(here, "additionalProperties", SupportGap::UnknownPattern);
        }
        if !whole && rules.unevaluated.take().is_some() {
            self.report(here, "unevaluatedProperties", SupportGap::UnknownPattern);
        }
        Ok(rules)
    }

    /// The patterns with their schemas, and whether all of them could be compiled.
    fn pattern_properties(
        &mut self,
        here: SubschemaContext<'a>,
    ) -> CompileResult<(Vec<(EcmaPattern, SchemaNodeId)>, bool)> {
        let (mut found, mut whole) = (Vec::new(), true);
        let Some(json) = here.members.get("patternProperties") else { return Ok((found, whole)) };
        let Json::Object(map) = json else {
            return Err(self.bad(here, "patternProperties", "an object of schemas"));
        };
        for (text, json) in map {
            let node = self.child(here, "patternProperties", PointerToken::Name(text), json)?;
            match self.pattern(here, "patternProperties", text)? {
                Some(pattern) => found.push((pattern, node)),
                None => whole = false,
            }
        }
        Ok((found, whole))
    }

    /// Reads `dependencies`, which later drafts split into `dependentRequired` and
    /// `dependentSchemas`.
    fn dependencies(&mut self, here: SubschemaContext<'a>, rules: &mut ObjectRules) -> CompileResult<()> {
        let Some(json) = here.members.get("dependencies") else { return Ok(()) };
        let Json::Object(map) = json else {
            return Err(self.bad(here, "dependencies", "an object of name lists or schemas"));
        };
        for (name, json) in map {
            if let Json::Array(_) = json {
                let names = self.names(here, "dependencies", Some(json))?;
                rules.dependent_required.push((name.as_str().into(), names));
            } else {
                let node = self.child(here, "dependencies", PointerToken::Name(name), json)?;
                rules.dependent_schemas.push((name.as_str().into(), node));
            }
        }
        Ok(())
    }

    pub(super) fn logic(&mut self, here: SubschemaContext<'a>) -> CompileResult<LogicRules> {
        let dynamic = here.members.get("$dynamicRef").and_then(Json::as_str);
        let dynamic = match dynamic {
            Some(reference) if self.index.is_ambiguous(reference) => {
                self.report(here, "$dynamicRef", SupportGap::DynamicReference);
                None
            }
            Some(_) => self.reference(here, "$dynamicRef")?,
            None => None,
        };
        let condition = match self.one(here, "if")? {
            None => None,
            Some(test) => Some(ConditionalRule {
                test,
                then: self.one(here, "then")?,
                otherwise: self.one(here, "else")?,
            }),
        };
        Ok(LogicRules {
            reference: self.reference(here, "$ref")?,
            dynamic,
            all: self.list(here, "allOf")?,
            any: self.list(here, "anyOf")?,
            one: self.list(here, "oneOf")?,
            not: self.one(here, "not")?,
            condition,
        })
    }
}
