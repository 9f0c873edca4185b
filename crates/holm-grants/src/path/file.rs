//! A concrete path in normal form, so that two spellings of one path compare alike.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::error::PathError;
use crate::text::{bare, fold, is_hidden, serde_as_text};

/// The longest path in bytes: Linux's own limit, beyond which nothing could be opened anyway.
pub(crate) const MAX_PATH: usize = 4096;
/// The most components of a path: deeper trees are attacks, and the bound keeps matching cheap.
pub(crate) const MAX_COMPONENTS: usize = 256;
/// The longest component in bytes, as common file systems have it.
pub(crate) const MAX_COMPONENT: usize = 255;

/// One file or directory, relative to the workspace root or absolute, in normal form.
///
/// Reading a text resolves `.`, `..` and repeated slashes lexically, as long as the path stays beneath its start; what
/// climbs out is refused. No character is a wildcard and nothing is decoded: `%2e%2e` is a file of that name. Whoever
/// opens the file must open this normal form, beneath a handle of the root; links are not known here.
///
/// ```
/// use holm_grants::FilePath;
/// let path: FilePath = "src/./net/../lib.rs".parse()?;
/// assert_eq!(path.to_string(), "src/lib.rs");
/// assert!("src/../../etc/passwd".parse::<FilePath>().is_err());
/// # Ok::<(), holm_grants::PathError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath {
    absolute: bool,
    components: Vec<String>,
}

impl FilePath {
    /// Whether the path starts at the file system's root, not at the workspace.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.absolute
    }

    /// The components from the root on; none for the root itself.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.components.iter().map(String::as_str)
    }

    /// The same file relative to the workspace, where this path is absolute and lies beneath `workspace`.
    ///
    /// A host calls this before it asks, so that grants and denials relative to the workspace also hold for a path
    /// that was spelled out from the root. Other paths come back as they are.
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
        match self.components.strip_prefix(workspace.components.as_slice()) {
            Some(rest) if self.absolute && workspace.absolute => {
                Self { absolute: false, components: rest.to_vec() }
            }
            _ => self.clone(),
        }
    }

    /// The path as denials compare it: without case and joiners.
    pub(crate) fn folded(&self) -> Self {
        self.map(fold)
    }

    /// The folded path as file systems that drop trailing dots, spaces and stream names would open it.
    pub(crate) fn bared(&self) -> Self {
        self.map(|component| bare(&fold(component)).to_string())
    }

    fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Self { absolute: self.absolute, components: self.components.iter().map(|c| change(c)).collect() }
    }
}

impl FromStr for FilePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        check_text(text, MAX_PATH)?;
        let absolute = text.starts_with('/');
        let mut components: Vec<String> = Vec::new();
        for component in text.split('/') {
            match component {
                "" | "." => {}
                ".." => {
                    components.pop().ok_or(PathError::Escapes)?;
                }
                name if name.len() > MAX_COMPONENT => {
                    return Err(PathError::ComponentTooLong { max: MAX_COMPONENT as u64 });
                }
                name => components.push(name.to_string()),
            }
        }
        Self::new(absolute, components)
    }
}

impl FilePath {
    /// The path of components that were checked one by one.
    pub(super) fn new(absolute: bool, components: Vec<String>) -> Result<Self, PathError> {
        if components.len() > MAX_COMPONENTS {
            return Err(PathError::TooDeep { max: MAX_COMPONENTS as u64 });
        }
        let path = Self { absolute, components };
        if !absolute && path.components.first().is_some_and(|first| first == "~") {
            return Err(PathError::Home);
        }
        if path.is_alias() {
            return Err(PathError::Alias);
        }
        Ok(path)
    }

    /// Whether the path leads through a process's own links: `/proc/self/root/etc/shadow` is `/etc/shadow`, so no
    /// rule about the one name could hold for the other.
    fn is_alias(&self) -> bool {
        let mut parts = self.components();
        let (Some(top), Some(second)) = (parts.next(), parts.next()) else { return false };
        let process =
            second == "self" || second == "thread-self" || second.bytes().all(|b| b.is_ascii_digit());
        let stream = matches!(second, "fd" | "stdin" | "stdout" | "stderr");
        self.absolute && ((top == "proc" && process) || (top == "dev" && stream))
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.components.is_empty() {
            return f.write_str(if self.absolute { "/" } else { "." });
        }
        for (i, component) in self.components.iter().enumerate() {
            if self.absolute || i > 0 {
                f.write_str("/")?;
            }
            f.write_str(component)?;
        }
        Ok(())
    }
}

serde_as_text!(FilePath);

/// What paths and patterns both refuse, before anything is split.
pub(crate) fn check_text(text: &str, max: usize) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.len() > max {
        return Err(PathError::TooLong { max: max as u64 });
    }
    if text.contains('\\') {
        return Err(PathError::Backslash);
    }
    match text.chars().find(|c| is_hidden(*c)) {
        Some(c) => Err(PathError::Hidden { code: u32::from(c) }),
        None => Ok(()),
    }
}
