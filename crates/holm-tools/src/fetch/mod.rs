//! Pages of the web for a model, as Markdown. Every connection goes through `holm-net`.
//!
//! A call reaches the URL that it names and was granted, and what lies beneath it: a redirect elsewhere is refused with the
//! grant that it would take, so that a granted page cannot be used to reach one that was not. What comes back is somebody
//! else's text: scripts, styles and hidden parts are left out, pictures are named and not linked, and the run is marked
//! as having read from outside.
//!
//! - [`Fetch`] is the tool.
//! - [`to_markdown`] turns HTML into Markdown. It reads tokens, builds no tree and never recurses, so that no page can
//!   fill the stack.

mod body;
mod markdown;
mod tool;

#[cfg(test)]
pub(crate) mod tests;

pub use markdown::{MAX_MARKDOWN, to_markdown};
pub use tool::Fetch;
