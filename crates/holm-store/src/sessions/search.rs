//! Full-text search over sessions.
//!
//! The text of a record comes from `derive/text.rs`; the index is filled by `store/index.rs`. An
//! encrypted store has no index and is searched by decrypting it, because an index would reveal the
//! text. Words have at least three characters, as the index does. A line is read on its own here,
//! without its chain, so nothing may be decided by a hit.

use holm_kernel::{Seq, Timestamp, journal};
use serde::{Deserialize, Serialize};

use super::blocking;
use crate::{
    Store, StoreError, TextKind,
    backend::{RunRow, SessionFilter},
    derive::{excerpt, holds, search_text},
    store::IndexDepth,
};

/// The shortest word that can be found: the index is made of groups of three characters.
const SHORTEST: usize = 3;

/// Hits of one search at the most.
const MAX_HITS: u32 = 1_000;

/// Sessions that a decrypting search reads in one step.
const STEP: u64 = 200;

/// A record that contains all search terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    pub run: String,
    pub seq: Seq,
    /// When it was handled.
    pub at: Timestamp,
    /// The author of the text.
    pub kind: TextKind,
    /// The match with the text around it, on one line.
    pub excerpt: String,
}

impl Store {
    /// Finds records that contain every word of `query`. Upper and lower case are equal, and
    /// words in quotation marks must be adjacent. A word may be part of a longer word. The
    /// latest sessions come first.
    ///
    /// An encrypted store has no index, because an index would reveal the text. There every session
    /// is decrypted and read, which takes time in proportion to the whole store.
    ///
    /// # Errors
    /// [`StoreError::TooShort`] for words of less than three characters.
    pub async fn search(&self, query: &str, limit: u32) -> Result<Vec<SearchHit>, StoreError> {
        let terms = terms(query)?;
        let limit = limit.min(MAX_HITS);
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        if self.inner.vault.is_some() {
            return self.scan(&terms, limit as usize).await;
        }
        self.catch_up(IndexDepth::Everything).await?;
        let mut hits = Vec::new();
        for (run, seq) in self.inner.backend.matching(&terms, u64::from(limit)).await? {
            let lines = self.inner.lines(&run, seq..seq + 1).await?;
            hits.extend(lines.first().and_then(|line| hit(&run, line, &terms)));
        }
        Ok(hits)
    }

    async fn scan(&self, terms: &[String], limit: usize) -> Result<Vec<SearchHit>, StoreError> {
        self.catch_up(IndexDepth::Heads).await?;
        let mut hits = Vec::new();
        let mut after = None;
        loop {
            let filter = SessionFilter { by_created: true, after, limit: STEP, ..SessionFilter::default() };
            let rows = self.inner.backend.list(filter).await?;
            let Some(last) = rows.last() else { return Ok(hits) };
            after = Some((last.created, last.run.no.0));
            for row in rows {
                let lines = self.inner.backend.records(row.run.no, 0..u64::MAX).await?;
                let (store, terms, left) = (self.clone(), terms.to_vec(), limit - hits.len());
                let found = blocking(move || {
                    let lines = store.inner.opened(&row.run, lines, 0)?;
                    let found = lines.iter().rev().filter_map(|line| hit(&row.run, line, &terms));
                    Ok(found.take(left).collect::<Vec<_>>())
                });
                hits.extend(found.await?);
                if hits.len() == limit {
                    return Ok(hits);
                }
            }
        }
    }
}

/// Splits a query into terms.
fn terms(query: &str) -> Result<Vec<String>, StoreError> {
    let mut terms = Vec::new();
    for (index, part) in query.split('"').enumerate() {
        if index % 2 == 1 {
            terms.push(part.trim().to_owned());
        } else {
            terms.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    // A zero byte ends a text for the index, so nothing after it would be compared.
    terms.retain(|term| !term.is_empty() && !term.contains('\0'));
    if let Some(term) = terms.iter().find(|term| term.chars().count() < SHORTEST) {
        return Err(StoreError::TooShort { term: term.clone() });
    }
    Ok(terms)
}

/// Looks into one line.
fn hit(run: &RunRow, line: &[u8], terms: &[String]) -> Option<SearchHit> {
    let record = UnverifiedRecord::read(line)?;
    let (kind, text) = search_text(&record.input)?;
    holds(&text, terms).then(|| SearchHit {
        run: run.id.clone(),
        seq: record.seq,
        at: record.at,
        kind,
        excerpt: excerpt(&text, terms),
    })
}

/// A journal line read on its own, without verifying its chain. Folding a journal verifies it.
#[derive(Deserialize)]
pub(super) struct UnverifiedRecord {
    seq: Seq,
    at: Timestamp,
    pub(super) input: holm_kernel::Input,
}

impl UnverifiedRecord {
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        // The reader of journals bounds length and depth; a single line must not be able to do
        // more.
        if line.len() as u64 > journal::MAX_LINE_BYTES {
            return None;
        }
        serde_json::from_slice(line).ok()
    }
}

#[cfg(test)]
mod tests;
