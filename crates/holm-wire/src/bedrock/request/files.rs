//! Writes images and documents for Converse, in the few types that the service supports. Text
//! files become text, and everything else is described in text.
//!
//! It fetches nothing: the service reads only bytes in the request and locations in its own storage
//! (`s3://`). The bytes come from `media.rs`. The names of documents must be unique in a
//! conversation.
//!
//! The rest of a request is written in `bedrock/request.rs`.

use alloc::{format, string::String, vec::Vec};

use holm_kernel::{Media, MessageId};

use super::write_text;
use crate::{
    MediaSource,
    media::{MediaLocation, as_text, describe, resolve},
    write::ObjectWriter,
};

/// The longest part of a file's name that is kept.
const MAX_NAME: usize = 80;

/// Creates names for the documents of one message. Names must be unique in a conversation, so a
/// name ends with the message's number and its own.
#[derive(Debug)]
pub(super) struct DocumentNames {
    message: MessageId,
    count: u64,
}

impl DocumentNames {
    pub(super) const fn new(message: MessageId) -> Self {
        Self { message, count: 0 }
    }

    /// Whether a document has been named.
    pub(super) const fn used(&self) -> bool {
        self.count > 0
    }

    /// A name of the characters that the service allows: letters, digits, single
    /// spaces, hyphens and brackets.
    fn next(&mut self, name: &str) -> String {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']');
        let clean: String = name.chars().take(MAX_NAME).map(|c| if allowed(c) { c } else { ' ' }).collect();
        let words: Vec<&str> = clean.split_ascii_whitespace().collect();
        self.count = self.count.saturating_add(1);
        format!("{} {}-{}", words.join(" "), self.message.value(), self.count).trim_start().into()
    }
}

pub(super) fn write_image(image: &Media, media: &dyn MediaSource, out: &mut Vec<u8>) {
    let format = match image.media_type.as_str() {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpeg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => return write_text(&describe(image), out),
    };
    match source(&resolve(image, media)) {
        Some(source) => write_source("image", format, None, &source, out),
        None => write_text(&describe(image), out),
    }
}

/// A text file is sent as text, which every model accepts. Other files are sent as a document, if
/// the service supports their type.
pub(super) fn write_file(
    file: &Media,
    media: &dyn MediaSource,
    names: &mut DocumentNames,
    out: &mut Vec<u8>,
) {
    let found = resolve(file, media);
    if let MediaLocation::Base64(data) = &found
        && let Some(text) = as_text(&file.media_type, data)
    {
        let name = file.name.as_deref().unwrap_or("file");
        return write_text(&format!("The file {name:?}:\n{text}"), out);
    }
    let format = match file.media_type.as_str() {
        "application/pdf" => "pdf",
        "application/msword" => "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.ms-excel" => "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        _ => return write_text(&describe(file), out),
    };
    match source(&found) {
        Some(source) => {
            let name = names.next(file.name.as_deref().unwrap_or("document"));
            write_source("document", format, Some(&name), &source, out);
        }
        None => write_text(&describe(file), out),
    }
}

/// Bytes, or a location in the provider's own storage. The service fetches
/// nothing from other places.
fn source(found: &MediaLocation<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::open(&mut out);
    match found {
        MediaLocation::Base64(data) => object.string("bytes", data),
        MediaLocation::Url(url) if url.starts_with("s3://") => {
            if let Some(out) = object.member("s3Location") {
                let mut location = ObjectWriter::open(out);
                location.string("uri", url);
                location.close();
            }
        }
        MediaLocation::Url(_) | MediaLocation::Missing => return None,
    }
    object.close();
    Some(out)
}

fn write_source(kind: &str, format: &str, name: Option<&str>, source: &[u8], out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member(kind) {
        let mut inner = ObjectWriter::open(out);
        inner.string("format", format);
        if let Some(name) = name {
            inner.string("name", name);
        }
        inner.raw("source", source);
        inner.close();
    }
    object.close();
}
