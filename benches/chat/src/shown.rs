//! What a terminal shows, as somebody reads it who finds a program standing still: words without escape sequences, row by row.

/// The last rows of what was written that have words, each on a line of its own. What was written again stands there again.
pub fn last(written: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(written);
    let (mut rows, mut chars) = (Rows::default(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => rows.moved(escape(&mut chars)),
            '\n' | '\r' => rows.moved(Moved::Away),
            c if c.is_control() => {}
            c => rows.current.push(c),
        }
    }
    rows.moved(Moved::Away);
    let from = rows.whole.len().saturating_sub(most);
    rows.whole.split_off(from).join("\n")
}

#[derive(Default)]
struct Rows {
    whole: Vec<String>,
    current: String,
    /// Its number, where the program has said it.
    at: Option<u32>,
}

/// Where an escape sequence has put the cursor.
#[derive(Clone, Copy)]
enum Moved {
    Nowhere,
    /// Into the row in which it is.
    Along,
    /// Into a row with this number.
    To(u32),
    /// Into another row, whichever that is.
    Away,
}

impl Rows {
    fn moved(&mut self, moved: Moved) {
        let to = match moved {
            Moved::Nowhere => return,
            Moved::To(row) if self.at != Some(row) => Some(row),
            Moved::To(_) | Moved::Along => return self.current.push(' '),
            Moved::Away => None,
        };
        let words = self.current.trim_end();
        if !words.is_empty() {
            self.whole.push(words.to_owned());
        }
        self.current.clear();
        self.at = to;
    }
}

/// Reads an escape sequence to its end.
fn escape(chars: &mut std::str::Chars<'_>) -> Moved {
    match chars.next() {
        Some('[') => control(chars),
        // A text of its own, up to a bell or up to a sequence that ends it.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            if chars.find(|c| matches!(c, '\x07' | '\x1b')) == Some('\x1b') {
                chars.next();
            }
            Moved::Nowhere
        }
        Some(' '..='/') => {
            chars.next();
            Moved::Nowhere
        }
        _ => Moved::Nowhere,
    }
}

fn control(chars: &mut std::str::Chars<'_>) -> Moved {
    let mut numbers = String::new();
    for c in chars {
        match c {
            'H' | 'f' => {
                // The first row is also the one that is not named.
                let row = numbers.split(';').next().unwrap_or_default();
                return Moved::To(row.parse().unwrap_or(1));
            }
            'A' | 'B' | 'E' | 'F' | 'd' => return Moved::Away,
            'C' | 'D' | 'G' => return Moved::Along,
            '@'..='~' => return Moved::Nowhere,
            c => numbers.push(c),
        }
    }
    Moved::Nowhere
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_their_rows_and_what_else_is_written_is_left_out() {
        let check =
            |written: &str, expect: &str| assert_eq!(last(written.as_bytes(), 30), expect, "{written:?}");
        check("", "");
        check("\x1b[2J\x1b[1;1H› turn 1\x1b[0m\x1b[2;1Hword\x1b[2;9Hmore\x1b[?25h", "› turn 1\nword more");
        check("\x1b[Hone\x1b[1;8Htwo\x1b[4dfour\x1b[5Gfive\r\nsix", "one two\nfour five\nsix");
        check("\x1b]0;a title\x07a\x1bP1$r0m\x1b\\b\x1b(Bc\x08", "abc");
        check("\x1b[3;1H   \x1b[4;1H\x1b[5;1Hend\x1b[", "end");
    }

    #[test]
    fn only_the_last_rows_are_told() {
        assert_eq!(last(b"one\ntwo\nthree\n", 2), "two\nthree");
        assert_eq!(last(&[0xe2, 0x80, b'x'], 2), "\u{fffd}x", "what begins in the midst of a letter");
    }
}
