//! What a check after a command needs to know of the time before it, as bytes. They lie beside the
//! marker of the command (`command_marker.rs`), so that the check can follow after Holm was killed.
//!
//! Stamps of files are not kept: a file that changed since the command began counts as changed by
//! it. The check itself is in `changes.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::git_history_record::{GitFile, GitHistoryRecord, RepositoryRecord};
use super::git_snapshot::GitSnapshot;
use super::guarded_paths::CommandGuards;
use super::held_links::HeldLinks;
use crate::root::autorun;

/// The state before a command, as far as it is kept.
#[derive(Debug, Default)]
pub(super) struct StoredCommandRecord {
    /// The second in which the command began.
    pub(super) began: i64,
    pub(super) guards: CommandGuards,
    /// Git folders that it could write.
    pub(super) written: BTreeSet<PathBuf>,
    pub(super) links: HeldLinks,
    pub(super) history: GitHistoryRecord,
}

/// Writes the parts of a record: each with a letter before it, and a zero byte after it, which no
/// path and no name of git contains.
#[derive(Debug, Default)]
pub(super) struct RecordWriter {
    bytes: Vec<u8>,
}

impl RecordWriter {
    fn add(&mut self, kind: u8, part: impl AsRef<OsStr>) {
        self.bytes.push(kind);
        self.bytes.extend_from_slice(part.as_ref().as_bytes());
        self.bytes.push(0);
    }

    /// Writes the state before a command.
    pub(super) fn write(
        began: i64,
        (guards, written): (&CommandGuards, &BTreeSet<PathBuf>),
        links: &HeldLinks,
        history: &GitHistoryRecord,
    ) -> Vec<u8> {
        let mut to = Self::default();
        to.add(b'b', began.to_string());
        guards.patterns.iter().for_each(|pattern| to.add(b'p', pattern));
        guards.paths.iter().for_each(|path| to.add(b'g', path));
        written.iter().for_each(|path| to.add(b'w', path));
        for (link, text) in links.iter() {
            to.add(b'L', link);
            to.add(b't', text);
        }
        history.repositories().iter().for_each(|repository| to.write_repository(repository));
        to.bytes
    }

    fn write_repository(&mut self, repository: &RepositoryRecord) {
        self.add(b'R', &repository.folder.common);
        let before = &repository.before;
        for (name, value) in &before.refs {
            self.add(b'n', name);
            self.add(b'v', value);
        }
        for (kind, files) in [(b's', &before.states), (b'l', &before.logs)] {
            for (file, objects) in files {
                self.add(kind, file);
                objects.iter().for_each(|object| self.add(b'o', object));
            }
        }
        before.unread.iter().for_each(|file| self.add(b'u', file));
        for (index, entries) in &repository.staged {
            self.add(b'i', index);
            for entry in entries {
                self.add(b'm', format!("{} {}", entry.mode, entry.object));
                self.add(b'f', &entry.path);
            }
        }
    }
}

/// One repository while it is read.
#[derive(Debug, Default)]
struct StoredRepository {
    common: PathBuf,
    before: GitSnapshot,
    staged: BTreeMap<PathBuf, BTreeSet<GitFile>>,
}

/// The part that the next one belongs to.
enum OpenPart {
    None,
    Link(PathBuf),
    Ref(String),
    State(PathBuf),
    Log(PathBuf),
    Index(PathBuf),
    Entry(PathBuf, String, String),
}

impl StoredCommandRecord {
    /// Reads what [`RecordWriter::write`] wrote. Returns `None` if the bytes are not complete.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut record = Self::default();
        let mut all: Vec<StoredRepository> = Vec::new();
        let mut open = OpenPart::None;
        for part in bytes.strip_suffix(&[0])?.split(|byte| *byte == 0) {
            let (kind, part) = part.split_first()?;
            let path = || PathBuf::from(OsStr::from_bytes(part));
            let text = || String::from_utf8_lossy(part).into_owned();
            match kind {
                b'b' => record.began = text().parse().ok()?,
                b'p' => record.guards.patterns.extend(pattern(&text())),
                b'g' => drop(record.guards.paths.insert(path())),
                b'w' => drop(record.written.insert(path())),
                b'L' => open = OpenPart::Link(path()),
                b't' => {
                    let OpenPart::Link(link) = &open else { return None };
                    record.links.insert(link, &path());
                }
                b'R' => all.push(StoredRepository { common: path(), ..StoredRepository::default() }),
                _ => open = all.last_mut()?.read(*kind, part, open)?,
            }
        }
        let repositories = all.into_iter().map(|stored| {
            RepositoryRecord::stored(&stored.common, stored.before, stored.staged, record.began)
        });
        record.history = GitHistoryRecord::of(repositories.collect());
        Some(record)
    }
}

