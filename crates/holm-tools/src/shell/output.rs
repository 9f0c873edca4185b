//! What a command writes: its two ends for the model, and all of it in a file where it does not fit.
//!
//! The file is Holm's own: commands can read it and not change it. A path that a command could turn
//! into a link would let it choose which file of the user's is written.
//!
//! How a command ended is told in `report.rs`; the lines for people who watch are in
//! `live_output.rs`. Secrets are removed before a text is cut, because half of a secret is not
//! recognised.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holm_jail::CaptureOptions;

/// Bytes of an output that a model is shown: less than a result may have, so that nothing is
/// cut a second time.
const MAX_SHOWN_BYTES: usize = 30_000;
/// Of these, bytes from the beginning. The rest is the end, where commands say how they went.
const SHOWN_HEAD_BYTES: usize = MAX_SHOWN_BYTES / 4;
const SHOWN_TAIL_BYTES: usize = MAX_SHOWN_BYTES - SHOWN_HEAD_BYTES;
/// Bytes that are held of each end: more than is shown, so that a secret is known before
/// the text is cut.
const HELD_BYTES: usize = 128 * 1024;
/// A cut moves to the end of a line if one is so near.
const NEAR_LINE_BYTES: usize = 2_000;
/// Bytes of all output files of one shell.
const MAX_FILES_BYTES: u64 = 64 << 20;
/// Files of one shell.
const MAX_FILES: u32 = 10_000;

/// The name of the folder with output files, in the home of commands and in calls of file tools.
pub(crate) const OUTPUT_FOLDER: &str = "$HOME/out";

/// The folder with the output files of one shell.
#[derive(Debug)]
pub(super) struct OutputFolder {
    path: PathBuf,
    /// Whether commands find it as [`OUTPUT_FOLDER`] too, or by its path alone.
    is_in_home: bool,
    used: Mutex<FolderUse>,
}

#[derive(Debug, Default)]
struct FolderUse {
    files: u32,
    bytes: u64,
}

impl FolderUse {
    /// What an earlier process of the session left.
    fn of(folder: &Path) -> Self {
        let mut used = Self::default();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.strip_suffix(".txt").and_then(|number| number.parse().ok());
            used.files = used.files.max(number.unwrap_or_default());
            used.bytes = used.bytes.saturating_add(entry.metadata().map_or(0, |data| data.len()));
        }
        used
    }
}

impl OutputFolder {
    /// A folder that exists and that no command can write. Files that are there already count.
    pub(super) fn new(path: PathBuf) -> Self {
        let used = Mutex::new(FolderUse::of(&path));
        Self { path, is_in_home: true, used }
    }

    /// The same folder for commands that have a home of their own.
    pub(super) fn outside_home(self) -> Self {
        Self { is_in_home: false, ..self }
    }

    /// Where a file is, as the model names it in its next call.
    fn shown(&self, name: &str) -> String {
        if self.is_in_home {
            return format!("{OUTPUT_FOLDER}/{name}: grep or read that");
        }
        format!("{OUTPUT_FOLDER}/{name} for grep and read, and in {}", self.path.join(name).display())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A new file; none where there are too many, or none can be made.
    fn create(&self) -> Option<OutputFile> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.files >= MAX_FILES || used.bytes >= MAX_FILES_BYTES {
            return None;
        }
        let name = format!("{}.txt", used.files + 1);
        let file = File::options().write(true).create_new(true).mode(0o644).open(self.path.join(&name));
        let file = file.ok()?;
        used.files += 1;
        let shown = self.shown(&name);
        Some(OutputFile { file, shown, is_whole: true })
    }

    /// How many of these bytes still fit.
    fn reserve(&self, bytes: usize) -> usize {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let left = usize::try_from(MAX_FILES_BYTES.saturating_sub(used.bytes)).unwrap_or(usize::MAX);
        let taken = bytes.min(left);
        used.bytes += taken as u64;
        taken
    }
}

#[derive(Debug)]
struct OutputFile {
    file: File,
    /// Where it is, in words.
    shown: String,
    is_whole: bool,
}

impl OutputFile {
    fn write(&mut self, folder: &OutputFolder, piece: &[u8]) {
        let fitting = piece.get(..folder.reserve(piece.len())).unwrap_or_default();
        // A full disk ends no command: what was shown of it is still there.
        self.is_whole &= fitting.len() == piece.len() && self.file.write_all(fitting).is_ok();
    }
}

/// Records what one command writes. Clones record the same.
#[derive(Debug, Clone)]
pub(super) struct OutputRecording(Arc<Mutex<RecordedOutput>>);

