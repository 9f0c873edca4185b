//! Maps the indentation of an old text to that of the file: a different unit, or the same shift for
//! all lines. It compares no text (`line_comparison.rs`) and finds no place (`text_search.rs`,
//! `diff/hunk.rs`). If one mapping does not fit all lines, there is none.

use super::line_comparison::split_indent;

/// Widths of a tab, the likeliest first.
const WIDTHS: [usize; 8] = [4, 8, 2, 3, 1, 5, 6, 7];

/// Maps the indentation of an old text to the indentation in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndentMapping {
    /// Pairs of an indentation in the old text and the one in the file.
    known: Vec<(String, String)>,
    /// Columns of a tab.
    width: usize,
    /// Columns by which a line is further right in the file.
    shift: isize,
    /// Whether the file indents with tabs.
    tabs: bool,
}

impl IndentMapping {
    /// The mapping from the first of each pair to the second, if one mapping fits all pairs. The
    /// lines in `new` will be mapped too. They show the width of one level if nothing else does.
    pub(super) fn fit<'l>(
        pairs: &[(&str, &str)],
        new: impl Iterator<Item = &'l str>,
        tabs: bool,
    ) -> Option<Self> {
        let mut known: Vec<(String, String)> = Vec::new();
        for (given, there) in pairs {
            match known.iter().find(|(known, _)| known == given) {
                Some((_, other)) if other == there => {}
                Some(_) => return None,
                None => known.push(((*given).to_owned(), (*there).to_owned())),
            }
        }
        let has_indent = known.iter().any(|(_, there)| !there.is_empty());
        let tabs = if has_indent { known.iter().any(|(_, there)| there.contains('\t')) } else { tabs };
        let blanks =
            new.map(|line| split_indent(line).0).chain(known.iter().map(|(given, _)| given.as_str()));
        let step = step(blanks.filter(|indent| !indent.contains('\t')).map(str::len));
        let fits = |width: &usize| shift(&known, *width).is_some();
        let by_step = || step.clear.filter(|_| tabs).filter(fits);
        let same_columns = || WIDTHS.into_iter().find(|width| shift(&known, *width) == Some(0));
        let shifted = || step.likely.into_iter().chain(WIDTHS).find(fits);
        let width = by_step().or_else(same_columns).or_else(shifted)?;
        Some(Self { shift: shift(&known, width)?, known, width, tabs })
    }

    /// Whether every line has the same column as in the file.
    pub(super) fn keeps_columns(&self) -> bool {
        self.shift == 0
    }

    /// A new line, indented as the file is.
    pub(super) fn apply(&self, line: &str) -> String {
        let (indent, rest) = split_indent(line);
        if rest.trim_end_matches('\r').is_empty() {
            return line.to_owned();
        }
        if let Some((_, there)) = self.known.iter().find(|(given, _)| given == indent) {
            return format!("{there}{rest}");
        }
        let columns = columns(indent, self.width).saturating_add_signed(self.shift);
        let (tabs, blanks) =
            if self.tabs { (columns / self.width, columns % self.width) } else { (0, columns) };
        format!("{}{}{rest}", "\t".repeat(tabs), " ".repeat(blanks))
    }
}

/// The width of one indentation level of a text, in blanks.
struct IndentStep {
    /// The width if two depths or more show it.
    clear: Option<usize>,
    /// The width if only one depth shows it.
    likely: Option<usize>,
}

fn step(indents: impl Iterator<Item = usize>) -> IndentStep {
    let mut depths: Vec<usize> = indents.filter(|indent| *indent > 0).collect();
    depths.sort_unstable();
    depths.dedup();
    let common = depths.iter().copied().reduce(divisor).filter(|step| (1..=8).contains(step));
    let clear = common.filter(|step| depths.len() > 1 && (2..=4).contains(step));
    IndentStep { clear, likely: common }
}

/// The greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// By how many columns all lines are shifted, if all are by as many.
fn shift(known: &[(String, String)], width: usize) -> Option<isize> {
    let mut shifts = known.iter().map(|(given, there)| {
        let (given, there) = (columns(given, width), columns(there, width));
        isize::try_from(there).ok()?.checked_sub_unsigned(given)
    });
    let first = shifts.next()??;
    shifts.all(|shift| shift == Some(first)).then_some(first)
}

fn columns(indent: &str, width: usize) -> usize {
    indent
        .chars()
        .fold(0, |column, letter| if letter == '\t' { (column / width + 1) * width } else { column + 1 })
}
