//! Errors from opening, changing or listing a file. They hold no rules: what is refused is decided
//! in `workspace_root.rs`, `deny_rules.rs` and `permit.rs`. A model reads these texts, so each says
//! what to do, and names files only as the caller named them.

use holm_grants::PathError;
use rustix::io::Errno;

/// Why a root refuses. Files are named as the caller named them; nothing outside the root is named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceRootError {
    /// The text is not a valid path.
    #[error("not a valid path: {reason}")]
    Path {
        /// What is wrong with it.
        reason: PathError,
    },
    /// An absolute path that does not lead into the root.
    #[error("`{path}` is outside the workspace; give a path inside it, relative to it")]
    Outside { path: String },
    /// A rule keeps the file from all tools.
    #[error("`{path}` is hidden from tools by the rule {rule}; continue without it")]
    Denied { path: String, rule: String },
    /// An everyday tool of the user's runs the file without asking, and no grant names it.
    #[error(
        "`{path}` is protected, because {runner}; a write needs a grant that names it, which only the \
         user can give: --grant 'write:{grant}', or in the chat: /grant write:{grant}"
    )]
    Autorun {
        path: String,
        /// Which tool runs it, and when.
        runner: &'static str,
        grant: String,
    },
    /// The file is Holm's own, or a tool's, or belongs to a git repository's inside.
    #[error("no tool may change `{path}`: {reason}")]
    Protected {
        path: String,
        /// What it belongs to.
        reason: &'static str,
    },
    /// The call was not given this.
    #[error("this call was not granted {need}; ask for exactly that grant")]
    NotGranted {
        /// The grant that would do.
        need: String,
    },
    /// A component of the path is a link.
    #[error("`{path}` is a link or leads through one, and links are not followed; {hint}", hint = hint(.to.as_deref()))]
    Link {
        path: String,
        /// The path of its target, if that is in the root and may be named.
        to: Option<String>,
    },
    /// Another file system is mounted on the way.
    #[error("`{path}` is on another mount; the user can allow the workspace to cross mounts")]
    Mount { path: String },
    #[error("`{path}` does not exist")]
    Missing { path: String },
    /// The entry has another kind.
    #[error("`{path}` is {found}, not {wanted}")]
    Kind { path: String, found: &'static str, wanted: &'static str },
    /// The file is larger than a tool handles.
    #[error("`{path}` has {bytes} bytes, more than {max}; search it instead, or name a smaller file")]
    TooLarge { path: String, bytes: u64, max: u64 },
    /// The file has changed since it was read.
    #[error("`{path}` has changed since it was read; read it again before you change it")]
    Changed { path: String },
    /// The mode of the file allows no user to write it.
    #[error("`{path}` is read-only; ask the user to make it writable")]
    ReadOnly { path: String },
    /// Another process holds the folder.
    #[error("`{path}` is being changed by another process; try again")]
    Busy { path: String },
    /// The system reported an error.
    #[error("`{path}`: {reason}")]
    System { path: String, reason: String },
}

impl WorkspaceRootError {
    /// Converts a system error about a path.
    pub(crate) fn of(path: &str, errno: Errno) -> Self {
        let path = path.to_owned();
        match errno {
            Errno::NOENT => Self::Missing { path },
            Errno::XDEV => Self::Mount { path },
            Errno::NOTDIR => Self::Kind { path, found: "beneath a file", wanted: "beneath a folder" },
            other => Self::System { path, reason: std::io::Error::from(other).to_string() },
        }
    }

    /// The same for the standard library's errors.
    pub(crate) fn io(path: &str, error: &std::io::Error) -> Self {
        match Errno::from_io_error(error) {
            Some(errno) => Self::of(path, errno),
            None => Self::System { path: path.to_owned(), reason: error.to_string() },
        }
    }
}

fn hint(to: Option<&str>) -> String {
    to.map_or_else(|| "its target cannot be named here".into(), |to| format!("name `{to}` instead"))
}
