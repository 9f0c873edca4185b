//! Checks for `holm doctor` that Holm can save files: in its data folder, and in the home folder of
//! the user. It writes nothing itself: `folder_state.rs` finds out whether a folder can be written.
//! All findings are printed in `commands/doctor.rs`.

use std::path::{Path, PathBuf};

use super::{DiagnosisState, DoctorFinding};
use crate::{
    folder_state::{FolderState, size},
    screen::DisplayablePath as _,
};

/// Below this, a few long sessions fill the disk.
const LOW_BYTES: u64 = 100 << 20;

/// The disk of the data folder, and the home folder if nothing can be saved there.
pub(super) fn findings(data: &Path, home: Option<PathBuf>) -> Vec<DoctorFinding> {
    let disk = disk(data, FolderState::of(data));
    let home = home.filter(|home| !data.starts_with(home) || disk.state == DiagnosisState::Good);
    let home = home.and_then(|home| home_finding(&home, FolderState::of(&home)));
    std::iter::once(disk).chain(home).collect()
}

fn disk(data: &Path, state: FolderState) -> DoctorFinding {
    let path = data.shown();
    let (state, words) = match state {
        FolderState::Writable { free_bytes } if free_bytes < LOW_BYTES => (
            DiagnosisState::Lacking,
            format!(
                "only {} are free for {path}, so sessions may soon stop; free some space",
                size(free_bytes)
            ),
        ),
        FolderState::Writable { free_bytes } => {
            (DiagnosisState::Good, format!("{} are free for {path}", size(free_bytes)))
        }
        FolderState::Full { free_bytes } => (
            DiagnosisState::Bad,
            format!(
                "the disk of {path} is full ({} free), so no session can start or continue, and Holm can \
                 only show what is there; free some space, or name another folder with --data or HOLM_DATA",
                size(free_bytes)
            ),
        ),
        FolderState::ReadOnly { reason } => (
            DiagnosisState::Bad,
            format!(
                "{path} cannot be written ({reason}), so no session can start or continue, and Holm can \
                 only show what is there; make it writable, or name another folder with --data or HOLM_DATA"
            ),
        ),
    };
    DoctorFinding { what: "disk", state, words }
}

/// A home folder in which nothing can be saved. Sessions may still work, because
/// they are in the data folder.
fn home_finding(home: &Path, state: FolderState) -> Option<DoctorFinding> {
    let path = home.shown();
    let words = match state {
        FolderState::Writable { .. } => return None,
        FolderState::Full { free_bytes } => format!(
            "the disk of your home folder {path} is full ({} free), so Holm cannot save settings there; \
             free some space",
            size(free_bytes)
        ),
        FolderState::ReadOnly { reason } => format!(
            "your home folder {path} cannot be written ({reason}), so Holm cannot save settings there; make \
             it writable, or set HOME to a folder that is"
        ),
    };
    Some(DoctorFinding { what: "home", state: DiagnosisState::Lacking, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_good_low_full_or_read_only_and_each_says_what_to_do() {
        let check = |state: FolderState, expect: DiagnosisState, words: &str| {
            let found = disk(Path::new("/data"), state);
            assert_eq!(found.state, expect, "{}", found.words);
            assert!(found.words.contains(words), "{}", found.words);
        };
        let mib = |count: u64| count << 20;
        check(
            FolderState::Writable { free_bytes: mib(500) },
            DiagnosisState::Good,
            "500 MiB are free for /data",
        );
        check(FolderState::Writable { free_bytes: mib(50) }, DiagnosisState::Lacking, "only 50 MiB are free");
        check(
            FolderState::Full { free_bytes: 4096 },
            DiagnosisState::Bad,
            "the disk of /data is full (4 KiB free)",
        );
        check(
            FolderState::Full { free_bytes: 0 },
            DiagnosisState::Bad,
            "free some space, or name another folder",
        );
        let read_only = FolderState::ReadOnly { reason: "permission denied" };
        check(read_only, DiagnosisState::Bad, "/data cannot be written (permission denied)");
    }

    #[test]
    fn a_home_that_can_be_written_needs_no_word() {
        assert!(home_finding(Path::new("/home/me"), FolderState::Writable { free_bytes: 1 }).is_none());
        let found =
            home_finding(Path::new("/home/me"), FolderState::ReadOnly { reason: "read-only file system" });
        let found = found.unwrap();
        assert_eq!(found.state, DiagnosisState::Lacking);
        assert!(found.words.starts_with("your home folder /home/me cannot be written"), "{}", found.words);
    }
}
