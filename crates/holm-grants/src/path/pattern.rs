//! A pattern of paths, small enough that containment is decided exactly.
//!
//! This file holds the syntax (`*`, `**`, a slash at the end) and the printed form. Matching is in
//! `path/walk.rs`, containment in `path/containment.rs`, the `*` inside one component in `glob.rs`.
//! New syntax is only possible where containment stays exact. A printed pattern must read back to
//! the same pattern, since grants are stored as text.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::containment::{ContainmentStep, PathLetter, accepts};
use super::file::{FilePath, FilePathBuilder, MAX_COMPONENT, MAX_COMPONENTS, MAX_PATH, check_text};
use super::walk::leads_to;
use crate::error::PathError;
use crate::glob::NameGlob;
use crate::text::serde_as_text;

/// The longest pattern in bytes: as long as a path, since matching costs at most the
/// product of the two.
pub(crate) const MAX_PATTERN: usize = MAX_PATH;

/// A set of paths: literal components, `*` within a component, `**` for any number of components.
///
/// | text | admits |
/// |---|---|
/// | `src/lib.rs` | that one path |
/// | `src/*.rs` | paths directly in `src` whose name ends in `.rs` |
/// | `src/**` or `src/` | `src` itself and everything beneath it |
/// | `**/.env` | every `.env`, at any depth |
/// | `.`, `./`, `**` | the workspace root alone; the root and everything beneath it (both others) |
/// | `/usr/share/` | an absolute subtree; relative patterns never admit absolute paths, nor the reverse |
///
/// `*` also stands for leading dots. A literal star is written `[*]`. The text is kept as
/// written, so patterns with the same meaning may differ as text (`src/` and `src/**`); each
/// then contains the other.
///
/// ```
/// use holm_grants::PathPattern;
/// let wide: PathPattern = "src/**".parse()?;
/// let narrow: PathPattern = "src/*/mod.rs".parse()?;
/// assert!(wide.contains(&narrow));
/// assert!(!narrow.contains(&wide));
/// assert!(wide.admits(&"src/net/mod.rs".parse()?));
/// # Ok::<(), holm_grants::PathError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPattern {
    absolute: bool,
    segments: Vec<PatternSegment>,
    tail: PatternTail,
}

/// One component of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PatternSegment {
    Name(NameGlob),
    /// `**`: any number of components, also none.
    Deep,
}

/// The end of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PatternTail {
    /// At its last component.
    Exact,
    /// With a slash: that component and everything beneath.
    Subtree,
}

impl PathPattern {
    /// Whether `path` belongs to the set.
    #[must_use]
    pub fn admits(&self, path: &FilePath) -> bool {
        self.absolute == path.is_absolute() && self.fits(path.components(), NameGlob::admits)
    }

    /// Whether the components fit the pattern; `fits` compares one component with one name.
    pub(crate) fn fits<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
        fits: impl Fn(&NameGlob, &'a [u8]) -> bool,
    ) -> bool {
        leads_to(&self.segments, self.tail, names.map(str::as_bytes), fits)
    }

    /// Whether its text begins with white space.
    pub(crate) fn begins_with_space(&self) -> bool {
        !self.absolute
            && matches!(self.segments.first(), Some(PatternSegment::Name(name)) if name.begins_with_space())
    }

    /// Whether the pattern starts at the file system's root.
    pub(crate) fn is_absolute(&self) -> bool {
        self.absolute
    }

    /// Whether every name in the pattern is ASCII, so that case is the only disguise of it.
    pub(crate) fn is_ascii(&self) -> bool {
        self.segments.iter().all(|segment| match segment {
            PatternSegment::Name(glob) => glob.is_ascii(),
            PatternSegment::Deep => true,
        })
    }

