//! Files, words and the time.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    time::SystemTime,
};

use holm::tool;

use super::folder::{Refused, new_file, refused, straight};

/// What is read of one file: a model reads no disk image.
const MOST_BYTES: u64 = 4 << 20;

/// Entries of a folder that are listed.
const MOST_ENTRIES: usize = 10_000;

/// Lists the files and folders in a folder, one a line. Folders end with a slash.
#[tool(level = read_only, needs("read:{path}"), may_be_empty)]
pub(super) fn list_files(
    /// The folder, relative to where the command was started; `.` is that place itself.
    path: String,
) -> Result<String, Refused> {
    let folder = straight(&path)?;
    let entries = fs::read_dir(folder).map_err(|error| refused(&path, &error))?;
    let mut names = Vec::new();
    for entry in entries.take(MOST_ENTRIES) {
        let entry = entry.map_err(|error| refused(&path, &error))?;
        let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
        names.push(format!("{}{slash}", entry.file_name().to_string_lossy()));
    }
    names.sort();
    Ok(names.join("\n"))
}

/// Reads a text file, whole or some of its lines.
#[tool(level = read_only, needs("read:{path}"), shows_errors)]
pub(super) fn read_file(
    /// The file, relative to where the command was started.
    path: String,
    /// The first line wanted, counted from 1.
    from: Option<usize>,
    /// How many lines are wanted.
    lines: Option<usize>,
) -> Result<String, Refused> {
    let text = text_of(&path)?;
    if from.is_none() && lines.is_none() {
        return Ok(text);
    }
    let wanted = text.lines().skip(from.unwrap_or(1).saturating_sub(1)).take(lines.unwrap_or(usize::MAX));
    Ok(wanted.collect::<Vec<_>>().join("\n"))
}

/// Counts the lines, words and bytes of a text file.
#[tool(level = read_only, needs("read:{path}"))]
pub(super) fn count_words(
    /// The file, relative to where the command was started.
    path: String,
) -> Result<String, Refused> {
    let text = text_of(&path)?;
    let (lines, words, bytes) = (text.lines().count(), text.split_whitespace().count(), text.len());
    Ok(format!("{lines} lines, {words} words, {bytes} bytes"))
}

/// Writes a new text file. A file that is there already is left as it is, and the call fails.
#[tool(level = write, needs("write:{path}"))]
pub(super) fn write_file(
    /// The file, relative to where the command was started.
    path: String,
    /// What it shall hold.
    text: String,
) -> Result<String, Refused> {
    let place = new_file(&path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(place);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| refused(&path, &error))?;
    Ok(format!("{} bytes are in {path} now", text.len()))
}

/// Tells the date and the time, in UTC.
#[tool(level = none)]
pub(super) fn now() -> String {
    let time = jiff::Timestamp::try_from(SystemTime::now()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%A, %Y-%m-%d %H:%M:%S UTC").to_string()
}

fn text_of(path: &str) -> Result<String, Refused> {
    let mut bytes = Vec::new();
    let file = File::open(straight(path)?).map_err(|error| refused(path, &error))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| refused(path, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
