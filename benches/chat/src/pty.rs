//! The chat on a terminal of its own, and what the system says of its process.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use tempfile::TempDir;

use crate::provider::Provider;

/// What every frame ends with: the cursor is shown where the person types.
const FRAME: &[u8] = b"\x1b[?25h";

/// A chat at work.
pub struct Pty {
    child: Child,
    master: File,
    seen: Arc<Mutex<Seen>>,
    _folder: TempDir,
}

#[derive(Default)]
struct Seen {
    /// The last that came, to look for words in.
    tail: Vec<u8>,
    bytes: usize,
    frames: usize,
    last: Option<Instant>,
}

impl Pty {
    /// Starts a chat in a folder of its own.
    pub fn chat(holm: &PathBuf, provider: &Provider) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("a terminal");
        unlockpt(&master).expect("a terminal");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let slave =
            rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        let size = Winsize { ws_row: 50, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("its size");
        let stdio = || Stdio::from(slave.try_clone().expect("a copy"));
        let child = Command::new("setsid")
            .args(["-c", "-w"])
            .arg(holm)
            .args(["chat", "--model", "openai/gpt-5-mini"])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm-256color")
            .env("HOLM_DATA", folder.path().join("data"))
            .env("OPENAI_API_KEY", "none")
            .env("OPENAI_BASE_URL", provider.base())
            .stdin(stdio())
            .stdout(stdio())
            .stderr(stdio())
            .spawn()
            .expect("setsid of util-linux");
        let master = File::from(master);
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (mut reads, told) = (master.try_clone().expect("a copy"), Arc::clone(&seen));
        thread::spawn(move || {
            let mut piece = [0; 1 << 16];
            while let Ok(count @ 1..) = reads.read(&mut piece) {
                told.lock().expect("whole").took(&piece[..count]);
            }
        });
        Self { child, master, seen, _folder: folder }
    }

    /// Presses keys.
    pub fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("a terminal");
    }

    /// Waits until something was written; blanks may be moves of the cursor, so they are not looked at.
    pub fn until(&mut self, is: impl Fn(&str) -> bool) {
        let began = Instant::now();
        loop {
            let text = String::from_utf8_lossy(&self.seen.lock().expect("whole").tail).into_owned();
            if is(&text) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "it did not come: {text:?}");
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Waits until nothing was written for three frames.
    pub fn until_quiet(&mut self) {
        loop {
            thread::sleep(Duration::from_millis(10));
            let last = self.seen.lock().expect("whole").last;
            if last.is_some_and(|last| last.elapsed() > Duration::from_millis(50)) {
                return;
            }
        }
    }

    /// How many bytes were written.
    pub fn bytes(&self) -> usize {
        self.seen.lock().expect("whole").bytes
    }

    /// How many frames.
    pub fn frames(&self) -> usize {
        self.seen.lock().expect("whole").frames
    }

    /// Processor time so far.
    pub fn cpu(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let ticks: u64 =
            after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }

    /// Memory that is in use.
    pub fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    }

    /// Leaves.
    pub fn leave(mut self) {
        // Whatever is typed goes first, then the chat.
        self.types("\x03\x03");
        let _ = self.child.wait();
    }
}

impl Seen {
    fn took(&mut self, piece: &[u8]) {
        self.bytes += piece.len();
        self.last = Some(Instant::now());
        let from = self.tail.len().saturating_sub(FRAME.len() - 1);
        self.tail.extend_from_slice(piece);
        self.frames += self.tail[from..].windows(FRAME.len()).filter(|bytes| *bytes == FRAME).count();
        let much = self.tail.len().saturating_sub(1 << 16);
        self.tail.drain(..much);
    }
}
