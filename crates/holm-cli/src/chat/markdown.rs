//! Renders Markdown as terminal lines while it arrives. Only the last open block is laid out again.
//! Inline marks are in `markdown/inline.rs`, tables in `markdown/table.rs`, colours of code in
//! `code.rs`, and the caching in `incremental_text.rs`.
//!
//! The text is sanitized before it gets here (`tab.rs`). No input may make it deep or slow: quotes
//! within quotes end at a width, and long blocks are cut.

mod inline;
mod table;

use ratatui::{
    style::Modifier,
    text::{Line, Span},
};

use super::{
    code::{CodeLanguage, LexerState},
    incremental_text::{IncrementalText, LONGEST_OPEN, TextLayout, too_long},
    text::{LineBreak, LineMargin, clipped, wrap},
    theme::ChatTheme,
};

/// Markdown that grows at its end, and its lines at one width.
pub(super) type MarkdownText = IncrementalText<MarkdownLayout>;

/// Lays out Markdown block by block, and code line by line.
#[derive(Debug, Clone, Default)]
pub(super) struct MarkdownLayout {
    fence: Option<CodeFence>,
}

impl TextLayout for MarkdownLayout {
    fn settled(&self, rest: &str) -> usize {
        settled(rest, self.fence.as_ref())
    }

    /// No two empty lines stand together, and none at the beginning.
    fn lay(&mut self, part: &str, width: usize, theme: &ChatTheme, lines: &mut Vec<Line<'static>>) {
        let mut page = MarkdownRenderer { width, theme, fence: self.fence.take(), lines: Vec::new() };
        page.lay(part);
        self.fence = page.fence;
        for line in page.lines {
            let is_empty = |line: &Line<'_>| line.spans.iter().all(|span| span.content.is_empty());
            if self.fence.is_none() && is_empty(&line) && lines.last().is_none_or(is_empty) {
                continue;
            }
            lines.push(line);
        }
    }
}

/// How many bytes of a text have final lines, independent of the text that follows: up to a blank
/// line, or any line in code.
fn settled(text: &str, fence: Option<&CodeFence>) -> usize {
    if fence.is_some() {
        // Up to and with the line that ends the code, or all whole lines of it.
        let mut at = 0;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            // Cut where it would have been cut while it arrived.
            if line.len() > LONGEST_OPEN {
                break;
            }
            at += line.len();
            if fence.is_some_and(|fence| fence.is_closed_by(line)) {
                break;
            }
        }
        return if at == 0 { too_long(text) } else { at };
    }
    let mut at = 0;
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        at += line.len();
        if at > LONGEST_OPEN {
            break;
        }
        if line.trim().is_empty() || CodeFence::opened_by(line).is_some() {
            return at;
        }
    }
    too_long(text)
}

/// An open code fence.
#[derive(Debug, Clone)]
struct CodeFence {
    mark: char,
    length: usize,
    language: Option<&'static CodeLanguage>,
    label: String,
    within: LexerState,
}

