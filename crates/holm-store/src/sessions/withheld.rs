//! Prompts that hooks kept from the model. The transcript has them as they were said, so whoever shows it must know which
//! of them the model never read.

use std::collections::BTreeMap;

use holm_kernel::{
    Answer, Author, Effect, Event, Input, MessageId, Patch, Role, Seq,
    journal::{self, Record},
    plain_text,
};
use serde::Serialize;

/// A prompt that the model did not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// The record that first says so.
    pub record: Seq,
    /// The message.
    pub message: MessageId,
    /// What was said.
    pub said: String,
    /// What the model read in its place; empty if it read nothing.
    pub shown: String,
}

/// The prompts of a journal that hooks withheld, each once. Stops where the journal cannot be folded any more, because
/// something in it was erased.
pub fn withheld(records: &[Record]) -> Vec<Withheld> {
    let mut said = BTreeMap::new();
    // What was found before the fold stopped is still true.
    let _ = journal::replay_with(records, |_, effect: &Effect| {
        let Effect::Emit(event) = effect else { return };
        let Event::MessageAdded { message } = &event.event else { return };
        if message.role == Role::User && message.author == Author::Speaker {
            said.insert(message.id, message.plain_text());
        }
    });
    let mut found: Vec<Withheld> = Vec::new();
    for record in records {
        let Ok(Input::Consulted { answer: Answer::Patch(patches), .. }) = record.payload().input() else {
            continue;
        };
        for (message, shown) in patches.iter().filter_map(instead) {
            let Some(said) = said.get(&message) else { continue };
            if found.iter().all(|known| known.message != message) {
                found.push(Withheld { record: record.seq(), message, said: said.clone(), shown });
            }
        }
    }
    found
}

/// Which message a patch takes away, and what it shows there.
fn instead(patch: &Patch) -> Option<(MessageId, String)> {
    match patch {
        Patch::Hide(id) => Some((*id, String::new())),
        Patch::Replace { id, blocks } => Some((*id, plain_text(blocks))),
        Patch::Append(_) => None,
    }
}
