//! Reads single key presses, without Enter.

use std::{
    collections::VecDeque,
    io::{self, Read as _},
};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// A key press, by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    /// Enter, the space bar, or an arrow to the right or down.
    Next,
    /// An arrow to the left or up, or Backspace.
    Back,
    First,
    Last,
    /// `q`, Escape, Ctrl-C or Ctrl-D, or the terminal was closed.
    Leave,
}

/// Bytes that a terminal sends for one key at the most; several keys may come at once.
const AT_ONCE: usize = 64;

/// Reads key presses from standard input.
#[derive(Debug, Default)]
pub(crate) struct Keyboard {
    waiting: VecDeque<Key>,
}

impl Keyboard {
    /// Waits for a key. The terminal is as it was afterwards.
    pub(crate) fn read(&mut self) -> Key {
        loop {
            if let Some(key) = self.waiting.pop_front() {
                return key;
            }
            let Some(bytes) = press() else { return Key::Leave };
            self.waiting.extend(keys(&bytes));
        }
    }
}

/// What comes in at the next press; none if nothing comes any more.
fn press() -> Option<Vec<u8>> {
    let before = tcgetattr(io::stdin()).ok();
    if let Some(mut quick) = before.clone() {
        // Ctrl-C comes as a key meanwhile; otherwise it would leave the terminal without an echo.
        quick.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &quick);
    }
    let mut bytes = vec![0; AT_ONCE];
    let read = io::stdin().lock().read(&mut bytes);
    if let Some(before) = before {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
    bytes.truncate(read.unwrap_or(0));
    (!bytes.is_empty()).then_some(bytes)
}

/// Bytes that came together as keys. An escape that begins nothing known is Escape alone.
fn keys(bytes: &[u8]) -> Vec<Key> {
    let (mut keys, mut rest) = (Vec::new(), bytes);
    loop {
        let (key, after) = match rest {
            [] => return keys,
            [0x1b, b'[' | b'O', b'A' | b'D', after @ ..] | [0x08 | 0x7f, after @ ..] => (Key::Back, after),
            [0x1b, b'[' | b'O', b'B' | b'C', after @ ..] => (Key::Next, after),
            [0x1b, b'[' | b'O', b'H', after @ ..] | [0x1b, b'[', b'1' | b'7', b'~', after @ ..] => {
                (Key::First, after)
            }
            [0x1b, b'[' | b'O', b'F', after @ ..] | [0x1b, b'[', b'4' | b'8', b'~', after @ ..] => {
                (Key::Last, after)
            }
            [byte, after @ ..] => (of(*byte), after),
        };
        keys.push(key);
        rest = after;
    }
}

fn of(byte: u8) -> Key {
    match byte {
        b'q' | b'Q' | 0x03 | 0x04 | 0x1b => Key::Leave,
        b'\n' | b'\r' | b' ' => Key::Next,
        byte => Key::Char(char::from(byte).to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_keys() {
        let check = |bytes: &[u8], expect: &[Key]| assert_eq!(keys(bytes), expect, "{bytes:?}");
        check(b"1", &[Key::Char('1')]);
        check(b"Y", &[Key::Char('y')]);
        check(b"\r", &[Key::Next]);
        check(b"\x03", &[Key::Leave]);
        check(b"q", &[Key::Leave]);
        check(b"\x1b", &[Key::Leave]);
        check(b"\x1b[C\x1b[D\x1bOA\x1b[B", &[Key::Next, Key::Back, Key::Back, Key::Next]);
        check(b"\x1b[H\x1b[4~n", &[Key::First, Key::Last, Key::Char('n')]);
        check(b"\x7f ", &[Key::Back, Key::Next]);
    }
}
