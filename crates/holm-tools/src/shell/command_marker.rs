//! Files that tell the next start of Holm which commands were not checked. The process that runs a
//! command writes one before the command and removes it after the check. If the process is killed
//! in between, the file stays: the next start in that workspace finds it and checks then. A second
//! file beside it has what that check needs (`command_record_file.rs`); only the check reads it.
//!
//! A process holds a lock on the file as long as it lives, so files of living processes are told
//! from others. The files are not synced: after a loss of power, one may be missing. What is
//! checked and disabled is decided in `changes.rs`.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::Builder;

use super::changes::WorkspaceRecord;
use super::command_record_file::StoredCommandRecord;
use super::running_commands::RunningCommand;

/// The folder of the files in the data folder.
const FOLDER: &str = "running-commands";
/// How the name of a complete file ends. Until it is locked and written, it has another name.
const COMPLETE: &str = "command";
/// How the name of the file with the state before the command ends.
const RECORD: &str = "record";

/// Where this process writes its files; nowhere until a host says so.
static MARKERS: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Lets every command of this process leave a file in the data folder while it runs. If the file
/// cannot be written, the command runs without one.
pub fn keep_command_markers(data: &Path) {
    *MARKERS.lock().unwrap_or_else(PoisonError::into_inner) = Some(data.join(FOLDER));
}

/// Checks what commands in this workspace left whose processes were killed before the check, and
/// reports it in lines for the user. Blocks.
#[must_use]
pub fn settle_killed_commands(data: &Path, workspace: &Path) -> Vec<String> {
    let Ok(workspace) = workspace.canonicalize() else { return Vec::new() };
    let mut lines = Vec::new();
    for file in complete(&data.join(FOLDER)) {
        let Some((command, _lock)) = killed(&file) else { continue };
        if command.workspace == workspace {
            let before = fs::read(file.with_extension(RECORD)).ok();
            let before = before.and_then(|bytes| StoredCommandRecord::read(&bytes));
            lines.extend(WorkspaceRecord::settle_killed(&command, before));
            let _ = fs::remove_file(file.with_extension(RECORD));
            let _ = fs::remove_file(&file);
        }
    }
    lines
}

/// The running commands of all living processes that share this process's data folder. Those of
/// killed ones are checked at the next start in their workspace.
pub(super) fn commands_of_all_processes() -> Vec<RunningCommand> {
    let folder = MARKERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    folder.map(|folder| running_in(&folder)).unwrap_or_default()
}

fn running_in(folder: &Path) -> Vec<RunningCommand> {
    complete(folder).filter_map(|file| running(&file)).collect()
}

/// The command of a file whose process lives.
fn running(file: &Path) -> Option<RunningCommand> {
    let is_held = File::open(file).ok()?.try_lock().is_err();
    // A file that goes meanwhile belongs to a command that has been checked.
    if is_held { decode(&fs::read(file).ok()?) } else { None }
}

fn complete(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|end| end == COMPLETE))
}

/// The command of a file whose process is gone, with the lock that
/// keeps other processes from checking it too.
fn killed(file: &Path) -> Option<(RunningCommand, File)> {
    let open = File::open(file).ok()?;
    open.try_lock().ok()?;
    // Another process may have checked it in between, and removed the file.
    let command = decode(&fs::read(file).ok()?)?;
    Some((command, open))
}

/// The file of a running command. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct CommandMarker {
    path: PathBuf,
    /// Locked as long as the process lives.
    _lock: File,
}

impl CommandMarker {
    /// Writes the file. Returns `None` if this process has no place for it.
    pub(super) fn write(command: &RunningCommand) -> Option<Self> {
        let folder = MARKERS.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Self::write_in(&folder, command).ok()
    }

    fn write_in(folder: &Path, command: &RunningCommand) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut file = Builder::new().prefix("command-").suffix(".new").tempfile_in(folder)?;
        file.as_file().lock()?;
        file.write_all(&encode(command))?;
        let path = file.path().with_extension(COMPLETE);
        let lock = file.persist_noclobber(&path)?;
        Ok(Self { path, _lock: lock })
    }

    /// Writes the state before the command, which has not started yet. Without it, the check after
    /// a killed process finds new repositories alone.
    pub(super) fn keep(&self, record: &[u8]) {
        let new = self.path.with_extension("new");
        if fs::write(&new, record).and_then(|()| fs::rename(&new, self.path.with_extension(RECORD))).is_err()
        {
            let _ = fs::remove_file(&new);
        }
    }
}

impl Drop for CommandMarker {
    fn drop(&mut self) {
        // One that cannot be removed costs the next start a check.
        let _ = fs::remove_file(self.path.with_extension(RECORD));
        let _ = fs::remove_file(&self.path);
    }
}

