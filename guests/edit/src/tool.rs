//! The declaration of the guest, and the work of one call.

use std::fs;
use std::io::Write;

use guest_kit::{GuestError, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};

use crate::replace::{ReplaceCount, replace};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "edit",
    about: "Replaces an exact piece of text in a file; the piece must be found exactly once unless all are meant",
    keywords: "edit, replace, change, patch, file, text",
    level: GuestToolLevel::Write,
    params: &[
        GuestParam::position("path", "The file to change"),
        GuestParam::position("old", "The exact text to replace, with enough around it to be found once"),
        GuestParam::position("new", "The text to put there instead"),
        GuestParam::flag("all", "Replace every place where it is found"),
    ],
};

/// The largest file that is edited; larger ones are not text that a model wrote.
const MAX_FILE: u64 = 16 << 20;

/// Does the work of one call.
///
/// # Errors
///
/// If the file cannot be read or written, or the piece is not found as required.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let (path, old, new) = (values.need("path")?, values.need("old")?, values.need("new")?);
    let size = fs::metadata(path).map_err(|error| GuestError::io("read", path, &error))?.len();
    if size > MAX_FILE {
        return Err(GuestError::failed(format!("{path} has {size} bytes, which is more than can be edited")));
    }
    let bytes = fs::read(path).map_err(|error| GuestError::io("read", path, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| GuestError::failed(format!("{path} is no text")))?;
    let count = if values.flag("all") { ReplaceCount::All } else { ReplaceCount::One };
    let done = replace(&text, old, new, count).map_err(|why| GuestError::failed(format!("{path}: {why}")))?;
    guest_kit::replace(path, done.text.as_bytes()).map_err(|error| GuestError::io("write", path, &error))?;
    let places = if done.places == 1 { "1 place".to_owned() } else { format!("{} places", done.places) };
    writeln!(out, "changed {path} in {places}\n{}", done.around())
        .map_err(|error| GuestError::failed(error.to_string()))
}
