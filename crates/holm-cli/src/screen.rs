//! Writes the output of the command: answers to standard output, everything else to standard error.
//! All other files of the command print through it, except that the chat draws by itself
//! (`chat/terminal.rs`), `main.rs` prints the help, and `commands/acp.rs` and
//! `commands/mcp_server.rs` speak their protocols on standard output.
//!
//! Text of a model or a tool never controls the terminal: hidden characters are written out.
//! Programs read standard output, so notes and questions must not go there. While a question is
//! open, other output waits, because it would appear where the user types. What to ask is decided
//! in `approve.rs` and `helper_terminal.rs`; what to show of a run, in `draw.rs`.

use std::{
    ffi::OsStr,
    fmt,
    io::{self, BufRead as _, IsTerminal, Write},
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use holm::kernel::{visible, visible_line};

use crate::chat::text;

/// Formats a name or path for people: on one line, with every hidden character written out, so that
/// a file name cannot imitate a message of Holm.
pub(crate) trait DisplayablePath {
    /// The text to show.
    fn shown(&self) -> String;
}

impl DisplayablePath for Path {
    fn shown(&self) -> String {
        visible_line(&self.to_string_lossy())
    }
}

impl DisplayablePath for OsStr {
    fn shown(&self) -> String {
        visible_line(&self.to_string_lossy())
    }
}

/// Moves to the first line and clears all of them.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Moves to the beginning of the line and clears it.
const CLEAR_LINE: &str = "\r\u{1b}[K";

/// How wide a terminal is taken to be that does not say it.
const USUAL_WIDTH: usize = 80;

/// Why something did not reach standard output, the first time that this was so.
static LOST: OnceLock<String> = OnceLock::new();

/// Standard output and standard error, with one writer at a time.
#[derive(Default)]
pub(crate) struct TerminalOutput {
    state: Mutex<OutputState>,
    /// Receives notes in place of standard error.
    notes: Option<Box<NoteHandler>>,
}

/// Receives notes in place of standard error.
type NoteHandler = dyn Fn(&str) + Send + Sync;

#[derive(Debug, Default)]
struct OutputState {
    /// Where the last text on standard output ended.
    line: LinePosition,
    /// Output that waits until an open question is answered: it would appear where the user types.
    waiting: Option<Vec<(StandardStream, String)>>,
    /// The question that is being asked.
    asks: Option<ScreenQuestion>,
    /// Whether the user was told that the command is ending.
    ends: ShutdownNotice,
    /// Whether the last line of the terminal is a status line, which the next output replaces.
    passing: StatusLine,
}

/// Whether a status line is on the terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum StatusLine {
    #[default]
    None,
    Drawn,
}

/// Whether the command is ending because the user asked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ShutdownNotice {
    #[default]
    No,
    Told,
}

/// A question while its asker waits. Clones refer to the same question.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScreenQuestion(Arc<QuestionStatus>);

/// Whether the asker still waits, and who has answered if not.
#[derive(Debug, Default)]
struct QuestionStatus {
    is_over: AtomicBool,
    elsewhere: AtomicBool,
}

impl ScreenQuestion {
    /// Whether the asker no longer waits.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Acquire)
    }

    /// Whether both are the same question.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Marks the question as answered by a remote user.
    pub(crate) fn answered_elsewhere(&self) {
        self.0.elsewhere.store(true, Ordering::Release);
    }
}

/// The stream that text is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandardStream {
    Out,
    Err,
}

/// The position of the cursor on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LinePosition {
    #[default]
    Begun,
    Within,
}

impl fmt::Debug for TerminalOutput {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TerminalOutput").field("state", &self.state).finish_non_exhaustive()
    }
}

impl OutputState {
    fn put(&mut self, stream: StandardStream, text: String) {
        match &mut self.waiting {
            Some(waiting) => waiting.push((stream, text)),
            None => {
                self.wipe();
                write(stream, &text);
            }
        }
    }