impl StoredRepository {
    /// Reads one part, and returns the one that the next belongs to.
    fn read(&mut self, kind: u8, part: &[u8], open: OpenPart) -> Option<OpenPart> {
        let path = || PathBuf::from(OsStr::from_bytes(part));
        let text = || String::from_utf8_lossy(part).into_owned();
        Some(match (kind, open) {
            (b'n', _) => OpenPart::Ref(text()),
            (b'v', OpenPart::Ref(name)) => {
                self.before.refs.insert(name, text());
                OpenPart::None
            }
            (b's', _) => {
                self.before.states.entry(path()).or_default();
                OpenPart::State(path())
            }
            (b'l', _) => {
                self.before.logs.entry(path()).or_default();
                OpenPart::Log(path())
            }
            (b'o', OpenPart::State(file)) => {
                self.before.states.entry(file.clone()).or_default().insert(text());
                OpenPart::State(file)
            }
            (b'o', OpenPart::Log(file)) => {
                self.before.logs.entry(file.clone()).or_default().insert(text());
                OpenPart::Log(file)
            }
            (b'u', _) => {
                self.before.unread.insert(path());
                OpenPart::None
            }
            (b'i', _) => {
                self.staged.entry(path()).or_default();
                OpenPart::Index(path())
            }
            (b'm', OpenPart::Index(index)) => {
                let (mode, object) = text().split_once(' ').map(|(m, o)| (m.to_owned(), o.to_owned()))?;
                OpenPart::Entry(index, mode, object)
            }
            (b'f', OpenPart::Entry(index, mode, object)) => {
                let file = GitFile { path: path(), mode, object };
                self.staged.entry(index.clone()).or_default().insert(file);
                OpenPart::Index(index)
            }
            _ => return None,
        })
    }
}

/// The pattern of the table with this text.
fn pattern(text: &str) -> Option<&'static str> {
    autorun::table().map(|row| row.pattern).find(|pattern| *pattern == text)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::ffi::OsStringExt as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_a_broken_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join("r/.git");
        fs::create_dir_all(&git).unwrap();
        let link = folder.path().join("link");
        symlink("to", &link).unwrap();
        let mut links = HeldLinks::default();
        links.add(&link);
        let odd = PathBuf::from(OsString::from_vec(b"/w/\xff\n".to_vec()));
        let file = |name: &str| GitFile { path: name.into(), mode: "100755".into(), object: "a1".repeat(20) };
        let mut before = GitSnapshot::default();
        before.refs.insert("HEAD".into(), "ref: refs/heads/main".into());
        before.refs.insert("refs/heads/main".into(), "b2".repeat(20));
        before.states.insert(git.join("ORIG_HEAD"), BTreeSet::from(["c3".repeat(20)]));
        before.logs.insert(git.join("logs/HEAD"), BTreeSet::from(["d4".repeat(20), "e5".repeat(20)]));
        before.logs.insert(git.join("logs/refs/stash"), BTreeSet::new());
        before.unread.insert(git.join("packed-refs"));
        let staged = BTreeMap::from([
            (git.join("index"), BTreeSet::from([file(".husky/a"), file("b c")])),
            (git.join("worktrees/w/index"), BTreeSet::new()),
        ]);
        let history =
            GitHistoryRecord::of(vec![RepositoryRecord::stored(&git, before.clone(), staged.clone(), 7)]);
        let guards = CommandGuards { patterns: HashSet::from([".vscode/"]), paths: HashSet::from([odd]) };
        let written = BTreeSet::from([git.clone()]);
        let bytes = RecordWriter::write(7, (&guards, &written), &links, &history);
        let read = StoredCommandRecord::read(&bytes).unwrap();
        assert_eq!((read.began, &read.written), (7, &written));
        assert_eq!((&read.guards.patterns, &read.guards.paths), (&guards.patterns, &guards.paths));
        assert_eq!(read.links.iter().collect::<Vec<_>>(), links.iter().collect::<Vec<_>>());
        let [repository] = read.history.repositories() else { panic!("one repository") };
        assert_eq!((&repository.folder.common, &repository.staged), (&git, &staged));
        assert_eq!(repository.before, before);
        for broken in [&b""[..], b"x\0", b"vx\0", bytes.strip_suffix(&[0]).unwrap()] {
            assert!(StoredCommandRecord::read(broken).is_none(), "{broken:?}");
        }
    }
}
