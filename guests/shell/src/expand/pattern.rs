//! Shell patterns: `*`, `?`, `[…]`, escapes, and the extended forms `?(…)`, `*(…)`, `+(…)`, `@(…)`,
//! `!(…)`.

/// A pattern, ready to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellPattern(Vec<ShellPatternNode>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum ShellPatternNode {
    Char(char),
    One,
    Any,
    Set { negated: bool, items: Vec<BracketItem> },
    Group { kind: char, choices: Vec<Vec<ShellPatternNode>> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum BracketItem {
    Range(char, char),
    Class(String),
}

impl ShellPattern {
    pub(crate) fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        Self(sequence(&chars, &mut at, false))
    }

    /// The same pattern for texts in small letters.
    pub(crate) fn lower(text: &str) -> Self {
        Self::new(&text.to_lowercase())
    }

    /// Whether the whole text matches the pattern.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        self.matches_chars(&chars)
    }

    pub(crate) fn matches_chars(&self, chars: &[char]) -> bool {
        here(&self.0, chars, &mut |rest| rest.is_empty())
    }
}

fn sequence(chars: &[char], at: &mut usize, grouped: bool) -> Vec<ShellPatternNode> {
    let mut nodes = Vec::new();
    while let Some(&c) = chars.get(*at) {
        if grouped && matches!(c, '|' | ')') {
            break;
        }
        *at += 1;
        if matches!(c, '?' | '*' | '+' | '@' | '!')
            && chars.get(*at) == Some(&'(')
            && let Some(group) = group(c, chars, at)
        {
            nodes.push(group);
            continue;
        }
        nodes.push(match c {
            '*' => ShellPatternNode::Any,
            '?' => ShellPatternNode::One,
            '\\' => {
                let escaped = chars.get(*at).copied().unwrap_or('\\');
                *at += 1;
                ShellPatternNode::Char(escaped)
            }
            '[' => set(chars, at).unwrap_or(ShellPatternNode::Char('[')),
            c => ShellPatternNode::Char(c),
        });
    }
    nodes
}

fn group(kind: char, chars: &[char], at: &mut usize) -> Option<ShellPatternNode> {
    let mut inner = *at + 1;
    let mut choices = vec![sequence(chars, &mut inner, true)];
    loop {
        match chars.get(inner)? {
            '|' => {
                inner += 1;
                choices.push(sequence(chars, &mut inner, true));
            }
            _ => {
                *at = inner + 1;
                return Some(ShellPatternNode::Group { kind, choices });
            }
        }
    }
}

fn set(chars: &[char], at: &mut usize) -> Option<ShellPatternNode> {
    let mut inner = *at;
    let negated = matches!(chars.get(inner), Some('!' | '^'));
    if negated {
        inner += 1;
    }
    let (first, mut items) = (inner, Vec::new());
    loop {
        let c = *chars.get(inner)?;
        inner += 1;
        match c {
            ']' if inner > first + 1 => break,
            '[' if chars.get(inner) == Some(&':') => {
                let end = inner + 1 + chars.get(inner + 1..)?.iter().position(|&c| c == ':')?;
                items.push(BracketItem::Class(chars.get(inner + 1..end)?.iter().collect()));
                inner = end + 2;
            }
            c => {
                let low = if c == '\\' { escaped(chars, &mut inner)? } else { c };
                if chars.get(inner) == Some(&'-') && chars.get(inner + 1).is_some_and(|&c| c != ']') {
                    inner += 1;
                    let high = *chars.get(inner)?;
                    inner += 1;
                    let high = if high == '\\' { escaped(chars, &mut inner)? } else { high };
                    items.push(BracketItem::Range(low, high));
                } else {
                    items.push(BracketItem::Range(low, low));
                }
            }
        }
    }
    *at = inner;
    Some(ShellPatternNode::Set { negated, items })
}

fn escaped(chars: &[char], at: &mut usize) -> Option<char> {
    let c = *chars.get(*at)?;
    *at += 1;
    Some(c)
}

/// Compares nodes with the beginning of a text and asks `then` about the rest.
fn here(nodes: &[ShellPatternNode], text: &[char], then: &mut dyn FnMut(&[char]) -> bool) -> bool {
    let Some((node, nodes)) = nodes.split_first() else {
        return then(text);
    };
    match node {
        ShellPatternNode::Char(c) => {
            text.split_first().is_some_and(|(first, rest)| first == c && here(nodes, rest, then))
        }
        ShellPatternNode::One => text.split_first().is_some_and(|(_, rest)| here(nodes, rest, then)),
        ShellPatternNode::Set { negated, items } => text
            .split_first()
            .is_some_and(|(first, rest)| in_set(items, *first) != *negated && here(nodes, rest, then)),
        ShellPatternNode::Any => (0..=text.len()).any(|at| text.get(at..).is_some_and(|rest| here(nodes, rest, then))),
        ShellPatternNode::Group { kind, choices } => in_group(*kind, choices, nodes, text, then),
    }
}

fn in_group(
    kind: char,
    choices: &[Vec<ShellPatternNode>],
    nodes: &[ShellPatternNode],
    text: &[char],
    then: &mut dyn FnMut(&[char]) -> bool,
) -> bool {
    match kind {
        '@' => choices.iter().any(|choice| here(choice, text, &mut |rest| here(nodes, rest, then))),
        '?' => here(nodes, text, then) || in_group('@', choices, nodes, text, then),
        '*' => here(nodes, text, then) || again(choices, nodes, text, then),
        '+' => again(choices, nodes, text, then),
        // Every beginning that none of the choices is.
        _ => (0..=text.len()).any(|at| {
            let Some((head, rest)) = text.split_at_checked(at) else { return false };
            !choices.iter().any(|choice| here(choice, head, &mut |left| left.is_empty()))
                && here(nodes, rest, then)
        }),
    }
}

/// One choice, then any number more; each must consume something, or the match would never end.
fn again(
    choices: &[Vec<ShellPatternNode>],
    nodes: &[ShellPatternNode],
    text: &[char],
    then: &mut dyn FnMut(&[char]) -> bool,
) -> bool {
    choices.iter().any(|choice| {
        here(choice, text, &mut |rest| {
            here(nodes, rest, then) || (rest.len() < text.len() && again(choices, nodes, rest, then))
        })
    })
}

fn in_set(items: &[BracketItem], c: char) -> bool {
    items.iter().any(|item| match item {
        BracketItem::Range(low, high) => (*low..=*high).contains(&c),
        BracketItem::Class(name) => in_class(name, c),
    })
}

/// The named classes of letters.
pub(crate) fn in_class(name: &str, c: char) -> bool {
    match name {
        "alpha" => c.is_alphabetic(),
        "digit" => c.is_ascii_digit(),
        "alnum" => c.is_alphanumeric(),
        "upper" => c.is_uppercase(),
        "lower" => c.is_lowercase(),
        "space" => c.is_whitespace(),
        "blank" => matches!(c, ' ' | '\t'),
        "punct" => c.is_ascii_punctuation(),
        "cntrl" => c.is_control(),
        "xdigit" => c.is_ascii_hexdigit(),
        "print" => !c.is_control(),
        "graph" => !c.is_control() && !c.is_whitespace(),
        "word" => c.is_alphanumeric() || c == '_',
        _ => false,
    }
}