    /// Whether the asker of the current question no longer waits.
    fn is_over(&self) -> bool {
        self.asks.as_ref().is_some_and(ScreenQuestion::is_over)
    }

    /// Takes the line away that says what is under way.
    fn wipe(&mut self) {
        if std::mem::take(&mut self.passing) == StatusLine::Drawn {
            write(StandardStream::Err, CLEAR_LINE);
        }
    }
}

impl TerminalOutput {
    /// Whether standard output is a terminal.
    pub(crate) fn answers_to_a_person() -> bool {
        io::stdout().is_terminal()
    }

    /// Whether standard error is a terminal.
    pub(crate) fn notes_to_a_person() -> bool {
        io::stderr().is_terminal()
    }

    /// Why a part of standard output was lost. `None` if its reader closed the pipe and does
    /// not want the rest.
    pub(crate) fn lost() -> Option<&'static str> {
        LOST.get().map(String::as_str)
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// A screen that is not this terminal: notes, made safe to be shown, go to a function.
    pub(crate) fn elsewhere(note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { state: Mutex::default(), notes: Some(Box::new(note)) }
    }

    /// A piece of an answer, as it comes.
    pub(crate) fn piece(&self, text: &str) {
        let mut state = self.state();
        state.put(StandardStream::Out, visible(text));
        state.line = if text.ends_with('\n') { LinePosition::Begun } else { LinePosition::Within };
    }

    /// Ends a line that pieces have begun.
    pub(crate) fn end_line(&self) {
        let mut state = self.state();
        if state.line == LinePosition::Within {
            state.put(StandardStream::Out, "\n".to_owned());
        }
        state.line = LinePosition::Begun;
    }

    /// A whole text on standard output.
    pub(crate) fn answer(&self, text: &str) {
        self.piece(text);
        self.end_line();
    }

    /// A line that a program reads, byte for byte; a terminal is still not obeyed.
    pub(crate) fn line(&self, text: &str) {
        if Self::answers_to_a_person() {
            return self.answer(text);
        }
        self.state().put(StandardStream::Out, format!("{text}\n"));
    }

    /// Replaces the content of the terminal with a text. A terminal that cannot be
    /// cleared gets it below.
    pub(crate) fn page(&self, text: &str) {
        let clear = if std::env::var_os("TERM").is_some_and(|term| term != "dumb") { CLEAR } else { "" };
        self.state().put(StandardStream::Out, format!("{clear}{}\n", visible(text)));
    }

    /// Whether a line can be drawn over another on the terminal of the notes.
    pub(crate) fn can_draw_over() -> bool {
        Self::notes_to_a_person() && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
    }

    /// Shows running work on the last line of the terminal, until the next output, or until nothing
    /// is running. Nothing is drawn while the user types or an answer has begun a line. For
    /// terminals that [can draw over a line](Self::can_draw_over).
    pub(crate) fn under_way(&self, said: Option<&str>) {
        let mut state = self.state();
        if state.waiting.is_some() || state.line == LinePosition::Within {
            return;
        }
        let Some(said) = said else { return state.wipe() };
        // The last column stays free: some terminals would wrap to the next line, and two lines
        // could not be removed again.
        let line = text::clipped(&text::one_line(said), width().saturating_sub(1));
        write(StandardStream::Err, &format!("{CLEAR_LINE}{line}"));
        state.passing = StatusLine::Drawn;
    }

    /// Keeps what others write back while something else has the terminal.
    pub(crate) fn lend<T>(&self, to: impl FnOnce() -> T) -> T {
        {
            let mut state = self.state();
            state.wipe();
            state.waiting = Some(Vec::new());
        }
        let done = to();
        self.go_on();
        done
    }

    /// A note on standard error.
    pub(crate) fn note(&self, text: &str) {
        if let Some(note) = &self.notes {
            return note(&visible(text));
        }
        self.state().put(StandardStream::Err, format!("{}\n", visible(text)));
    }

