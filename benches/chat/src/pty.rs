//! A chat on a terminal of its own, which answers what a terminal is asked, and what the system says of its processes.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    process::{Child, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags},
    process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use tempfile::TempDir;

use crate::{contender::Contender, frames::Frames, provider::Provider, report::Memory, shown};

/// How long those who were killed may take to be gone.
const DYING: Duration = Duration::from_secs(10);

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long nothing is written when nothing happens: more than three frames.
const QUIET: Duration = Duration::from_millis(60);

/// The longest wait for quiet: some never are.
const LONGEST_NOISE: Duration = Duration::from_secs(5);

/// What a terminal is asked, and what this one answers.
const ANSWERS: [(&[u8], &[u8]); 8] = [
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[?u", b"\x1b[?0u"),
    (b"\x1b[>0q", b"\x1bP>|bench\x1b\\"),
    (b"\x1b]10;?\x07", b"\x1b]10;rgb:ffff/ffff/ffff\x07"),
    (b"\x1b]11;?\x07", b"\x1b]11;rgb:0000/0000/0000\x07"),
    (b"\x1b]10;?\x1b\\", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    (b"\x1b]11;?\x1b\\", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
];

/// How many rows are told of a screen that stands still.
const SHOWN: usize = 30;

/// How much of what came is kept, to look for words in.
const TAIL: usize = 1 << 16;

/// A chat at work.
pub struct Pty {
    child: Child,
    master: File,
    seen: Arc<Mutex<Seen>>,
    pause: Duration,
    _home: TempDir,
}

struct Seen {
    tail: Vec<u8>,
    bytes: usize,
    frames: Frames,
    last: Instant,
}

impl Pty {
    /// Starts a chat in a folder of its own.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn chat(contender: &Contender, provider: &Provider) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let home = tempfile::tempdir().map_err(failed)?;
        let (master, slave) = terminal().map_err(|error| error.to_string())?;
        let stdio = || slave.try_clone().map(Stdio::from);
        let mut command = contender.command(home.path(), &provider.base()).map_err(failed)?;
        command.stdin(stdio().map_err(failed)?).stdout(stdio().map_err(failed)?);
        command.stderr(stdio().map_err(failed)?);
        // Whatever the chat leaves behind, a daemon for one, becomes a child of this process and is found by that.
        set_child_subreaper(Some(getpid())).map_err(|error| error.to_string())?;
        let child = command.spawn().map_err(|error| format!("setsid of util-linux: {error}"))?;
        let frames = Frames::new(contender.frame_mark());
        let seen = Seen { tail: Vec::new(), bytes: 0, frames, last: Instant::now() };
        let seen = Arc::new(Mutex::new(seen));
        let (mut reads, told) = (master.try_clone().map_err(failed)?, Arc::clone(&seen));
        let mut writes = master.try_clone().map_err(failed)?;
        thread::spawn(move || {
            let mut piece = [0; 1 << 16];
            while let Ok(count @ 1..) = reads.read(&mut piece) {
                let answers = lock(&told).took(&piece[..count]);
                let _ = writes.write_all(&answers);
            }
        });
        Ok(Self { child, master, seen, pause: contender.pause(), _home: home })
    }

    /// Presses keys.
    pub fn types(&mut self, keys: &str) {
        // Whoever is gone is found out by what does not come.
        let _ = self.master.write_all(keys.as_bytes());
    }

    /// Says something.
    pub fn says(&mut self, text: &str) {
        self.types(text);
        thread::sleep(self.pause);
        self.types("\r");
    }

    /// Waits until a word was written.
    ///
    /// # Errors
    /// If it does not come.
    pub fn until(&mut self, word: &str) -> Result<(), String> {
        let began = Instant::now();
        loop {
            let found = lock(&self.seen).tail.windows(word.len()).any(|bytes| bytes == word.as_bytes());
            if found {
                return Ok(());
            }
            let ended = matches!(self.child.try_wait(), Ok(Some(_)));
            if ended || began.elapsed() > PATIENCE {
                let tail = String::from_utf8_lossy(&lock(&self.seen).tail).into_owned();
                let last: String =
                    tail.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
                return Err(format!("`{word}` did not come; the last that came: {last:?}"));
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// The last rows of the screen, for whoever wants to know what it waits for.
    pub fn shown(&mut self) -> String {
        // Most paint everything again by this key, and then all of it is there.
        self.types("\x0c");
        thread::sleep(Duration::from_millis(300));
        self.until_quiet();
        let rows = shown::last(&lock(&self.seen).tail, SHOWN);
        format!("the last rows of its screen:\n\n    {}\n", rows.replace('\n', "\n    "))
    }

    /// Forgets what was written, so that a word that stood there is not taken for the next one.
    pub fn forget(&self) {
        lock(&self.seen).tail.clear();
    }

    /// Waits until nothing was written for some frames.
    pub fn until_quiet(&self) {
        let began = Instant::now();
        while lock(&self.seen).last.elapsed() < QUIET && began.elapsed() < LONGEST_NOISE {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// How many bytes were written.
    pub fn bytes(&self) -> usize {
        lock(&self.seen).bytes
    }

    /// How many frames.
    pub fn frames(&self) -> usize {
        lock(&self.seen).frames.count()
    }

    /// The times between those that came after the first so many, the shortest first.
    pub fn gaps(&self, after: usize) -> Vec<Duration> {
        lock(&self.seen).frames.gaps(after)
    }

    /// When something was written last.
    pub fn last(&self) -> Instant {
        lock(&self.seen).last
    }

    /// Processor time of all its processes so far.
    pub fn cpu(&self) -> Duration {
        // A hundredth of a second is what Linux counts in.
        Duration::from_millis(self.processes().iter().map(|process| process.ticks * 10).sum())
    }

    /// Memory that all its processes have in use.
    pub fn memory(&self) -> Memory {
        let processes = self.processes();
        let sum = |of: fn(&Memory) -> u64| processes.iter().map(|process| of(&process.memory)).sum::<u64>();
        Memory { resident: sum(|memory| memory.resident), own: sum(|memory| memory.own) }
    }

    fn processes(&self) -> Vec<Process> {
        Process::all().into_iter().filter(|process| process.session == self.child.id()).collect()
    }

    /// Ends it.
    pub fn leave(self) {
        drop(self);
    }
}

impl Drop for Pty {
    /// Nothing goes on beside what is measured next, however this one came to its end.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        end_all_below();
    }
}

/// Ends all processes that stem from this one, also those that have made themselves a session of their own, as daemons do. Their
/// numbers are what they are known by: nobody else's process is touched, whatever it is called.
fn end_all_below() {
    let began = Instant::now();
    loop {
        // Whoever ends leaves their own children to this process, so it is looked again until nobody is left.
        let left = below(&Process::all(), getpid().as_raw_nonzero().get());
        if left.is_empty() || began.elapsed() > DYING {
            return;
        }
        for id in left.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(id, Signal::KILL);
            // Those that are not this process's own children are waited for by their parents, or by it in the next round.
            let _ = waitpid(Some(id), WaitOptions::NOHANG);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The children of a process, and theirs.
fn below(all: &[Process], of: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop() {
        let children = all.iter().filter(|process| process.parent == parent).map(|process| process.id);
        let children: Vec<i32> = children.collect();
        found.extend_from_slice(&children);
        parents.extend(children);
    }
    found
}

/// A terminal of 50 rows and 120 columns, and its other end.
fn terminal() -> rustix::io::Result<(File, std::os::fd::OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    tcsetwinsize(&master, Winsize { ws_row: 50, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 })?;
    Ok((File::from(master), slave))
}

/// What the system says of a process.
struct Process {
    id: i32,
    parent: i32,
    session: u32,
    ticks: u64,
    memory: Memory,
}

impl Process {
    fn all() -> Vec<Self> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| Self::read(entry.file_name().to_str()?)).collect()
    }

    fn read(id: &str) -> Option<Self> {
        let number: i32 = id.parse().ok()?;
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // Behind the name, which may hold anything: state, parent, group, session, and further on what it has used.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let parent = i32::try_from(field(1)?).ok()?;
        let session = u32::try_from(field(3)?).ok()?;
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            kib.unwrap_or(0) << 10
        };
        let memory = Memory { resident: bytes("VmRSS:"), own: bytes("RssAnon:") };
        Some(Self { id: number, parent, session, ticks: field(11)? + field(12)?, memory })
    }
}

impl Seen {
    /// Takes what was written, and gives what a terminal answers to it.
    fn took(&mut self, piece: &[u8]) -> Vec<u8> {
        self.bytes += piece.len();
        self.last = Instant::now();
        self.frames.took(piece, self.last);
        let before = self.tail.len();
        self.tail.extend_from_slice(piece);
        // Whatever ends in the new piece is new, though it may have begun before.
        let new = |what: &[u8]| {
            let from = before.saturating_sub(what.len().saturating_sub(1));
            let ends = self.tail.get(from..).unwrap_or_default().windows(what.len());
            ends.filter(|bytes| *bytes == what).count()
        };
        let mut answers = Vec::new();
        for (asked, answer) in ANSWERS {
            (0..new(asked)).for_each(|_| answers.extend_from_slice(answer));
        }
        let much = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..much);
        answers
    }
}

/// Every change is one step, so a panic elsewhere leaves nothing half done.
fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_makes_itself_a_session_of_its_own_ends_all_the_same() {
        set_child_subreaper(Some(getpid())).unwrap();
        // Whoever starts it has ended, and it has a child of its own.
        let started = Command::new("setsid").args(["-f", "sh", "-c", "sleep 600 & wait"]).status();
        assert!(started.unwrap().success());
        let own = getpid().as_raw_nonzero().get();
        let began = Instant::now();
        while below(&Process::all(), own).len() < 2 {
            assert!(began.elapsed() < PATIENCE, "it did not start");
            thread::sleep(Duration::from_millis(5));
        }
        end_all_below();
        assert_eq!(below(&Process::all(), own), Vec::<i32>::new());
    }
}
