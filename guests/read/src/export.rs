//! The guest in its world: files as WASI 0.2 has them, without a library between.

use guest_kit::text::exports::holm::tool::{call, description};
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{Descriptor, DescriptorFlags, ErrorCode, OpenFlags, PathFlags};

use crate::source::{Chunk, Rest, Source};
use crate::tool::{TOOL, work};

struct Guest;

impl call::Guest for Guest {
    fn run(input: String) -> Result<String, String> {
        guest_kit::answer(&TOOL, &input, |values| work(values, open))
    }
}

impl description::Guest for Guest {
    fn describe() -> String {
        guest_kit::description(&TOOL)
    }
}

guest_kit::text::export!(Guest with_types_in guest_kit::text);

struct File(Descriptor);

impl Source for File {
    fn read(&mut self, offset: u64, length: usize) -> Result<Chunk, String> {
        let (bytes, ends) = self.0.read(length as u64, offset).map_err(said)?;
        Ok(Chunk { bytes, rest: if ends { Rest::Nothing } else { Rest::Unknown } })
    }
}

/// Opens a path beneath the directory whose name is the longest beginning of it.
fn open(path: &str) -> Result<Box<dyn Source>, String> {
    let directories = get_directories();
    let best = directories
        .iter()
        .filter_map(|(directory, name)| Some((directory, beneath(name, path)?)))
        .min_by_key(|(_, rest)| rest.len());
    let Some((directory, rest)) = best else {
        return Err("this tool was not granted any file".to_owned());
    };
    let rest = if rest.is_empty() { "." } else { rest };
    directory
        .open_at(PathFlags::SYMLINK_FOLLOW, rest, OpenFlags::empty(), DescriptorFlags::READ)
        .map(|file| Box::new(File(file)) as Box<dyn Source>)
        .map_err(said)
}

/// The rest of a path beneath a directory. A relative path is beneath the first of all, which is called `/` or `.`.
fn beneath<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    if matches!(directory, "/" | ".") {
        return Some(path.trim_start_matches('/'));
    }
    let rest = path.strip_prefix(directory)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
}

fn said(error: ErrorCode) -> String {
    match error {
        ErrorCode::NoEntry => "there is no such file".to_owned(),
        ErrorCode::Access | ErrorCode::NotPermitted => "this tool was not granted that".to_owned(),
        ErrorCode::IsDirectory => "it is a folder".to_owned(),
        ErrorCode::NotDirectory => "a part of the path is no folder".to_owned(),
        other => other.message().to_owned(),
    }
}
