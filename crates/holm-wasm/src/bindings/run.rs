//! Exports runs to JavaScript.
//!
//! It only passes strings on; the functions are in `session/mod.rs` and `session/journal.rs`. The
//! host must append the line that `handle` returns before it performs an effect.

use alloc::string::String;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::thrown;
use crate::{WasmSession, session};

/// A run in WASM memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Run {
    session: WasmSession,
    opening: String,
}

#[wasm_bindgen]
impl Run {
    /// Starts a run; throws if the configuration is invalid.
    pub fn start(run: &str, seed: u64, config: &str, now: u64) -> Result<Run, JsValue> {
        let (session, opening) = WasmSession::start(run, seed, config, now).map_err(thrown)?;
        Ok(Self { session, opening })
    }

    /// Replays a journal; throws if it is damaged.
    pub fn replay(journal: &[u8]) -> Result<Run, JsValue> {
        WasmSession::replay(journal).map(Self::of).map_err(thrown)
    }

    /// Folds a journal up to a record.
    pub fn fork(journal: &[u8], at: u64) -> Result<Run, JsValue> {
        WasmSession::fork(journal, at).map(Self::of).map_err(thrown)
    }

    /// Folds a journal with the help of a snapshot.
    pub fn resume(snapshot: &[u8], journal: &[u8]) -> Result<Run, JsValue> {
        WasmSession::resume(snapshot, journal).map(Self::of).map_err(thrown)
    }

    /// The first line of a new journal; empty when asked again, or when the run was folded.
    pub fn opening(&mut self) -> String {
        core::mem::take(&mut self.opening)
    }

    /// Takes one fact; gives the line to append.
    pub fn handle(&mut self, now: u64, input: &str) -> Result<String, JsValue> {
        self.session.handle(now, input).map_err(thrown)
    }

    /// The next effect for the host, as JSON.
    pub fn poll(&mut self) -> String {
        self.session.poll()
    }

    /// A waiting model call in full.
    pub fn request(&self, call: u64) -> Result<String, JsValue> {
        self.session.request(call).map_err(thrown)
    }

    /// A child's configuration within its parent's.
    pub fn confine(&self, call: u64, config: &str) -> Result<String, JsValue> {
        self.session.confine(call, config).map_err(thrown)
    }

    /// The transcript from a message on.
    pub fn transcript(&self, from: u64) -> String {
        self.session.transcript(from)
    }

    /// Figures of the run.
    pub fn status(&self) -> String {
        self.session.status()
    }

    /// Record 0 of the journal, as JSON.
    pub fn started(&self) -> String {
        self.session.started()
    }

    /// The state, as a cache.
    pub fn snapshot(&self) -> Result<String, JsValue> {
        self.session.snapshot().map_err(thrown)
    }
}

impl Run {
    const fn of(session: WasmSession) -> Self {
        Self { session, opening: String::new() }
    }

    /// The session, for the codecs.
    pub(super) const fn session(&self) -> &WasmSession {
        &self.session
    }
}

/// Every effect of a journal, one a line.
#[wasm_bindgen]
pub fn replay_effects(journal: &[u8]) -> Result<String, JsValue> {
    session::replay_effects(journal).map_err(thrown)
}

/// A journal up to a record.
#[wasm_bindgen]
pub fn journal_prefix(journal: &[u8], at: u64) -> Result<String, JsValue> {
    session::prefix(journal, at).map_err(thrown)
}

/// What a journal holds.
#[wasm_bindgen]
pub fn journal_inspect(journal: &[u8]) -> Result<String, JsValue> {
    session::inspect(journal).map_err(thrown)
}
