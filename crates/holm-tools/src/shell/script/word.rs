//! The words of a command, as the program sees them. It reads one node; which nodes are words is
//! decided in `script_reader.rs`. A word is [`ScriptWord::Plain`] only if it is written exactly as
//! the program sees it. Anything that the shell would expand is [`ScriptWord::Made`], never a
//! guess.

use tree_sitter::Node;

use super::ScriptWord;

/// The word that a node is.
pub(super) fn word(node: Node<'_>, text: &str) -> ScriptWord {
    let raw = text.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "command_name" => match (node.named_child(0), node.named_child_count()) {
            (Some(only), 1) => word(only, text),
            _ => ScriptWord::Made,
        },
        "word" | "number" => bare(raw),
        "raw_string" => {
            quoted(raw, '\'').map_or(ScriptWord::Made, |inner| ScriptWord::Plain(inner.to_owned()))
        }
        "ansi_c_string" => {
            raw.strip_prefix('$').and_then(|raw| quoted(raw, '\'')).map_or(ScriptWord::Made, in_c)
        }
        "string" => {
            let mut cursor = node.walk();
            let only_text = node.named_children(&mut cursor).all(|child| child.kind() == "string_content");
            match quoted(raw, '"').filter(|_| only_text) {
                Some(inner) => in_quotes(inner),
                None => ScriptWord::Made,
            }
        }
        "concatenation" => {
            let mut cursor = node.walk();
            let pieces: Vec<Node<'_>> = node.children(&mut cursor).collect();
            // Something between the pieces would be something that the pieces do not say.
            let mut at = node.start_byte();
            let mut whole = ScriptWord::Plain(String::new());
            for piece in pieces {
                if piece.start_byte() != at {
                    return ScriptWord::Made;
                }
                at = piece.end_byte();
                whole = match piece.kind() {
                    "word" | "number" | "string" | "raw_string" | "ansi_c_string" => {
                        whole.join(word(piece, text))
                    }
                    _ => ScriptWord::Made,
                };
            }
            whole
        }
        _ => ScriptWord::Made,
    }
}

/// A word without quotes: patterns and braces become something else, a backslash takes the next
/// character as it is.
fn bare(raw: &str) -> ScriptWord {
    let mut value = String::with_capacity(raw.len());
    let mut letters = raw.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => value.extend(letters.next().filter(|next| *next != '\n')),
            '*' | '?' | '[' | ']' | '{' | '}' | '$' | '`' | '!' | '(' | ')' | '<' | '>' | '^' => {
                return ScriptWord::Made;
            }
            other => value.push(other),
        }
    }
    let is_home = raw.starts_with('~') || raw.contains("=~") || raw.contains(":~");
    if is_home || raw.contains('\\') { ScriptWord::Known(value) } else { ScriptWord::Plain(value) }
}

/// The text in double quotes without any expansion.
fn in_quotes(inner: &str) -> ScriptWord {
    let mut value = String::with_capacity(inner.len());
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => drop(letters.next()),
            ('\\', Some('"' | '\\' | '$' | '`')) => value.extend(letters.next()),
            ('$' | '`' | '!', _) => return ScriptWord::Made,
            (other, _) => value.push(other),
        }
    }
    if inner.contains('\\') { ScriptWord::Known(value) } else { ScriptWord::Plain(value) }
}

/// The text in `$'…'`. Words with rare escapes count as made at run time.
fn in_c(inner: &str) -> ScriptWord {
    let mut value = String::with_capacity(inner.len());
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            value.push(letter);
            continue;
        }
        match letters.next() {
            Some(same @ ('\\' | '\'' | '"' | '?')) => value.push(same),
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('r') => value.push('\r'),
            Some(digit @ '0'..='7') => match code(&mut letters, 8, 2, digit.to_digit(8)) {
                Some(letter) => value.push(letter),
                None => return ScriptWord::Made,
            },
            Some(kind @ ('x' | 'u' | 'U')) => {
                let more = if kind == 'x' { 2 } else { 4 };
                match code(&mut letters, 16, more, None) {
                    Some(letter) => value.push(letter),
                    None => return ScriptWord::Made,
                }
            }
            Some(_) | None => return ScriptWord::Made,
        }
    }
    ScriptWord::Known(value)
}

/// The character that is written by its number, with at most this many more digits. Only ASCII:
/// others are bytes of a character.
fn code(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
    first: Option<u32>,
) -> Option<char> {
    let mut number = first;
    for _ in 0..most {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(radix)) else { break };
        letters.next();
        number = Some(number.unwrap_or(0) * radix + digit);
    }
    // A zero ends the word.
    number.filter(|number| (1..128).contains(number)).and_then(char::from_u32)
}

fn quoted(raw: &str, mark: char) -> Option<&str> {
    raw.strip_prefix(mark)?.strip_suffix(mark)
}
