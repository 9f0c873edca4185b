//! Turns a document into nodes. Works from a queue, so neither nesting nor references can exhaust
//! the stack.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::json::{Json, Object};
use crate::ruling::excerpt;
use crate::schema::index::{Index, MAX_NODES, address};
use crate::schema::node::{Logic, Node, NodeId};
use crate::schema::path::escape;
use crate::schema::{Dialect, Gap, Schema, SchemaError, Unsupported, format, keywords, loops};

/// The most gaps that are listed; a schema with more was not written for this validator.
const MAX_UNSUPPORTED: usize = 64;

pub(in crate::schema) fn compile(dialect: Dialect, source: &Json) -> Result<Schema, SchemaError> {
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

pub(super) struct Compiler<'a> {
    pub(super) dialect: Dialect,
    pub(super) index: Index<'a>,
    pub(super) nodes: Vec<Node>,
    pub(super) origins: Vec<Origin<'a>>,
    /// Subschemas that have an id already, by their address in the document.
    pub(super) known: BTreeMap<usize, NodeId>,
    pub(super) queue: Vec<(NodeId, &'a Json, usize)>,
    pub(super) unsupported: Vec<Unsupported>,
    pub(super) patterns: usize,
}

/// The way from the schema above. A pointer is built from it only for an error message.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) parent: Option<NodeId>,
    pub(super) keyword: &'static str,
    pub(super) token: Token<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Token<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

/// One subschema that is being compiled.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) id: NodeId,
    pub(super) members: &'a Object,
    pub(super) resource: usize,
}

pub(super) type Built<T> = Result<T, SchemaError>;

impl<'a> Compiler<'a> {
    pub(super) fn enqueue(&mut self, json: &'a Json, resource: usize, origin: Origin<'a>) -> Built<NodeId> {
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
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| members.contains_key(keyword));
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

    pub(super) fn bad(&self, here: Here<'a>, keyword: &'static str, expected: &'static str) -> SchemaError {
        SchemaError::BadKeyword { pointer: self.pointer(here.id), keyword, expected }
    }

    pub(super) fn unknown_type(&self, here: Here<'a>, name: &str) -> SchemaError {
        SchemaError::UnknownType { pointer: self.pointer(here.id), name: excerpt(name) }
    }

    pub(super) fn report(&mut self, here: Here<'a>, keyword: &str, gap: Gap) {
        if self.unsupported.len() < MAX_UNSUPPORTED {
            let pointer = self.pointer(here.id);
            self.unsupported.push(Unsupported { pointer, keyword: keyword.to_owned(), gap });
        }
    }

    /// The JSON pointer of a node in the document, by the way on which it was first met.
    pub(super) fn pointer(&self, id: NodeId) -> String {
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
