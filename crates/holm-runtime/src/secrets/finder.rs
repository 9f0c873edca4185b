//! Finds all known secrets and all possible beginnings of keys in one pass over a text.
//!
//! The pass itself is in `secrets/trigram_index.rs`; whether a beginning is a key is decided in
//! `secrets/shapes.rs`. It reports places and replaces nothing (`secrets/mod.rs` does). The time
//! must stay linear for hostile texts, so no shape reads the same text twice.

use std::ops::Range;

use secrecy::ExposeSecret;

use super::{
    DetectionScope, NamedSecret, forms,
    shapes::{KeyShape, SHAPES},
    trigram_index::TrigramIndex,
};

/// Finds secrets in texts.
pub(super) struct SecretFinder {
    patterns: TrigramIndex,
    /// The meaning of each pattern.
    meanings: Vec<PatternMeaning>,
}

#[derive(Clone, Copy)]
enum PatternMeaning {
    Known(usize),
    Shape(usize, &'static KeyShape),
}

/// One secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretMatch {
    pub(super) range: Range<usize>,
    pub(super) what: SecretIdentity,
}

/// Which secret it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretIdentity {
    /// The known secret with this index.
    Known(usize),
    /// Something that looks like this kind of key.
    Kind(&'static str),
}

impl SecretFinder {
    pub(super) fn new(known: &[NamedSecret], sight: DetectionScope) -> Self {
        let (mut patterns, mut meanings) = (Vec::new(), Vec::new());
        for (index, known) in known.iter().enumerate() {
            let value = known.value.expose_secret();
            if value.len() < forms::SHORTEST {
                continue;
            }
            for form in forms::forms_of(value) {
                patterns.push(form);
                meanings.push(PatternMeaning::Known(index));
            }
        }
        if sight == DetectionScope::KnownAndShapes {
            for (index, shape) in SHAPES.iter().enumerate() {
                patterns.push(shape.marker.to_owned());
                meanings.push(PatternMeaning::Shape(index, shape));
            }
        }
        Self { patterns: TrigramIndex::new(patterns), meanings }
    }

    /// The secrets of a text, in order and without overlap.
    pub(super) fn find(&self, text: &[u8], sight: DetectionScope) -> Vec<SecretMatch> {
        let (mut found, mut hopeless) = (Vec::new(), ShapeCursors::default());
        self.patterns.each(text, |pattern, range| match self.meanings.get(pattern) {
            Some(PatternMeaning::Known(index)) => {
                found.push(SecretMatch { range, what: SecretIdentity::Known(*index) });
            }
            Some(PatternMeaning::Shape(index, shape)) if sight == DetectionScope::KnownAndShapes => {
                found.extend(hopeless.read(*index, shape, text, range));
            }
            Some(PatternMeaning::Shape(..)) | None => {}
        });
        if found.len() > 1 {
            join_overlapping(&mut found);
        }
        found
    }
}

/// How far each shape has read. So a hostile text that consists only of beginnings is read once,
/// and not once for each of them.
#[derive(Default)]
struct ShapeCursors {
    until: Vec<usize>,
}

impl ShapeCursors {
    fn read(
        &mut self,
        index: usize,
        shape: &KeyShape,
        text: &[u8],
        marker: Range<usize>,
    ) -> Option<SecretMatch> {
        if self.until.is_empty() {
            self.until.resize(SHAPES.len(), 0);
        }
        let until = self.until.get_mut(index)?;
        if marker.start < *until {
            return None;
        }
        let read = shape.read(text, marker);
        *until = read.until;
        read.secret.map(|range| SecretMatch { range, what: SecretIdentity::Kind(shape.kind) })
    }
}

/// Merges overlapping matches. A known name is more specific than a kind, and a longer match
/// than a shorter one.
fn join_overlapping(found: &mut Vec<SecretMatch>) {
    found.sort_by_key(|found| (found.range.start, found.range.end));
    let mut kept: Vec<(SecretMatch, usize)> = Vec::with_capacity(found.len());
    for next in found.drain(..) {
        let len = next.range.len();
        match kept.last_mut() {
            Some((last, longest)) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                if rank(next.what, len) > rank(last.what, *longest) {
                    (last.what, *longest) = (next.what, len);
                }
            }
            Some(_) | None => kept.push((next, len)),
        }
    }
    found.extend(kept.into_iter().map(|(found, _)| found));
}

fn rank(identity: SecretIdentity, len: usize) -> (bool, usize) {
    (matches!(identity, SecretIdentity::Known(_)), len)
}
