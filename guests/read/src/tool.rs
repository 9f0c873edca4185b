//! The declaration of the guest, and the work of one call.

use guest_kit::{Fault, Level, Param, Tool, Values};

use crate::page::{Page, page};
use crate::source::Source;

/// The declaration of the guest.
pub const TOOL: Tool = Tool {
    name: "read",
    about: "Reads a text file with numbered lines, page by page",
    keywords: "read, file, text, lines, page, view, cat",
    level: Level::ReadOnly,
    params: &[
        Param::position("path", "The file to read"),
        Param::number("offset", "1", "The first line to show, counted from 1"),
        Param::number("limit", "2000", "How many lines to show"),
    ],
};

/// Does the work of one call. How a file is opened is the caller's.
///
/// # Errors
///
/// If the file cannot be read or is not text.
pub fn work(
    values: &Values,
    open: impl FnOnce(&str) -> Result<Box<dyn Source>, String>,
) -> Result<String, Fault> {
    let path = values.need("path")?;
    let first = values.number("offset").unwrap_or(1).max(1);
    let lines = values.number("limit").unwrap_or(usize::MAX);
    let wrong = |why: String| Fault::failed(format!("could not read {path}: {why}"));
    let mut source = open(path).map_err(wrong)?;
    page(source.as_mut(), Page { first, lines }).map_err(|fault| match fault {
        Fault::Failed(why) => wrong(why),
        Fault::Usage(_) | Fault::Status(_) => fault,
    })
}
