//! Tools for the files of the start folder, and for information about the machine.

use std::{path::Path, sync::Arc};

use holm::{runtime::Toolbox, store::Store};
use holm_tools::{
    files::{self, Desk},
    info,
    root::{Protect, Root},
    undo::{KEPT, MOST_KEPT, Undo},
};

use crate::{
    kept::Kept,
    places::{self, Places},
};

/// The native tools. Their changes can be undone, Holm's own data is out of their reach, and
/// protected files are read-only.
pub(crate) fn native(places: &Places, kept: &Kept, store: &Store) -> anyhow::Result<Toolbox> {
    let root = kept.over(Root::open(&places.work)?.protect(&places.data, Protect::Everything)?)?;
    let undo = Undo::open(places::undo_folder(&places.data))?;
    // Limits the disk use for users who never undo anything.
    undo.prune(KEPT, MOST_KEPT)?;
    let desk = Desk::new(root).undo(undo)?.blobs(Arc::new(store.clone()));
    of(desk)
}

/// The tools for a folder that only one helper uses. Nothing is kept for undo: the folder is
/// removed, and its changes come back as a whole.
pub(crate) fn native_apart(folder: &Path, store: &Store) -> anyhow::Result<Toolbox> {
    of(Desk::new(Root::open(folder)?).blobs(Arc::new(store.clone())))
}

fn of(desk: Desk) -> anyhow::Result<Toolbox> {
    let mut tools = Toolbox::new();
    for tool in files::tools(desk).into_iter().chain(info::tools()) {
        tools.add_shared(tool)?;
    }
    Ok(tools)
}
