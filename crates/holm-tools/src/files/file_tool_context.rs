//! State that the file tools of one agent share: the root, what the model has read, and the stores
//! for undo records and large results. It also has the common part of the declarations, and the
//! error type.
//!
//! It opens and writes no file itself: `root/` opens, `change.rs` writes. What was read is
//! remembered by content, so that a tool can tell whether a file is still what the model saw.

use std::{path::Path, sync::Arc};

use holm_grants::{CallNeed, FilePath, Level};
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_runtime::{BlobStore, ClosureTool};

use crate::{
    root::{CallPermit, ProtectionLevel, WorkspaceRoot, WorkspaceRootError},
    shell::OUTPUT_FOLDER,
    undo::{UndoError, UndoStore},
};

/// The largest file that a tool reads whole, or writes. Larger ones are searched,
/// or belong to programs.
pub const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// A root, the files that were read in it, and the stores for undo records and large results.
pub struct FileToolContext {
    pub(super) root: WorkspaceRoot,
    pub(super) undo: Option<UndoStore>,
    pub(super) blobs: Option<Arc<dyn BlobStore>>,
    /// The long outputs of commands, which are read under a name of their own.
    outputs: Option<WorkspaceRoot>,
    /// What a search in the outputs may read: the call itself needs that folder in the workspace.
    all_outputs: Vec<CallNeed>,
}

impl FileToolContext {
    /// Creates a context for a root. Nothing is stored for undo until [`undo`](Self::undo) is called.
    #[must_use]
    pub fn new(root: WorkspaceRoot) -> Self {
        let all_outputs = "read:**".parse().map(CallNeed::Grant).into_iter().collect();
        Self { root, undo: None, blobs: None, outputs: None, all_outputs }
    }

    /// Stores the content of files before they are changed. Records inside the root are
    /// hidden from all tools.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if the folder of the records cannot be determined.
    pub fn undo(mut self, undo: UndoStore) -> Result<Self, WorkspaceRootError> {
        self.root = self.root.protect(undo.folder(), ProtectionLevel::Everything)?;
        self.undo = Some(undo);
        Ok(self)
    }

    /// Lets `read` show large results that were kept elsewhere, by their reference.
    #[must_use]
    pub fn blobs(mut self, blobs: Arc<dyn BlobStore>) -> Self {
        self.blobs = Some(blobs);
        self
    }

    /// Lets `read` and `grep` open the long outputs of commands in this folder as
    /// `$HOME/out/1.txt`: see
    /// [`WorkspaceShell::output_folder`](crate::shell::WorkspaceShell::output_folder). A call needs
    /// to read that path in the workspace.
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if the folder cannot be opened.
    pub fn outputs(mut self, folder: &Path) -> Result<Self, WorkspaceRootError> {
        self.outputs = Some(WorkspaceRoot::open(folder)?);
        Ok(self)
    }

    /// As [`place`](Self::place), for a search beneath a folder that the call may read.
    pub(super) fn search_place<'a>(
        &'a self,
        start: &FilePath,
        needs: &'a [CallNeed],
    ) -> Result<SearchPlace<'a>, WorkspaceRootError> {
        let (root, permit, above) = match (&self.outputs, inside_outputs(start)) {
            (Some(outputs), Some(_)) => (outputs, outputs.permit(&self.all_outputs), OUTPUT_FOLDER),
            (Some(_), None) | (None, _) => (&self.root, self.root.permit(needs), ""),
        };
        let (_, start) = self.place(start)?;
        Ok(SearchPlace { root, start, permit, above })
    }

    /// The root that a path of a call lies in, and its path there: the workspace, or
    /// the outputs of commands.
    pub(super) fn place<'a>(
        &'a self,
        path: &FilePath,
    ) -> Result<(&'a WorkspaceRoot, FilePath), WorkspaceRootError> {
        match (&self.outputs, inside_outputs(path)) {
            (Some(outputs), Some(inside)) => {
                Ok((outputs, outputs.path(if inside.is_empty() { "." } else { inside })?))
            }
            (Some(_), None) | (None, _) => Ok((&self.root, path.clone())),
        }
    }

    /// The folder that it works in.
    pub(crate) fn root(&self) -> &WorkspaceRoot {
        &self.root
    }

    /// Remembers the content of a file that the model saw or that a tool wrote.
    pub(super) fn saw(&self, path: &FilePath, bytes: &[u8]) {
        self.root.seen().saw(path, bytes);
    }

    pub(super) fn forget(&self, path: &FilePath) {
        self.root.seen().forget(path);
    }

    /// Whether a file still has the content that was read.
    pub(super) fn recall(&self, path: &FilePath, bytes: &[u8]) -> ReadStatus {
        match self.root.seen().is_same(path, bytes) {
            None => ReadStatus::Unseen,
            Some(true) => ReadStatus::Same,
            Some(false) => ReadStatus::Changed,
        }
    }
}

