//! Turns a document into nodes. Works from a queue, so neither nesting nor references can exhaust the stack.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::index::{Index, MAX_NODES, Target, address};
use super::node::{
    ArrayRules, Condition, Contains, Logic, Node, NodeId, NumberRules, ObjectRules, StringRules, Types,
    Values,
};
use super::path::escape;
use super::pattern::{Pattern, PatternError};
use super::{Dialect, Gap, Schema, SchemaError, Unsupported, format, keywords, loops};
use crate::json::{Json, Number, Object};

/// How many regular expressions one schema may hold, so that their tables stay below some ten megabytes.
const MAX_PATTERNS: usize = 256;

/// How many gaps are listed; a schema with more is foreign through and through.
const MAX_UNSUPPORTED: usize = 64;

/// How much of a pattern an error message repeats.
const EXCERPT: usize = 80;

pub(super) fn compile(dialect: Dialect, source: &Json) -> Result<Schema, SchemaError> {
    let dialect = source.as_object().and_then(Dialect::declared).unwrap_or(dialect);
    let mut compiler = Compiler {
        dialect,
        index: Index::build(dialect, source)?,
        nodes: Vec::new(),
        origins: Vec::new(),
        known: BTreeMap::new(),
        queue: Vec::new(),
        unsupported: Vec::new(),
        patterns: 0,
    };
    let root = compiler.enqueue(source, 0, Origin { parent: None, keyword: "", token: Token::None })?;
    while let Some((id, json, resource)) = compiler.queue.pop() {
        let node = compiler.node(id, json, resource)?;
        if let Some(slot) = compiler.nodes.get_mut(slot(id)) {
            *slot = node;
        }
    }
    if let Some(id) = loops::find(&compiler.nodes) {
        return Err(SchemaError::EndlessReference { pointer: compiler.pointer(id) });
    }
    let Compiler { nodes, unsupported, .. } = compiler;
    Ok(Schema { source: source.clone(), nodes, root, unsupported })
}

struct Compiler<'a> {
    dialect: Dialect,
    index: Index<'a>,
    nodes: Vec<Node>,
    origins: Vec<Origin<'a>>,
    /// Subschemas that have an id already, by their address in the document.
    known: BTreeMap<usize, NodeId>,
    queue: Vec<(NodeId, &'a Json, usize)>,
    unsupported: Vec<Unsupported>,
    patterns: usize,
}

/// The way from the schema above, from which a pointer is built only when somebody must be told.
#[derive(Clone, Copy)]
struct Origin<'a> {
    parent: Option<NodeId>,
    keyword: &'static str,
    token: Token<'a>,
}

#[derive(Clone, Copy)]
enum Token<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

/// One subschema that is being compiled.
#[derive(Clone, Copy)]
struct Here<'a> {
    id: NodeId,
    members: &'a Object,
    resource: usize,
}

type Built<T> = Result<T, SchemaError>;

impl<'a> Compiler<'a> {
    fn enqueue(&mut self, json: &'a Json, resource: usize, origin: Origin<'a>) -> Built<NodeId> {
        if let Some(id) = self.known.get(&address(json)) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(SchemaError::TooLarge { limit: MAX_NODES, what: "subschemas" });
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.known.insert(address(json), id);
        self.nodes.push(Node::default());
        self.origins.push(origin);
        self.queue.push((id, json, self.index.owner(json, resource)));
        Ok(id)
    }

