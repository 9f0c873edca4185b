//! Runs the command on its own terminal. Every byte that it writes goes through an emulator, which
//! knows what a user would see. `script` from util-linux provides the terminal, and `stty` changes
//! its size.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{
    patience::PATIENCE,
    stage::{MODEL, Stage},
};

/// How often the screen is checked.
const LOOK: Duration = Duration::from_millis(50);

/// A command at a terminal.
pub(crate) struct Pty {
    child: Child,
    keys: ChildStdin,
    /// Where the command has written which terminal it has, and which process it is.
    note: PathBuf,
    /// How many of the bytes were looked at one by one.
    accounted: usize,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

/// What came out of it.
struct Seen {
    emulator: vt100::Parser,
    bytes: Vec<u8>,
    over: bool,
}

impl Pty {
    /// `holm chat` with the double's model.
    pub(crate) fn chat(stage: &Stage, (rows, columns): (u16, u16), args: &[&str]) -> Self {
        Self::start(stage, (rows, columns), &[&["chat", "--model", MODEL], args].concat(), &[])
    }

    /// Starts the command on a terminal of this size, with more in its environment.
    pub(crate) fn start(
        stage: &Stage,
        (rows, columns): (u16, u16),
        args: &[&str],
        env: &[(&str, &str)],
    ) -> Self {
        let note = stage.data().with_extension(format!("{rows}x{columns}"));
        let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
        let line = format!(
            "stty rows {rows} cols {columns}; echo $(tty) $$ > '{}'; exec '{}' {}",
            note.display(),
            env!("CARGO_BIN_EXE_holm"),
            quoted.join(" ")
        );
        let mut command = Command::new("script");
        command.args(["-q", "-e", "-f", "-c", &line, "/dev/null"]).current_dir(stage.work()).env_clear();
        stage.dress(&mut command);
        command.env("TERM", "xterm-256color").envs(env.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child =
            command.spawn().unwrap_or_else(|error| panic!("script: {error}; install util-linux (bsdutils)"));
        let (keys, mut reads) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let emulator = vt100::Parser::new(rows, columns, 0);
        let seen = Arc::new((Mutex::new(Seen { emulator, bytes: Vec::new(), over: false }), Condvar::new()));
        let told = Arc::clone(&seen);
        thread::spawn(move || {
            let mut piece = [0; 8192];
            loop {
                let count = reads.read(&mut piece).unwrap_or(0);
                let mut seen = told.0.lock().unwrap();
                seen.emulator.process(&piece[..count]);
                seen.bytes.extend_from_slice(&piece[..count]);
                seen.over |= count == 0;
                told.1.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        Self { child, keys, note, accounted: 0, seen }
    }

    /// Presses keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).unwrap();
    }

    /// Makes the terminal another size.
    pub(crate) fn resizes(&mut self, (rows, columns): (u16, u16)) {
        self.seen.0.lock().unwrap().emulator.screen_mut().set_size(rows, columns);
        let (terminal, _) = self.noted();
        let (rows, columns) = (rows.to_string(), columns.to_string());
        let set = Command::new("stty").args(["-F", &terminal, "rows", &rows, "cols", &columns]).status();
        assert!(set.unwrap().success(), "stty of coreutils");
    }

    /// The terminal and the process, as the command has noted them.
    fn noted(&self) -> (String, i32) {
        let note = fs::read_to_string(&self.note).unwrap();
        let (terminal, process) = note.trim().split_once(' ').unwrap();
        (terminal.to_owned(), process.parse().unwrap())
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, is: impl Fn(&vt100::Screen) -> bool) {
        let (lock, news) = &*self.seen;
        let began = Instant::now();
        let mut seen = lock.lock().unwrap();
        // The condition may not depend on output, so it is also checked at intervals.
        while !is(seen.emulator.screen()) && !seen.over && began.elapsed() < PATIENCE {
            seen = news.wait_timeout(seen, LOOK).unwrap().0;
        }
        assert!(is(seen.emulator.screen()), "{what} is not there:\n{}", seen.emulator.screen().contents());
    }

    /// Waits until a text stands on the screen.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Waits until a text stands there no more.
    #[track_caller]
    pub(crate) fn hides(&self, text: &str) {
        self.until(&format!("a screen without {text}"), |screen| !screen.contents().contains(text));
    }

    /// What stands on the screen now.
    pub(crate) fn screen(&self) -> String {
        self.seen.0.lock().unwrap().emulator.screen().contents()
    }

    /// The whole screen, row by row, without what may not be twice the same: how long calls took, how full the window is.
    pub(crate) fn picture(&self) -> String {
        picture(self.seen.0.lock().unwrap().emulator.screen())
    }

    /// Presses keys, and holds that these bytes are drawn for them and no others since it was last looked: by this, or by
    /// [`Self::settles`].
    #[track_caller]
    pub(crate) fn draws(&mut self, keys: &str, expect: &str) {
        let before = self.accounted;
        self.types(keys);
        let (lock, news) = &*self.seen;
        let began = Instant::now();
        let mut seen = lock.lock().unwrap();
        while seen.bytes.len() - before < expect.len() && !seen.over && began.elapsed() < PATIENCE {
            seen = news.wait_timeout(seen, LOOK).unwrap().0;
        }
        let drawn = String::from_utf8_lossy(&seen.bytes[before..]).into_owned();
        assert_eq!(drawn, expect, "for {keys:?}:\n{}", seen.emulator.screen().contents());
        self.accounted = before + expect.len();
    }

    /// Waits until the last that came are these bytes.
    #[track_caller]
    pub(crate) fn settles(&mut self, end: &str) {
        let (lock, news) = &*self.seen;
        let began = Instant::now();
        let mut seen = lock.lock().unwrap();
        while !seen.bytes.ends_with(end.as_bytes()) && !seen.over && began.elapsed() < PATIENCE {
            seen = news.wait_timeout(seen, LOOK).unwrap().0;
        }
        let last = &seen.bytes[seen.bytes.len().saturating_sub(200)..];
        assert!(seen.bytes.ends_with(end.as_bytes()), "{:?}", String::from_utf8_lossy(last));
        self.accounted = seen.bytes.len();
    }

    /// How many bytes came so far.
    pub(crate) fn count(&self) -> usize {
        self.seen.0.lock().unwrap().bytes.len()
    }

    /// The bytes from one on.
    pub(crate) fn bytes_from(&self, from: usize) -> Vec<u8> {
        self.seen.0.lock().unwrap().bytes[from..].to_vec()
    }

    /// Tells the process to end.
    pub(crate) fn terminates(&self) {
        let process = rustix::process::Pid::from_raw(self.noted().1).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    }

    /// Takes the terminal away, as a window that is closed does.
    pub(crate) fn hangs_up(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the command has ended; gives its code and what it left of the terminal.
    pub(crate) fn ends(mut self) -> (Option<i32>, Left) {
        let code = self.child.wait().unwrap().code();
        let (lock, news) = &*self.seen;
        let (seen, _) = news.wait_timeout_while(lock.lock().unwrap(), PATIENCE, |seen| !seen.over).unwrap();
        let screen = seen.emulator.screen();
        let left = Left {
            alternate: screen.alternate_screen(),
            cursor_hidden: screen.hide_cursor(),
            pastes: screen.bracketed_paste(),
            mouse: screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None,
            bytes: seen.bytes.clone(),
            contents: screen.contents(),
        };
        (code, left)
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        let _ = self.child.kill();
    }
}

/// A screen, row by row, without what may not be twice the same.
pub(crate) fn picture(screen: &vt100::Screen) -> String {
    let rows = screen.rows(0, screen.size().1).map(|row| format!("│{}", timeless(row.trim_end())));
    rows.collect::<Vec<_>>().join("\n")
}

/// A row without numbers of time and per cent.
fn timeless(row: &str) -> String {
    let words: Vec<&str> = row.split(' ').collect();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let timed = |at: usize| words.get(at + 1).is_some_and(|unit| ["ms", "s", "%"].contains(unit));
    let word = |(at, word): (usize, &&str)| {
        let is_timed = !word.is_empty() && is_number(word) && timed(at);
        if is_timed { "#".to_owned() } else { (*word).to_owned() }
    };
    words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ").replace("# s", "# ms")
}

/// How a terminal was left.
pub(crate) struct Left {
    alternate: bool,
    cursor_hidden: bool,
    pastes: bool,
    mouse: bool,
    pub(crate) bytes: Vec<u8>,
    pub(crate) contents: String,
}

impl Left {
    /// The terminal is as it was before.
    #[track_caller]
    pub(crate) fn is_as_before(&self) {
        let modes = (self.alternate, self.cursor_hidden, self.pastes, self.mouse);
        assert_eq!(modes, (false, false, false, false), "{}", self.contents);
    }
}