    /// Whether every path of `other` belongs to this set. Exact; see the module `containment` for why.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.absolute == other.absolute && accepts(&self.steps(), other.letters())
    }

    /// Builds a pattern from parts that were checked one by one.
    pub(crate) fn new(
        absolute: bool,
        segments: Vec<PatternSegment>,
        tail: PatternTail,
    ) -> Result<Self, PathError> {
        if segments.len() > MAX_COMPONENTS {
            return Err(PathError::TooDeep { max: MAX_COMPONENTS as u64 });
        }
        let mut tidy: Vec<PatternSegment> = Vec::with_capacity(segments.len());
        for segment in segments {
            if segment != PatternSegment::Deep || tidy.last() != Some(&PatternSegment::Deep) {
                tidy.push(segment);
            }
        }
        let tail = if tidy.last() == Some(&PatternSegment::Deep) { PatternTail::Exact } else { tail };
        let at_home = |segment: &PatternSegment| matches!(segment, PatternSegment::Name(glob) if glob.as_literal() == Some("~"));
        if !absolute && tidy.first().is_some_and(at_home) {
            return Err(PathError::Home);
        }
        let pattern = Self { absolute, segments: tidy, tail };
        // Escaped stars take more room than the path they came from; what could not be read back is
        // not built.
        if pattern.text_len() > MAX_PATTERN {
            return Err(PathError::TooLong { max: MAX_PATTERN as u64 });
        }
        Ok(pattern)
    }

    /// The pattern of exactly this path, in which no character is special.
    ///
    /// # Errors
    ///
    /// [`PathError::TooLong`] if the path is near the limit and holds stars, each of
    /// which is written `[*]`.
    pub fn exactly(path: &FilePath) -> Result<Self, PathError> {
        let segments = path.components().map(|name| PatternSegment::Name(NameGlob::literal(name))).collect();
        Self::new(path.is_absolute(), segments, PatternTail::Exact)
    }

    /// The pattern relative to `workspace`, if it is absolute and its first names spell
    /// that folder; `None` otherwise.
    pub(crate) fn rebased(&self, workspace: &FilePath) -> Option<Self> {
        if !self.absolute || !workspace.is_absolute() {
            return None;
        }
        let mut rest = self.segments.iter();
        for name in workspace.components() {
            match rest.next() {
                Some(PatternSegment::Name(glob)) if glob.as_literal() == Some(name) => {}
                Some(PatternSegment::Name(_) | PatternSegment::Deep) | None => return None,
            }
        }
        Self::new(false, rest.cloned().collect(), self.tail).ok()
    }

    /// The same paths spelled from the root; `None` if the pattern is absolute already, the
    /// workspace is not, or the text would be too long.
    pub(crate) fn spelled_from_root(&self, workspace: &FilePath) -> Option<Self> {
        if self.absolute || !workspace.is_absolute() {
            return None;
        }
        let above = workspace.components().map(|name| PatternSegment::Name(NameGlob::literal(name)));
        Self::new(true, above.chain(self.segments.iter().cloned()).collect(), self.tail).ok()
    }

    fn text_len(&self) -> usize {
        let names = self.segments.iter().map(|segment| match segment {
            PatternSegment::Name(glob) => glob.text_len() + 1,
            PatternSegment::Deep => 3,
        });
        names.sum::<usize>() + 1
    }

    /// The one admitted path, if there is only one; an error if that path is never opened.
    pub(crate) fn as_path(&self) -> Option<Result<FilePath, PathError>> {
        if self.tail == PatternTail::Subtree {
            return None;
        }
        let mut path = FilePathBuilder::new(self.absolute, self.text_len());
        for segment in &self.segments {
            match segment {
                PatternSegment::Name(glob) => path.push(glob.as_literal()?),
                PatternSegment::Deep => return None,
            }
        }
        Some(path.finish())
    }

    /// The pattern as denials compare it.
    pub(crate) fn folded(&self) -> Cow<'_, Self> {
        let is_folded = |segment: &PatternSegment| match segment {
            PatternSegment::Name(glob) => glob.is_folded(),
            PatternSegment::Deep => true,
        };
        if self.segments.iter().all(is_folded) {
            return Cow::Borrowed(self);
        }
        let fold = |segment: &PatternSegment| match segment {
            PatternSegment::Name(glob) => PatternSegment::Name(glob.folded()),
            PatternSegment::Deep => PatternSegment::Deep,
        };
        let segments = self.segments.iter().map(fold).collect();
        Cow::Owned(Self { absolute: self.absolute, segments, tail: self.tail })
    }

    /// The pattern as a machine: in each run of `*` and `**` the single ones come first.
    ///
    /// The order within a run does not change the set, and with `**` last there is always
    /// a place to wait.
    fn steps(&self) -> Vec<ContainmentStep<'_>> {
        let mut steps = Vec::with_capacity(self.segments.len() + 1);
        let mut run = WildcardRun::default();
        for segment in self.walk() {
            match segment {
                PatternSegment::Deep => run.deep = true,
                PatternSegment::Name(glob) if glob.is_any() => run.ones += 1,
                PatternSegment::Name(glob) => {
                    run.flush(&mut steps);
                    steps.push(ContainmentStep::Name(glob));
                }
            }
        }
        run.flush(&mut steps);
        steps
    }

    /// The pattern as the word that is hardest to admit for another pattern.
    fn letters(&self) -> impl Iterator<Item = PathLetter<'_>> {
        self.walk().map(|segment| match segment {
            PatternSegment::Name(glob) => PathLetter::Name(glob.witness()),
            PatternSegment::Deep => PathLetter::Gap,
        })
    }

    fn walk(&self) -> impl Iterator<Item = &PatternSegment> {
        let subtree = match self.tail {
            PatternTail::Exact => None,
            PatternTail::Subtree => Some(&PatternSegment::Deep),
        };
        self.segments.iter().chain(subtree)
    }
}

