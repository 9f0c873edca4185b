//! What is found again after the process or the machine has died, with every history drawn at
//! random.
//!
//! A killed process leaves what it gave to the system: the files as they stand. A machine without
//! power leaves what was synced, and any part of the rest: here each sector of the log that was
//! written since may be there or not.

use std::{fs, path::Path};

use holm_runtime::{Durability, Journal, JournalStore as _};
use holm_store::Store;
use proptest::prelude::*;

use crate::suite::script::Script;

/// What a disk writes at once.
const SECTOR: usize = 512;

const RUNS: usize = 3;

#[derive(Debug, Clone)]
enum Step {
    Append {
        run: usize,
        lines: usize,
        size: usize,
        durability: Durability,
    },
    /// Moves the log into the database, as any process may at any time.
    Checkpoint,
    Kill,
    LosePower {
        seed: u64,
    },
    /// Closes the store without a word and opens it again.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let durability = prop_oneof![3 => Just(Durability::Written), 1 => Just(Durability::Synced)];
    let append = (0..RUNS, 1..12_usize, 0..6_000_usize, durability)
        .prop_map(|(run, lines, size, durability)| Step::Append { run, lines, size, durability });
    prop_oneof![
        12 => append,
        1 => Just(Step::Checkpoint),
        2 => Just(Step::Kill),
        4 => any::<u64>().prop_map(|seed| Step::LosePower { seed }),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn what_was_acknowledged_is_found_again(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(&steps));
    }
}

/// The store and what it must still know.
struct World {
    folder: tempfile::TempDir,
    store: Store,
    journals: Vec<Box<dyn Journal>>,
    scripts: Vec<Script>,
    /// Lines of each run that were acknowledged.
    acked: [usize; RUNS],
    /// Lines of each run that survive a loss of power.
    safe: [usize; RUNS],
    /// The files as they were when they were last synced.
    image: Image,
}

#[derive(Clone)]
struct Image {
    database: Vec<u8>,
    log: Vec<u8>,
}

impl Image {
    fn take(path: &Path) -> Self {
        let log = path.with_extension("db-wal");
        Self { database: fs::read(path).unwrap(), log: fs::read(log).unwrap_or_default() }
    }

    fn put(&self, path: &Path) {
        fs::write(path, &self.database).unwrap();
        fs::write(path.with_extension("db-wal"), &self.log).unwrap();
    }

    /// This image with some of the sectors that were written since.
    fn torn(&self, now: &Self, mut seed: u64) -> Self {
        let mut log = self.log.clone();
        let length = now.log.len();
        log.resize(length.max(log.len()), 0);
        for start in (0..length).step_by(SECTOR) {
            let end = (start + SECTOR).min(length);
            // A small generator: what matters is that every case can be played again.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if seed >> 62 != 0 {
                log[start..end].copy_from_slice(&now.log[start..end]);
            }
        }
        Self { database: self.database.clone(), log }
    }
}

async fn play(steps: &[Step]) {
    let mut world = World::new().await;
    for step in steps {
        match step {
            Step::Append { run, lines, size, durability } => {
                world.append(*run, *lines, *size, *durability).await;
            }
            Step::Checkpoint => world.checkpoint(),
            Step::Kill => world.check(&Image::take(&world.path()), world.acked).await,
            Step::LosePower { seed } => {
                let torn = world.image.torn(&Image::take(&world.path()), *seed);
                world.check(&torn, world.safe).await;
            }
            Step::Reopen => world.reopen().await,
        }
    }
    world.check(&Image::take(&world.path()), world.acked).await;
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holm.db");
        let store = Store::open(&path).await.unwrap();
        let mut world = Self {
            image: Image::take(&path),
            folder,
            store,
            journals: Vec::new(),
            scripts: Vec::new(),
            acked: [0; RUNS],
            safe: [0; RUNS],
        };
        for run in 0..RUNS {
            let id = format!("run-{run}");
            world.journals.push(world.store.create(&id).await.unwrap());
            world.scripts.push(Script::new(&id));
        }
        for run in 0..RUNS {
            world.append(run, 0, 0, Durability::Synced).await;
        }
        world
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("holm.db")
    }

    async fn append(&mut self, run: usize, lines: usize, size: usize, durability: Durability) {
        let (script, journal) = (&mut self.scripts[run], &mut self.journals[run]);
        for line in 0..lines {
            script.prompt(&format!("{line} {}", "x".repeat(size)));
        }
        journal.append(&script.lines[self.acked[run]..].concat(), durability).await.unwrap();
        self.acked[run] = script.lines.len();
        if durability == Durability::Synced {
            self.synced();
        }
    }

    /// Everything up to now is on the disk: a sync covers what other runs have written too.
    fn synced(&mut self) {
        self.safe = self.acked;
        self.image = Image::take(&self.path());
    }

    fn checkpoint(&mut self) {
        let conn = rusqlite::Connection::open(self.path()).unwrap();
        let busy: i64 = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(0)).unwrap();
        assert_eq!(busy, 0);
        drop(conn);
        self.synced();
    }

    async fn reopen(&mut self) {
        self.journals.clear();
        self.store = Store::open(self.path()).await.unwrap();
        for run in 0..RUNS {
            let opened = self.store.open(&format!("run-{run}")).await.unwrap();
            assert_eq!(opened.text, self.scripts[run].text().as_bytes());
            self.journals.push(opened.journal);
        }
        self.synced_by_closing();
    }

    /// A store that is closed by its last user moves its log into the database.
    fn synced_by_closing(&mut self) {
        self.image = Image::take(&self.path());
        self.checkpoint();
    }

    /// Opens what was left behind: each journal is a beginning of what was written, with everything
    /// that must be there.
    async fn check(&self, left: &Image, must: [usize; RUNS]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holm.db");
        left.put(&path);
        let store = Store::open(&path).await.unwrap();
        for (run, must) in must.into_iter().enumerate() {
            let lines = &self.scripts[run].lines;
            let found = match store.open(&format!("run-{run}")).await {
                Ok(mut opened) => {
                    let count = opened.text.iter().filter(|byte| **byte == b'\n').count();
                    assert_eq!(opened.text, lines[..count].concat().as_bytes(), "run {run}");
                    // And it continues from there.
                    if let Some(next) = lines.get(count) {
                        opened.journal.append(next, Durability::Written).await.unwrap();
                    }
                    count
                }
                Err(holm_runtime::JournalStorageError::Missing { .. }) => 0,
                Err(error) => panic!("run {run}: {error}"),
            };
            assert!(found >= must, "run {run}: {found} lines of {must} that were acknowledged");
        }
    }
}
