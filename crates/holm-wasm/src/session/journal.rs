//! Creates runs from journals: replay, fork and resume. It also cuts a journal at a record and
//! checks one without folding it.
//!
//! Reading, verifying and folding is done in `holm-kernel/src/journal/`; nothing is stored here. A
//! damaged or torn journal is refused. Only `inspect` accepts a torn end and says where to cut it.
//! A snapshot that does not fit is ignored and never an error.
//!
//! The session itself is `session/mod.rs`; JavaScript sees these functions through
//! `bindings/run.rs`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use holm_kernel::{
    Seq,
    journal::{self as records, Head, JournalRecord, JournalTail, JournalWriter, ReplayError, Snapshot},
};
use serde::Serialize;

use super::{WasmSession, effect::EffectView};
use crate::{BindingError, BindingErrorKind, text};

impl WasmSession {
    /// Folds a whole journal. The run is in its last state; give it `resumed` to continue it.
    ///
    /// # Errors
    /// [`BindingErrorKind::Journal`] for damage, including a torn tail;
    /// [`BindingErrorKind::Replay`] if it cannot be folded here.
    pub fn replay(journal: &[u8]) -> Result<Self, BindingError> {
        Self::fold(&whole(journal)?)
    }

    /// Folds a journal up to and including record `at`, to continue differently from there.
    /// [`prefix`] returns the text to continue from.
    ///
    /// # Errors
    /// The errors of [`replay`](Self::replay), and [`BindingErrorKind::Fork`] if there
    /// is no such record.
    pub fn fork(journal: &[u8], at: u64) -> Result<Self, BindingError> {
        Self::fold(past(&whole(journal)?, at)?)
    }

    /// Like [`replay`](Self::replay), but faster if the snapshot belongs to this journal. Any
    /// other snapshot is ignored.
    ///
    /// # Errors
    /// The same errors; a bad snapshot never causes one.
    pub fn resume(snapshot: &[u8], journal: &[u8]) -> Result<Self, BindingError> {
        let all = whole(journal)?;
        let snapshot = Snapshot::decode(snapshot).ok();
        let run =
            records::resume(snapshot.as_ref(), &all).map_err(BindingError::of(BindingErrorKind::Replay))?;
        Ok(Self::of(run, JournalWriter::after(head(&all)?)))
    }

    fn fold(all: &[JournalRecord]) -> Result<Self, BindingError> {
        let run = records::replay(all).map_err(BindingError::of(BindingErrorKind::Replay))?;
        Ok(Self::of(run, JournalWriter::after(head(all)?)))
    }
}

/// Folds a journal and returns every effect again, one JSON text per line, as
/// [`WasmSession::poll`] had returned them.
///
/// # Errors
/// The same errors as for [`WasmSession::replay`].
pub fn replay_effects(journal: &[u8]) -> Result<String, BindingError> {
    let mut out = String::new();
    let run = records::replay_with(&whole(journal)?, |_, effect| {
        out.push_str(&text::json(&EffectView::of(effect)));
        out.push('\n');
    });
    run.map_err(BindingError::of(BindingErrorKind::Replay))?;
    Ok(out)
}

/// The text of a journal up to and including record `at`.
///
/// # Errors
/// The same errors as for [`WasmSession::fork`].
pub fn prefix(journal: &[u8], at: u64) -> Result<String, BindingError> {
    Ok(past(&whole(journal)?, at)?.iter().map(JournalRecord::line).collect())
}

/// Checks a journal without folding it: how many records are valid, where they end,
/// and what follows them.
///
/// # Errors
/// [`BindingErrorKind::Journal`] for damage that is followed by complete records.
pub fn inspect(journal: &[u8]) -> Result<String, BindingError> {
    let decoded = records::decode(journal).map_err(BindingError::of(BindingErrorKind::Journal))?;
    let torn = match &decoded.tail {
        JournalTail::Clean => None,
        JournalTail::Torn(error) => Some(error),
    };
    Ok(text::json(&JournalReport {
        records: decoded.records.len() as u64,
        head: decoded.records.last().map(JournalRecord::head),
        cut_at: torn.map(|error| error.at_byte),
        torn: torn.map(ToString::to_string),
    }))
}

/// What a journal holds.
#[derive(Serialize)]
struct JournalReport {
    /// How many records are sound.
    records: u64,
    /// The last of them.
    head: Option<Head>,
    /// Where to cut a torn tail, in bytes.
    cut_at: Option<u64>,
    /// What is wrong with the tail.
    torn: Option<String>,
}

fn whole(journal: &[u8]) -> Result<Vec<JournalRecord>, BindingError> {
    records::decode_strict(journal).map_err(BindingError::of(BindingErrorKind::Journal))
}

fn past(all: &[JournalRecord], at: u64) -> Result<&[JournalRecord], BindingError> {
    records::fork(all, Seq::new(at)).map_err(BindingError::of(BindingErrorKind::Fork))
}

fn head(all: &[JournalRecord]) -> Result<Head, BindingError> {
    all.last()
        .map(JournalRecord::head)
        .ok_or_else(|| BindingError::new(BindingErrorKind::Replay, ReplayError::Empty))
}
