//! How many bytes a record takes, once everything was closed and nothing waits in a log.

use std::{fs, path::Path};

use holm_runtime::Durability;
use serde::Serialize;

use crate::{keepers::Way, scratch};

/// What one way takes on the disk.
#[derive(Debug, Clone, Serialize)]
pub struct Size {
    /// Who keeps the lines.
    pub system: &'static str,
    /// Records that were kept.
    pub records: u64,
    /// Bytes of a line, with its end.
    pub line_bytes: f64,
    /// Bytes of a record on the disk.
    pub record_bytes: f64,
}

/// Keeps all lines as one journal, in every way.
pub fn all(lines: &[String]) -> Vec<Size> {
    let count = lines.len().max(1) as f64;
    let line_bytes = lines.iter().map(String::len).sum::<usize>() as f64 / count;
    let size = |way: Way| {
        let folder = scratch::folder(&format!("size-{}", way.name()));
        // What is dropped is closed: the last connection empties the log.
        way.open(&folder, Durability::Written).append(0, lines);
        let record_bytes = bytes(&folder) as f64 / count;
        Size { system: way.name(), records: lines.len() as u64, line_bytes, record_bytes }
    };
    Way::ALL.into_iter().map(size).collect()
}

/// Everything in a folder and below it.
fn bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes(&entry.path()),
        Ok(found) => found.len(),
        // Gone since it was listed.
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

#[cfg(test)]
mod tests;
