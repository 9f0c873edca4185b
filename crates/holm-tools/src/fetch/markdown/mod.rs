//! Converts HTML to Markdown, token by token. The tags are written by `writer.rs`; this file
//! decides what a reader would not see, and leaves it out, because that is where instructions to a
//! model are hidden. It makes no requests. There is no tree and no recursion, so no page can
//! exhaust the stack.
//!
//! Bytes are decoded in `fetch/body.rs`, and the page is fetched in `fetch/tool.rs`.

mod writer;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use writer::MarkdownWriter;

/// The most Markdown of one page, in bytes. The rest is cut, with a note.
pub const MAX_MARKDOWN: usize = 2 << 20;

/// Elements whose content no reader sees.
const UNSEEN: &[&str] = &[
    "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas", "audio", "video",
    "select", "dialog",
];
/// Elements without an end.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
/// Elements that end without saying so; hiding by them would hide the rest of the page.
const LOOSE: &[&str] =
    &["p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody", "html", "body", "head"];

/// The Markdown of a page; links become absolute by `base`, where that is a URL.
///
/// ```
/// use holm_tools::fetch::to_markdown;
/// let page = "<h1>News</h1><p>See <a href='/more'>more</a>.<script>steal()</script>";
/// assert_eq!(
///     to_markdown(page, "https://example.com/"),
///     "# News\n\nSee [more](https://example.com/more).\n"
/// );
/// ```
#[must_use]
pub fn to_markdown(html: &str, base: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut writer = MarkdownWriter::new(base);
    let mut hidden = HiddenElement::default();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = lossy(&tag.name);
                let attribute =
                    |name: &str| tag.attributes.get(name.as_bytes()).map(|value| lossy(&value.value));
                if hidden.starts(&name, &attribute) {
                    continue;
                }
                writer.start(&name, &attribute);
            }
            Token::EndTag(tag) => {
                let name = lossy(&tag.name);
                if !hidden.ends(&name) {
                    writer.end(&name);
                }
            }
            Token::String(text) if hidden.is_over() => writer.text(&lossy(&text.value)),
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if writer.is_full() {
            break;
        }
    }
    writer.finish()
}

/// The element that hides the current text, and how many elements of the same name
/// are open inside it.
#[derive(Default)]
struct HiddenElement(Option<(String, usize)>);

impl HiddenElement {
    fn is_over(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this start is inside something hidden, or begins it.
    fn starts(&mut self, name: &str, attribute: &impl Fn(&str) -> Option<String>) -> bool {
        match &mut self.0 {
            Some((outer, depth)) => {
                if outer == name {
                    *depth += 1;
                }
                true
            }
            None if VOID.contains(&name) || LOOSE.contains(&name) => false,
            None if UNSEEN.contains(&name) || is_hidden(attribute) => {
                self.0 = Some((name.to_owned(), 0));
                true
            }
            None => false,
        }
    }

    /// Whether this end is inside something hidden, or ends it.
    fn ends(&mut self, name: &str) -> bool {
        let Some((outer, depth)) = &mut self.0 else { return false };
        if outer == name {
            match depth.checked_sub(1) {
                Some(less) => *depth = less,
                None => self.0 = None,
            }
        }
        true
    }
}

/// Text that only a machine reads is where instructions to a model are hidden.
fn is_hidden(attribute: &impl Fn(&str) -> Option<String>) -> bool {
    let style = attribute("style").unwrap_or_default().to_ascii_lowercase().replace(char::is_whitespace, "");
    attribute("hidden").is_some()
        || attribute("aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || ["display:none", "visibility:hidden", "font-size:0", "opacity:0;"]
            .iter()
            .any(|sign| style.contains(sign))
        || style.ends_with("opacity:0")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
