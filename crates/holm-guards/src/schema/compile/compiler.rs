//! Turns a document into nodes. Works from a queue, so neither nesting nor references can exhaust
//! the stack.
//!
//! It keeps the queue, bounds the number of subschemas and finds the place of an error. Keywords
//! are read in `schema/compile/rules.rs`, references are resolved with `schema/index.rs`, and
//! endless references are found in `schema/loops.rs`. A new keyword also needs an entry in
//! `schema/keywords.rs` and in the group lists below.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::json::{Json, JsonObject};
use crate::ruling::excerpt;
use crate::schema::index::{MAX_NODES, SchemaIndex, address};
use crate::schema::node::{LogicRules, SchemaNode, SchemaNodeId};
use crate::schema::path::escape;
use crate::schema::{
    CompiledSchema, SchemaDialect, SchemaError, SupportGap, UnsupportedKeyword, format, keywords, loops,
};

/// The most gaps that are listed; a schema with more was not written for this validator.
const MAX_UNSUPPORTED: usize = 64;

pub(in crate::schema) fn compile(
    dialect: SchemaDialect,
    source: &Json,
) -> Result<CompiledSchema, SchemaError> {
    let dialect = source.as_object().and_then(SchemaDialect::declared).unwrap_or(dialect);
    let mut compiler = SchemaCompiler {
        dialect,
        index: SchemaIndex::build(dialect, source)?,
        nodes: Vec::new(),
        origins: Vec::new(),
        known: BTreeMap::new(),
        queue: Vec::new(),
        unsupported: Vec::new(),
        patterns: 0,
    };
    let root =
        compiler.enqueue(source, 0, NodeOrigin { parent: None, keyword: "", token: PointerToken::None })?;
    while let Some((id, json, resource)) = compiler.queue.pop() {
        let node = compiler.node(id, json, resource)?;
        if let Some(slot) = compiler.nodes.get_mut(slot(id)) {
            *slot = node;
        }
    }
    if let Some(id) = loops::find(&compiler.nodes) {
        return Err(SchemaError::EndlessReference { pointer: compiler.pointer(id) });
    }
    let SchemaCompiler { nodes, unsupported, .. } = compiler;
    Ok(CompiledSchema { source: source.clone(), nodes, root, unsupported })
}

pub(super) struct SchemaCompiler<'a> {
    pub(super) dialect: SchemaDialect,
    pub(super) index: SchemaIndex<'a>,
    pub(super) nodes: Vec<SchemaNode>,
    pub(super) origins: Vec<NodeOrigin<'a>>,
    /// Subschemas that have an id already, by their address in the document.
    pub(super) known: BTreeMap<usize, SchemaNodeId>,
    pub(super) queue: Vec<(SchemaNodeId, &'a Json, usize)>,
    pub(super) unsupported: Vec<UnsupportedKeyword>,
    pub(super) patterns: usize,
}

/// The way from the schema above. A pointer is built from it only for an error message.
#[derive(Clone, Copy)]
pub(super) struct NodeOrigin<'a> {
    pub(super) parent: Option<SchemaNodeId>,
    pub(super) keyword: &'static str,
    pub(super) token: PointerToken<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum PointerToken<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

/// One subschema that is being compiled.
#[derive(Clone, Copy)]
pub(super) struct SubschemaContext<'a> {
    pub(super) id: SchemaNodeId,
    pub(super) members: &'a JsonObject,
    pub(super) resource: usize,
}

pub(super) type CompileResult<T> = Result<T, SchemaError>;

