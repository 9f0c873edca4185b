//! A concrete path in normal form, so that two spellings of one path compare alike.
//!
//! Normalising is purely lexical: no link is followed and no file is looked at, so the caller must
//! open exactly this form beneath a directory handle. Paths that climb out, that start at a home
//! directory, or that are an alias under `/proc` or `/dev` are refused, because no rule about their
//! name could hold. No character is a wildcard here; patterns are in `path/pattern.rs`. All lengths
//! are bounded.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use crate::error::PathError;
use crate::text::{is_refused, serde_as_text};

/// The longest path in bytes: Linux's own limit, beyond which nothing could be opened anyway.
pub(crate) const MAX_PATH: usize = 4096;
/// The most components of a path: deeper trees are attacks, and the bound keeps matching cheap.
pub(crate) const MAX_COMPONENTS: usize = 256;
/// The longest component in bytes, as common file systems have it.
pub(crate) const MAX_COMPONENT: usize = 255;

/// One file or directory, relative to the workspace root or absolute, in normal form.
///
/// Reading a text resolves `.`, `..` and repeated slashes lexically, as long as the path stays
/// beneath its start; a path that climbs out is refused. No character is a wildcard and nothing is
/// decoded: `%2e%2e` is a file of that name. The caller must open this normal form, beneath a
/// handle of the root; this crate knows nothing of links.
///
/// ```
/// use holm_grants::FilePath;
/// let path: FilePath = "src/./net/../lib.rs".parse()?;
/// assert_eq!(path.to_string(), "src/lib.rs");
/// assert!("src/../../etc/passwd".parse::<FilePath>().is_err());
/// # Ok::<(), holm_grants::PathError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilePath {
    /// The normal form as it is printed: one string, because a path is made and
    /// compared for every call.
    text: String,
}

impl FilePath {
    /// Whether the path starts at the file system's root, not at the workspace.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.text.starts_with('/')
    }

    /// The components from the root on; none for the root itself.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        PathComponents(self.names())
    }

    /// The normal form, which is also printed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The components with the slashes between them; none for a root.
    fn names(&self) -> Option<&str> {
        match self.text.as_str() {
            "." | "/" => None,
            text => Some(text.strip_prefix('/').unwrap_or(text)),
        }
    }

    /// The same file relative to the workspace, if this path is absolute
    /// and lies beneath `workspace`.
    ///
    /// A host calls this before it checks a request, so that grants and denials
    /// relative to the workspace also hold for a path that was spelled from the root.
    /// Other paths are returned unchanged.
    ///
    /// ```
    /// use holm_grants::FilePath;
    /// let root: FilePath = "/home/me/project".parse()?;
    /// let path: FilePath = "/home/me/project/.env".parse()?;
    /// assert_eq!(path.rebased(&root).to_string(), ".env");
    /// # Ok::<(), holm_grants::PathError>(())
    /// ```
    #[must_use]
    pub fn rebased(&self, workspace: &Self) -> Self {
        if !self.is_absolute() || !workspace.is_absolute() {
            return self.clone();
        }
        let rest = match workspace.names() {
            None => self.names(),
            Some(root) => match self.names().and_then(|names| names.strip_prefix(root)) {
                Some("") => None,
                Some(rest) if rest.starts_with('/') => rest.get(1..),
                Some(_) | None => return self.clone(),
            },
        };
        Self { text: rest.unwrap_or(".").to_owned() }
    }

    /// A relative path spelled from the root; `None` if it is absolute already, or
    /// the workspace is not.
    #[must_use]
    pub fn spelled_from_root(&self, workspace: &Self) -> Option<Self> {
        if self.is_absolute() || !workspace.is_absolute() {
            return None;
        }
        let root = workspace.names().map_or_else(String::new, |names| alloc::format!("/{names}"));
        let rest = self.names().map_or_else(String::new, |names| alloc::format!("/{names}"));
        let text = root + &rest;
        Some(Self { text: if text.is_empty() { String::from("/") } else { text } })
    }
}

impl FromStr for FilePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        check_text(text, MAX_PATH)?;
        let mut path = FilePathBuilder::new(text.starts_with('/'), text.len());
        for component in text.split('/') {
            match component {
                "" | "." => {}
                ".." => path.pop()?,
                name if name.len() > MAX_COMPONENT => {
                    return Err(PathError::ComponentTooLong { max: MAX_COMPONENT as u64 });
                }
                name => path.push(name),
            }
        }
        path.finish()
    }
}

