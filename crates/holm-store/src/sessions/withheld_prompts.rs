//! Prompts that hooks kept from the model. The transcript contains them as the user wrote them, so
//! a viewer must know which of them the model never read.
//!
//! Hooks withhold a prompt through patches that the journal contains; this file only finds them
//! (`holm-runtime/src/hook/` applies hooks). `was_withheld` reads a journal backwards and folds
//! nothing, so that it stays cheap in a long session.

use std::collections::BTreeMap;

use holm_kernel::{
    Answer, Author, Effect, Event, Input, MessageId, Patch, Role, Seq,
    journal::{self, JournalRecord},
    plain_text,
};
use serde::Serialize;

use super::{blocking, search::UnverifiedRecord};
use crate::{Store, StoreError};

/// A prompt that the model did not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithheldPrompt {
    /// The record that first withheld it.
    pub record: Seq,
    pub message: MessageId,
    pub said: String,
    /// The text that the model read in its place; empty if it read nothing.
    pub shown: String,
}

/// The prompts of a journal that hooks withheld, each once. Stops at the first record that cannot
/// be folded because data in it was erased.
pub fn withheld(records: &[JournalRecord]) -> Vec<WithheldPrompt> {
    let mut prompts = BTreeMap::new();
    // Facts that were found before the fold stopped are still true.
    let _ = journal::replay_with(records, |_, effect: &Effect| {
        let Effect::Emit(event) = effect else { return };
        let Event::MessageAdded { message } = &event.event else { return };
        if message.role == Role::User && message.author == Author::Speaker {
            prompts.insert(message.id, message.plain_text());
        }
    });
    let mut found: Vec<WithheldPrompt> = Vec::new();
    for record in records {
        let Ok(Input::Consulted { answer: Answer::Patch(patches), .. }) = record.payload().input() else {
            continue;
        };
        for (message, shown) in patches.iter().filter_map(instead) {
            let Some(prompt) = prompts.get(&message) else { continue };
            if found.iter().all(|known| known.message != message) {
                found.push(WithheldPrompt { record: record.seq(), message, said: prompt.clone(), shown });
            }
        }
    }
    found
}

/// Records that are read at once.
const AT_ONCE: u64 = 64;

impl Store {
    /// Whether a hook withheld a message up to a record. A request names each message that is
    /// withheld from it. So the journal is read backwards: messages that are still withheld are in
    /// its last few records.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or [`StoreError::Damaged`] for a record that is not there.
    pub async fn was_withheld(&self, run: &str, message: MessageId, upto: Seq) -> Result<bool, StoreError> {
        let row = self.find(run).await?;
        let mut end = upto.value().saturating_add(1);
        while end > 0 {
            let range = end.saturating_sub(AT_ONCE)..end;
            end = range.start;
            let lines = self.inner.backend.records(row.no, range).await?;
            let (store, row) = (self.clone(), row.clone());
            let found = blocking(move || {
                let lines = store.inner.opened(&row, lines, end)?;
                Ok(lines.iter().any(|line| withholds(line, message)))
            });
            if found.await? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a line says that a hook withheld a message.
fn withholds(line: &[u8], message: MessageId) -> bool {
    const WORD: &[u8] = b"\"consulted\"";
    // Most lines are something else, and long.
    if !line.windows(WORD.len()).any(|part| part == WORD) {
        return false;
    }
    let Some(Input::Consulted { answer: Answer::Patch(patches), .. }) =
        UnverifiedRecord::read(line).map(|line| line.input)
    else {
        return false;
    };
    patches.iter().filter_map(instead).any(|(id, _)| id == message)
}

/// The message that a patch withholds, and the text that it shows instead.
fn instead(patch: &Patch) -> Option<(MessageId, String)> {
    match patch {
        Patch::Hide(id) => Some((*id, String::new())),
        Patch::Replace { id, blocks } => Some((*id, plain_text(blocks))),
        Patch::Append(_) => None,
    }
}