impl<'a> SchemaCompiler<'a> {
    pub(super) fn enqueue(
        &mut self,
        json: &'a Json,
        resource: usize,
        origin: NodeOrigin<'a>,
    ) -> CompileResult<SchemaNodeId> {
        if let Some(id) = self.known.get(&address(json)) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(SchemaError::TooLarge { limit: MAX_NODES, what: "subschemas" });
        }
        let id = SchemaNodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.known.insert(address(json), id);
        self.nodes.push(SchemaNode::default());
        self.origins.push(origin);
        self.queue.push((id, json, self.index.owner(json, resource)));
        Ok(id)
    }

    fn node(&mut self, id: SchemaNodeId, json: &'a Json, resource: usize) -> CompileResult<SchemaNode> {
        let members = match json {
            Json::Bool(admitted) => return Ok(SchemaNode { refused: !admitted, ..SchemaNode::default() }),
            Json::Object(members) => members,
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                return Err(SchemaError::NotASchema { pointer: self.pointer(id) });
            }
        };
        let subschema = SubschemaContext { id, members, resource };
        if self.dialect == SchemaDialect::Draft7 && members.contains_key("$ref") {
            let reference = self.reference(subschema, "$ref")?;
            return Ok(SchemaNode {
                logic: boxed(LogicRules { reference, ..LogicRules::default() }),
                ..SchemaNode::default()
            });
        }
        self.report_unenforced(subschema);
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| members.contains_key(keyword));
        Ok(SchemaNode {
            refused: false,
            types: self.type_rule(subschema)?,
            values: if has(&["enum", "const"]) { boxed(self.value_rules(subschema)?) } else { None },
            number: if has(NUMBER) { boxed(self.number_rules(subschema)?) } else { None },
            string: if has(STRING) { boxed(self.string_rules(subschema)?) } else { None },
            array: if has(ARRAY) { boxed(self.array_rules(subschema)?) } else { None },
            object: if has(OBJECT) { boxed(self.object_rules(subschema)?) } else { None },
            logic: if has(LOGIC) { boxed(self.logic_rules(subschema)?) } else { None },
        })
    }

    /// Reports keywords that are not enforced.
    fn report_unenforced(&mut self, subschema: SubschemaContext<'a>) {
        for keyword in subschema.members.keys().filter(|keyword| !keywords::is_known(keyword)) {
            self.report(subschema, keyword, SupportGap::UnknownKeyword);
        }
        if subschema.members.contains_key("$schema") && SchemaDialect::declared(subschema.members).is_none() {
            self.report(subschema, "$schema", SupportGap::UnknownDialect);
        }
        if let Some(name) = subschema.members.get("format").and_then(Json::as_str)
            && !format::is_known(name)
        {
            self.report(subschema, "format", SupportGap::UnknownFormat);
        }
    }

    pub(super) fn bad_keyword(
        &self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
        expected: &'static str,
    ) -> SchemaError {
        SchemaError::BadKeyword { pointer: self.pointer(subschema.id), keyword, expected }
    }

    pub(super) fn unknown_type(&self, subschema: SubschemaContext<'a>, name: &str) -> SchemaError {
        SchemaError::UnknownType { pointer: self.pointer(subschema.id), name: excerpt(name) }
    }

    pub(super) fn report(&mut self, subschema: SubschemaContext<'a>, keyword: &str, gap: SupportGap) {
        if self.unsupported.len() < MAX_UNSUPPORTED {
            let pointer = self.pointer(subschema.id);
            self.unsupported.push(UnsupportedKeyword { pointer, keyword: keyword.to_owned(), gap });
        }
    }

    /// The JSON pointer of a node in the document, by the way on which it was first met.
    pub(super) fn pointer(&self, id: SchemaNodeId) -> String {
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
                PointerToken::None => write!(out, "/{}", origin.keyword),
                PointerToken::Name(name) => write!(out, "/{}/{}", origin.keyword, escape(name)),
                PointerToken::Index(index) => write!(out, "/{}/{index}", origin.keyword),
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

fn slot(id: SchemaNodeId) -> usize {
    usize::try_from(id.0).unwrap_or(usize::MAX)
}

#[expect(clippy::unnecessary_wraps, reason = "keeps the table of rule groups above in one form")]
fn boxed<T>(rules: T) -> Option<Box<T>> {
    Some(Box::new(rules))
}
