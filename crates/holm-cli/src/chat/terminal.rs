//! Takes over the terminal and restores it: when the chat ends, when it panics, and while an
//! external editor has it. What is drawn is in `draw.rs`; keys are read in `chat_loop.rs`. A
//! terminal that was taken must be restored on every way out, and the terminal is never asked for
//! its cursor position, because the answer would mix with the keys.

use std::{
    io::{self, BufWriter, Stdout, Write as _},
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use crossterm::{cursor, event, execute, terminal};
use ratatui::{Terminal, backend::CrosstermBackend};

use super::{
    draw,
    state::{ChatState, TerminalSize},
};

/// Asks for the wheel and the buttons, and not for every move of the mouse.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
/// Disables the mouse again.
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Whether the terminal is ours now; a panic anywhere must be able to tell.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while the chat uses it. Dropping it restores the terminal.
pub(super) struct ChatTerminal {
    /// `None` once the terminal is restored.
    paper: Option<RatatuiTerminal>,
}

type RatatuiTerminal = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

impl ChatTerminal {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// If it cannot be.
    pub(super) fn take() -> io::Result<Self> {
        give_back_on_panic();
        take()?;
        match blank() {
            Ok(paper) => Ok(Self { paper: Some(paper) }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// How large it is.
    pub(super) fn size(&self) -> io::Result<TerminalSize> {
        let size = self.paper.as_ref().map(Terminal::size).transpose()?.unwrap_or_default();
        Ok(TerminalSize { columns: size.width, rows: size.height })
    }

    /// Draws what has changed since it was last drawn.
    pub(super) fn draw(&mut self, state: &mut ChatState) -> io::Result<()> {
        if let Some(paper) = &mut self.paper {
            paper.draw(|frame| draw::render(state, frame))?;
        }
        Ok(())
    }

    /// Draws everything again with the next frame. The terminal is not asked for its cursor
    /// position: the answer would mix with the keys, and some connections send none.
    pub(super) fn repaint(&mut self) -> io::Result<()> {
        execute!(io::stdout(), terminal::Clear(terminal::ClearType::All))?;
        self.paper = Some(blank()?);
        Ok(())
    }

    /// Lets something else have the terminal meanwhile.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let done = work();
        take()?;
        self.repaint()?;
        Ok(done)
    }
}

impl Drop for ChatTerminal {
    fn drop(&mut self) {
        give_back();
        let Some(mut paper) = self.paper.take() else { return };
        // Dropping it reports an error on standard error; if the terminal is gone, so is standard
        // error, and that is a panic.
        if paper.show_cursor().is_err() {
            std::mem::forget(paper);
        }
    }
}

/// A terminal of which nothing is known to be drawn.
fn blank() -> io::Result<RatatuiTerminal> {
    Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))
}

fn take() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    execute!(out, terminal::EnterAlternateScreen, event::EnableBracketedPaste)?;
    out.write_all(MOUSE_ON.as_bytes())?;
    out.flush()
}

/// Restores the terminal. Errors are ignored: then the terminal is gone already.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = out.write_all(MOUSE_OFF.as_bytes());
    let _ = execute!(out, event::DisableBracketedPaste, terminal::LeaveAlternateScreen, cursor::Show);
    let _ = terminal::disable_raw_mode();
}

fn give_back_on_panic() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
    });
}
