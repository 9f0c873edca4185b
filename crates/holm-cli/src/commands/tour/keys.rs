//! One key, without Enter.

use std::io::{self, Read as _};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// What was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    /// Enter or the space bar.
    Next,
    /// `q`, Escape, Ctrl-C or Ctrl-D, or the terminal is gone.
    Leave,
}

/// Waits for a key. The terminal is as it was afterwards.
pub(super) fn read() -> Key {
    let before = tcgetattr(io::stdin()).ok();
    if let Some(mut quick) = before.clone() {
        // Ctrl-C comes as a key meanwhile; otherwise it would leave the terminal without an echo.
        quick.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &quick);
    }
    let mut byte = [0];
    let read = io::stdin().lock().read(&mut byte);
    if let Some(before) = before {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
    match (read, byte) {
        (Ok(1), [byte]) => of(byte),
        (Ok(_) | Err(_), _) => Key::Leave,
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
        for (byte, key) in [
            (b'1', Key::Char('1')),
            (b'Y', Key::Char('y')),
            (b'\r', Key::Next),
            (0x03, Key::Leave),
            (b'q', Key::Leave),
        ] {
            assert_eq!(of(byte), key);
        }
    }
}