/// The order of the components, so that a folder comes before its contents.
impl Ord for FilePath {
    fn cmp(&self, other: &Self) -> Ordering {
        let roots = self.is_absolute().cmp(&other.is_absolute());
        roots.then_with(|| self.components().cmp(other.components()))
    }
}

impl PartialOrd for FilePath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

serde_as_text!(FilePath);

/// The components that are left, with the slashes between them.
///
/// Components are short, and looking at each byte is then cheaper than any search that
/// has to be prepared.
#[derive(Clone)]
struct PathComponents<'a>(Option<&'a str>);

impl<'a> Iterator for PathComponents<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.take()?;
        let Some(slash) = rest.bytes().position(|byte| byte == b'/') else { return Some(rest) };
        self.0 = rest.get(slash + 1..);
        rest.get(..slash)
    }
}

impl DoubleEndedIterator for PathComponents<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let rest = self.0.take()?;
        let Some(slash) = rest.bytes().rposition(|byte| byte == b'/') else { return Some(rest) };
        self.0 = rest.get(..slash);
        rest.get(slash + 1..)
    }
}

/// A path under construction, from components that were checked one by one.
pub(super) struct FilePathBuilder {
    text: String,
    absolute: bool,
    depth: usize,
}

impl FilePathBuilder {
    /// A root, with room for a path of `bytes`.
    pub(super) fn new(absolute: bool, bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes.saturating_add(1));
        if absolute {
            text.push('/');
        }
        Self { text, absolute, depth: 0 }
    }

    pub(super) fn push(&mut self, name: &str) {
        if self.depth > 0 {
            self.text.push('/');
        }
        self.text.push_str(name);
        self.depth += 1;
    }

    fn pop(&mut self) -> Result<(), PathError> {
        self.depth = self.depth.checked_sub(1).ok_or(PathError::Escapes)?;
        let start = usize::from(self.absolute);
        let end = if self.depth == 0 { start } else { self.text.rfind('/').unwrap_or(start) };
        self.text.truncate(end);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<FilePath, PathError> {
        if self.depth > MAX_COMPONENTS {
            return Err(PathError::TooDeep { max: MAX_COMPONENTS as u64 });
        }
        if self.text.is_empty() {
            self.text.push('.');
        }
        if self.text.strip_prefix('~').is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Err(PathError::Home);
        }
        let path = FilePath { text: self.text };
        if path.is_alias() {
            return Err(PathError::Alias);
        }
        Ok(path)
    }
}

impl FilePath {
    /// The path, if the text is plainly in normal form; `None` if only a full parse can tell.
    ///
    /// Most paths that a call names are of this kind. One with a star is not: it may be too
    /// long for a pattern.
    pub(crate) fn from_normal(text: String) -> Option<Self> {
        let plain = |byte| is_plain(byte) && byte != b'*';
        if text.len() > MAX_PATH || text.starts_with('~') || !text.bytes().all(plain) {
            return None;
        }
        let mut depth = 0_usize;
        for name in text.strip_prefix('/').unwrap_or(&text).as_bytes().split(|byte| *byte == b'/') {
            depth += 1;
            if matches!(name, b"" | b"." | b"..") || name.len() > MAX_COMPONENT {
                return None;
            }
        }
        let path = Self { text };
        (depth <= MAX_COMPONENTS && !path.is_alias()).then_some(path)
    }

    /// Whether the path leads through a process's own links: `/proc/self/root/etc/shadow` is
    /// `/etc/shadow`, so no rule about the one name could hold for the other.
    fn is_alias(&self) -> bool {
        if !self.is_absolute() {
            return false;
        }
        let mut parts = self.components();
        let (Some(top), Some(second)) = (parts.next(), parts.next()) else { return false };
        let process =
            second == "self" || second == "thread-self" || second.bytes().all(|b| b.is_ascii_digit());
        let stream = matches!(second, "fd" | "stdin" | "stdout" | "stderr");
        (top == "proc" && process) || (top == "dev" && stream)
    }
}

/// Refuses what is invalid in both paths and patterns, before anything is split.
pub(crate) fn check_text(text: &str, max: usize) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.len() > max {
        return Err(PathError::TooLong { max: max as u64 });
    }
    if text.bytes().all(is_plain) {
        return Ok(());
    }
    if text.contains('\\') {
        return Err(PathError::Backslash);
    }
    match text.chars().find(|c| is_refused(*c)) {
        Some(c) => Err(PathError::Hidden { code: u32::from(c) }),
        None => Ok(()),
    }
}

/// Whether a byte is a visible ASCII character that paths may hold, which needs no further check.
pub(crate) const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'\\'
}