impl CodeFence {
    fn opened_by(line: &str) -> Option<Self> {
        let line = line.trim();
        let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let length = line.chars().take_while(|c| *c == mark).count();
        let label = line.get(length..)?.trim();
        if length < 3 || (mark == '`' && label.contains('`')) {
            return None;
        }
        let label = label.split([' ', ',', '{']).next().unwrap_or_default().to_owned();
        Some(Self { mark, length, language: CodeLanguage::named(&label), label, within: LexerState::Code })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.chars().count() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

/// Renders Markdown blocks as lines of one width.
struct MarkdownRenderer<'a> {
    width: usize,
    theme: &'a ChatTheme,
    fence: Option<CodeFence>,
    lines: Vec<Line<'static>>,
}

impl MarkdownRenderer<'_> {
    fn lay(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if let Some(mut fence) = self.fence.take() {
                if !fence.is_closed_by(line) {
                    self.code(line, &mut fence);
                    self.fence = Some(fence);
                }
                at += 1;
                continue;
            }
            at += self.block(line, lines.get(at..).unwrap_or_default());
        }
    }

    /// Lays out the block that begins here, and gives how many lines it has.
    fn block(&mut self, line: &str, from: &[&str]) -> usize {
        let trimmed = line.trim_start();
        if trimmed.is_empty() {
            self.lines.push(Line::default());
            return 1;
        }
        if let Some(fence) = CodeFence::opened_by(line) {
            if !fence.label.is_empty() {
                let label = clipped(&format!("  {}", fence.label), self.width);
                self.lines.push(Line::styled(label, self.theme.dim));
            }
            self.fence = Some(fence);
            return 1;
        }
        if let Some((level, text)) = heading(trimmed) {
            self.heading(level, text);
            return 1;
        }
        if is_rule(trimmed) {
            self.lines.push(Line::styled("─".repeat(self.width), self.theme.dim));
            return 1;
        }
        if trimmed.starts_with('>') {
            return self.quote(from);
        }
        let table = table::rows(from)
            .and_then(|rows| Some((rows.lines, table::lay(&rows.cells, self.width, self.theme)?)));
        if let Some((count, lines)) = table {
            self.lines.extend(lines);
            return count;
        }
        match ListBullet::of(line) {
            Some(bullet) => self.item(&bullet),
            None => {
                let spans = inline::spans(line, self.theme.text, self.theme);
                self.lines.extend(wrap(&spans, self.width, &LineMargin::default(), LineBreak::Words));
            }
        }
        1
    }

    fn code(&mut self, line: &str, fence: &mut CodeFence) {
        let spans = match fence.language {
            Some(language) => {
                let (spans, within) = language.line(line, fence.within, self.theme);
                fence.within = within;
                spans
            }
            None => vec![Span::styled(line.to_owned(), diff_style(&fence.label, line, self.theme))],
        };
        let margin = LineMargin::of(Span::styled("│ ", self.theme.dim));
        self.lines.extend(wrap(&spans, self.width, &margin, LineBreak::Anywhere));
    }

    fn heading(&mut self, level: usize, text: &str) {
        let style = match level {
            1 => self.theme.heading.add_modifier(Modifier::UNDERLINED),
            _ => self.theme.heading,
        };
        let spans = inline::spans(text, style, self.theme);
        self.lines.extend(wrap(&spans, self.width, &LineMargin::default(), LineBreak::Words));
    }

    /// A quote is a page of its own behind a bar.
    fn quote(&mut self, from: &[&str]) -> usize {
        let quoted: Vec<&str> = from.iter().map_while(|line| line.trim_start().strip_prefix('>')).collect();
        let inner: Vec<&str> = quoted.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        let width = self.width.saturating_sub(2);
        let mut page = MarkdownRenderer { width, theme: self.theme, fence: None, lines: Vec::new() };
        // Bars of bars are plain text from some depth on, so that no answer can make this deep.
        if width > 16 {
            page.lay(&inner.join("\n"));
        } else {
            for line in inner {
                let spans = [Span::raw(line.to_owned())];
                page.lines.extend(wrap(&spans, width, &LineMargin::default(), LineBreak::Anywhere));
            }
        }
        for mut line in page.lines {
            line.spans.insert(0, Span::styled("▌ ", self.theme.dim));
            self.lines.push(line);
        }
        quoted.len()
    }

    fn item(&mut self, bullet: &ListBullet<'_>) {
        // The mark counts too, so that the text always has room.
        let most = (self.width / 2).saturating_sub(super::text::columns(&bullet.mark));
        let indent = " ".repeat(bullet.indent.min(most));
        let first = format!("{indent}{} ", bullet.mark);
        let rest = " ".repeat(super::text::columns(&first));
        let margin =
            LineMargin { first: vec![Span::styled(first, self.theme.accent)], rest: vec![Span::raw(rest)] };
        let spans = inline::spans(bullet.text, self.theme.text, self.theme);
        self.lines.extend(wrap(&spans, self.width, &margin, LineBreak::Words));
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (level, text.trim().trim_end_matches('#').trim_end()))
}

fn is_rule(line: &str) -> bool {
    let marks: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    marks.len() >= 3 && ['-', '*', '_'].iter().any(|mark| marks.chars().all(|c| c == *mark))
}

/// Lines of a diff that stands in an answer.
fn diff_style(label: &str, line: &str, theme: &ChatTheme) -> ratatui::style::Style {
    match line.as_bytes().first() {
        Some(b'+') if label == "diff" => theme.added,
        Some(b'-') if label == "diff" => theme.removed,
        _ => theme.code,
    }
}

/// A line of a list.
struct ListBullet<'a> {
    indent: usize,
    mark: String,
    text: &'a str,
}

impl<'a> ListBullet<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        let (mark, text) = trimmed.split_once(' ')?;
        let number = mark.strip_suffix(['.', ')']).filter(|number| number.len() <= 9 && !number.is_empty());
        let mark = match mark {
            "-" | "*" | "+" => "•".to_owned(),
            _ if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) => {
                mark.to_owned()
            }
            _ => return None,
        };
        let (mark, text) = match (text.strip_prefix("[ ] "), text.strip_prefix("[x] ")) {
            (Some(text), _) => ("☐".to_owned(), text),
            (_, Some(text)) => ("☑".to_owned(), text),
            (None, None) => (mark, text),
        };
        Some(Self { indent, mark, text })
    }
}

#[cfg(test)]
mod tests;
