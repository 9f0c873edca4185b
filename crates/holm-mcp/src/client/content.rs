//! Converts a server's answer into the output of a tool. The other direction, for clients of Holm,
//! is `server/output.rs`. Nothing here is trusted or bounded: the kernel marks the text as
//! untrusted, and the host limits its size. A result without content still says so, because a model
//! would take an empty text as a reason to call again.

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Outcome, Source, ToolOutput};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// The text for a result without any content.
pub(crate) const NO_OUTPUT: &str = "[no output]";

/// The output for a result: its texts joined in order, with its images and files attached.
///
/// Nothing here is trusted: the kernel wraps the text in an envelope, and the host limits its size.
///
/// ```
/// use rmcp::model::{CallToolResult, ContentBlock};
/// let output = holm_mcp::client::output(CallToolResult::success(vec![ContentBlock::text("42")]));
/// assert_eq!(output.text, "42");
/// ```
#[must_use]
pub fn output(result: CallToolResult) -> ToolOutput {
    let mut output = ToolOutput::default();
    let mut texts: Vec<String> = Vec::new();
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => {
                output.parts.push(Block::Image(media(image.mime_type, image.data, None)));
            }
            ContentBlock::Audio(audio) => {
                output.parts.push(Block::File(media(audio.mime_type, audio.data, None)));
            }
            ContentBlock::Resource(embedded) => resource(embedded.resource, &mut texts, &mut output.parts),
            ContentBlock::ResourceLink(link) => texts.push(format!("[resource {}: {}]", link.uri, link.name)),
            // An unknown kind of content.
            _ => texts.push("[a part of an unknown kind was left out]".into()),
        }
    }
    if let Some(structured) = &result.structured_content {
        let text = structured.to_string();
        if texts.is_empty() {
            texts.push(text);
        } else {
            output.metadata = Json::parse(&text).ok().map(Box::new);
        }
    }
    output.text = texts.join("\n");
    if result.is_error == Some(true) {
        output.outcome = Outcome::Failed;
        if output.text.is_empty() {
            output.text.push_str("the tool failed and said nothing");
        }
    } else if output.text.trim().is_empty() && output.parts.is_empty() {
        // The tool ran and may have had an effect. A model would take an empty text as a reason to
        // call again.
        output.text = NO_OUTPUT.into();
    }
    output
}

/// The contents of a resource: text as text, everything else as a file.
pub(crate) fn resource(contents: ResourceContents, texts: &mut Vec<String>, parts: &mut Vec<Block>) {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => texts.push(format!("[{uri}]\n{text}")),
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let kind = mime_type.unwrap_or_else(|| "application/octet-stream".into());
            let picture = kind.starts_with("image/");
            let media = media(kind, blob, Some(uri));
            parts.push(if picture { Block::Image(media) } else { Block::File(media) });
        }
        _ => texts.push("[a resource of an unknown kind was left out]".into()),
    }
}

fn media(media_type: String, data: String, name: Option<String>) -> Media {
    Media { media_type, source: Source::Base64(data), name }
}

#[cfg(test)]
mod tests;
