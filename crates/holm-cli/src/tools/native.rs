//! Assembles the tools for the files of the start folder, and for information about the machine:
//! the root with its protected paths, the undo records and the store for large results. The tools
//! themselves are in `holm-tools/src/files/` and `holm-tools/src/info/`; which of them a run has
//! is chosen in `own_tools.rs`.

use std::{path::Path, sync::Arc};

use holm::{runtime::Toolbox, store::Store};
use holm_tools::{
    files::{self, FileToolContext},
    info,
    root::{ProtectionLevel, WorkspaceRoot, WorkspaceRootError},
    undo::{KEPT, MOST_KEPT, UndoStore},
};

use crate::{
    holm_paths::{self, HolmPaths},
    protected_paths::ProtectedPaths,
};

/// The tools. What they change can be undone, and Holm's own data is out of their reach; what is
/// kept they only read.
pub(crate) fn native(
    places: &HolmPaths,
    kept: &ProtectedPaths,
    store: &Store,
    outputs: Option<&Path>,
) -> anyhow::Result<Toolbox> {
    let root = root(places, kept)?;
    let context = FileToolContext::new(root).blobs(Arc::new(store.clone()));
    // A command that only looks creates no data folder, and its tools never run.
    if !places.data.is_dir() {
        return of(context, outputs);
    }
    let undo = UndoStore::open(holm_paths::undo_folder(&places.data))?;
    // Limits the disk use for users who never undo anything. If nothing can be written there, a
    // change that cannot be recorded fails by itself.
    let _ = undo.prune_if_due(KEPT, MOST_KEPT);
    of(context.undo(undo)?, outputs)
}

/// The folder of the file tools, with its rules.
pub(crate) fn root(places: &HolmPaths, kept: &ProtectedPaths) -> Result<WorkspaceRoot, WorkspaceRootError> {
    kept.over(WorkspaceRoot::open(&places.work)?.protect(&places.data, ProtectionLevel::Everything)?)
}

/// The tools for a folder that one agent works in alone. There is nothing to undo: the folder is
/// removed, and its changes come back as a whole.
pub(crate) fn native_apart(folder: &Path, store: &Store, outputs: Option<&Path>) -> anyhow::Result<Toolbox> {
    of(FileToolContext::new(WorkspaceRoot::open(folder)?).blobs(Arc::new(store.clone())), outputs)
}

/// The tools of a desk, which also read the long outputs of commands.
fn of(context: FileToolContext, outputs: Option<&Path>) -> anyhow::Result<Toolbox> {
    let context = match outputs {
        Some(outputs) => context.outputs(outputs)?,
        None => context,
    };
    let mut tools = Toolbox::new();
    for tool in files::tools(context).into_iter().chain(info::tools()) {
        tools.add_shared(tool)?;
    }
    Ok(tools)
}
