//! Images that models can look at: recognises them by their first bytes, and makes the part of a
//! result. The `read` tool (`read.rs`) opens the file; which files a user may attach to a prompt is
//! decided elsewhere (`holm-cli/src/prompt/media.rs`).

use base64::{Engine, engine::general_purpose::STANDARD};
use holm_kernel::{Block, Media, Source};

/// The largest picture that is shown: what providers take.
pub(super) const MOST_BYTES: usize = 5 * 1024 * 1024;

/// The media type of an image, by its first bytes; its file name is ignored.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The picture as a part of a result.
pub(super) fn block(bytes: &[u8], media_type: &str, name: &str) -> Block {
    Block::Image(Media {
        media_type: media_type.into(),
        source: Source::Base64(STANDARD.encode(bytes)),
        name: Some(name.into()),
    })
}
