//! Writes Markdown as a stream. The state is a small stack of open elements and the pending spaces
//! and line ends. What is hidden is already left out (`fetch/markdown/mod.rs`). Depth, links and
//! output are bounded. A picture is named and never linked, so that a program that shows the text
//! fetches nothing.

use super::MAX_MARKDOWN;

/// The depth to which lists and quotes are distinguished; deeper ones look like this depth.
const MAX_DEPTH: usize = 12;
/// The longest link that is written; longer ones carry data, not a place.
const MAX_LINK: usize = 2048;

/// A Markdown page that is being written.
pub(super) struct MarkdownWriter {
    out: String,
    base: Option<url::Url>,
    /// Line ends to write before the next text; two make a paragraph.
    breaks: usize,
    space: bool,
    lists: Vec<MarkdownList>,
    quotes: usize,
    preformatted: usize,
    /// Where the open link goes, and where its text begins.
    link: Option<(String, usize)>,
    row: Option<MarkdownTableRow>,
    title: bool,
}

enum MarkdownList {
    Dots,
    Numbers(u64),
}

/// An open row of a table.
#[derive(Default)]
struct MarkdownTableRow {
    cells: usize,
    heads: bool,
}

impl MarkdownWriter {
    pub(super) fn new(base: &str) -> Self {
        Self {
            out: String::new(),
            base: base.parse().ok(),
            breaks: 0,
            space: false,
            lists: Vec::new(),
            quotes: 0,
            preformatted: 0,
            link: None,
            row: None,
            title: false,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.out.len() >= MAX_MARKDOWN
    }

    pub(super) fn finish(mut self) -> String {
        self.close_link();
        if self.preformatted > 0 {
            self.out.push_str("\n```");
        }
        if self.is_full() {
            self.out.truncate(self.out.floor_char_boundary(MAX_MARKDOWN));
            self.out.push_str("\n\n[the page is longer; the rest is not shown]");
        }
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    pub(super) fn start(&mut self, name: &str, attribute: &impl Fn(&str) -> Option<String>) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes().get(1).map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
                self.block();
                self.mark(&format!("{} ", "#".repeat(level)));
            }
            "title" => self.title = true,
            "br" => self.breaks = self.breaks.max(1),
            "hr" => {
                self.block();
                self.mark("---");
                self.block();
            }
            "a" => self.open_link(attribute("href")),
            // Named and not linked: a program that shows this text must not fetch
            // anything because of it.
            "img" => {
                if let Some(alt) = attribute("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.text(&format!("[image: {}]", alt.trim()));
                }
            }
            "ul" | "menu" => self.open_list(MarkdownList::Dots),
            "ol" => {
                let first = attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.open_list(MarkdownList::Numbers(first));
            }
            "li" => self.item(),
            "blockquote" => {
                self.block();
                self.quotes = (self.quotes + 1).min(MAX_DEPTH);
            }
            "pre" => {
                self.block();
                self.mark("```");
                self.out.push('\n');
                self.preformatted += 1;
            }
            "code" | "kbd" | "samp" if self.preformatted == 0 => self.mark("`"),
            "strong" | "b" => self.mark("**"),
            "em" | "i" => self.mark("*"),
            "tr" => self.open_row(),
            "td" | "th" => self.cell(name == "th"),
            _ if is_block(name) => self.block(),
            _ => {}
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        match name {
            "title" => {
                self.title = false;
                self.block();
            }
            "a" => self.close_link(),
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.block();
            }
            "li" => self.breaks = self.breaks.max(1),
            "blockquote" => {
                self.block();
                self.quotes = self.quotes.saturating_sub(1);
            }
            "pre" if self.preformatted > 0 => {
                self.preformatted -= 1;
                let end = self.out.trim_end_matches('\n').len();
                self.out.truncate(end);
                self.out.push_str("\n```");
                self.block();
            }
            "code" | "kbd" | "samp" if self.preformatted == 0 => self.close_mark("`"),
            "strong" | "b" => self.close_mark("**"),
            "em" | "i" => self.close_mark("*"),
            "tr" => self.close_row(),
            _ if is_block(name) || name.len() == 2 && name.starts_with('h') => self.block(),
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.out.push_str(text);
            return;
        }
        for (at, word) in text.split(|c: char| c.is_ascii_whitespace()).enumerate() {
            self.space |= at > 0;
            if word.is_empty() {
                continue;
            }
            if self.title {
                self.title = false;
                self.mark("# ");
            }
            self.settle();
            // A bar would open a cell.
            if self.row.is_some() {
                self.out.push_str(&word.replace('|', "\\|"));
            } else {
                self.out.push_str(word);
            }
        }
    }

    /// A mark that belongs to the next word.
    fn mark(&mut self, mark: &str) {
        self.settle();
        self.out.push_str(mark);
    }

    /// A mark that belongs to the word before.
    fn close_mark(&mut self, mark: &str) {
        // Emphasis without text is removed.
        if self.out.ends_with(mark) && !self.out.ends_with(&mark.repeat(2)) {
            let end = self.out.len() - mark.len();
            self.out.truncate(end);
        } else {
            self.out.push_str(mark);
        }
    }

    /// Writes the line ends and spaces that are pending.
    fn settle(&mut self) {
        if self.out.is_empty() {
            self.breaks = 0;
            self.space = false;
            self.out.push_str(&"> ".repeat(self.quotes));
            return;
        }
        if self.breaks > 0 && self.row.is_none() {
            let quote = "> ".repeat(self.quotes);
            for at in (0..self.breaks).rev() {
                let end = self.out.trim_end_matches(' ').len();
                self.out.truncate(end);
                self.out.push('\n');
                self.out.push_str(if at > 0 { quote.trim_end() } else { &quote });
            }
            self.out.push_str(&"  ".repeat(self.lists.len().saturating_sub(1).min(MAX_DEPTH)));
        } else if self.space && !self.out.ends_with([' ', '\n', '[']) {
            self.out.push(' ');
        }
        self.breaks = 0;
        self.space = false;
    }

    fn block(&mut self) {
        // Inside a list, blocks are separated by a single line end.
        self.breaks = self.breaks.max(if self.lists.is_empty() { 2 } else { 1 });
    }

    fn open_list(&mut self, list: MarkdownList) {
        self.block();
        if self.lists.len() < MAX_DEPTH {
            self.lists.push(list);
        }
    }

    fn item(&mut self) {
        self.breaks = self.breaks.max(1);
        let mark = match self.lists.last_mut() {
            Some(MarkdownList::Numbers(next)) => {
                let mark = format!("{next}. ");
                *next = next.saturating_add(1);
                mark
            }
            Some(MarkdownList::Dots) | None => "- ".to_owned(),
        };
        self.mark(&mark);
    }

    fn open_link(&mut self, href: Option<String>) {
        self.close_link();
        let Some(to) = href.and_then(|href| self.place(&href)) else { return };
        self.settle();
        self.out.push('[');
        self.link = Some((to, self.out.len()));
    }

    fn close_link(&mut self) {
        let Some((to, from)) = self.link.take() else { return };
        if self.out.get(from..).is_none_or(|text| text.trim().is_empty()) {
            // A link without text gives the reader nothing to choose.
            self.out.truncate(from.saturating_sub(1));
            return;
        }
        self.out.push_str(&format!("]({to})"));
    }

    /// Where a link leads, if that is a place on the web.
    fn place(&self, href: &str) -> Option<String> {
        let href = href.trim();
        let to = match &self.base {
            Some(base) => base.join(href).ok()?,
            None => href.parse().ok()?,
        };
        let text = to.to_string().replace(' ', "%20").replace('(', "%28").replace(')', "%29");
        let same_page = href.starts_with('#');
        (matches!(to.scheme(), "http" | "https") && text.len() <= MAX_LINK && !same_page).then_some(text)
    }

    fn open_row(&mut self) {
        self.close_row();
        self.breaks = self.breaks.max(1);
        self.settle();
        self.row = Some(MarkdownTableRow::default());
    }

    fn cell(&mut self, heads: bool) {
        if let Some(row) = &mut self.row {
            row.cells += 1;
            row.heads |= heads;
            self.space = false;
            let lead = if row.cells == 1 { "| " } else { " | " };
            self.out.push_str(lead);
        }
    }

    fn close_row(&mut self) {
        let Some(row) = self.row.take() else { return };
        if row.cells > 0 {
            self.out.push_str(" |");
        }
        if row.heads {
            self.out.push('\n');
            self.out.push_str(&"|---".repeat(row.cells));
            self.out.push('|');
        }
        self.breaks = self.breaks.max(1);
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "section"
            | "article"
            | "main"
            | "header"
            | "footer"
            | "nav"
            | "aside"
            | "address"
            | "figure"
            | "figcaption"
            | "details"
            | "summary"
            | "dl"
            | "dt"
            | "dd"
            | "table"
            | "form"
            | "fieldset"
            | "center"
            | "body"
    )
}
