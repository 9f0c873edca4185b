//! The transcript, as far as a run holds it in memory. A run that was restored from a snapshot has
//! only the later messages; the journal has all. What the model is shown is a different thing
//! (`context/view.rs`), and no decision may depend on messages that only the journal has.

use alloc::{collections::BTreeMap, sync::Arc, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Message, MessageId, ToolCallId};

/// Every message ever added. A run that was restored from a snapshot without its transcript has
/// only the later ones: the journal has the others, and no decision depends on them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Read)]
pub(crate) struct MessageHistory {
    /// The number of messages that only the journal has.
    earlier: u64,
    last: Option<MessageId>,
    /// Those of them that the run may still quote.
    quoted: Vec<Arc<Message>>,
    messages: Vec<Arc<Message>>,
}

impl MessageHistory {
    pub(super) fn push(&mut self, message: Arc<Message>) {
        self.last = Some(message.id);
        self.messages.push(message);
    }

    /// The messages in memory, in order.
    pub(super) fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    pub(super) const fn earlier(&self) -> u64 {
        self.earlier
    }

    pub(super) const fn last(&self) -> Option<MessageId> {
        self.last
    }

    /// A message that is in memory or may still be quoted.
    pub(super) fn find(&self, id: MessageId) -> Option<&Arc<Message>> {
        self.messages.iter().rev().chain(&self.quoted).find(|message| message.id == id)
    }

    /// Drops the messages, which the journal has, except those that report these children.
    pub(super) fn leave_to_journal(&mut self, told: &BTreeMap<ToolCallId, u64>) {
        let is_quoted = |message: &Arc<Message>| told.values().any(|id| MessageId::new(*id) == message.id);
        self.earlier = self.earlier.saturating_add(self.messages.len() as u64);
        self.quoted.retain(is_quoted);
        self.quoted.extend(core::mem::take(&mut self.messages).into_iter().filter(is_quoted));
    }
}
