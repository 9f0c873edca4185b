//! Writes text files.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use guest_kit::{GuestError, GuestToolLevel, GuestParam, GuestTool, ArgumentValues, make_folder_of, replace};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "write",
    about: "Writes text to a file, replacing what it held; folders that are missing are made",
    keywords: "write, file, create, save, append",
    level: GuestToolLevel::Write,
    params: &[
        GuestParam::position("path", "The file to write"),
        GuestParam::position("content", "The whole text"),
        GuestParam::flag("append", "Add to the end instead of replacing").short('a'),
        GuestParam::flag("new", "Fail where the file exists already"),
    ],
};

/// Does the work of one call.
///
/// # Errors
///
/// If the file may not or cannot be written.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let (path, content) = (values.need("path")?, values.need("content")?);
    let existed = Path::new(path).exists();
    if existed && values.flag("new") {
        return Err(GuestError::failed(format!("{path} exists already; leave out --new to replace it")));
    }
    let put = || if values.flag("append") { append(path, content) } else { replace(path, content.as_bytes()) };
    let written = match put() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_folder_of(path).map_err(|error| GuestError::io("make the folder of", path, &error))?;
            put()
        }
        done => done,
    };
    written.map_err(|error| GuestError::io("write", path, &error))?;
    let done = match (values.flag("append"), existed) {
        (_, false) => "created",
        (true, true) => "added to",
        (false, true) => "replaced",
    };
    let (bytes, lines) = (content.len(), content.lines().count());
    writeln!(out, "{done} {path}: {bytes} bytes, {lines} lines")
        .map_err(|error| GuestError::failed(error.to_string()))
}

fn append(path: &str, content: &str) -> io::Result<()> {
    fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(content.as_bytes())
}

#[cfg(test)]
mod tests;
