//! The current folder of the shell. The system has none for a guest, so the shell keeps one and
//! completes paths itself.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;

use super::state::ShellState;
use crate::io::IoHandle;

/// How a file is opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteMode {
    /// The old content is removed.
    Replace,
    Append,
    /// Creates the file; fails if it exists.
    Create,
}

impl ShellState {
    /// A path as the system takes it: absolute, without `.` and `..`.
    pub(crate) fn path(&self, path: &str) -> String {
        let joined =
            if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.directory) };
        let mut names: Vec<&str> = Vec::new();
        for name in joined.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop()),
                name => names.push(name),
            }
        }
        let plain = format!("/{}", names.join("/"));
        // A slash at the end marks a folder, which the system then checks.
        if path.ends_with('/') && plain != "/" { format!("{plain}/") } else { plain }
    }

    /// Changes the current folder.
    ///
    /// # Errors
    ///
    /// If there is no such folder.
    pub(crate) fn change_directory(&mut self, to: &str) -> Result<(), String> {
        let path = self.path(to);
        let path = if path.len() > 1 { path.trim_end_matches('/').to_owned() } else { path };
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => {}
            // The root exists even if nothing in it was granted.
            Err(_) if path == "/" => {}
            Ok(_) => return Err(format!("{to}: not a directory")),
            Err(error) => return Err(format!("{to}: {}", said(&error))),
        }
        let before = std::mem::replace(&mut self.directory, path.clone());
        self.vars.export_text("OLDPWD", before);
        self.vars.export_text("PWD", path);
        Ok(())
    }

    /// Opens a file to read, or the device of a name under `/dev`.
    pub(crate) fn open_read(&self, path: &str) -> io::Result<IoHandle> {
        if let Some(handle) = self.device(path, 0) {
            return Ok(handle);
        }
        let path = self.path(path);
        if fs::metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(IoHandle::reading(fs::File::open(path)?))
    }

    /// Opens a file to write.
    pub(crate) fn open_write(&self, path: &str, how: WriteMode) -> io::Result<IoHandle> {
        if let Some(handle) = self.device(path, 1) {
            return Ok(handle);
        }
        let mut options = OpenOptions::new();
        match how {
            WriteMode::Replace => options.write(true).create(true).truncate(true),
            WriteMode::Append => options.append(true).create(true),
            WriteMode::Create => options.write(true).create_new(true),
        };
        let file = options.open(self.path(path))?;
        Ok(IoHandle::Output(std::rc::Rc::new(std::cell::RefCell::new(file))))
    }

    fn device(&self, path: &str, tty: i32) -> Option<IoHandle> {
        let fd = match path {
            "/dev/null" => return Some(IoHandle::Null),
            "/dev/stdin" => 0,
            "/dev/stdout" => 1,
            "/dev/stderr" => 2,
            "/dev/tty" => tty,
            _ => {
                let number = path.strip_prefix("/dev/fd/")?.parse().ok()?;
                return self.made.get(&number).cloned().or_else(|| self.fds.find(number).cloned());
            }
        };
        Some(self.fds.get(fd))
    }

    /// Gives text a path under which it can be read once, as `<(…)` does.
    pub(crate) fn make_file(&mut self, text: Vec<u8>) -> String {
        // Far from the numbers that scripts use themselves.
        let number = self.made.keys().next_back().map_or(1_000, |last| last + 1);
        self.made.insert(number, IoHandle::text(text));
        format!("/dev/fd/{number}")
    }
}

/// Texts that have a path.
pub(crate) type InMemoryFiles = BTreeMap<i32, IoHandle>;

/// The system's error, in the words of other shells.
pub(crate) fn said(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "No such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "Permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "Is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "Not a directory".to_owned(),
        io::ErrorKind::AlreadyExists => "File exists".to_owned(),
        io::ErrorKind::DirectoryNotEmpty => "Directory not empty".to_owned(),
        _ => error.to_string(),
    }
}