/// A folder of the outputs of commands, counted from their folder; `None` for any other path.
fn inside_outputs(path: &FilePath) -> Option<&str> {
    let rest = path.as_str().strip_prefix(OUTPUT_FOLDER)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Where a search begins.
pub(super) struct SearchPlace<'a> {
    pub(super) root: &'a WorkspaceRoot,
    pub(super) start: FilePath,
    pub(super) permit: CallPermit<'a>,
    /// The folder that paths of this root are shown beneath; empty for the workspace.
    above: &'static str,
}

impl SearchPlace<'_> {
    /// A path of the root, as the model writes it in a call.
    pub(super) fn shown(&self, path: &FilePath) -> String {
        if self.above.is_empty() { path.to_string() } else { format!("{}/{path}", self.above) }
    }

    /// A path of the root, counted from the start of the search.
    pub(super) fn inner<'p>(&self, path: &'p FilePath) -> &'p str {
        let skip = if self.start.as_str() == "." { 0 } else { self.start.as_str().len() + 1 };
        path.as_str().get(skip..).unwrap_or_default()
    }
}

impl std::fmt::Debug for FileToolContext {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("FileToolContext")
            .field("root", &self.root)
            .field("undo", &self.undo)
            .finish_non_exhaustive()
    }
}

/// Whether a file still has the content that the model read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadStatus {
    /// It was not read here.
    Unseen,
    /// It has the content that was read.
    Same,
    /// It is something else.
    Changed,
}

/// Why a file tool fails. Every message says what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileToolError {
    #[error("{0}")]
    Root(#[from] WorkspaceRootError),
    /// The old content could not be stored, so nothing was changed.
    #[error("nothing was changed, because Holm could not have undone it: {0}")]
    Undo(#[from] UndoError),
    /// Any other failure, with its message for the model.
    #[error("{0}")]
    Failed(String),
}

/// A failure with its message for the model.
pub(super) fn failed(text: impl Into<String>) -> FileToolError {
    FileToolError::Failed(text.into())
}

/// The common part of the declarations of all file tools.
pub(super) fn declared<A>(tool: ClosureTool<A>, level: Level, needs: &[&str]) -> ClosureTool<A> {
    let tool = tool.level(level).result_limit(SHOWN as u64).declare(|tool| {
        // The content of a file is data, even if it reads like an error.
        tool.error_text = ErrorText::Allowed;
        tool.empty = EmptyOutput::Allowed;
        // Holm cannot know which file holds confidential data. So once a file was read,
        // sending data needs approval.
        tool.yields.private = needs.iter().any(|need| need.starts_with("read:"));
    });
    #[expect(clippy::expect_used, reason = "constants of the tools, each of which a test makes")]
    tool.needs(needs).expect("needs of our own tools are templates")
}

/// Bytes of a result that a model sees: about ten thousand tokens, and less than the size at
/// which results are spilled.
pub(super) const SHOWN: usize = 40_000;
