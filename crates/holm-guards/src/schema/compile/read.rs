//! Reads the values of keywords: schemas, references, patterns, names and counts.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::compiler::{Built, Compiler, Here, Origin, Token};
use crate::json::{Json, Number};
use crate::schema::index::Target;
use crate::schema::node::NodeId;
use crate::schema::{Gap, Pattern, PatternError, SchemaError};

/// How many regular expressions one schema may hold, so that their tables stay
/// below some ten megabytes.
const MAX_PATTERNS: usize = 256;

/// How much of a pattern or a reference an error message repeats.
const EXCERPT: usize = 80;

impl<'a> Compiler<'a> {
    pub(super) fn reference(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Option<NodeId>> {
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

    pub(super) fn pattern(
        &mut self,
        here: Here<'a>,
        keyword: &'static str,
        text: &str,
    ) -> Built<Option<Pattern>> {
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

    pub(super) fn child(
        &mut self,
        here: Here<'a>,
        keyword: &'static str,
        token: Token<'a>,
        json: &'a Json,
    ) -> Built<NodeId> {
        self.enqueue(json, here.resource, Origin { parent: Some(here.id), keyword, token })
    }

    pub(super) fn one(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Option<NodeId>> {
        let Some(json) = here.members.get(keyword) else { return Ok(None) };
        self.child(here, keyword, Token::None, json).map(Some)
    }

    pub(super) fn list(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Vec<NodeId>> {
        let Some(json) = here.members.get(keyword) else { return Ok(Vec::new()) };
        let Json::Array(items) = json else { return Err(self.bad(here, keyword, "a list of schemas")) };
        let mut child = |(index, item)| self.child(here, keyword, Token::Index(index), item);
        items.iter().enumerate().map(&mut child).collect()
    }

    pub(super) fn map(&mut self, here: Here<'a>, keyword: &'static str) -> Built<Vec<(Box<str>, NodeId)>> {
        let Some(json) = here.members.get(keyword) else { return Ok(Vec::new()) };
        let Json::Object(map) = json else { return Err(self.bad(here, keyword, "an object of schemas")) };
        let mut child = |(name, json): (&'a String, &'a Json)| {
            Ok((name.as_str().into(), self.child(here, keyword, Token::Name(name), json)?))
        };
        map.iter().map(&mut child).collect()
    }

    pub(super) fn names(
        &self,
        here: Here<'a>,
        keyword: &'static str,
        json: Option<&Json>,
    ) -> Built<Vec<Box<str>>> {
        let bad = || self.bad(here, keyword, "a list of property names");
        let Some(json) = json else { return Ok(Vec::new()) };
        let name = |json: &Json| json.as_str().map(Into::into).ok_or_else(bad);
        json.as_array().ok_or_else(bad)?.iter().map(name).collect()
    }

    pub(super) fn number(&self, here: Here<'a>, keyword: &'static str) -> Built<Option<Number>> {
        match here.members.get(keyword) {
            None => Ok(None),
            Some(Json::Number(number)) => Ok(Some(number.clone())),
            Some(_) => Err(self.bad(here, keyword, "a number")),
        }
    }

    /// A count; one too large for the machine is as good as the largest.
    pub(super) fn count(&self, here: Here<'a>, keyword: &'static str) -> Built<Option<u64>> {
        match self.number(here, keyword)? {
            None => Ok(None),
            Some(number) if number.is_integer() && !number.is_negative() => {
                Ok(Some(number.as_u64().unwrap_or(u64::MAX)))
            }
            Some(_) => Err(self.bad(here, keyword, "a whole number, zero or above")),
        }
    }
}
