//! Prepares images and files for a request: finds their bytes, describes what cannot be sent, and
//! decodes text files.
//!
//! It fetches nothing: the host's [`MediaSource`] has the bytes of stored files, and a URL is
//! passed on unchanged. Which types a service accepts is decided in the `request.rs` of each format
//! (for Bedrock in `bedrock/request/files.rs`). A missing file is described in text and is never an
//! error, because an old message must not end a run.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use holm_kernel::{Media, Source};

use crate::MediaSource;

/// Where the bytes of a file are, after asking the host's store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaLocation<'a> {
    Base64(Cow<'a, str>),
    Url(&'a str),
    Missing,
}

/// Looks up the bytes of a file.
pub fn resolve<'a>(media: &'a Media, source: &'a dyn MediaSource) -> MediaLocation<'a> {
    match &media.source {
        Source::Base64(data) => MediaLocation::Base64(Cow::Borrowed(data)),
        Source::Url(url) => MediaLocation::Url(url),
        Source::Reference(reference) => {
            source.base64(reference).map_or(MediaLocation::Missing, MediaLocation::Base64)
        }
    }
}

/// The text that the model reads if the format or the service does not support a file, or if its
/// bytes are gone. It is a plain statement, so that the model does not invent the content.
///
/// ```
/// use holm_kernel::{Media, Source};
///
/// let media = Media {
///     media_type: "image/png".into(),
///     source: Source::Url("https://x.test/a.png".into()),
///     name: None,
/// };
/// assert_eq!(
///     holm_wire::media::describe(&media),
///     "[a file (image/png) at https://x.test/a.png is not shown]"
/// );
/// ```
pub fn describe(media: &Media) -> String {
    let name =
        media.name.as_deref().map_or_else(|| String::from("a file"), |name| format!("the file {name:?}"));
    match &media.source {
        Source::Url(url) => format!("[{name} ({}) at {url} is not shown]", media.media_type),
        Source::Base64(_) | Source::Reference(_) => format!("[{name} ({}) is not shown]", media.media_type),
    }
}

pub fn data_url(media_type: &str, base64: &str) -> String {
    format!("data:{media_type};base64,{base64}")
}

/// Splits a `data:` URL into media type and base64. Other URLs stay unchanged.
pub fn from_url(url: &str, fallback_type: &str, name: Option<String>) -> Media {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (media_type, source) = inline.map_or_else(
        || (fallback_type, Source::Url(url.into())),
        |(media_type, data)| (media_type, Source::Base64(data.into())),
    );
    Media { media_type: media_type.into(), source, name }
}

/// The content of a text file, so that every model can read it. `None` for other kinds, and for
/// bytes that are not UTF-8.
///
/// ```
/// assert_eq!(holm_wire::media::as_text("text/csv", "YSxi").as_deref(), Some("a,b"));
/// assert_eq!(holm_wire::media::as_text("image/png", "YSxi"), None);
/// ```
pub fn as_text(media_type: &str, base64: &str) -> Option<String> {
    let kind = media_type.split(';').next().unwrap_or_default().trim();
    let textual = kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(kind, "application/json" | "application/xml" | "application/yaml" | "application/toml");
    if !textual {
        return None;
    }
    String::from_utf8(decode(base64)?).ok()
}

/// Decodes base64 in the standard or URL-safe alphabet, with or without padding.
fn decode(base64: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(base64.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in base64.trim_end_matches('=').bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(out)
}
