//! Converts a tool's output into an MCP result for a client. The other direction, for tools of
//! external servers, is `client/content.rs`. The call itself is run in `call.rs`.

use holm_kernel::{Block, Media, Source, ToolOutput};
use rmcp::model::{AudioContent, CallToolResult, ContentBlock, ResourceContents};

/// The result for an output. Spilled output is shown by its beginning and its end.
///
/// ```
/// use holm_kernel::ToolOutput;
/// let result = holm_mcp::server::result(ToolOutput::failed("no such file"));
/// assert_eq!(result.is_error, Some(true));
/// ```
#[must_use]
pub fn result(output: ToolOutput) -> CallToolResult {
    let mut content = Vec::new();
    let text = match &output.spill {
        Some(spill) => format!("{}\n[… {} bytes in all …]\n{}", spill.head, spill.bytes, spill.tail),
        None => output.text,
    };
    if !text.is_empty() || output.parts.is_empty() {
        content.push(ContentBlock::text(text));
    }
    content.extend(output.parts.into_iter().filter_map(part));
    if output.outcome.is_error() { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

fn part(block: Block) -> Option<ContentBlock> {
    match block {
        Block::Text(text) => Some(ContentBlock::text(text)),
        Block::Image(Media { media_type, source: Source::Base64(data), .. }) => {
            Some(ContentBlock::image(data, media_type))
        }
        Block::File(Media { media_type, source: Source::Base64(data), .. })
            if media_type.starts_with("audio/") =>
        {
            Some(ContentBlock::Audio(AudioContent::new(data, media_type)))
        }
        Block::File(Media { media_type, source: Source::Base64(blob), name }) => {
            let uri = format!("holm:file/{}", name.unwrap_or_else(|| "unnamed".into()));
            let contents =
                ResourceContents::BlobResourceContents { uri, mime_type: Some(media_type), blob, meta: None };
            Some(ContentBlock::resource(contents))
        }
        Block::Image(Media { source, .. }) | Block::File(Media { source, .. }) => match source {
            Source::Url(url) => Some(ContentBlock::text(url)),
            // References are valid only in this process.
            Source::Base64(_) | Source::Reference(_) => None,
        },
        Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => None,
    }
}
