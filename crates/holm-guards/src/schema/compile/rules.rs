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
    pub(super) fn type_rule(&self, subschema: SubschemaContext<'a>) -> CompileResult<TypeSet> {
        let expected = "a type name or a list of type names";
        let type_named = |json: &Json| match json.as_str() {
            Some(name) => TypeSet::named(name).ok_or_else(|| self.unknown_type(subschema, name)),
            None => Err(self.bad_keyword(subschema, "type", expected)),
        };
        match subschema.members.get("type") {
            None => Ok(TypeSet::ANY),
            Some(Json::Array(names)) => {
                names.iter().try_fold(TypeSet::NONE, |types, name| Ok(types.with(type_named(name)?)))
            }
            Some(name) => type_named(name),
        }
    }

    pub(super) fn value_rules(&self, subschema: SubschemaContext<'a>) -> CompileResult<AllowedValues> {
        let one_of = match subschema.members.get("enum") {
            None => None,
            Some(Json::Array(values)) => Some(values.clone()),
            Some(_) => return Err(self.bad_keyword(subschema, "enum", "a list of values")),
        };
        Ok(AllowedValues { one_of, constant: subschema.members.get("const").cloned() })
    }

    pub(super) fn number_rules(&mut self, subschema: SubschemaContext<'a>) -> CompileResult<NumberRules> {
        let (mut minimum, mut maximum) =
            (self.number(subschema, "minimum")?, self.number(subschema, "maximum")?);
        // Draft 4 wrote exclusiveness as a flag next to the limit.
        let bool_keyword = |keyword: &str| subschema.members.get(keyword).and_then(Json::as_bool);
        let exclusive_minimum = match bool_keyword("exclusiveMinimum") {
            Some(true) => minimum.take(),
            Some(false) => None,
            None => self.number(subschema, "exclusiveMinimum")?,
        };
        let exclusive_maximum = match bool_keyword("exclusiveMaximum") {
            Some(true) => maximum.take(),
            Some(false) => None,
            None => self.number(subschema, "exclusiveMaximum")?,
        };
        let mut multiple_of = self.number(subschema, "multipleOf")?;
        if let Some(divisor) = &multiple_of {
            if divisor.is_zero() || divisor.is_negative() {
                return Err(self.bad_keyword(subschema, "multipleOf", "a number above zero"));
            }
            if divisor.is_multiple_of(divisor).is_none() {
                self.report(subschema, "multipleOf", SupportGap::LongDivisor);
                multiple_of = None;
            }
        }
        Ok(NumberRules { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of })
    }

    pub(super) fn string_rules(&mut self, subschema: SubschemaContext<'a>) -> CompileResult<StringRules> {
        let pattern = match subschema.members.get("pattern") {
            None => None,
            Some(Json::String(text)) => self.pattern(subschema, "pattern", text)?,
            Some(_) => {
                return Err(self.bad_keyword(subschema, "pattern", "a regular expression in a string"));
            }
        };
        Ok(StringRules {
            min: self.count(subschema, "minLength")?,
            max: self.count(subschema, "maxLength")?,
            pattern,
        })
    }

    pub(super) fn array_rules(&mut self, subschema: SubschemaContext<'a>) -> CompileResult<ArrayRules> {
        // The array form of `items` is what later drafts call `prefixItems`.
        let items_is_tuple = matches!(subschema.members.get("items"), Some(Json::Array(_)));
        let (prefix_keyword, rest_keyword) =
            if items_is_tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        let contains = match self.subschema(subschema, "contains")? {
            None => None,
            Some(node) => Some(ContainsRule {
                node,
                min: self.count(subschema, "minContains")?.unwrap_or(1),
                max: self.count(subschema, "maxContains")?,
            }),
        };
        Ok(ArrayRules {
            prefix: self.subschemas(subschema, prefix_keyword)?,
            items: self.subschema(subschema, rest_keyword)?,
            contains,
            min: self.count(subschema, "minItems")?,
            max: self.count(subschema, "maxItems")?,
            unique: subschema.members.get("uniqueItems").and_then(Json::as_bool).unwrap_or(false),
            unevaluated: self.subschema(subschema, "unevaluatedItems")?,
        })
    }

    pub(super) fn object_rules(&mut self, subschema: SubschemaContext<'a>) -> CompileResult<ObjectRules> {
        let (patterns, all_compiled) = self.pattern_properties(subschema)?;
        let mut rules = ObjectRules {
            properties: self.named_subschemas(subschema, "properties")?,
            patterns,
            additional: self.subschema(subschema, "additionalProperties")?,
            names: self.subschema(subschema, "propertyNames")?,
            required: self.property_names(subschema, "required", subschema.members.get("required"))?,
            min: self.count(subschema, "minProperties")?,
            max: self.count(subschema, "maxProperties")?,
            dependent_required: Vec::new(),
            dependent_schemas: self.named_subschemas(subschema, "dependentSchemas")?,
            unevaluated: self.subschema(subschema, "unevaluatedProperties")?,
        };
        rules.required.sort_unstable();
        rules.required.dedup();
        if let Some(json) = subschema.members.get("dependentRequired") {
            let Json::Object(map) = json else {
                return Err(self.bad_keyword(subschema, "dependentRequired", "an object of name lists"));
            };
            for (name, list) in map {
                let names = self.property_names(subschema, "dependentRequired", Some(list))?;
                rules.dependent_required.push((name.as_str().into(), names));
            }
        }
        self.dependencies(subschema, &mut rules)?;
        // If a pattern is missing, it is unknown which properties are additional, so they are not
        // refused.
        if !all_compiled && rules.additional.take().is_some() {
            self.report(subschema, "additionalProperties", SupportGap::UnknownPattern);
        }
        if !all_compiled && rules.unevaluated.take().is_some() {
            self.report(subschema, "unevaluatedProperties", SupportGap::UnknownPattern);
        }
        Ok(rules)
    }

    /// The patterns with their schemas, and whether all of them could be compiled.
    fn pattern_properties(
        &mut self,
        subschema: SubschemaContext<'a>,
    ) -> CompileResult<(Vec<(EcmaPattern, SchemaNodeId)>, bool)> {
        let (mut patterns, mut all_compiled) = (Vec::new(), true);
        let Some(json) = subschema.members.get("patternProperties") else {
            return Ok((patterns, all_compiled));
        };
        let Json::Object(map) = json else {
            return Err(self.bad_keyword(subschema, "patternProperties", "an object of schemas"));
        };
        for (text, json) in map {
            let node = self.child(subschema, "patternProperties", PointerToken::Name(text), json)?;
            match self.pattern(subschema, "patternProperties", text)? {
                Some(pattern) => patterns.push((pattern, node)),
                None => all_compiled = false,
            }
        }
        Ok((patterns, all_compiled))
    }

    /// Reads `dependencies`, which later drafts split into `dependentRequired` and
    /// `dependentSchemas`.
    fn dependencies(
        &mut self,
        subschema: SubschemaContext<'a>,
        rules: &mut ObjectRules,
    ) -> CompileResult<()> {
        let Some(json) = subschema.members.get("dependencies") else { return Ok(()) };
        let Json::Object(map) = json else {
            return Err(self.bad_keyword(subschema, "dependencies", "an object of name lists or schemas"));
        };
        for (name, json) in map {
            if let Json::Array(_) = json {
                let names = self.property_names(subschema, "dependencies", Some(json))?;
                rules.dependent_required.push((name.as_str().into(), names));
            } else {
                let node = self.child(subschema, "dependencies", PointerToken::Name(name), json)?;
                rules.dependent_schemas.push((name.as_str().into(), node));
            }
        }
        Ok(())
    }

    pub(super) fn logic_rules(&mut self, subschema: SubschemaContext<'a>) -> CompileResult<LogicRules> {
        let dynamic = subschema.members.get("$dynamicRef").and_then(Json::as_str);
        let dynamic = match dynamic {
            Some(reference) if self.index.is_ambiguous(reference) => {
                self.report(subschema, "$dynamicRef", SupportGap::DynamicReference);
                None
            }
            Some(_) => self.reference(subschema, "$dynamicRef")?,
            None => None,
        };
        let condition = match self.subschema(subschema, "if")? {
            None => None,
            Some(test) => Some(ConditionalRule {
                test,
                then: self.subschema(subschema, "then")?,
                otherwise: self.subschema(subschema, "else")?,
            }),
        };
        Ok(LogicRules {
            reference: self.reference(subschema, "$ref")?,
            dynamic,
            all_of: self.subschemas(subschema, "allOf")?,
            any_of: self.subschemas(subschema, "anyOf")?,
            one_of: self.subschemas(subschema, "oneOf")?,
            not: self.subschema(subschema, "not")?,
            condition,
        })
    }
}
