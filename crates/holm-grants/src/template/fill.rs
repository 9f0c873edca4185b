//! Fills values into a template so that each stays data and stays in its place.
//!
//! A value cannot become a wildcard, cannot climb out of its component with dots or slashes, and is
//! encoded in a URL; a value that would is refused. The short way for plain paths must give the
//! same result as the careful one. Which values a call has is collected in `template/parse.rs`;
//! braces are read in `template/slot.rs`.

use alloc::string::String;
use alloc::vec::Vec;

use super::need::CallNeed;
use super::parse::TemplateError;
use super::slot::{NeedTemplatePiece, TemplateSlot};
use crate::error::{GrantError, PathError};
use crate::glob::NameGlob;
use crate::grant::Grant;
use crate::kind::GrantKind;
use crate::net::percent_encode;
use crate::path::{FilePath, PathPattern, PatternSegment, PatternTail};
use crate::program::{ProgramPattern, ProgramRef};
use crate::request::AccessRequest;

/// Fills the slots with `values`, one for each in order.
pub(super) fn fill(
    kind: GrantKind,
    pieces: &[NeedTemplatePiece],
    values: &[&str],
) -> Result<CallNeed, TemplateError> {
    if let ([NeedTemplatePiece::Slot(slot)], [value]) = (pieces, values) {
        return AccessRequest::new(kind, value).map(CallNeed::Request).map_err(|reason| bad(slot, reason));
    }
    plain(kind, pieces, values)
        .map_or_else(|| part_by_part(kind, pieces, values), |path| Ok(CallNeed::Request(path)))
}

/// Fills the slots one part at a time, so that every mistake is found and reported.
fn part_by_part(
    kind: GrantKind,
    pieces: &[NeedTemplatePiece],
    values: &[&str],
) -> Result<CallNeed, TemplateError> {
    let parts = parts(pieces, values);
    let is_path = parts.iter().any(|part| matches!(part, FilledPiece::Text(text) if text.contains('/')));
    match (kind, parts.as_slice()) {
        (_, []) => Err(GrantError::NoKind.into()),
        (
            GrantKind::Fetch
            | GrantKind::Env
            | GrantKind::Exec
            | GrantKind::Secret
            | GrantKind::Spawn
            | GrantKind::Tool,
            [FilledPiece::Text(text)],
        ) => Ok(fixed(Grant::new(kind, text)?)?),
        (GrantKind::Read, parts) => Ok(fixed(Grant::Read(path(parts)?))?),
        (GrantKind::Write, parts) => Ok(fixed(Grant::Write(path(parts)?))?),
        (GrantKind::Exec, parts) if is_path => Ok(fixed(Grant::Exec(ProgramPattern::Path(program(parts)?)))?),
        (GrantKind::Fetch, parts) => joined(kind, parts, ValueEncoding::Url),
        (
            GrantKind::Env | GrantKind::Exec | GrantKind::Secret | GrantKind::Spawn | GrantKind::Tool,
            parts,
        ) => joined(kind, parts, ValueEncoding::Name),
    }
}

