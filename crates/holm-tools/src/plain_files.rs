//! Reads files that another user may have planted. It does not wait for a pipe, does not read from
//! a device that never ends, and reads at most a given number of bytes. Links are followed: callers
//! that must not follow them use `root/` for a workspace, or `trust/place.rs` for files of a
//! project.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// Opens a plain file, also where a link leads to it.
///
/// # Errors
/// The system's error, or that it is not a plain file.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

/// All bytes of a file that was opened.
///
/// # Errors
/// The system's error; or [`FileTooLarge`](io::ErrorKind::FileTooLarge) if it is
/// larger than `most` bytes.
pub fn read_within(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it is larger than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The bytes of a plain file, also where a link leads to it.
///
/// ```
/// use holm_tools::plain_files::read_plain_within;
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(file.path(), "four")?;
/// assert_eq!(read_plain_within(file.path(), 4)?, b"four");
/// assert!(read_plain_within(file.path(), 3).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// As [`open_plain`] and [`read_within`].
pub fn read_plain_within(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_within(open_plain(path)?, most)
}

#[cfg(all(test, unix))]
mod tests;
