//! Text that grows at its end, and its lines at one width. Lines that can no longer change are laid
//! out once, and only the open end is laid out again. So the cost of a frame does not depend on the
//! length of the text.
//!
//! It does not know what the text means: `markdown.rs` and `thought.rs` implement the layout. A
//! layout must give the same lines for a part no matter in which pieces the text arrived.

use ratatui::text::Line;

use super::theme::ChatTheme;

/// The longest part that is laid out again with every piece; a longer one is cut. No
/// paragraph is as long.
pub(super) const LONGEST_OPEN: usize = 8 * 1024;

/// The most bytes that one column takes in the writing of people.
const BYTES: usize = 4;

/// Text that grows at its end, and its lines at one width.
#[derive(Debug, Clone, Default)]
pub(super) struct IncrementalText<L> {
    text: String,
    laid: Option<LayoutCache<L>>,
}

impl<L: TextLayout> IncrementalText<L> {
    /// A text that is whole.
    pub(super) fn of(text: String) -> Self {
        Self { text, laid: None }
    }

    /// All of the text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds to its end.
    pub(super) fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// Drops the lines and the unused capacity of the text; the lines are laid out again
    /// when they are needed.
    pub(super) fn forget(&mut self) {
        self.laid = None;
        self.text.shrink_to_fit();
    }

    /// The lines at a width, at least as many of the last ones as are looked at.
    pub(super) fn lines(&mut self, width: usize, theme: &ChatTheme) -> &[Line<'static>] {
        let text = L::shown(&self.text);
        let laid = match self.laid.take() {
            Some(laid) if laid.width == width => self.laid.insert(laid),
            _ => self.laid.insert(LayoutCache::at(width, text)),
        };
        if laid.seen < text.len() {
            laid.grow(text, theme);
        }
        &laid.lines
    }

    /// How many bytes would be laid out again with the next piece; none where nothing is laid out.
    #[cfg(test)]
    pub(super) fn open(&self) -> Option<usize> {
        self.laid.as_ref().map(|laid| laid.seen - laid.settled)
    }
}

/// Turns one kind of text into lines, with the state from the parts before.
pub(super) trait TextLayout: Clone + Default {
    /// How many of the last lines are ever shown; earlier lines need not be laid out.
    const MOST: usize = usize::MAX;

    /// The part of the text that is shown.
    fn shown(text: &str) -> &str {
        text
    }

    /// How many bytes of the rest have final lines, independent of the text that follows.
    fn settled(&self, rest: &str) -> usize;

    /// Lays out the next part below the existing lines.
    fn lay(&mut self, part: &str, width: usize, theme: &ChatTheme, lines: &mut Vec<Line<'static>>);
}

#[derive(Debug, Clone)]
struct LayoutCache<L> {
    width: usize,
    /// The lines; those from `open` on can still change.
    lines: Vec<Line<'static>>,
    open: usize,
    /// How much of the text the final lines cover.
    settled: usize,
    /// How much of the text is laid out at all.
    seen: usize,
    /// The layout state at the end of the final lines.
    layout: L,
}

impl<L: TextLayout> LayoutCache<L> {
    /// Nothing yet, from where the lines begin that are looked at.
    fn at(width: usize, text: &str) -> Self {
        let far = L::MOST.saturating_mul(width.max(1)).saturating_mul(BYTES);
        let settled = text.floor_char_boundary(text.len().saturating_sub(far));
        Self { width, lines: Vec::new(), open: 0, settled, seen: settled, layout: L::default() }
    }

    fn grow(&mut self, text: &str, theme: &ChatTheme) {
        self.lines.truncate(self.open);
        loop {
            let rest = text.get(self.settled..).unwrap_or_default();
            let cut = self.layout.settled(rest);
            if cut == 0 {
                self.let_go();
                self.open = self.lines.len();
                if !rest.is_empty() {
                    self.layout.clone().lay(rest, self.width, theme, &mut self.lines);
                }
                break;
            }
            let part = rest.get(..cut).unwrap_or_default();
            self.layout.lay(part, self.width, theme, &mut self.lines);
            self.settled += cut;
        }
        self.seen = text.len();
    }

    /// Lets the first lines go, many at once, so that each is moved seldom.
    fn let_go(&mut self) {
        if self.lines.len() > L::MOST.saturating_mul(2) {
            let surplus = self.lines.len() - L::MOST;
            self.lines.drain(..surplus);
        }
    }
}

/// Where a part is cut that would be laid out again and again.
pub(super) fn too_long(text: &str) -> usize {
    if text.len() <= LONGEST_OPEN {
        return 0;
    }
    let head = text.get(..text.floor_char_boundary(LONGEST_OPEN)).unwrap_or_default();
    head.rfind(['\n', ' ']).map_or(head.len(), |at| at + 1)
}
