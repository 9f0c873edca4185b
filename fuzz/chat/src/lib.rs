//! How the chat turns what others wrote into lines. The files are those of the command, not copies; what stands here only calls
//! them.

// Built for tests it would bring the files' own tests along, which are run where they belong.
#![cfg(not(test))]

// The files name the kernel as programs do that use the library.
extern crate self as holm;
pub use holm_kernel as kernel;

pub use chat::{Page, columns, in_pieces, laid, safe};

#[path = "../../../crates/holm-cli/src/chat"]
#[expect(dead_code, reason = "other files of the chat use the rest of these")]
mod chat {
    mod code;
    mod incremental_text;
    mod markdown;
    mod text;
    mod theme;

    use ratatui::text::Line;

    /// Markdown that has arrived.
    #[derive(Debug)]
    pub struct Page {
        /// Its lines as they stand after each piece was laid out when it came.
        pub grown: Vec<Line<'static>>,
        /// Its lines when all of it is laid out at once.
        pub whole: Vec<Line<'static>>,
    }

    /// Markdown that arrives in pieces, as an answer does.
    #[must_use]
    pub fn laid(pieces: &[&str], width: usize) -> Page {
        let theme = theme::ChatTheme::of(theme::ThemeKind::default());
        let (mut flow, mut filter) = (markdown::MarkdownText::default(), text::StreamSanitizer::default());
        for piece in pieces {
            flow.push(&filter.safe(piece));
            flow.lines(width, &theme);
        }
        let grown = flow.lines(width, &theme).to_vec();
        flow.forget();
        let whole = flow.lines(width, &theme).to_vec();
        Page { grown, whole }
    }

    /// A text that no terminal obeys.
    #[must_use]
    pub fn safe(whole: &str) -> String {
        text::safe(whole)
    }

    /// The same of a text that arrives in pieces. A carriage return at its very end still waits for what follows.
    #[must_use]
    pub fn in_pieces(pieces: &[&str]) -> String {
        let mut filter = text::StreamSanitizer::default();
        pieces.iter().map(|piece| filter.safe(piece)).collect()
    }

    /// How many columns a line takes.
    #[must_use]
    pub fn columns(line: &str) -> usize {
        text::columns(line)
    }
}
