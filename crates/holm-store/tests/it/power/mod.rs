//! What is found again after a loss of power, with every write that SQLite made to its database and
//! its log.
//!
//! A file system for SQLite records every write, truncation and sync (see `vfs.rs`). Power is then
//! lost between any two of them. Synced data is there. Of the rest, each sector is there or not, in
//! any order, and the last one may be torn.
//!
//! What must be there is described in `docs/sessions.md`: lines that were acknowledged as synced,
//! notes that were put, and in `people.rs` all that people said and were shown.
//!
//!     cargo test -p holm-store --test it loss_of_power
//!     HOLM_POWER_IMAGES=20000 cargo test --release -p holm-store --test it loss_of_power -- --nocapture

mod people;
mod vfs;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use holm_kernel::Timestamp;
use holm_runtime::{Durability, Journal, JournalStorageError, JournalStore as _};
use holm_store::Store;

use crate::suite::script::Script;
use vfs::{Op, Which};

/// The number of images to check, unless the caller gives one.
const IMAGES: usize = 120;

/// Images of one history: making a history takes longer than looking at an image.
const IMAGES_EACH: usize = 60;

const STEPS: usize = 40;
const RUNS: usize = 3;

/// Where notes are put.
const TRAY: &str = "prompts";

/// What a disk writes at once.
const SECTOR: usize = 512;

/// One database is watched at a time.
static WATCHED: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test]
async fn after_a_loss_of_power_everything_that_was_acknowledged_is_there() {
    let images = number("HOLM_POWER_IMAGES", IMAGES);
    let first = number("HOLM_POWER_SEED", 1);
    let (mut made, mut torn) = (0, 0);
    let mut seed = first;
    let _watched = WATCHED.lock().await;
    while made < images {
        let each = IMAGES_EACH.min(images - made);
        torn += History::play(seed).await.check(each).await;
        made += each;
        seed += 1;
    }
    println!("RESULT crash.power images={made} histories={} lacking={torn} lost=0", seed - first);
    assert!(torn * 4 > made, "many images must lack something, or nothing was tried");
}

fn number(name: &str, default: usize) -> usize {
    env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

/// Numbers that can be had again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides.max(1) as u64).unwrap_or(0)
    }
}

/// The two files.
#[derive(Clone)]
struct Image {
    database: Vec<u8>,
    log: Vec<u8>,
}

impl Image {
    fn take(path: &Path) -> Self {
        Self { database: fs::read(path).unwrap(), log: fs::read(log_of(path)).unwrap_or_default() }
    }

    fn put(&self, path: &Path) {
        fs::write(path, &self.database).unwrap();
        fs::write(log_of(path), &self.log).unwrap();
    }

    fn file(&mut self, which: Which) -> &mut Vec<u8> {
        match which {
            Which::Database => &mut self.database,
            Which::Log => &mut self.log,
        }
    }

    /// Everything of an operation happens.
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Write { which, offset, bytes } => put_at(self.file(*which), *offset, bytes),
            Op::Cut { which, length } => self.file(*which).truncate(*length),
            Op::Sync { .. } => {}
        }
    }

    /// Some of an operation happens; whether all of it did.
    fn apply_some(&mut self, op: &Op, dice: &mut Dice) -> bool {
        let Op::Write { which, offset, bytes } = op else {
            let happens = dice.roll(2) == 0;
            if happens {
                self.apply(op);
            }
            return happens;
        };
        let mut whole = true;
        let mut at = 0;
        while at < bytes.len() {
            // Up to the next border of a sector of the disk, wherever the write began.
            let end = (at + SECTOR - (offset + at) % SECTOR).min(bytes.len());
            let kept = match dice.roll(8) {
                0..=4 => end - at,
                5 | 6 => 0,
                _ => dice.roll(end - at),
            };
            whole &= kept == end - at;
            put_at(self.file(*which), offset + at, &bytes[at..at + kept]);
            at = end;
        }
        whole
    }
}