#[derive(Debug)]
struct RecordedOutput {
    folder: Option<Arc<OutputFolder>>,
    total: u64,
    head: Vec<u8>,
    /// The latest bytes behind the head.
    tail: Vec<u8>,
    file: Option<OutputFile>,
    /// Whether a file was tried: it is made once or not at all.
    was_tried: bool,
}

impl OutputRecording {
    /// A recording with files in this folder; without one, what does not fit is lost.
    pub(super) fn new(folder: Option<Arc<OutputFolder>>) -> Self {
        let (head, tail, file) = (Vec::new(), Vec::new(), None);
        Self(Arc::new(Mutex::new(RecordedOutput { folder, total: 0, head, tail, file, was_tried: false })))
    }

    /// What takes every piece down. The jail itself keeps the beginning too, for its guesses.
    pub(super) fn capture(&self) -> CaptureOptions {
        let own = self.clone();
        let spill = move |_, piece: &[u8]| -> io::Result<()> {
            own.recorded().push(piece);
            Ok(())
        };
        CaptureOptions { keep: HELD_BYTES, spill: Some(Box::new(spill)) }
    }

    /// What the model is shown, with secrets taken out before anything is cut.
    pub(super) fn shown(&self, redact: impl Fn(&str) -> String) -> String {
        self.recorded().shown(redact)
    }

    fn recorded(&self) -> MutexGuard<'_, RecordedOutput> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordedOutput {
    fn push(&mut self, piece: &[u8]) {
        self.keep_all(piece);
        self.total = self.total.saturating_add(piece.len() as u64);
        let room = HELD_BYTES.saturating_sub(self.head.len()).min(piece.len());
        let (first, rest) = piece.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest.get(rest.len().saturating_sub(HELD_BYTES)..).unwrap_or(rest));
        // Moved once in a while, and not at each piece.
        if self.tail.len() > 2 * HELD_BYTES {
            self.tail.drain(..self.tail.len() - HELD_BYTES);
        }
    }

    /// Writes to the file what is too long to be shown.
    fn keep_all(&mut self, piece: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if let Some(file) = &mut self.file {
            file.write(folder, piece);
        } else if !self.was_tried && self.total + piece.len() as u64 > MAX_SHOWN_BYTES as u64 {
            self.was_tried = true;
            self.file = folder.create();
            if let Some(file) = &mut self.file {
                file.write(folder, &self.head);
                file.write(folder, piece);
            }
        }
    }

    fn shown(&self, redact: impl Fn(&str) -> String) -> String {
        let both = || [self.head.as_slice(), self.tail.as_slice()].concat();
        if self.total <= MAX_SHOWN_BYTES as u64 {
            return String::from_utf8_lossy(&both()).into_owned();
        }
        let is_gapless = self.total == (self.head.len() + self.tail.len()) as u64;
        let start = redact(&String::from_utf8_lossy(&self.head));
        let end = if is_gapless { both() } else { self.tail.clone() };
        let end = redact(&String::from_utf8_lossy(&end));
        let (head, tail) = (head_of(&start), tail_of(&end));
        let shown = (head.len() + tail.len()) as u64;
        let left_out = grouped(self.total.saturating_sub(shown));
        let place = match &self.file {
            Some(file) if file.is_whole => format!("; all of it is in {}", file.shown),
            Some(file) => format!("; the file is full, so only the beginning is in {}", file.shown),
            None => "; no space was left for output files, so they are lost".into(),
        };
        let newline = if head.ends_with('\n') { "" } else { "\n" };
        format!("{head}{newline}[{left_out} bytes left out{place}]\n{tail}")
    }
}

/// The beginning, up to the end of a line where one is near.
fn head_of(text: &str) -> &str {
    let cut = text.floor_char_boundary(SHOWN_HEAD_BYTES);
    let head = text.get(..cut).unwrap_or_default();
    let near = head.floor_char_boundary(cut.saturating_sub(NEAR_LINE_BYTES));
    match head.get(near..).and_then(|end| end.rfind('\n')) {
        Some(line) => head.get(..near + line + 1).unwrap_or(head),
        None => head,
    }
}

/// The end, from the beginning of a line where one is near.
fn tail_of(text: &str) -> &str {
    let cut = text.ceil_char_boundary(text.len().saturating_sub(SHOWN_TAIL_BYTES));
    let tail = text.get(cut..).unwrap_or_default();
    let near = tail.ceil_char_boundary(NEAR_LINE_BYTES.min(tail.len()));
    match tail.get(..near).and_then(|start| start.find('\n')) {
        Some(line) => tail.get(line + 1..).unwrap_or(tail),
        None => tail,
    }
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
