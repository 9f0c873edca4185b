//! Translates what a user sends from an editor into a prompt: text, linked files, file contents
//! that the editor includes, pictures, and `/name` for a skill. Prompts from flags are built in
//! `prompt.rs`, those of the chat in `chat/attachments.rs`.
//!
//! It opens no file: a linked file stays a path, which the model reads with its own tools as far as
//! it may. Included content is fenced so that it cannot end the quotation. Content that the model
//! would not see is an error, because it would answer without it. Included content marks the session
//! as a tool that reads it would: it is private, and untrusted unless it is a file.

use std::borrow::Cow;

use agent_client_protocol::{
    Error,
    v1::schema::{ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent, ResourceLink},
};
use holm::kernel::{Block, Marks, Media, Prompt, Source};

use super::{call_display::fence, refusal::invalid};
use crate::{model::ModelMediaSupport, skills::RunSkills};

/// The prompt. A slash command of the user, `/name arguments`, becomes the text of the
/// skill with that name.
///
/// # Errors
/// The part of it that no model here accepts.
pub(super) fn prompt(
    said: Vec<ContentBlock>,
    takes: &ModelMediaSupport,
    skills: &RunSkills,
) -> Result<Prompt, Error> {
    let (mut words, mut attached, mut pictures) = (String::new(), Vec::new(), Vec::new());
    let mut marks = Marks::default();
    for block in said {
        match block {
            ContentBlock::Text(text) => words.push_str(&text.text),
            ContentBlock::ResourceLink(link) => words.push_str(&pointed(&link)),
            ContentBlock::Resource(EmbeddedResource { resource, .. }) => match resource {
                EmbeddedResourceResource::TextResourceContents(text) => {
                    marks = marks.join(included(Some(&text.uri)));
                    words.push_str(&format!("`{}`", path(&text.uri)));
                    attached.push((text.uri, text.text));
                }
                EmbeddedResourceResource::BlobResourceContents(blob) => {
                    marks = marks.join(included(Some(&blob.uri)));
                    let kind = blob.mime_type.unwrap_or_default();
                    pictures.push(picture(blob.blob, kind, Some(blob.uri))?);
                }
                _ => return Err(invalid("unknown kind of resource")),
            },
            ContentBlock::Image(ImageContent { data, mime_type, uri, .. }) => {
                marks = marks.join(included(uri.as_deref()));
                pictures.push(picture(data, mime_type, uri)?);
            }
            ContentBlock::Audio(_) => return Err(invalid("the model does not support audio")),
            _ => return Err(invalid("unknown kind of content")),
        }
    }
    let mut words = commanded(&words, skills)?.unwrap_or(words);
    for (uri, text) in attached {
        words.push_str(&quoted(&uri, &text));
    }
    if words.trim().is_empty() && pictures.is_empty() {
        return Err(invalid("the prompt is empty"));
    }
    let words = Some(words).filter(|words| !words.is_empty()).map(Block::Text);
    let prompt = Prompt { blocks: words.into_iter().chain(pictures).collect(), marks, ..Prompt::text("") };
    match takes.unseen(&prompt) {
        Some((_, why)) => Err(invalid(format!("{why}; leave it out, or choose another model"))),
        None => Ok(prompt),
    }
}

/// The marks of content that the editor includes. A picture without an address was pasted.
fn included(uri: Option<&str>) -> Marks {
    Marks { untrusted: uri.is_some_and(|uri| !uri.starts_with("file://")), private: true }
}

/// A file that a person points to. The model reads it with its own tools, as far as it may.
fn pointed(link: &ResourceLink) -> String {
    let path = path(&link.uri);
    if path.ends_with(&link.name) { format!("`{path}`") } else { format!("{} (`{path}`)", link.name) }
}

/// A file's place as tools take it; any other address as it is.
fn path(uri: &str) -> Cow<'_, str> {
    match uri.strip_prefix("file://") {
        Some(encoded) => decoded(encoded).map_or(Cow::Borrowed(encoded), Cow::Owned),
        None => Cow::Borrowed(uri),
    }
}

/// A text without the percent signs of an address; none where it is no text then.
fn decoded(encoded: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(encoded.len()), encoded.as_bytes());
    while let [first, after @ ..] = rest {
        let (byte, left) = match rest {
            [b'%', high, low, left @ ..] => match hex(*high).zip(hex(*low)) {
                Some((high, low)) => ((high << 4) | low, left),
                None => (b'%', after),
            },
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = left;
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The text of a skill, where a person asks for one as `/name arguments`.
fn commanded(words: &str, skills: &RunSkills) -> Result<Option<String>, Error> {
    let Some(asked) = words.trim_start().strip_prefix('/') else { return Ok(None) };
    let (name, arguments) = asked.split_once(char::is_whitespace).unwrap_or((asked, ""));
    let Some(usable) = skills.get(name) else { return Ok(None) };
    let filled = usable.skill.filled(arguments.trim());
    filled.map(Some).map_err(|error| invalid(format!("/{name}: {error}")))
}

/// What the editor has read out, in a fence that nothing in it can end.
fn quoted(uri: &str, text: &str) -> String {
    let fence = fence(text);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("\n\nContent of `{}`:\n{fence}\n{text}{end}{fence}\n", path(uri))
}

fn picture(data: String, kind: String, uri: Option<String>) -> Result<Block, Error> {
    if !kind.starts_with("image/") {
        return Err(invalid(format!(
            "files of type `{kind}` are not supported; name the path of the file \
                                    instead"
        )));
    }
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    if data.is_empty() || !data.bytes().all(is_base64) {
        return Err(invalid("the picture is not valid base64"));
    }
    Ok(Block::Image(Media { media_type: kind, source: Source::Base64(data), name: uri }))
}

#[cfg(test)]
mod tests;
