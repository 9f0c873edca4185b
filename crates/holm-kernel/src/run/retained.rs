//! Collects from finished calls what a compaction keeps word for word: calls of tools that declare
//! it, and names of files.
//!
//! How much of it is kept and how it is shown is decided in `context/retained_facts.rs`. Files are
//! taken from the needs of a call, never from its output: an output is untrusted text. A path is
//! made visible and bounded before it is kept.

use alloc::{string::String, sync::Arc};

use holm_grants::{AccessRequest, CallNeed};

use super::{
    Run,
    batch::{CallBatch, CallSlot, SettledCall, SlotState},
};
use crate::context::{CallFacts, RetainedCall, RetainedFile};
use crate::visible_text::visible_bounded;
use crate::{CallAccess, MessageId, Outcome, PlanRole, Retention, ToolKind};

/// The most characters of a path in the list of files.
const PATH_CHARS: u64 = 300;

impl Run {
    /// What survives of these calls. Nothing is kept if the configuration leaves no room for it.
    pub(super) fn facts_of(&self, batch: &CallBatch) -> CallFacts {
        let mut facts = CallFacts::default();
        if self.config().context.verbatim_tokens == 0 {
            return facts;
        }
        for slot in &batch.slots {
            let SlotState::Done(settled) = &slot.state else { continue };
            facts.calls.extend(retained_call(slot, settled));
            // A call that was refused touched nothing; one that failed may have.
            if settled.outcome != Outcome::Refused {
                facts.files.extend(slot.needs.iter().filter_map(|need| file_of(slot, need)));
            }
        }
        facts
    }
}

fn retained_call(slot: &CallSlot, settled: &SettledCall) -> Option<RetainedCall> {
    let tool = &slot.entry.as_ref()?.tool;
    let retention = match tool.kind {
        // What a person approved is the plan.
        ToolKind::Plan(PlanRole::Exit) => Retention::Latest,
        _ => tool.retention,
    };
    let succeeded = settled.outcome == Outcome::Succeeded;
    let result = match retention {
        Retention::None => return None,
        Retention::Latest if !succeeded => return None,
        Retention::Latest => None,
        Retention::Each if settled.outcome == Outcome::Refused => return None,
        Retention::Each => succeeded.then(|| settled.text.clone()),
    };
    Some(RetainedCall {
        tool: Arc::clone(&slot.name),
        arguments: Arc::clone(&slot.arguments),
        retention,
        result,
        message: MessageId::default(),
    })
}

/// The file that a need names. A pattern names no file.
fn file_of(slot: &CallSlot, need: &CallNeed) -> Option<RetainedFile> {
    let CallNeed::Request(request) = need else { return None };
    let (path, changed) = match request {
        AccessRequest::Write(path) if slot.access == CallAccess::Full => (path, true),
        AccessRequest::Read(path) => (path, false),
        _ => return None,
    };
    let path: String = visible_bounded(&alloc::format!("{path}"), PATH_CHARS);
    Some(RetainedFile { path, changed, message: MessageId::default() })
}
