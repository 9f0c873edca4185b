//! `holm session replay --step`: steps through a session with the keys, forward and back. Going
//! back shows fewer records, so nothing has to be undone. The texts come from
//! `commands/session/replay_narrator.rs`, the keys from `keyboard.rs`. Without a terminal, it
//! prints every record.

use std::io;

use rustix::termios::tcgetwinsize;

use super::{list::date, replay_narrator::ReplayStep};
use crate::{
    exit::{CommandError, CommandExit},
    keyboard::{KeyPress, KeyboardInput},
    screen::TerminalOutput,
};

/// Lines and columns of a terminal that does not say how large it is.
const USUAL: (usize, usize) = (24, 80);

/// Lines that a page needs besides what it shows: the head, a line below it, the keys.
const FRAME: usize = 4;

/// What the keys do.
const HELP: &str = "→ Enter n next   ← p back   Home g first   End e last   q leave";

/// A position in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReplayPosition {
    at: usize,
    last: usize,
}

/// The result of a key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplayMove {
    To(ReplayPosition),
    Leave,
}

/// Steps through the records, starting with `at`. Without a terminal, prints them all.
pub(super) fn through(
    screen: &TerminalOutput,
    id: &str,
    steps: &[ReplayStep],
    at: Option<u64>,
) -> anyhow::Result<CommandExit> {
    let last = steps.len().saturating_sub(1);
    let at = at.map_or(Ok(0), usize::try_from).unwrap_or(usize::MAX);
    if at > last {
        let message = format!("session `{id}` has no record {at}; the last one is {last}");
        return Err(CommandError::new(CommandExit::Usage, message).into());
    }
    if !TerminalOutput::can_ask() || !TerminalOutput::answers_to_a_person() {
        for (number, step) in steps.iter().enumerate().skip(at) {
            screen.answer(&told(number, steps.len(), step));
        }
        return Ok(CommandExit::Done);
    }
    let (mut keyboard, mut place) = (KeyboardInput::default(), ReplayPosition { at, last });
    loop {
        screen.page(&page(id, steps, place, size()));
        match place.after(keyboard.read()) {
            ReplayMove::To(next) => place = next,
            ReplayMove::Leave => return Ok(CommandExit::Done),
        }
    }
}

impl ReplayPosition {
    fn after(self, key: KeyPress) -> ReplayMove {
        let at = match key {
            KeyPress::Next | KeyPress::Char('n' | 'j' | 'l') => self.at.saturating_add(1).min(self.last),
            KeyPress::Back | KeyPress::Char('p' | 'b' | 'k' | 'h') => self.at.saturating_sub(1),
            KeyPress::First | KeyPress::Char('g') => 0,
            KeyPress::Last | KeyPress::Char('e') => self.last,
            KeyPress::Char(_) => self.at,
            KeyPress::Leave => return ReplayMove::Leave,
        };
        ReplayMove::To(Self { at, ..self })
    }
}

/// A record in plain text, without a terminal: its number, its kind, and what happened.
fn told(number: usize, count: usize, step: &ReplayStep) -> String {
    let head = format!("record {number} of {}  {}  {}", count.saturating_sub(1), date(step.at), step.what);
    let lines = step.lines.iter().map(|line| format!("    {line}"));
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// The run after a record: the end of its description, with new lines marked, as much as
/// fits on the screen.
fn page(id: &str, steps: &[ReplayStep], place: ReplayPosition, (height, width): (usize, usize)) -> String {
    let Some(step) = steps.get(place.at) else { return String::new() };
    let mut shown = Vec::new();
    for (number, step) in steps.iter().enumerate().take(place.at + 1) {
        let mark = if number == place.at { '>' } else { ' ' };
        let lines = step.lines.iter().flat_map(|line| line.lines());
        shown.extend(lines.map(|line| cut(&format!("{mark} {line}"), width)));
    }
    let room = height.saturating_sub(FRAME).max(1);
    let from = shown.len().saturating_sub(room);
    let head = format!("{id}  record {} of {}  {}  {}", place.at, place.last, date(step.at), step.what);
    let mut lines = vec![cut(&head, width), String::new()];
    lines.extend(shown.into_iter().skip(from));
    lines.extend([String::new(), cut(HELP, width)]);
    lines.join("\n")
}

/// A line that fits. The whole of it is in `holm session show`.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn size() -> (usize, usize) {
    let known = tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_row > 0 && size.ws_col > 0);
    known.map_or(USUAL, |size| (usize::from(size.ws_row), usize::from(size.ws_col)))
}

#[cfg(test)]
mod tests;
