//! The grammar of usage lines: words, options, optional and required groups, alternatives,
//! repetition. It knows nothing of the program: which words are options or commands is decided in
//! `usage.rs`. It accepts every text; brackets that do not match or are nested too deeply are left
//! out.

use super::limits::MAX_BRACKETS;
use super::spec::is_name;

/// One branch of alternatives: items in order.
pub(super) type UsageBranch = Vec<UsageItem>;

/// One element of a usage line, and whether an ellipsis follows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UsageItem {
    pub atom: UsageAtom,
    pub repeat: EllipsisStyle,
}

/// Whether an ellipsis follows an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EllipsisStyle {
    No,
    /// Dots directly after it, as in `FILE...`.
    Glued,
    /// Dots as a word of their own, as in `WHAT ...`.
    Apart,
}

/// An element of a usage line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum UsageAtom {
    /// An option, with the text that is attached to it.
    Option(String),
    Dashes,
    /// Any other word, with its brackets `<>` or `{}`.
    Word(String),
    /// `[...]` or `(...)` with its alternatives.
    Group {
        /// `[...]`: it may be left out.
        optional: bool,
        branches: Vec<UsageBranch>,
    },
}

/// Reads a usage line: its alternatives, usually one. Groups that are nested too
/// deeply are left out.
pub(super) fn read(text: &str) -> Vec<UsageBranch> {
    let mut reader = UsagePatternReader { rest: text, depth: 0 };
    let mut branches = Vec::new();
    // An extra closing bracket is ignored, and reading continues after it.
    while !reader.rest.is_empty() {
        branches.extend(reader.branches(None));
    }
    branches.retain(|branch| !branch.is_empty());
    branches
}

struct UsagePatternReader<'a> {
    rest: &'a str,
    depth: usize,
}

impl UsagePatternReader<'_> {
    fn branches(&mut self, close: Option<char>) -> Vec<UsageBranch> {
        let mut branches = vec![UsageBranch::new()];
        loop {
            let before = self.rest.len();
            self.rest = self.rest.trim_start();
            let apart = self.rest.len() < before;
            let Some(c) = self.rest.chars().next() else { return branches };
            let Some(branch) = branches.last_mut() else { return branches };
            if Some(c) == close || (close.is_none() && matches!(c, ']' | ')')) {
                self.skip(1);
                return branches;
            }
            if self.dots(branch, apart) {
                continue;
            }
            match c {
                '|' => {
                    self.skip(1);
                    let tight = !apart && !self.rest.starts_with(' ') && close.is_none();
                    if tight {
                        self.alternative(branch);
                    } else {
                        branches.push(UsageBranch::new());
                    }
                }
                '[' | '(' => {
                    let group = self.group(c);
                    branch.extend(group);
                }
                // A closing bracket of another kind.
                ']' | ')' => self.skip(1),
                _ => {
                    let item = self.word();
                    branch.push(item);
                }
            }
        }
    }

    /// Marks the last item as repeated where dots follow.
    fn dots(&mut self, branch: &mut UsageBranch, apart: bool) -> bool {
        let length = match self.rest {
            rest if rest.starts_with("...") => 3,
            rest if rest.starts_with('…') => '…'.len_utf8(),
            rest if !apart && !branch.is_empty() && rest.starts_with(['*', '+']) => 1,
            _ => return false,
        };
        self.skip(length);
        if let Some(item) = branch.last_mut() {
            item.repeat = if apart { EllipsisStyle::Apart } else { EllipsisStyle::Glued };
        }
        true
    }

    /// `<file>|<directory>` without spaces is one thing.
    fn alternative(&mut self, branch: &mut UsageBranch) {
        let next = match self.rest.chars().next() {
            None | Some(']' | ')' | '|') => return,
            Some(open @ ('[' | '(')) => self.group(open).into_iter().collect(),
            Some(_) => vec![self.word()],
        };
        match branch.pop() {
            Some(UsageItem { atom: UsageAtom::Group { optional: false, mut branches }, repeat }) => {
                branches.push(next);
                branch.push(UsageItem { atom: UsageAtom::Group { optional: false, branches }, repeat });
            }
            Some(first) => {
                let atom = UsageAtom::Group { optional: false, branches: vec![vec![first], next] };
                branch.push(UsageItem { atom, repeat: EllipsisStyle::No });
            }
            None => branch.extend(next),
        }
    }

    fn group(&mut self, open: char) -> Option<UsageItem> {
        self.skip(1);
        let close = if open == '[' { ']' } else { ')' };
        if self.depth >= MAX_BRACKETS {
            return None;
        }
        self.depth += 1;
        let branches = self.branches(Some(close));
        self.depth -= 1;
        Some(UsageItem {
            atom: UsageAtom::Group { optional: open == '[', branches },
            repeat: EllipsisStyle::No,
        })
    }

    /// A word up to a space or a bracket that does not belong to it.
    fn word(&mut self) -> UsageItem {
        let mut open: Vec<char> = Vec::new();
        let option = is_name(self.rest);
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if open.last() == Some(&c) => {
                    open.pop();
                }
                '<' => open.push('>'),
                '{' => open.push('}'),
                '[' if option && at > 0 => open.push(']'),
                '[' | ']' | '(' | ')' | '|' if open.is_empty() && at > 0 => {
                    end = at;
                    break;
                }
                // Names in angle brackets may have spaces, but they end somewhere.
                c if c.is_whitespace() && (open.is_empty() || at > 80) => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        item(word)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }
}

fn item(word: &str) -> UsageItem {
    let bare = word.trim_end_matches('.').trim_end_matches('…');
    let repeat = if word.len() - bare.len() >= 2 { EllipsisStyle::Glued } else { EllipsisStyle::No };
    let word = if repeat == EllipsisStyle::Glued { bare } else { word };
    let atom = if word == "--" {
        UsageAtom::Dashes
    } else if is_name(word) {
        UsageAtom::Option(word.into())
    } else {
        UsageAtom::Word(word.into())
    };
    UsageItem { atom, repeat }
}
