//! The declaration of the guest, and the work of one call.

use guest_kit::{GuestError, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};

use crate::page::{PageRange, page};
use crate::source::ByteSource;

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "read",
    about: "Reads a text file with numbered lines, page by page",
    keywords: "read, file, text, lines, page, view, cat",
    level: GuestToolLevel::ReadOnly,
    params: &[
        GuestParam::position("path", "The file to read"),
        GuestParam::number("offset", "1", "The first line to show, counted from 1"),
        GuestParam::number("limit", "2000", "How many lines to show"),
    ],
};

/// Does the work of one call. How a file is opened is the caller's.
///
/// # Errors
///
/// If the file cannot be read or is not text.
pub fn work(
    values: &ArgumentValues,
    open: impl FnOnce(&str) -> Result<Box<dyn ByteSource>, String>,
) -> Result<String, GuestError> {
    let path = values.need("path")?;
    let first = values.number("offset").unwrap_or(1).max(1);
    let lines = values.number("limit").unwrap_or(usize::MAX);
    let wrong = |why: String| GuestError::failed(format!("could not read {path}: {why}"));
    let mut source = open(path).map_err(wrong)?;
    page(source.as_mut(), PageRange { first, lines }).map_err(|fault| match fault {
        GuestError::Failed(why) => wrong(why),
        GuestError::Usage(_) | GuestError::Status(_) => fault,
    })
}