/// The one file that is meant, if text and values plainly spell its path. Returns `None` for
/// wildcards, dots and anything else that has to be checked part by part.
fn plain(kind: GrantKind, pieces: &[NeedTemplatePiece], values: &[&str]) -> Option<AccessRequest> {
    let request = match kind {
        GrantKind::Read => AccessRequest::Read,
        GrantKind::Write => AccessRequest::Write,
        GrantKind::Fetch
        | GrantKind::Env
        | GrantKind::Exec
        | GrantKind::Secret
        | GrantKind::Spawn
        | GrantKind::Tool => return None,
    };
    let texts =
        |piece: &NeedTemplatePiece| if let NeedTemplatePiece::Text(text) = piece { text.len() } else { 0 };
    let length = pieces.iter().map(texts).chain(values.iter().map(|value| value.len())).sum();
    if length > MAX_PLAIN {
        return None;
    }
    let mut path = String::with_capacity(length);
    let mut values = values.iter();
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            NeedTemplatePiece::Text(text) => path.push_str(text),
            NeedTemplatePiece::Slot(_) => {
                let value = values.next()?;
                let ends = |next: &&NeedTemplatePiece| matches!(next, NeedTemplatePiece::Text(text) if text.starts_with('/'));
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
enum FilledPiece<'a> {
    Text(&'a str),
    Value(&'a TemplateSlot, &'a str),
}

fn parts<'a>(pieces: &'a [NeedTemplatePiece], values: &[&'a str]) -> Vec<FilledPiece<'a>> {
    let mut values = values.iter();
    let part = |piece: &'a NeedTemplatePiece| match piece {
        NeedTemplatePiece::Text(text) => FilledPiece::Text(text),
        NeedTemplatePiece::Slot(slot) => FilledPiece::Value(slot, values.next().copied().unwrap_or_default()),
    };
    pieces.iter().map(part).collect()
}

/// Turns a grant that admits one thing into a request for it, and keeps any other grant.
fn fixed(grant: Grant) -> Result<CallNeed, GrantError> {
    let request = match &grant {
        Grant::Read(pattern) => pattern.as_path().transpose()?.map(AccessRequest::Read),
        Grant::Write(pattern) => pattern.as_path().transpose()?.map(AccessRequest::Write),
        Grant::Exec(ProgramPattern::Path(pattern)) => {
            let path = pattern.as_path().transpose()?;
            if path.as_ref().is_some_and(|path| path.components().next().is_none()) {
                return Err(PathError::Empty.into());
            }
            path.map(|path| AccessRequest::Exec(ProgramRef::Path(path)))
        }
        Grant::Exec(ProgramPattern::Name(name)) => {
            name.as_name().map(|name| AccessRequest::Exec(ProgramRef::Name(name)))
        }
        Grant::Env(name) => name.as_name().map(AccessRequest::Env),
        Grant::Spawn(name) => name.as_name().map(AccessRequest::Spawn),
        Grant::Tool(name) => name.as_name().map(AccessRequest::Tool),
        // One line of text stands for every path of the host, so it stays a set.
        Grant::Fetch(_) | Grant::Secret(_) => None,
    };
    request.map_or_else(|| grant.readable().map(CallNeed::Grant), |request| Ok(CallNeed::Request(request)))
}

/// How values are joined with the text around them.
#[derive(Clone, Copy)]
enum ValueEncoding {
    /// Everything that means something in a URL is encoded.
    Url,
    /// Nothing is encoded; what no name holds is refused by the name.
    Name,
}

fn joined(
    kind: GrantKind,
    parts: &[FilledPiece<'_>],
    joint: ValueEncoding,
) -> Result<CallNeed, TemplateError> {
    let mut text = String::new();
    let mut last = None;
    for part in parts {
        match part {
            FilledPiece::Text(part) if part.contains('*') => return Err(TemplateError::Wildcard),
            FilledPiece::Text(part) => text.push_str(part),
            FilledPiece::Value(slot, value) => {
                // Dots alone would climb, and nothing at all would shift what follows.
                if value.bytes().all(|b| b == b'.')
                    || (matches!(joint, ValueEncoding::Name) && value.contains(['/', '\\']))
                {
                    return Err(TemplateError::Leaves { name: slot.name.clone() });
                }
                match joint {
                    ValueEncoding::Url => percent_encode(&mut text, value, b"-._~"),
                    ValueEncoding::Name => text.push_str(value),
                }
                last = Some(*slot);
            }
        }
    }
    AccessRequest::new(kind, &text).map(CallNeed::Request).map_err(|reason| match last {
        Some(slot) => bad(slot, reason),
        None => reason.into(),
    })
}

/// Builds a program's path, which may start with `./` to show that it is not a bare name.
fn program(parts: &[FilledPiece<'_>]) -> Result<PathPattern, TemplateError> {
    let Some((FilledPiece::Text(first), rest)) = parts.split_first() else { return path(parts) };
    let Some(first) = first.strip_prefix("./") else { return path(parts) };
    // The dot is a place of its own: an absolute value behind it would leave it.
    build(
        PathPatternBuilder { begun: true, ..PathPatternBuilder::default() },
        Some(FilledPiece::Text(first)).iter().chain(rest),
    )
}

/// Builds a path pattern component by component.
fn path(parts: &[FilledPiece<'_>]) -> Result<PathPattern, TemplateError> {
    build(PathPatternBuilder::default(), parts.iter())
}

fn build<'a>(
    mut builder: PathPatternBuilder<'a>,
    parts: impl Iterator<Item = &'a FilledPiece<'a>>,
) -> Result<PathPattern, TemplateError> {
    for part in parts {
        match part {
            FilledPiece::Value(slot, value) => builder.component.push(FilledPiece::Value(slot, value)),
            FilledPiece::Text(text) => {
                for (i, piece) in text.split('/').enumerate() {
                    if i > 0 {
                        builder.slash()?;
                    }
                    if !piece.is_empty() {
                        builder.component.push(FilledPiece::Text(piece));
                    }
                }
            }
        }
    }
    builder.finish()
}

/// A path pattern under construction.
#[derive(Default)]
struct PathPatternBuilder<'a> {
    absolute: bool,
    segments: Vec<PatternSegment>,
    /// The parts since the last slash.
    component: Vec<FilledPiece<'a>>,
    /// Whether anything came before the current component.
    begun: bool,
}

impl PathPatternBuilder<'_> {
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
            [FilledPiece::Text(text)] => {
                self.segments.push(PatternSegment::parse(text).map_err(GrantError::from)?);
                Ok(())
            }
            [FilledPiece::Value(slot, value)] => self.whole(slot, value),
            mixed => self.mixed(mixed),
        }
    }

    /// A value between slashes may be several components, and none of them a pattern.
    fn whole(&mut self, slot: &TemplateSlot, value: &str) -> Result<(), TemplateError> {
        let path: FilePath = value.parse().map_err(|reason: PathError| bad(slot, reason.into()))?;
        if path.is_absolute() {
            if self.begun {
                return Err(TemplateError::Leaves { name: slot.name.clone() });
            }
            self.absolute = true;
        }
        self.segments.extend(path.components().map(|name| PatternSegment::Name(NameGlob::literal(name))));
        Ok(())
    }

    /// A value beside other text must be one component as it stands.
    fn mixed(&mut self, parts: &[FilledPiece<'_>]) -> Result<(), TemplateError> {
        let mut name = String::new();
        for part in parts {
            match part {
                FilledPiece::Text(text) if text.contains('*') => return Err(TemplateError::Wildcard),
                FilledPiece::Text(text) => name.push_str(text),
                FilledPiece::Value(slot, value) => {
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
        self.segments.extend(checked.components().map(|name| PatternSegment::Name(NameGlob::literal(name))));
        Ok(())
    }

    fn finish(mut self) -> Result<PathPattern, TemplateError> {
        let tail =
            if self.begun && self.component.is_empty() { PatternTail::Subtree } else { PatternTail::Exact };
        if tail == PatternTail::Exact {
            self.close()?;
        }
        Ok(PathPattern::new(self.absolute, self.segments, tail).map_err(GrantError::from)?)
    }
}

fn bad(slot: &TemplateSlot, reason: GrantError) -> TemplateError {
    TemplateError::Value { name: slot.name.clone(), reason }
}

#[cfg(test)]
mod tests;
