//! Reads files that any program may have put where Holm looks, even before a user trusts them. It
//! accepts only plain files of a size that a person would write.

use std::{io, path::Path};

pub use holm_tools::plain_files::read_plain_within;

use crate::MOST_FILE_BYTES;

/// The bytes of a plain file; symbolic links are followed.
///
/// # Errors
/// The error of the system, or that it is not a plain file, or is larger than [`MOST_FILE_BYTES`].
pub fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    read_plain_within(path, MOST_FILE_BYTES)
}

/// The text of a plain file.
///
/// # Errors
/// As [`read_plain`], or that it is not text.
pub fn read_plain_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_plain(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests;
