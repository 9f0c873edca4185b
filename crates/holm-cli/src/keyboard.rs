//! Reads single key presses, without Enter, for commands that page or step, such as `holm session
//! replay --step`. It does not serve the chat, whose keys are in `chat/keys.rs` and
//! `chat/wake_stream.rs`, and it does not read lines; `screen.rs` does. The terminal's mode is
//! restored after every key, so that a crash between two keys leaves it usable.

use std::{
    collections::VecDeque,
    io::{self, Read as _},
};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// A key press, by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPress {
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
pub(crate) struct KeyboardInput {
    waiting: VecDeque<KeyPress>,
}

impl KeyboardInput {
    /// Waits for a key. The terminal is as it was afterwards.
    pub(crate) fn read(&mut self) -> KeyPress {
        loop {
            if let Some(key) = self.waiting.pop_front() {
                return key;
            }
            let Some(bytes) = press() else { return KeyPress::Leave };
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
fn keys(bytes: &[u8]) -> Vec<KeyPress> {
    let (mut keys, mut rest) = (Vec::new(), bytes);
    loop {
        let (key, after) = match rest {
            [] => return keys,
            [0x1b, b'[' | b'O', b'A' | b'D', after @ ..] | [0x08 | 0x7f, after @ ..] => {
                (KeyPress::Back, after)
            }
            [0x1b, b'[' | b'O', b'B' | b'C', after @ ..] => (KeyPress::Next, after),
            [0x1b, b'[' | b'O', b'H', after @ ..] | [0x1b, b'[', b'1' | b'7', b'~', after @ ..] => {
                (KeyPress::First, after)
            }
            [0x1b, b'[' | b'O', b'F', after @ ..] | [0x1b, b'[', b'4' | b'8', b'~', after @ ..] => {
                (KeyPress::Last, after)
            }
            [byte, after @ ..] => (of(*byte), after),
        };
        keys.push(key);
        rest = after;
    }
}

fn of(byte: u8) -> KeyPress {
    match byte {
        b'q' | b'Q' | 0x03 | 0x04 | 0x1b => KeyPress::Leave,
        b'\n' | b'\r' | b' ' => KeyPress::Next,
        byte => KeyPress::Char(char::from(byte).to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_keys() {
        let check = |bytes: &[u8], expect: &[KeyPress]| assert_eq!(keys(bytes), expect, "{bytes:?}");
        check(b"1", &[KeyPress::Char('1')]);
        check(b"Y", &[KeyPress::Char('y')]);
        check(b"\r", &[KeyPress::Next]);
        check(b"\x03", &[KeyPress::Leave]);
        check(b"q", &[KeyPress::Leave]);
        check(b"\x1b", &[KeyPress::Leave]);
        check(b"\x1b[C\x1b[D\x1bOA\x1b[B", &[KeyPress::Next, KeyPress::Back, KeyPress::Back, KeyPress::Next]);
        check(b"\x1b[H\x1b[4~n", &[KeyPress::First, KeyPress::Last, KeyPress::Char('n')]);
        check(b"\x7f ", &[KeyPress::Back, KeyPress::Next]);
    }
}
