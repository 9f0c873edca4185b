//! A journal whose process dies at a chosen append.

use std::{fmt, process, str::FromStr, sync::Arc, sync::atomic::AtomicU64, sync::atomic::Ordering};

use holm::runtime::{BoxFuture, Durability, Journal, JournalStorageError, JournalStore, OpenedJournal};
use holm::store::Store;

/// When a process is to die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Not at all.
    Never,
    /// By its own hand, on one side of its nth append.
    Append { nth: u64, when: When },
    /// By its parent's, after a time.
    After { micros: u64 },
}

/// On which side of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// The facts are handled and not yet kept.
    Before,
    /// They are kept and nothing has been done about them.
    After,
}

/// How a moment is passed to the child; the parent keeps its own clock.
impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never | Self::After { .. } => out.write_str("never"),
            Self::Append { nth, when: When::Before } => write!(out, "before:{nth}"),
            Self::Append { nth, when: When::After } => write!(out, "after:{nth}"),
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is no moment");
        let Some((side, nth)) = text.split_once(':') else {
            return if text == "never" { Ok(Self::Never) } else { Err(bad()) };
        };
        let nth = nth.parse().map_err(|_| bad())?;
        match side {
            "before" => Ok(Self::Append { nth, when: When::Before }),
            "after" => Ok(Self::Append { nth, when: When::After }),
            _ => Err(bad()),
        }
    }
}

/// The store, seen by a process that will die.
pub(crate) struct MortalJournals {
    pub(crate) store: Store,
    pub(crate) moment: Moment,
    pub(crate) appends: Arc<AtomicU64>,
}

impl MortalJournals {
    fn mortal(&self, journal: Box<dyn Journal>) -> Box<dyn Journal> {
        Box::new(Mortal { journal, moment: self.moment, appends: Arc::clone(&self.appends) })
    }
}

impl JournalStore for MortalJournals {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        Box::pin(async move { Ok(self.mortal(self.store.create(run).await?)) })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        Box::pin(async move {
            let opened = self.store.open(run).await?;
            Ok(OpenedJournal { journal: self.mortal(opened.journal), ..opened })
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        self.store.read(run)
    }
}

struct Mortal {
    journal: Box<dyn Journal>,
    moment: Moment,
    appends: Arc<AtomicU64>,
}

impl Journal for Mortal {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async move {
            let nth = self.appends.fetch_add(1, Ordering::Relaxed) + 1;
            self.die_at(nth, When::Before);
            self.journal.append(lines, durability).await?;
            self.die_at(nth, When::After);
            Ok(())
        })
    }
}

impl Mortal {
    fn die_at(&self, nth: u64, when: When) {
        if self.moment == (Moment::Append { nth, when }) {
            die();
        }
    }
}

/// Dies as if by the hand of the system: nothing is flushed, dropped or said.
fn die() -> ! {
    let killed = process::Command::new("kill").args(["-KILL", &process::id().to_string()]).status();
    // The signal may arrive a moment later than `kill` ends; nothing may happen in between.
    drop(killed);
    loop {
        std::thread::park();
    }
}
