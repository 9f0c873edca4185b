//! Pictures, sounds and documents of `--media`, in the form that a model gets. The type comes from
//! the first bytes, or from the user. Whether a model accepts it is decided in
//! `model/media_support.rs`; the chat reads its files in `chat/attachments.rs`. Files are bounded
//! in size.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    str::FromStr,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use holm::kernel::{Block, Media, Source};

use crate::exit::{CommandError, CommandExit};
use crate::screen::DisplayablePath as _;

/// The largest file: no provider takes a larger one in a request.
const MOST_BYTES: u64 = 20 << 20;

/// How the files begin whose types are seen: the bytes, where they stand, and the type.
const BEGINNINGS: [(&[u8], usize, &str); 11] = [
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
    (b"%PDF-", 0, "application/pdf"),
    (b"WAVE", 8, "audio/wav"),
    (b"ID3", 0, "audio/mpeg"),
    (b"\xff\xfb", 0, "audio/mpeg"),
    (b"OggS", 0, "audio/ogg"),
    (b"fLaC", 0, "audio/flac"),
    (b"ftypM4A", 4, "audio/mp4"),
];

/// A media file that is attached to a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PromptAttachment {
    /// Its media type, if the user named it.
    kind: Option<String>,
    path: PathBuf,
}

impl FromStr for PromptAttachment {
    type Err = String;

    /// A path, or a type and a path with a semicolon between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let said = text.split_once(';').filter(|(kind, _)| is_type(kind));
        let (kind, path) = said.map_or((None, text), |(kind, path)| (Some(kind.to_ascii_lowercase()), path));
        if path.is_empty() {
            return Err("it names no file".into());
        }
        Ok(Self { kind, path: path.into() })
    }
}

impl PromptAttachment {
    pub(super) fn read(&self, work: &Path) -> Result<Block, CommandError> {
        let shown = self.path.shown();
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                CommandError::new(CommandExit::Missing, format!("there is no file {shown}"))
            }
            _ => CommandError::new(CommandExit::Usage, format!("the file {shown} cannot be read: {error}")),
        };
        let file = File::open(work.join(&self.path)).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.is_empty() || bytes.len() as u64 > MOST_BYTES {
            let message = format!("the file {shown} is empty, or larger than {} MiB", MOST_BYTES >> 20);
            return Err(CommandError::new(CommandExit::Usage, message));
        }
        let Some(kind) = self.kind.clone().or_else(|| seen(&bytes).map(str::to_owned)) else {
            let trouble = CommandError::new(
                CommandExit::Usage,
                format!("the file {shown} is not a picture, sound or PDF file that Holm recognises"),
            );
            let text = std::str::from_utf8(&bytes).is_ok();
            let hint = if text {
                "to add a text file, use -f".to_owned()
            } else {
                format!("say what it is: --media \"audio/aac;{shown}\"")
            };
            return Err(trouble.hint(hint));
        };
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_picture = kind.starts_with("image/");
        let media = Media { media_type: kind, source: Source::Base64(STANDARD.encode(&bytes)), name };
        Ok(if is_picture { Block::Image(media) } else { Block::File(media) })
    }
}

/// The type of a file that begins so.
fn seen(bytes: &[u8]) -> Option<&'static str> {
    let begins = |(sign, at, _): &&(&[u8], usize, &'static str)| {
        bytes.get(*at..).is_some_and(|rest| rest.starts_with(sign))
    };
    BEGINNINGS.iter().find(begins).map(|(_, _, kind)| *kind)
}

/// Whether a text is a type such as `image/png`.
fn is_type(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
    };
    let known = ["image", "audio", "video", "application", "text"];
    text.split_once('/').is_some_and(|(family, kind)| known.contains(&family) && is_word(kind))
}

#[cfg(test)]
mod tests;