fn put_at(file: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let end = offset + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[offset..end].copy_from_slice(bytes);
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

/// Lines of each run that were acknowledged as synced, and notes that were put, once so
/// many operations had happened.
struct Acknowledged {
    after: usize,
    lines: [usize; RUNS],
    notes: usize,
}

/// What happened to a store, from a state that the disk had.
struct History {
    seed: usize,
    base: Image,
    ops: Vec<Op>,
    scripts: Vec<Script>,
    acknowledged: Vec<Acknowledged>,
}

impl History {
    async fn play(seed: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("holm.db");
        vfs::watch(path.to_str().unwrap());
        let mut dice = Dice(seed as u64);
        let mut writing = Writing::new(&path).await;
        for _ in 0..STEPS {
            let run = dice.roll(RUNS);
            match dice.roll(12) {
                0 => checkpoint(&path),
                1 | 2 => writing.put_note(&mut dice).await,
                3..=8 => writing.append(run, &mut dice, Durability::Written).await,
                _ => writing.append(run, &mut dice, Durability::Synced).await,
            }
        }
        let Writing { base, scripts, acknowledged, .. } = writing;
        Self { seed, base, ops: vfs::end(), scripts, acknowledged }
    }

    /// Loses power so many times; how often something was lacking.
    async fn check(&self, images: usize) -> usize {
        let mut dice = Dice((self.seed as u64) << 32);
        let mut torn = 0;
        for number in 0..images {
            let at = dice.roll(self.ops.len() + 1);
            let (image, whole) = lose_power(&self.base, &self.ops[..at], &mut dice);
            torn += usize::from(!whole);
            self.look(&image, at, number).await;
        }
        torn
    }

    /// Opens what was left behind: each journal is a beginning of what was written, with everything
    /// that must be there.
    async fn look(&self, image: &Image, at: usize, number: usize) {
        let what = format!("HOLM_POWER_SEED={}, image {number}, after {at} of {}", self.seed, self.ops.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holm.db");
        image.put(&path);
        let must = self.acknowledged.iter().rev().find(|known| known.after <= at);
        let (must, notes) = must.map_or(([0; RUNS], 0), |known| (known.lines, known.notes));
        let store = Store::open(&path).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        for (run, must) in must.into_iter().enumerate() {
            let lines = &self.scripts[run].lines;
            let found = match store.open(&format!("run-{run}")).await {
                Ok(opened) => {
                    let count = opened.text.iter().filter(|byte| **byte == b'\n').count();
                    assert!(count <= lines.len(), "{what}: run {run} has {count} lines");
                    assert_eq!(opened.text, lines[..count].concat().as_bytes(), "{what}: run {run}");
                    count
                }
                Err(JournalStorageError::Missing { .. }) => 0,
                Err(error) => panic!("{what}: run {run}: {error}"),
            };
            assert!(found >= must, "{what}: run {run} has {found} lines of {must} that were acknowledged");
        }
        for note in 0..notes {
            let found = store.slip(TRAY, &format!("note-{note}")).await.unwrap();
            assert!(found.is_some(), "{what}: note {note} of {notes} that were acknowledged is gone");
        }
    }
}

/// The files after power was lost when this much had happened, and whether nothing is missing.
fn lose_power(base: &Image, happened: &[Op], dice: &mut Dice) -> (Image, bool) {
    let mut image = base.clone();
    let last_sync = |wanted: Which| {
        happened.iter().rposition(|op| matches!(op, Op::Sync { which } if *which == wanted)).unwrap_or(0)
    };
    let (database, log) = (last_sync(Which::Database), last_sync(Which::Log));
    let mut whole = true;
    for (number, op) in happened.iter().enumerate() {
        let synced = match op {
            Op::Write { which: Which::Database, .. } | Op::Cut { which: Which::Database, .. } => database,
            Op::Write { which: Which::Log, .. } | Op::Cut { which: Which::Log, .. } => log,
            Op::Sync { .. } => continue,
        };
        if number < synced {
            image.apply(op);
        } else {
            whole &= image.apply_some(op, dice);
        }
    }
    (image, whole)
}

/// A store that is written to.
struct Writing {
    store: Store,
    journals: Vec<Box<dyn Journal>>,
    scripts: Vec<Script>,
    written: [usize; RUNS],
    notes: usize,
    base: Image,
    acknowledged: Vec<Acknowledged>,
}

impl Writing {
    async fn new(path: &Path) -> Self {
        let store = Store::open(path).await.unwrap();
        let (mut journals, mut scripts) = (Vec::new(), Vec::new());
        for run in 0..RUNS {
            let id = format!("run-{run}");
            journals.push(store.create(&id).await.unwrap());
            scripts.push(Script::new(&id));
        }
        let base = Image::take(path);
        let mut writing =
            Self { store, journals, scripts, written: [0; RUNS], notes: 0, base, acknowledged: Vec::new() };
        let mut dice = Dice(0);
        for run in 0..RUNS {
            writing.append(run, &mut dice, Durability::Synced).await;
        }
        // From here on the disk is in a state that is known.
        checkpoint(path);
        writing.base = Image::take(path);
        vfs::begin();
        let lines = writing.written;
        writing.acknowledged = vec![Acknowledged { after: 0, lines, notes: 0 }];
        writing
    }

    async fn append(&mut self, run: usize, dice: &mut Dice, durability: Durability) {
        let (script, journal) = (&mut self.scripts[run], &mut self.journals[run]);
        for line in 0..1 + dice.roll(6) {
            script.prompt(&format!("{line} {}", "x".repeat(dice.roll(6_000))));
        }
        let before = self.store.commits().syncs;
        journal.append(&script.lines[self.written[run]..].concat(), durability).await.unwrap();
        self.written[run] = script.lines.len();
        if durability == Durability::Synced {
            assert!(self.store.commits().syncs > before, "an append that was to be synced was not");
            self.acknowledge(before);
        }
    }

    /// Puts a note, as a server does with a prompt before it says that the prompt is accepted.
    async fn put_note(&mut self, dice: &mut Dice) {
        let before = self.store.commits().syncs;
        let (name, body) = (format!("note-{}", self.notes), "x".repeat(dice.roll(6_000)));
        assert!(self.store.put_slip(TRAY, &name, Timestamp::new(1), body.as_bytes()).await.unwrap());
        self.notes += 1;
        self.acknowledge(before);
    }

    fn acknowledge(&mut self, syncs_before: u64) {
        note_sync(&self.store, syncs_before);
        let (lines, notes) = (self.written, self.notes);
        self.acknowledged.push(Acknowledged { after: vfs::count(), lines, notes });
    }
}

/// Writes down that the log was synced, if it was: the store does it through a descriptor of its
/// own, which SQLite knows nothing of.
fn note_sync(store: &Store, syncs_before: u64) {
    if store.commits().syncs > syncs_before {
        vfs::synced(Which::Log);
    }
}

/// Moves the log into the database, as any process may at any time.
fn checkpoint(path: &Path) {
    let conn = rusqlite::Connection::open(path).unwrap();
    let busy: i64 = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0);
}
