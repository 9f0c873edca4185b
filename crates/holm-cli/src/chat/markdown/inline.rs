//! Renders inline Markdown: emphasis, code and links. Blocks are in `chat/markdown.rs`. The target
//! of a link is always shown, because its words may say anything. Depth and length are bounded, so
//! that no line takes long.

use ratatui::{
    style::{Modifier, Style},
    text::Span,
};

use crate::chat::theme::ChatTheme;

/// The deepest that emphasis stands within emphasis.
const DEEPEST: u32 = 4;

/// The longest line whose marks are looked for; what is longer is no prose.
const LONGEST: usize = 16 * 1024;

/// The spans of a line.
pub(super) fn spans(text: &str, style: Style, theme: &ChatTheme) -> Vec<Span<'static>> {
    let mut out = Vec::new();
    if text.len() > LONGEST {
        out.push(Span::styled(text.to_owned(), style));
    } else {
        InlineRenderer { theme, out: &mut out }.lay(text, style, DEEPEST);
    }
    out
}

struct InlineRenderer<'a> {
    theme: &'a ChatTheme,
    out: &'a mut Vec<Span<'static>>,
}

impl InlineRenderer<'_> {
    fn lay(&mut self, text: &str, style: Style, depth: u32) {
        let (mut plain, mut rest) = (String::new(), text);
        let mut before = ' ';
        while let Some(first) = rest.chars().next() {
            let mark = if depth == 0 { None } else { marked(rest, before) };
            if let Some(mark) = mark {
                self.push(&mut plain, style);
                rest = rest.get(mark.length()..).unwrap_or_default();
                self.mark(&mark, style, depth);
                before = 'a';
                continue;
            }
            let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
            let (shown, taken) = match escaped.filter(char::is_ascii_punctuation) {
                Some(c) => (c, 1 + c.len_utf8()),
                None => (first, first.len_utf8()),
            };
            plain.push(shown);
            before = shown;
            rest = rest.get(taken..).unwrap_or_default();
        }
        self.push(&mut plain, style);
    }

    fn push(&mut self, plain: &mut String, style: Style) {
        if !plain.is_empty() {
            self.out.push(Span::styled(std::mem::take(plain), style));
        }
    }

    fn mark(&mut self, mark: &InlineMark<'_>, style: Style, depth: u32) {
        match mark {
            InlineMark::Code { text, .. } => self.out.push(Span::styled((*text).to_owned(), self.theme.code)),
            InlineMark::Emphasis { text, modifier, .. } => {
                self.lay(text, style.add_modifier(*modifier), depth - 1);
            }
            InlineMark::Link { text, target, image, .. } => {
                if *image {
                    self.out.push(Span::styled("image: ", self.theme.dim));
                }
                self.lay(text, style.patch(self.theme.link), depth - 1);
                // Where a link leads is always shown: its words may say anything.
                if text != target {
                    self.out.push(Span::styled(format!(" ({target})"), self.theme.dim));
                }
            }
        }
    }
}

enum InlineMark<'a> {
    Code { text: &'a str, length: usize },
    Emphasis { text: &'a str, modifier: Modifier, length: usize },
    Link { text: &'a str, target: &'a str, image: bool, length: usize },
}

impl InlineMark<'_> {
    const fn length(&self) -> usize {
        match self {
            Self::Code { length, .. } | Self::Emphasis { length, .. } | Self::Link { length, .. } => *length,
        }
    }
}

/// What begins here, if something does and also ends.
fn marked(rest: &str, before: char) -> Option<InlineMark<'_>> {
    if rest.starts_with('`') {
        return code(rest);
    }
    let pairs = [
        ("***", Modifier::BOLD.union(Modifier::ITALIC)),
        ("**", Modifier::BOLD),
        ("__", Modifier::BOLD),
        ("~~", Modifier::CROSSED_OUT),
        ("*", Modifier::ITALIC),
        ("_", Modifier::ITALIC),
    ];
    for (mark, modifier) in pairs {
        if let Some(found) = emphasis(rest, mark, modifier, before) {
            return Some(found);
        }
    }
    link(rest)
}

fn code(rest: &str) -> Option<InlineMark<'_>> {
    let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
    let fence = rest.get(..ticks)?;
    let inner = rest.get(ticks..)?;
    let end = inner.find(fence)?;
    let text = inner.get(..end)?;
    let text = text.strip_prefix(' ').and_then(|text| text.strip_suffix(' ')).unwrap_or(text);
    Some(InlineMark::Code { text, length: ticks * 2 + end })
}

fn emphasis<'a>(rest: &'a str, mark: &str, modifier: Modifier, before: char) -> Option<InlineMark<'a>> {
    let inner = rest.strip_prefix(mark)?;
    // An underscore within a word is a part of a name.
    if mark.starts_with('_') && before.is_alphanumeric() {
        return None;
    }
    let end = inner.find(mark)?;
    let text = inner.get(..end)?;
    if text.is_empty() || text.starts_with(' ') || text.ends_with(' ') {
        return None;
    }
    let after = inner.get(end + mark.len()..)?.chars().next();
    if mark.starts_with('_') && after.is_some_and(char::is_alphanumeric) {
        return None;
    }
    Some(InlineMark::Emphasis { text, modifier, length: mark.len() * 2 + end })
}

fn link(rest: &str) -> Option<InlineMark<'_>> {
    let (image, from) = rest.strip_prefix('!').map_or((false, rest), |from| (true, from));
    let inner = from.strip_prefix('[')?;
    let end = inner.find("](")?;
    let text = inner.get(..end)?;
    let target = inner.get(end + 2..)?;
    let close = target.find(')')?;
    let length = usize::from(image) + 1 + end + 2 + close + 1;
    Some(InlineMark::Link { text, target: target.get(..close)?.trim(), image, length })
}
