//! Fills values into a template so that each stays data and stays in its place.

use alloc::string::String;
use alloc::vec::Vec;

use super::need::Need;
use super::parse::TemplateError;
use super::slot::{Piece, Slot};
use crate::error::{GrantError, PathError};
use crate::glob::Glob;
use crate::grant::Grant;
use crate::kind::Kind;
use crate::net::percent_encode;
use crate::path::{FilePath, PathPattern, Segment, Tail};
use crate::program::{Program, ProgramPattern};
use crate::request::Request;

/// Fills the slots with `values`, one for each in order.
pub(super) fn fill(kind: Kind, pieces: &[Piece], values: &[&str]) -> Result<Need, TemplateError> {
    if let ([Piece::Slot(slot)], [value]) = (pieces, values) {
        return Request::new(kind, value).map(Need::Request).map_err(|reason| bad(slot, reason));
    }
    plain(kind, pieces, values)
        .map_or_else(|| part_by_part(kind, pieces, values), |path| Ok(Need::Request(path)))
}

/// Fills the slots one part at a time, so that every mistake is found and reported.
fn part_by_part(kind: Kind, pieces: &[Piece], values: &[&str]) -> Result<Need, TemplateError> {
    let parts = parts(pieces, values);
    let is_path = parts.iter().any(|part| matches!(part, Part::Text(text) if text.contains('/')));
    match (kind, parts.as_slice()) {
        (_, []) => Err(GrantError::NoKind.into()),
        (
            Kind::Fetch | Kind::Env | Kind::Exec | Kind::Secret | Kind::Spawn | Kind::Tool,
            [Part::Text(text)],
        ) => Ok(fixed(Grant::new(kind, text)?)?),
        (Kind::Read, parts) => Ok(fixed(Grant::Read(path(parts)?))?),
        (Kind::Write, parts) => Ok(fixed(Grant::Write(path(parts)?))?),
        (Kind::Exec, parts) if is_path => Ok(fixed(Grant::Exec(ProgramPattern::Path(program(parts)?)))?),
        (Kind::Fetch, parts) => joined(kind, parts, Joint::Url),
        (Kind::Env | Kind::Exec | Kind::Secret | Kind::Spawn | Kind::Tool, parts) => {
            joined(kind, parts, Joint::Name)
        }
    }
}

/// The one file that is meant, if text and values plainly spell its path. Returns `None` for
/// wildcards, dots and anything else that has to be checked part by part.
fn plain(kind: Kind, pieces: &[Piece], values: &[&str]) -> Option<Request> {
    let request = match kind {
        Kind::Read => Request::Read,
        Kind::Write => Request::Write,
        Kind::Fetch | Kind::Env | Kind::Exec | Kind::Secret | Kind::Spawn | Kind::Tool => return None,
    };
    let texts = |piece: &Piece| if let Piece::Text(text) = piece { text.len() } else { 0 };
    let length = pieces.iter().map(texts).chain(values.iter().map(|value| value.len())).sum();
    if length > MAX_PLAIN {
        return None;
    }
    let mut path = String::with_capacity(length);
    let mut values = values.iter();
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(text) => path.push_str(text),
            Piece::Slot(_) => {
                let value = values.next()?;
                let ends = |next: &&Piece| matches!(next, Piece::Text(text) if text.starts_with('/'));
                let whole = (path.is_empty() || path.ends_with('/')) && pieces.peek().is_none_or(ends);
                if !is_plain_value(value, whole) {
                    return None;
                }
                path.push_str(value);
            }
        }
    }
    FilePath::from_normal(path).map(request)
}

/// Longer paths are filled part by part, which reports the exact limit; the limit itself is
/// that of a path.
const MAX_PLAIN: usize = 1024;

/// Whether a value stands for itself and stays in its place; only a value between slashes
/// may have several components.
fn is_plain_value(value: &str, whole: bool) -> bool {
    let fits = !matches!(value.as_bytes(), [] | [b'/' | b'~', ..] | b"." | b"..");
    fits && (whole || !value.bytes().any(|byte| byte == b'/'))
}

/// A piece with its value.
enum Part<'a> {
    Text(&'a str),
    Value(&'a Slot, &'a str),
}

fn parts<'a>(pieces: &'a [Piece], values: &[&'a str]) -> Vec<Part<'a>> {
    let mut values = values.iter();
    let part = |piece: &'a Piece| match piece {
        Piece::Text(text) => Part::Text(text),
        Piece::Slot(slot) => Part::Value(slot, values.next().copied().unwrap_or_default()),
    };
    pieces.iter().map(part).collect()
}

/// Turns a grant that admits one thing into a request for it, and keeps any other grant.
fn fixed(grant: Grant) -> Result<Need, GrantError> {
    let request = match &grant {
        Grant::Read(pattern) => pattern.as_path().transpose()?.map(Request::Read),
        Grant::Write(pattern) => pattern.as_path().transpose()?.map(Request::Write),
        Grant::Exec(ProgramPattern::Path(pattern)) => {
            let path = pattern.as_path().transpose()?;
            if path.as_ref().is_some_and(|path| path.components().next().is_none()) {
                return Err(PathError::Empty.into());
            }
            path.map(|path| Request::Exec(Program::Path(path)))
        }
        Grant::Exec(ProgramPattern::Name(name)) => {
            name.as_name().map(|name| Request::Exec(Program::Name(name)))
        }
        Grant::Env(name) => name.as_name().map(Request::Env),
        Grant::Spawn(name) => name.as_name().map(Request::Spawn),
        Grant::Tool(name) => name.as_name().map(Request::Tool),
        // One line of text stands for every path of the host, so it stays a set.
        Grant::Fetch(_) | Grant::Secret(_) => None,
    };
    request.map_or_else(|| grant.readable().map(Need::Grant), |request| Ok(Need::Request(request)))
}

