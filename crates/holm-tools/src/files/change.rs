//! The one way in which tools change files: lock, compare with what was read,
//! record for undo, replace.

use holm_grants::FilePath;
use holm_runtime::Job;

use super::desk::{Desk, Failed, MOST_BYTES, Recalled, told};
use crate::{
    root::{Expect, Folders, Lock, Place, RootError},
    undo::Undo,
};

/// The new content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum New {
    Bytes(Vec<u8>),
    /// These bytes, and the mode of another file of the same change, given by its index.
    /// That file moves here.
    Moved(Vec<u8>, usize),
    /// Nothing: it is removed.
    Nothing,
}

/// The content of a file before the change.
pub(super) struct Before {
    /// The bytes; `None` if there is no file.
    pub(super) bytes: Option<Vec<u8>>,
    /// Whether they are what the model read.
    pub(super) recalled: Recalled,
}

/// A file whose content was read under the lock.
struct Held {
    place: Place,
    before: Before,
    expect: Expect,
    mode: u32,
}

/// The earlier content of a file, and the stamp that shows whether it is still there.
struct Standing<'a> {
    before: &'a Before,
    expect: Expect,
    mode: u32,
}

impl Desk {
    /// Changes some files together. `decide` sees the content of each file and returns the new
    /// content of each. It is called once, while no other writer can change them. Either all
    /// files change, or none.
    pub(super) fn change<T>(
        &self,
        job: &Job,
        paths: &[FilePath],
        folders: Folders,
        decide: impl FnOnce(&[Before]) -> Result<(Vec<New>, T), Failed>,
    ) -> Result<T, Failed> {
        let permit = self.root.permit(&job.needs);
        for path in paths {
            permit.write(path)?;
        }
        let places = paths.iter().map(|path| self.root.place_to_write(path, folders));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let _lock = Lock::hold(&places.iter().collect::<Vec<_>>())?;
        let held = places.into_iter().map(|place| self.hold(place)).collect::<Result<Vec<_>, _>>()?;
        let (befores, rest): (Vec<Before>, Vec<_>) =
            held.into_iter().map(|held| (held.before, (held.place, held.expect, held.mode))).unzip();
        let (news, answer) = decide(&befores)?;
        let mut done = Vec::new();
        for ((before, (place, expect, mode)), new) in befores.iter().zip(&rest).zip(&news) {
            let moved = match new {
                New::Moved(_, from) => rest.get(*from).map(|(_, _, mode)| *mode),
                New::Bytes(_) | New::Nothing => None,
            };
            let held = Standing { before, expect: *expect, mode: *mode };
            if let Err(error) = self.put(job, place, &held, moved, new) {
                roll_back(&done);
                return Err(error);
            }
            done.push((place, before, *mode));
        }
        Ok(answer)
    }

    fn hold(&self, place: Place) -> Result<Held, Failed> {
        let Some(opened) = place.read_if_there()? else {
            let before = Before { bytes: None, recalled: Recalled::Unseen };
            return Ok(Held { place, before, expect: Expect::Absent, mode: 0 });
        };
        let bytes = opened.bytes(MOST_BYTES)?;
        // A program that writes without asking would be seen here, or when the file is replaced.
        if opened.now()? != opened.stamp() {
            return Err(RootError::Changed { path: place.path().to_string() }.into());
        }
        // The remembered content does not change: the refusal stays until the file is read again.
        let recalled = self.recall(place.path(), &bytes);
        if recalled == Recalled::Changed {
            return Err(RootError::Changed { path: place.path().to_string() }.into());
        }
        let (expect, mode) = (Expect::Same(opened.stamp()), opened.stamp().mode());
        Ok(Held { place, before: Before { bytes: Some(bytes), recalled }, expect, mode })
    }

    fn put(
        &self,
        job: &Job,
        place: &Place,
        held: &Standing<'_>,
        moved: Option<u32>,
        new: &New,
    ) -> Result<(), Failed> {
        let Standing { before, expect, mode } = *held;
        let after = match new {
            New::Bytes(bytes) | New::Moved(bytes, _) if bytes.len() as u64 > MOST_BYTES => {
                let path = place.path();
                return Err(told(format!(
                    "`{path}` would have {} bytes; the most is {MOST_BYTES}",
                    bytes.len()
                )));
            }
            New::Bytes(bytes) | New::Moved(bytes, _) => Some(bytes.as_slice()),
            New::Nothing => None,
        };
        let before = before.bytes.as_deref().map(|bytes| (bytes, mode));
        let keep = |undo: &Undo| undo.keep(job.key, self.root.at(), place.path(), before, after);
        let kept = self.undo.as_ref().map(keep).transpose()?;
        let changed = match (after, expect) {
            (Some(bytes), expect) => place.replace(bytes, expect, moved),
            (None, Expect::Same(stamp)) => place.remove(stamp),
            (None, Expect::Absent) => Err(RootError::Missing { path: place.path().to_string() }),
        };
        if let Err(error) = changed {
            if let Some(kept) = kept {
                kept.forget();
            }
            return Err(error.into());
        }
        match after {
            Some(bytes) => self.saw(place.path(), bytes),
            None => self.forget(place.path()),
        }
        Ok(())
    }
}

/// Restores the files that were changed before a later one failed. The lock is still held, so
/// other processes have seen the change only for a moment. If restoring fails too, the undo
/// records have all contents.
fn roll_back(done: &[(&Place, &Before, u32)]) {
    for (place, before, mode) in done.iter().rev() {
        let now = match place.read_if_there() {
            Ok(Some(opened)) => Expect::Same(opened.stamp()),
            Ok(None) => Expect::Absent,
            Err(_) => continue,
        };
        let _ = match (&before.bytes, now) {
            (Some(bytes), now) => place.replace(bytes, now, Some(*mode)),
            (None, Expect::Same(stamp)) => place.remove(stamp),
            (None, Expect::Absent) => Ok(()),
        };
    }
}
