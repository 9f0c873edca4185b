//! Files that anybody may have put where Holm looks, also before somebody trusts them. A pipe is not waited for, and a device that
//! never ends is not read.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use crate::MOST_FILE_BYTES;

/// The bytes of a plain file, also where a link leads to it.
///
/// # Errors
/// What the system says; or that it is no plain file, or larger than [`MOST_FILE_BYTES`].
pub fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    read_plain_within(path, MOST_FILE_BYTES)
}

/// The same of a file that is a text.
///
/// # Errors
/// As [`read_plain`], or that it is no text.
pub fn read_plain_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_plain(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text"))
}

/// The bytes of a plain file that may be larger than what a person writes, such as a program.
///
/// # Errors
/// What the system says; or that it is no plain file, or larger than `most` bytes.
pub fn read_plain_within(path: &Path, most: u64) -> io::Result<Vec<u8>> {
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
        return Err(io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests;
