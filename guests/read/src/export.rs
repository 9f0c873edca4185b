//! Exports the guest as the world `holm:tool`.

use guest_kit::text::exports::holm::tool::{call, description};

use crate::source::{FileChunk, RemainingBytes, ByteSource};
use crate::tool::{TOOL, work};
use crate::wasi::{SystemErrno, FileHandle, directories};

struct ReadGuest;

impl call::Guest for ReadGuest {
    fn run(input: String) -> Result<String, String> {
        guest_kit::answer(&TOOL, &input, |values| work(values, open))
    }
}

impl description::Guest for ReadGuest {
    fn describe() -> String {
        guest_kit::description(&TOOL)
    }
}

guest_kit::text::export!(ReadGuest with_types_in guest_kit::text);

struct GuestFile(FileHandle);

/// The size of the first read: most files whole, and it fits into the memory that the guest
/// has from the start.
const FIRST: usize = 16 << 10;

impl ByteSource for GuestFile {
    fn read(&mut self, offset: u64, length: usize) -> Result<FileChunk, String> {
        let room = if offset == 0 { length.min(FIRST) } else { length };
        let mut bytes = Vec::with_capacity(room);
        // Until the buffer is full or a read is empty: not every file system returns everything at
        // once.
        while bytes.len() < bytes.capacity() {
            let read = self.0.read(offset + bytes.len() as u64, &mut bytes).map_err(SystemErrno::said)?;
            if read == 0 {
                return Ok(FileChunk { bytes, rest: RemainingBytes::Nothing });
            }
        }
        Ok(bytes.into())
    }
}

/// Opens a path beneath the directory whose name is its longest prefix.
fn open(path: &str) -> Result<Box<dyn ByteSource>, String> {
    let best = directories()
        .filter_map(|(directory, name)| Some((directory, beneath(&name, path)?)))
        .min_by_key(|(_, rest)| rest.len());
    let Some((directory, rest)) = best else {
        return Err("this tool was not granted any file".to_owned());
    };
    let rest = if rest.is_empty() { "." } else { rest };
    let file = directory.open(rest).map_err(SystemErrno::said)?;
    Ok(Box::new(GuestFile(file)))
}

/// The rest of a path beneath a directory. A relative path is beneath the first of all, which is
/// called `/` or `.`.
fn beneath<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    if matches!(directory, "/" | ".") {
        return Some(path.trim_start_matches('/'));
    }
    let rest = path.strip_prefix(directory)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
}
