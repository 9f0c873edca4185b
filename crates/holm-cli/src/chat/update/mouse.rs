//! The mouse: the wheel scrolls, and a click chooses what a key could choose. A click never
//! approves anything. Positions come from `chat/draw.rs`; what a choice does is in
//! `chat/update/key_presses.rs`.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::chat::{
    draw::{self, ScreenAreas},
    state::{ChatCommand, ChatState, QuitConfirmation, ScreenOverlay},
};

/// How many lines a turn of the wheel moves.
const WHEEL: isize = 3;

impl ChatState {
    pub(super) fn mouse(&mut self, mouse: MouseEvent) -> Vec<ChatCommand> {
        match mouse.kind {
            MouseEventKind::ScrollUp => self.scroll(-WHEEL),
            MouseEventKind::ScrollDown => self.scroll(WHEEL),
            MouseEventKind::Down(MouseButton::Left) => return self.click(mouse.column, mouse.row),
            MouseEventKind::Down(_)
            | MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => {}
        }
        Vec::new()
    }

    /// A session at the top, a row of a list, or what a word could become.
    fn click(&mut self, column: u16, row: u16) -> Vec<ChatCommand> {
        self.leaving = QuitConfirmation::No;
        if self.over.is_some() {
            return self.click_over(row);
        }
        let areas = ScreenAreas::of(self);
        if areas.bar.contains((column, row).into()) {
            if let Some(tab) = draw::tab_at(self, column) {
                self.turn_to(tab);
            }
            return Vec::new();
        }
        let first = |rows: usize| areas.foot.y.saturating_sub(u16::try_from(rows).unwrap_or(u16::MAX));
        let at = self.completion.as_ref().and_then(|completion| {
            let at = usize::from(row.checked_sub(first(completion.rows.len()))?);
            (at < completion.rows.len()).then_some(at)
        });
        if let (Some(at), Some(completion)) = (at, &mut self.completion) {
            completion.at = at;
            self.accept();
        }
        Vec::new()
    }

    fn click_over(&mut self, row: u16) -> Vec<ChatCommand> {
        let rows = self.size.rows;
        let Some(ScreenOverlay::Picker(picker)) = &mut self.over else { return Vec::new() };
        match draw::listed_at(picker, rows, row) {
            Some(at) if picker.choose(at) => self.pick(),
            Some(_) | None => Vec::new(),
        }
    }
}
