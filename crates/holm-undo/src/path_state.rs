//! The state of one path: absent, a file, a link, a folder. It says when two states are the same
//! for an undo.
//!
//! It reads nothing: `tree.rs` finds the state of a path on disk, and `apply.rs` brings a path into
//! a state. The contents of files are in `content_store.rs`.

use serde::{Deserialize, Serialize};

use crate::tree_path::PathText;

/// The mode bits of a file that an undo restores. The bits that let a program run as another user
/// are not among them: a new file with them would be more powerful than its content deserves.
pub(crate) const FILE_MODE: u32 = 0o1777;
/// The mode bits of a folder that an undo restores.
pub(crate) const FOLDER_MODE: u32 = 0o3777;

/// The state of a path at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathState {
    Absent,
    File {
        /// SHA-256 of its bytes, in hex.
        sha256: String,
        bytes: u64,
        /// Its mode, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
    Link {
        target: LinkTarget,
    },
    Folder {
        mode: u32,
    },
    /// A file whose content is not stored, or something that has no content, such as a socket.
    Unkept {
        /// Tells it from another one: kind, size and times.
        stamp: String,
        /// Whether it has no content.
        is_special: bool,
    },
}

/// Where a link leads, as bytes: nothing checks or follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PathText", into = "PathText")]
pub struct LinkTarget(pub Vec<u8>);

impl From<LinkTarget> for PathText {
    fn from(target: LinkTarget) -> Self {
        Self::of(target.0)
    }
}

impl TryFrom<PathText> for LinkTarget {
    type Error = crate::TreePathError;

    fn try_from(text: PathText) -> Result<Self, Self::Error> {
        text.bytes().map(Self)
    }
}

impl PathState {
    /// Whether both are the same for an undo. A mode that is not known is like any other.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { sha256: one, mode: left, .. }, Self::File { sha256: two, mode: right, .. }) => {
                let alike = match (left, right) {
                    (Some(left), Some(right)) => left & FILE_MODE == right & FILE_MODE,
                    _ => true,
                };
                one == two && alike
            }
            (Self::Folder { mode: one }, Self::Folder { mode: two }) => {
                one & FOLDER_MODE == two & FOLDER_MODE
            }
            _ => self == other,
        }
    }

    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// The digest of its content, if it is a file.
    #[must_use]
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::File { sha256, .. } => Some(sha256),
            Self::Absent | Self::Link { .. } | Self::Folder { .. } | Self::Unkept { .. } => None,
        }
    }
}
