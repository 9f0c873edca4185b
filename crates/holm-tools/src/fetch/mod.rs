//! Fetches web pages for a model, as Markdown. Every connection goes through `holm-net`.
//!
//! A call reaches the URL that it names and was granted, and what lies beneath it. A redirect
//! elsewhere is refused, and the refusal names the grant that it would need. So a granted page
//! cannot be used to reach one that was not granted. The response is untrusted text: scripts,
//! styles and hidden parts are left out, and pictures are named and not linked. The run is marked
//! as having read from outside.
//!
//! - [`FetchTool`] is the tool (`tool.rs`).
//! - [`to_markdown`] turns HTML into Markdown (`markdown/mod.rs`). It reads tokens, builds no tree
//!   and never recurses, so that no page can fill the stack.
//! - `body.rs` decodes bytes into text.
//!
//! Searching the web is `search/`.

mod body;
mod markdown;
mod tool;

#[cfg(test)]
pub(crate) mod tests;

pub use markdown::{MAX_MARKDOWN, to_markdown};
pub use tool::FetchTool;

/// Whether a content type is text for a model; a missing one counts as text.
pub(crate) fn is_text_type(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_listed = body::READABLE.iter().any(|known| match known.strip_suffix("/*") {
        Some(kind) => essence.split_once('/').is_some_and(|(found, _)| found == kind),
        None => *known == essence,
    });
    essence.is_empty() || is_listed || essence.ends_with("+json") || essence.ends_with("+xml")
}

/// The text of a body for a model; a page becomes Markdown.
pub(crate) fn content_text(bytes: &[u8], content_type: &str, url: &str) -> String {
    let text = body::text(bytes, content_type);
    if body::is_html(content_type) { to_markdown(&text, url) } else { text }
}
