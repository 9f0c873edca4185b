//! Turns JSON with comments and trailing commas into plain JSON. It parses nothing: the formats of
//! other programs are read in `import.rs` and its other files.

/// The same text as plain JSON. Comments and trailing commas become blanks, so that line
/// numbers stay the same.
pub(super) fn plain(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => quoted(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(taken);
        match first {
            '/' if taken > 1 => out.extend(token.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
            ',' if closes(behind) => out.push(' '),
            _ => out.push_str(token),
        }
        rest = behind;
    }
    out
}

/// The length of the quoted string at the beginning of the text.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether only blanks and comments precede the end of a list or object.
fn closes(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            return rest.starts_with(['}', ']']);
        };
        match end.and_then(|end| rest.get(end..)) {
            Some(behind) => rest = behind.trim_start(),
            None => return false,
        }
    }
}