    /// Says that everything comes to its end, which cannot wait for an answer.
    pub(crate) fn note_of_the_end(&self, text: &str) {
        if let Some(note) = &self.notes {
            return note(&visible(text));
        }
        let mut state = self.state();
        state.wipe();
        state.ends = ShutdownNotice::Told;
        write(StandardStream::Err, &format!("\n{}\n", visible(text)));
    }

    /// Asks on standard error, for callers that read the answer themselves, key by key.
    #[cfg(feature = "local")]
    pub(crate) fn ask(&self, text: &str) {
        let mut state = self.state();
        state.wipe();
        write(StandardStream::Err, &visible(text));
    }

    /// Asks on standard error, and returns the line that the user types. Returns `None` at the end
    /// of input. Output of other tasks meanwhile is written afterwards.
    pub(crate) fn question(&self, text: &str) -> Option<String> {
        {
            let mut state = self.state();
            if state.is_over() {
                return None;
            }
            state.wipe();
            write(StandardStream::Err, &visible(text));
            state.waiting = Some(Vec::new());
        }
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        let is_over = self.state().is_over();
        self.go_on();
        match read {
            // What was typed for a question that is over answers nothing.
            Ok(0) | Err(_) => None,
            Ok(_) if is_over => None,
            Ok(_) => Some(line),
        }
    }

    /// Asks questions until the asker no longer waits.
    pub(crate) fn asking<T>(&self, open: &ScreenQuestion, ask: impl FnOnce(&Self) -> T) -> T {
        self.state().asks = Some(open.clone());
        let asked = ask(self);
        self.state().asks = None;
        asked
    }

    /// Ends a question whose asker no longer waits, because it was answered elsewhere or is not
    /// needed. The user is told why, unless they ended it themselves, and delayed output is shown.
    pub(crate) fn give_up(&self, open: &ScreenQuestion) {
        open.0.is_over.store(true, Ordering::Release);
        let mut state = self.state();
        let is_put = state.asks.as_ref().is_some_and(|put| Arc::ptr_eq(&put.0, &open.0));
        let Some(waiting) = state.waiting.take_if(|_| is_put) else { return };
        if let Some(why) = why_over(open, state.ends) {
            write(StandardStream::Err, &format!("\nholm: {why}; press Enter before the next question\n"));
        }
        for (stream, text) in waiting {
            write(stream, &text);
        }
    }

    /// Writes what has waited.
    fn go_on(&self) {
        let mut state = self.state();
        for (stream, text) in state.waiting.take().into_iter().flatten() {
            write(stream, &text);
        }
    }

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The message to a user whose answer is no longer needed; `None` if they know already.
fn why_over(open: &ScreenQuestion, ends: ShutdownNotice) -> Option<&'static str> {
    if open.0.elsewhere.load(Ordering::Acquire) {
        return Some("this was answered elsewhere");
    }
    match ends {
        ShutdownNotice::Told => None,
        ShutdownNotice::No => Some("this question was withdrawn"),
    }
}

/// How many columns the terminal of the notes has.
fn width() -> usize {
    size().0
}

/// How many columns the terminal of the notes has, and how many lines where it says so.
pub(crate) fn size() -> (usize, Option<usize>) {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    let told = |many: u16| Some(usize::from(many)).filter(|many| *many > 0);
    let columns = size.as_ref().and_then(|size| told(size.ws_col));
    (columns.unwrap_or(USUAL_WIDTH), size.and_then(|size| told(size.ws_row)))
}

/// Writes, and ignores a closed reader: the run goes on, and its journal has everything. A full
/// disk is remembered, so that half an answer is not taken for a whole one.
fn write(stream: StandardStream, text: &str) {
    let written = match stream {
        StandardStream::Out => flushed(io::stdout().lock(), text),
        StandardStream::Err => flushed(io::stderr().lock(), text),
    };
    let Err(error) = written else { return };
    if stream == StandardStream::Out && error.kind() != io::ErrorKind::BrokenPipe {
        // The first reason stays.
        let _ = LOST.set(error.to_string());
    }
}

fn flushed(mut out: impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

#[cfg(test)]
mod tests;