/// How values are joined with the text around them.
#[derive(Clone, Copy)]
enum Joint {
    /// Everything that means something in a URL is encoded.
    Url,
    /// Nothing is encoded; what no name holds is refused by the name.
    Name,
}

fn joined(kind: Kind, parts: &[Part<'_>], joint: Joint) -> Result<Need, TemplateError> {
    let mut text = String::new();
    let mut last = None;
    for part in parts {
        match part {
            Part::Text(part) if part.contains('*') => return Err(TemplateError::Wildcard),
            Part::Text(part) => text.push_str(part),
            Part::Value(slot, value) => {
                // Dots alone would climb, and nothing at all would shift what follows.
                if value.bytes().all(|b| b == b'.')
                    || (matches!(joint, Joint::Name) && value.contains(['/', '\\']))
                {
                    return Err(TemplateError::Leaves { name: slot.name.clone() });
                }
                match joint {
                    Joint::Url => percent_encode(&mut text, value, b"-._~"),
                    Joint::Name => text.push_str(value),
                }
                last = Some(*slot);
            }
        }
    }
    Request::new(kind, &text).map(Need::Request).map_err(|reason| match last {
        Some(slot) => bad(slot, reason),
        None => reason.into(),
    })
}

/// Builds a program's path, which may start with `./` to show that it is not a bare name.
fn program(parts: &[Part<'_>]) -> Result<PathPattern, TemplateError> {
    let Some((Part::Text(first), rest)) = parts.split_first() else { return path(parts) };
    let Some(first) = first.strip_prefix("./") else { return path(parts) };
    // The dot is a place of its own: an absolute value behind it would leave it.
    build(Builder { begun: true, ..Builder::default() }, Some(Part::Text(first)).iter().chain(rest))
}

/// Builds a path pattern component by component.
fn path(parts: &[Part<'_>]) -> Result<PathPattern, TemplateError> {
    build(Builder::default(), parts.iter())
}

fn build<'a>(
    mut builder: Builder<'a>,
    parts: impl Iterator<Item = &'a Part<'a>>,
) -> Result<PathPattern, TemplateError> {
    for part in parts {
        match part {
            Part::Value(slot, value) => builder.component.push(Part::Value(slot, value)),
            Part::Text(text) => {
                for (i, piece) in text.split('/').enumerate() {
                    if i > 0 {
                        builder.slash()?;
                    }
                    if !piece.is_empty() {
                        builder.component.push(Part::Text(piece));
                    }
                }
            }
        }
    }
    builder.finish()
}

/// A path pattern under construction.
#[derive(Default)]
struct Builder<'a> {
    absolute: bool,
    segments: Vec<Segment>,
    /// The parts since the last slash.
    component: Vec<Part<'a>>,
    /// Whether anything came before the current component.
    begun: bool,
}

impl Builder<'_> {
    fn slash(&mut self) -> Result<(), TemplateError> {
        if !self.begun && self.component.is_empty() {
            self.absolute = true;
        } else {
            self.close()?;
        }
        self.begun = true;
        Ok(())
    }

    /// Ends the current component.
    fn close(&mut self) -> Result<(), TemplateError> {
        match core::mem::take(&mut self.component).as_slice() {
            [] => Err(GrantError::from(PathError::EmptyComponent).into()),
            [Part::Text(text)] => {
                self.segments.push(Segment::parse(text).map_err(GrantError::from)?);
                Ok(())
            }
            [Part::Value(slot, value)] => self.whole(slot, value),
            mixed => self.mixed(mixed),
        }
    }

    /// A value between slashes may be several components, and none of them a pattern.
    fn whole(&mut self, slot: &Slot, value: &str) -> Result<(), TemplateError> {
        let path: FilePath = value.parse().map_err(|reason: PathError| bad(slot, reason.into()))?;
        if path.is_absolute() {
            if self.begun {
                return Err(TemplateError::Leaves { name: slot.name.clone() });
            }
            self.absolute = true;
        }
        self.segments.extend(path.components().map(|name| Segment::Name(Glob::literal(name))));
        Ok(())
    }

    /// A value beside other text must be one component as it stands.
    fn mixed(&mut self, parts: &[Part<'_>]) -> Result<(), TemplateError> {
        let mut name = String::new();
        for part in parts {
            match part {
                Part::Text(text) if text.contains('*') => return Err(TemplateError::Wildcard),
                Part::Text(text) => name.push_str(text),
                Part::Value(slot, value) => {
                    let path: FilePath =
                        value.parse().map_err(|reason: PathError| bad(slot, reason.into()))?;
                    let mut components = path.components();
                    if components.next() != Some(value) || components.next().is_some() {
                        return Err(TemplateError::Leaves { name: slot.name.clone() });
                    }
                    name.push_str(value);
                }
            }
        }
        let checked: FilePath = name.parse().map_err(GrantError::from)?;
        self.segments.extend(checked.components().map(|name| Segment::Name(Glob::literal(name))));
        Ok(())
    }

    fn finish(mut self) -> Result<PathPattern, TemplateError> {
        let tail = if self.begun && self.component.is_empty() { Tail::Subtree } else { Tail::Exact };
        if tail == Tail::Exact {
            self.close()?;
        }
        Ok(PathPattern::new(self.absolute, self.segments, tail).map_err(GrantError::from)?)
    }
}

fn bad(slot: &Slot, reason: GrantError) -> TemplateError {
    TemplateError::Value { name: slot.name.clone(), reason }
}

#[cfg(test)]
mod tests;