/// Each path with a letter before it that says which list it is in, and a zero
/// byte after it, which no path contains.
fn encode(command: &RunningCommand) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |list: u8, path: &Path| {
        bytes.push(list);
        bytes.extend_from_slice(path.as_os_str().as_bytes());
        bytes.push(0);
    };
    add(b'w', &command.workspace);
    command.roots.iter().for_each(|path| add(b'r', path));
    command.known.iter().for_each(|path| add(b'k', path));
    command.held.iter().for_each(|path| add(b'h', path));
    bytes
}

/// Returns `None` if the bytes are not those of a complete file.
fn decode(bytes: &[u8]) -> Option<RunningCommand> {
    let mut command = RunningCommand::default();
    for part in bytes.strip_suffix(&[0])?.split(|byte| *byte == 0) {
        let (list, path) = part.split_first()?;
        let path = PathBuf::from(OsString::from_vec(path.to_vec()));
        match list {
            b'w' => command.workspace = path,
            b'r' => command.roots.push(path),
            b'k' => drop(command.known.insert(path)),
            b'h' => drop(command.held.insert(path)),
            _ => return None,
        }
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};
    use std::os::unix::fs::symlink;

    use super::super::command_record_file::RecordWriter;
    use super::super::git_history_record::GitHistoryRecord;
    use super::super::guarded_paths::CommandGuards;
    use super::super::held_links::HeldLinks;
    use super::*;

    fn command(work: &Path, known: &[&str]) -> RunningCommand {
        RunningCommand {
            workspace: work.to_owned(),
            roots: vec![work.to_owned()],
            known: known.iter().map(|name| work.join(name)).collect(),
            held: HashSet::from([work.join("held")]),
        }
    }

    fn arm(git: &Path) {
        fs::create_dir_all(git).unwrap();
        fs::write(git.join("config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
    }

    fn is_armed(git: &Path) -> bool {
        fs::read_to_string(git.join("config")).unwrap().contains("evil")
    }

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let odd = PathBuf::from(OsString::from_vec(b"/w/\xff\n".to_vec()));
        let mut written = command(Path::new("/w"), &["a/.git", "b.git"]);
        written.known.insert(odd);
        let bytes = encode(&written);
        assert_eq!(decode(&bytes).as_ref(), Some(&written));
        for broken in [&b""[..], b"x/w\0", b"\0", bytes.strip_suffix(&[0]).unwrap()] {
            assert_eq!(decode(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn a_repository_of_a_killed_command_is_disabled_at_the_next_start_and_the_users_own_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let (data, work) = (folder.path().join("data"), folder.path().join("work"));
        for made in [data.join(FOLDER), work.join("mine"), work.join("held")] {
            fs::create_dir_all(made).unwrap();
        }
        let work = work.canonicalize().unwrap();
        arm(&work.join("mine/.git"));
        let marker = CommandMarker::write_in(&data.join(FOLDER), &command(&work, &["mine/.git"])).unwrap();
        arm(&work.join("new/.git"));
        arm(&work.join("held/in/.git"));
        assert_eq!(settle_killed_commands(&data, &work), [""; 0], "its process lives");
        let [other] = &running_in(&data.join(FOLDER))[..] else { panic!("one command runs") };
        assert!(other.may_have_made(&work.join("new/.git")), "another process must not trust it");
        assert!(!other.may_have_made(&work.join("mine/.git")));
        // As if the process had been killed: the lock goes, and the file stays.
        let (path, beside) = (marker.path.clone(), marker.path.with_extension(RECORD));
        symlink("to", work.join("link")).unwrap();
        let mut links = HeldLinks::default();
        links.add(&work.join("link"));
        marker.keep(&RecordWriter::write(
            0,
            (&CommandGuards::default(), &BTreeSet::new()),
            &links,
            &GitHistoryRecord::default(),
        ));
        let kept = [&path, &beside].map(|file| (file.clone(), fs::read(file).unwrap()));
        drop(marker);
        assert!(!path.exists() && !beside.exists(), "both files go with the command");
        kept.iter().for_each(|(file, bytes)| fs::write(file, bytes).unwrap());
        fs::remove_file(work.join("link")).unwrap();
        fs::create_dir(work.join("link")).unwrap();
        assert_eq!(running_in(&data.join(FOLDER)), [], "its process is gone");
        assert_eq!(settle_killed_commands(&data, folder.path()), [""; 0], "it ran in another workspace");
        let lines = settle_killed_commands(&data, &work);
        assert!(lines.iter().any(|line| line.starts_with("new: Holm disabled")), "{lines:?}");
        assert!(!is_armed(&work.join("new/.git")), "{lines:?}");
        assert!(is_armed(&work.join("mine/.git")) && is_armed(&work.join("held/in/.git")), "{lines:?}");
        assert!(work.join("link").is_symlink(), "{lines:?}");
        assert!(!path.exists() && !beside.exists());
        assert_eq!(settle_killed_commands(&data, &work), [""; 0], "it is checked once");
    }
}