/// A run of components that admit anything.
#[derive(Default)]
struct WildcardRun {
    ones: usize,
    deep: bool,
}

impl WildcardRun {
    fn flush<'a>(&mut self, steps: &mut Vec<ContainmentStep<'a>>) {
        let Self { ones, deep } = core::mem::take(self);
        steps.extend(core::iter::repeat_n(ContainmentStep::One { open: deep }, ones));
        steps.extend(deep.then_some(ContainmentStep::Deep));
    }
}

impl FromStr for PathPattern {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        check_text(text, MAX_PATTERN)?;
        let (absolute, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        match (absolute, rest) {
            (_, ".") => return Self::new(absolute, Vec::new(), PatternTail::Exact),
            (true, "") | (false, "./") => return Self::new(absolute, Vec::new(), PatternTail::Subtree),
            _ => {}
        }
        let (body, tail) = match rest.strip_suffix('/') {
            Some(body) => (body, PatternTail::Subtree),
            None => (rest, PatternTail::Exact),
        };
        let segments = body.split('/').map(PatternSegment::parse).collect::<Result<Vec<_>, _>>()?;
        Self::new(absolute, segments, tail)
    }
}

impl PatternSegment {
    /// Reads one component of a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
        match text {
            "" => Err(PathError::EmptyComponent),
            "." | ".." => Err(PathError::DotComponent),
            "**" => Ok(Self::Deep),
            name => {
                let glob = NameGlob::parse(name).map_err(|_| PathError::DeepInside)?;
                if glob.literal_len() > MAX_COMPONENT {
                    return Err(PathError::ComponentTooLong { max: MAX_COMPONENT as u64 });
                }
                Ok(Self::Name(glob))
            }
        }
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str(match (self.absolute, self.tail) {
                (false, PatternTail::Exact) => ".",
                (false, PatternTail::Subtree) => "./",
                (true, PatternTail::Exact) => "/.",
                (true, PatternTail::Subtree) => "/",
            });
        }
        for (i, segment) in self.segments.iter().enumerate() {
            if self.absolute || i > 0 {
                f.write_str("/")?;
            }
            match segment {
                PatternSegment::Name(glob) => write!(f, "{glob}")?,
                PatternSegment::Deep => f.write_str("**")?,
            }
        }
        if self.tail == PatternTail::Subtree { f.write_str("/") } else { Ok(()) }
    }
}

serde_as_text!(PathPattern);
