//! Reads the values of keywords: schemas, references, patterns, names and counts.
//!
//! Which keyword means what is in `schema/compile/rules.rs`. A reference that leads out of the
//! document and a pattern that linear time forbids are reported as gaps, never ignored silently and
//! never fetched. The number of patterns is bounded, because each takes memory.
//!
//! References are resolved with `schema/index.rs`, and gaps are listed in `schema/error.rs`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::compiler::{CompileResult, NodeOrigin, PointerToken, SchemaCompiler, SubschemaContext};
use crate::json::{Json, JsonNumber};
use crate::schema::index::ReferenceTarget;
use crate::schema::node::SchemaNodeId;
use crate::schema::{EcmaPattern, PatternError, SchemaError, SupportGap};

/// How many regular expressions one schema may hold, so that their tables stay
/// below some ten megabytes.
const MAX_PATTERNS: usize = 256;

/// How much of a pattern or a reference an error message repeats.
const EXCERPT: usize = 80;

impl<'a> SchemaCompiler<'a> {
    pub(super) fn reference(
        &mut self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
    ) -> CompileResult<Option<SchemaNodeId>> {
        let reference = match subschema.members.get(keyword) {
            None => return Ok(None),
            Some(Json::String(reference)) => reference,
            Some(_) => return Err(self.bad_keyword(subschema, keyword, "a reference in a string")),
        };
        match self.index.find(subschema.resource, reference) {
            ReferenceTarget::Found(json) => {
                self.child(subschema, keyword, PointerToken::None, json).map(Some)
            }
            ReferenceTarget::Remote => {
                self.report(subschema, keyword, SupportGap::RemoteReference);
                Ok(None)
            }
            ReferenceTarget::Dangling => Err(SchemaError::DanglingReference {
                pointer: self.pointer(subschema.id),
                reference: reference.chars().take(EXCERPT).collect(),
            }),
        }
    }

    pub(super) fn pattern(
        &mut self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
        text: &str,
    ) -> CompileResult<Option<EcmaPattern>> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            return Err(SchemaError::TooLarge { limit: MAX_PATTERNS, what: "patterns" });
        }
        match EcmaPattern::compile(text) {
            Ok(pattern) => Ok(Some(pattern)),
            Err(PatternError::Unsupported(gap)) => {
                self.report(subschema, keyword, gap);
                Ok(None)
            }
            Err(PatternError::Malformed(reason)) => Err(SchemaError::BadPattern {
                pointer: self.pointer(subschema.id),
                pattern: text.chars().take(EXCERPT).collect(),
                reason,
            }),
        }
    }

    pub(super) fn child(
        &mut self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
        token: PointerToken<'a>,
        json: &'a Json,
    ) -> CompileResult<SchemaNodeId> {
        self.enqueue(json, subschema.resource, NodeOrigin { parent: Some(subschema.id), keyword, token })
    }

    pub(super) fn subschema(
        &mut self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
    ) -> CompileResult<Option<SchemaNodeId>> {
        let Some(json) = subschema.members.get(keyword) else { return Ok(None) };
        self.child(subschema, keyword, PointerToken::None, json).map(Some)
    }

    pub(super) fn subschemas(
        &mut self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
    ) -> CompileResult<Vec<SchemaNodeId>> {
        let Some(json) = subschema.members.get(keyword) else { return Ok(Vec::new()) };
        let Json::Array(items) = json else {
            return Err(self.bad_keyword(subschema, keyword, "a list of schemas"));
        };
        let mut child = |(index, item)| self.child(subschema, keyword, PointerToken::Index(index), item);
        items.iter().enumerate().map(&mut child).collect()
    }

    pub(super) fn named_subschemas(
        &mut self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
    ) -> CompileResult<Vec<(Box<str>, SchemaNodeId)>> {
        let Some(json) = subschema.members.get(keyword) else { return Ok(Vec::new()) };
        let Json::Object(map) = json else {
            return Err(self.bad_keyword(subschema, keyword, "an object of schemas"));
        };
        let mut child = |(name, json): (&'a String, &'a Json)| {
            Ok((name.as_str().into(), self.child(subschema, keyword, PointerToken::Name(name), json)?))
        };
        map.iter().map(&mut child).collect()
    }

    pub(super) fn property_names(
        &self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
        json: Option<&Json>,
    ) -> CompileResult<Vec<Box<str>>> {
        let bad = || self.bad_keyword(subschema, keyword, "a list of property names");
        let Some(json) = json else { return Ok(Vec::new()) };
        let name = |json: &Json| json.as_str().map(Into::into).ok_or_else(bad);
        json.as_array().ok_or_else(bad)?.iter().map(name).collect()
    }

    pub(super) fn number(
        &self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
    ) -> CompileResult<Option<JsonNumber>> {
        match subschema.members.get(keyword) {
            None => Ok(None),
            Some(Json::Number(number)) => Ok(Some(number.clone())),
            Some(_) => Err(self.bad_keyword(subschema, keyword, "a number")),
        }
    }

    /// A count; one too large for the machine is as good as the largest.
    pub(super) fn count(
        &self,
        subschema: SubschemaContext<'a>,
        keyword: &'static str,
    ) -> CompileResult<Option<u64>> {
        match self.number(subschema, keyword)? {
            None => Ok(None),
            Some(number) if number.is_integer() && !number.is_negative() => {
                Ok(Some(number.as_u64().unwrap_or(u64::MAX)))
            }
            Some(_) => Err(self.bad_keyword(subschema, keyword, "a whole number, zero or above")),
        }
    }
}
