//! The unsent draft of each folder, kept until the next chat. The drafts of resumed sessions are in
//! `view_state.rs`; `autosave.rs` decides what is saved. A draft that is too long or cannot be
//! written is not an error, because it is still on the screen.

use std::{fs, io, path::PathBuf};

use holm_tools::trust::ContentHash;

use crate::holm_paths::{self, HolmPaths};

/// The longest draft that is kept.
const MOST: usize = 256 << 10;

/// The unsent draft of one folder.
#[derive(Debug, Clone)]
pub(super) struct FolderDraft {
    file: PathBuf,
    kept: String,
}

impl FolderDraft {
    /// The one of the folder that is worked in.
    pub(super) fn of(places: &HolmPaths) -> Self {
        let work = ContentHash::of(places.work.as_os_str().as_encoded_bytes());
        let file = places.data.join("chat").join(format!("{work}.draft"));
        let kept = fs::read_to_string(&file).ok().filter(|text| text.len() <= MOST).unwrap_or_default();
        Self { file, kept }
    }

    pub(super) fn text(&self) -> &str {
        &self.kept
    }

    /// Replaces the draft and writes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep(&mut self, text: &str) -> io::Result<()> {
        if self.kept == text || text.len() > MOST {
            return Ok(());
        }
        if text.is_empty() {
            holm_paths::forget(&self.file)?;
        } else {
            holm_paths::keep(&self.file, text)?;
        }
        // Not before it is true: what could not be written is tried again.
        text.clone_into(&mut self.kept);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_there_again_in_its_folder_and_in_no_other() {
        let data = tempfile::tempdir().unwrap();
        let places = |work: &str| HolmPaths::at(data.path(), work);
        FolderDraft::of(&places("/one")).keep("half a thought").unwrap();
        assert_eq!(FolderDraft::of(&places("/one")).text(), "half a thought");
        assert_eq!(FolderDraft::of(&places("/two")).text(), "");
        FolderDraft::of(&places("/one")).keep("").unwrap();
        assert_eq!(FolderDraft::of(&places("/one")).text(), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_draft_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        let mut draft = FolderDraft::of(&HolmPaths::at(data.path(), "/one"));
        let left = draft.file.with_extension("new");
        fs::create_dir_all(left.parent().unwrap()).unwrap();
        fs::write(&left, "half").unwrap();
        fs::set_permissions(&left, fs::Permissions::from_mode(0o644)).unwrap();
        draft.keep("half a thought").unwrap();
        assert_eq!(fs::metadata(&draft.file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_draft_that_could_not_be_written_is_tried_again() {
        let data = tempfile::tempdir().unwrap();
        let places = HolmPaths::at(data.path(), "/one");
        let in_the_way = data.path().join("chat");
        fs::write(&in_the_way, "").unwrap();
        let mut draft = FolderDraft::of(&places);
        assert!(draft.keep("half a thought").is_err());
        fs::remove_file(in_the_way).unwrap();
        draft.keep("half a thought").unwrap();
        assert_eq!(FolderDraft::of(&places).text(), "half a thought");
    }
}