    fn node(&mut self, id: NodeId, json: &'a Json, resource: usize) -> Built<Node> {
        let members = match json {
            Json::Bool(admitted) => return Ok(Node { refused: !admitted, ..Node::default() }),
            Json::Object(members) => members,
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                return Err(SchemaError::NotASchema { pointer: self.pointer(id) });
            }
        };
        let here = Here { id, members, resource };
        if self.dialect == Dialect::Draft7 && members.contains_key("$ref") {
            let reference = self.reference(here, "$ref")?;
            return Ok(Node { logic: boxed(Logic { reference, ..Logic::default() }), ..Node::default() });
        }
        self.describe(here);
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| members.contains_key(*keyword));
        Ok(Node {
            refused: false,
            types: self.types(here)?,
            values: if has(&["enum", "const"]) { boxed(self.values(here)?) } else { None },
            number: if has(NUMBER) { boxed(self.number_rules(here)?) } else { None },
            string: if has(STRING) { boxed(self.string_rules(here)?) } else { None },
            array: if has(ARRAY) { boxed(self.array_rules(here)?) } else { None },
            object: if has(OBJECT) { boxed(self.object_rules(here)?) } else { None },
            logic: if has(LOGIC) { boxed(self.logic(here)?) } else { None },
        })
    }

    /// Lists what only looks like a demand.
    fn describe(&mut self, here: Here<'a>) {
        for keyword in here.members.keys().filter(|keyword| !keywords::is_known(keyword)) {
            self.report(here, keyword, Gap::UnknownKeyword);
        }
        if here.members.contains_key("$schema") && Dialect::declared(here.members).is_none() {
            self.report(here, "$schema", Gap::UnknownDialect);
        }
        if let Some(name) = here.members.get("format").and_then(Json::as_str)
            && !format::is_known(name)
        {
            self.report(here, "format", Gap::UnknownFormat);
        }
    }

    fn types(&self, here: Here<'a>) -> Built<Types> {
        let expected = "a type name or a list of type names";
        let bad = || self.bad(here, "type", expected);
        let named = |json: &Json| json.as_str().and_then(Types::named).ok_or_else(bad);
        match here.members.get("type") {
            None => Ok(Types::ANY),
            Some(Json::Array(names)) => {
                names.iter().try_fold(Types::NONE, |types, name| Ok(types.with(named(name)?)))
            }
            Some(name) => named(name),
        }
    }

    fn values(&self, here: Here<'a>) -> Built<Values> {
        let one_of = match here.members.get("enum") {
            None => None,
            Some(Json::Array(values)) => Some(values.clone()),
            Some(_) => return Err(self.bad(here, "enum", "a list of values")),
        };
        Ok(Values { one_of, constant: here.members.get("const").cloned() })
    }

    fn number_rules(&mut self, here: Here<'a>) -> Built<NumberRules> {
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
                self.report(here, "multipleOf", Gap::LongDivisor);
                multiple_of = None;
            }
        }
        Ok(NumberRules { minimum, maximum, above, below, multiple_of })
    }

    fn string_rules(&mut self, here: Here<'a>) -> Built<StringRules> {
        let pattern = match here.members.get("pattern") {
            None => None,
            Some(Json::String(text)) => self.pattern(here, "pattern", text)?,
            Some(_) => return Err(self.bad(here, "pattern", "a regular expression in a string")),
        };
        Ok(StringRules { min: self.count(here, "minLength")?, max: self.count(here, "maxLength")?, pattern })
    }

    fn array_rules(&mut self, here: Here<'a>) -> Built<ArrayRules> {
        // The array form of `items` is what later drafts call `prefixItems`.
        let tuple = matches!(here.members.get("items"), Some(Json::Array(_)));
        let (prefix, rest) = if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        let contains = match self.one(here, "contains")? {
            None => None,
            Some(node) => Some(Contains {
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

    fn object_rules(&mut self, here: Here<'a>) -> Built<ObjectRules> {
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
        // Without every pattern it is unknown which properties are left over, and refusing them would be a guess.
        if !whole && rules.additional.take().is_some() {
            self.report(here, "additionalProperties", Gap::UnknownPattern);
        }
        if !whole && rules.unevaluated.take().is_some() {
            self.report(here, "unevaluatedProperties", Gap::UnknownPattern);
        }
        Ok(rules)
    }

    /// The patterns with their schemas, and whether all of them could be compiled.
    fn pattern_properties(&mut self, here: Here<'a>) -> Built<(Vec<(Pattern, NodeId)>, bool)> {
        let (mut found, mut whole) = (Vec::new(), true);
        let Some(json) = here.members.get("patternProperties") else { return Ok((found, whole)) };
        let Json::Object(map) = json else {
            return Err(self.bad(here, "patternProperties", "an object of schemas"));
        };
        for (text, json) in map {
            let node = self.child(here, "patternProperties", Token::Name(text), json)?;
            match self.pattern(here, "patternProperties", text)? {
                Some(pattern) => found.push((pattern, node)),
                None => whole = false,
            }
        }
        Ok((found, whole))
    }

    /// The older keyword that holds both name lists and schemas.
    fn dependencies(&mut self, here: Here<'a>, rules: &mut ObjectRules) -> Built<()> {
        let Some(json) = here.members.get("dependencies") else { return Ok(()) };
        let Json::Object(map) = json else {
            return Err(self.bad(here, "dependencies", "an object of name lists or schemas"));
        };
        for (name, json) in map {
            if let Json::Array(_) = json {
                let names = self.names(here, "dependencies", Some(json))?;
                rules.dependent_required.push((name.as_str().into(), names));
            } else {
                let node = self.child(here, "dependencies", Token::Name(name), json)?;
                rules.dependent_schemas.push((name.as_str().into(), node));
            }
        }
        Ok(())
    }

    fn logic(&mut self, here: Here<'a>) -> Built<Logic> {
        let dynamic = here.members.get("$dynamicRef").and_then(Json::as_str);
        let dynamic = match dynamic {
            Some(reference) if self.index.is_ambiguous(reference) => {
                self.report(here, "$dynamicRef", Gap::DynamicReference);
                None
            }
            Some(_) => self.reference(here, "$dynamicRef")?,
            None => None,
        };
        let condition = match self.one(here, "if")? {
            None => None,
            Some(test) => {
                Some(Condition { test, then: self.one(here, "then")?, otherwise: self.one(here, "else")? })
            }
        };
        Ok(Logic {
            reference: self.reference(here, "$ref")?,
            dynamic,
            all: self.list(here, "allOf")?,
            any: self.list(here, "anyOf")?,
            one: self.list(here, "oneOf")?,
            not: self.one(here, "not")?,
            condition,
        })
    }

    fn reference(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Option<NodeId>> {
        let reference = match here.members.get(keyword) {
            None => return Ok(None),
            Some(Json::String(reference)) => reference,
            Some(_) => return Err(self.bad(here, keyword, "a reference in a string")),
        };
        match self.index.find(here.resource, reference) {
            Target::Found(json) => self.child(here, keyword, Token::None, json).map(Some),
            Target::Remote => {
                self.report(here, keyword, Gap::RemoteReference);
                Ok(None)
            }
            Target::Dangling => Err(SchemaError::DanglingReference {
                pointer: self.pointer(here.id),
                reference: reference.chars().take(EXCERPT).collect(),
            }),
        }
    }

    fn pattern(&mut self, here: Here<'a>, keyword: &'static str, text: &str) -> Built<Option<Pattern>> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            return Err(SchemaError::TooLarge { limit: MAX_PATTERNS, what: "patterns" });
        }
        match Pattern::compile(text) {
            Ok(pattern) => Ok(Some(pattern)),
            Err(PatternError::Unsupported(gap)) => {
                self.report(here, keyword, gap);
                Ok(None)
            }
            Err(PatternError::Malformed(reason)) => Err(SchemaError::BadPattern {
                pointer: self.pointer(here.id),
                pattern: text.chars().take(EXCERPT).collect(),
                reason,
            }),
        }
    }

    fn child(
        &mut self,
        here: Here<'a>,
        keyword: &'static str,
        token: Token<'a>,
        json: &'a Json,
    ) -> Built<NodeId> {
        self.enqueue(json, here.resource, Origin { parent: Some(here.id), keyword, token })
    }

    fn one(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Option<NodeId>> {
        let Some(json) = here.members.get(keyword) else { return Ok(None) };
        self.child(here, keyword, Token::None, json).map(Some)
    }

    fn list(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Vec<NodeId>> {
        let Some(json) = here.members.get(keyword) else { return Ok(Vec::new()) };
        let Json::Array(items) = json else { return Err(self.bad(here, keyword, "a list of schemas")) };
        let mut child = |(index, item)| self.child(here, keyword, Token::Index(index), item);
        items.iter().enumerate().map(&mut child).collect()
    }

    fn map(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Vec<(Box<str>, NodeId)>> {
        let Some(json) = here.members.get(keyword) else { return Ok(Vec::new()) };
        let Json::Object(map) = json else { return Err(self.bad(here, keyword, "an object of schemas")) };
        let mut child = |(name, json): (&'a String, &'a Json)| {
            Ok((name.as_str().into(), self.child(here, keyword, Token::Name(name), json)?))
        };
        map.iter().map(&mut child).collect()
    }

    fn names(&self, here: Here<'a>, keyword: &'static str, json: Option<&Json>) -> Built<Vec<Box<str>>> {
        let bad = || self.bad(here, keyword, "a list of property names");
        let Some(json) = json else { return Ok(Vec::new()) };
        let name = |json: &Json| json.as_str().map(Into::into).ok_or_else(bad);
        json.as_array().ok_or_else(bad)?.iter().map(name).collect()
    }

    fn number(&self, here: Here<'a>, keyword: &'static str) -> Built<Option<Number>> {
        match here.members.get(keyword) {
            None => Ok(None),
            Some(Json::Number(number)) => Ok(Some(number.clone())),
            Some(_) => Err(self.bad(here, keyword, "a number")),
        }
    }

    /// A count; one too large for the machine is as good as the largest.
    fn count(&self, here: Here<'a>, keyword: &'static str) -> Built<Option<u64>> {
        match self.number(here, keyword)? {
            None => Ok(None),
            Some(number) if number.is_integer() && !number.is_negative() => {
                Ok(Some(number.as_u64().unwrap_or(u64::MAX)))
            }
            Some(_) => Err(self.bad(here, keyword, "a whole number, zero or above")),
        }
    }

    fn bad(&self, here: Here<'a>, keyword: &'static str, expected: &'static str) -> SchemaError {
        SchemaError::BadKeyword { pointer: self.pointer(here.id), keyword, expected }
    }

    fn report(&mut self, here: Here<'a>, keyword: &str, gap: Gap) {
        if self.unsupported.len() < MAX_UNSUPPORTED {
            let pointer = self.pointer(here.id);
            self.unsupported.push(Unsupported { pointer, keyword: keyword.to_owned(), gap });
        }
    }

    /// The JSON pointer of a node in the document, by the way on which it was first met.
    fn pointer(&self, id: NodeId) -> String {
        let mut steps = Vec::new();
        let mut next = Some(id);
        while let Some(origin) = next.and_then(|id| self.origins.get(slot(id))) {
            steps.push(origin);
            next = origin.parent;
        }
        let mut out = String::new();
        for origin in steps.into_iter().rev().filter(|origin| origin.parent.is_some()) {
            // Writing into a `String` cannot fail.
            let _ = match origin.token {
                Token::None => write!(out, "/{}", origin.keyword),
                Token::Name(name) => write!(out, "/{}/{}", origin.keyword, escape(name)),
                Token::Index(index) => write!(out, "/{}/{index}", origin.keyword),
            };
        }
        out
    }
}

const NUMBER: &[&str] = &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const STRING: &[&str] = &["minLength", "maxLength", "pattern"];
const ARRAY: &[&str] =
    &["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"];
const OBJECT: &[&str] = &[
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
];
const LOGIC: &[&str] = &["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if"];

fn slot(id: NodeId) -> usize {
    usize::try_from(id.0).unwrap_or(usize::MAX)
}

#[expect(clippy::unnecessary_wraps, reason = "keeps the table of rule groups above in one form")]
fn boxed<T>(rules: T) -> Option<Box<T>> {
    Some(Box::new(rules))
}
