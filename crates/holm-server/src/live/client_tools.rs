//! Tools that the client provides. The agent calls them like its own. A call reaches the client as
//! part of an answer, and the client's next request brings the result.
//!
//! The formats of requests and answers are in `routes/openai/mod.rs`, which also stops a session
//! whose client does not come back (`routes/openai/answer_stream.rs`). Nothing is stored here: a
//! restart ends such calls.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_grants::Level;
use holm_kernel::{Block, ToolCall, ToolCallId, ToolOutput, ToolSpec};
use holm_runtime::{Tool, ToolInvocation, tool_fn};
use holm_wire::server::CompletionTool;
use tokio::sync::{Notify, oneshot};

use crate::SessionId;

/// The prefix of call ids.
pub(crate) const PREFIX: &str = "call_";

/// The calls of one session that wait for its client.
pub(crate) struct ClientToolCalls {
    open: Mutex<BTreeMap<ToolCallId, ClientToolCall>>,
    wakeup: Notify,
}

struct ClientToolCall {
    name: String,
    arguments: Arc<str>,
    told: CallAnnouncement,
    answer: oneshot::Sender<ToolOutput>,
}

/// Whether the client knows about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallAnnouncement {
    No,
    Yes,
}

impl ClientToolCalls {
    pub(crate) fn new() -> Self {
        Self { open: Mutex::default(), wakeup: Notify::new() }
    }

    /// A tool whose calls go to the client. It changes nothing on this machine, so
    /// it needs no approval.
    pub(crate) fn tool(self: &Arc<Self>, asked: &CompletionTool) -> Arc<dyn Tool> {
        let declaration = ToolSpec::new(asked.name.clone(), asked.description.clone(), asked.schema.clone());
        let (errands, name) = (Arc::clone(self), asked.name.clone());
        Arc::new(tool_fn(declaration.level(Level::None), move |job| {
            let waiting = errands.wait(&name, &job);
            async move { waiting.await.unwrap_or_else(|_| ToolOutput::failed("the client disconnected")) }
        }))
    }

    /// Waits for calls that the client does not know yet, and returns them.
    pub(crate) async fn next(&self, session: &SessionId) -> Vec<Block> {
        loop {
            let woken = self.wakeup.notified();
            let calls = self.untold(session);
            if !calls.is_empty() {
                return calls;
            }
            woken.await;
        }
    }

    /// Delivers results; returns whether any call waited for one of them.
    pub(crate) fn settle(&self, given: BTreeMap<ToolCallId, String>) -> bool {
        let mut delivered = false;
        for (call, text) in given {
            let errand = self.lock().remove(&call);
            delivered |= errand.is_some_and(|errand| errand.answer.send(ToolOutput::text(text)).is_ok());
        }
        delivered
    }

    /// The calls that wait for a result of the client.
    pub(crate) fn waiting(&self) -> BTreeSet<ToolCallId> {
        let open = self.lock();
        open.iter().filter(|(_, errand)| !errand.answer.is_closed()).map(|(call, _)| *call).collect()
    }

    fn wait(self: &Arc<Self>, name: &str, job: &ToolInvocation) -> oneshot::Receiver<ToolOutput> {
        let (answer, answered) = oneshot::channel();
        let (name, arguments) = (name.to_owned(), Arc::clone(&job.arguments));
        self.lock().insert(job.call, ClientToolCall { name, arguments, told: CallAnnouncement::No, answer });
        self.wakeup.notify_one();
        answered
    }

    fn untold(&self, session: &SessionId) -> Vec<Block> {
        let mut open = self.lock();
        // Drops calls that the kernel has stopped.
        open.retain(|_, errand| !errand.answer.is_closed());
        let untold = open.iter_mut().filter(|(_, errand)| errand.told == CallAnnouncement::No);
        let calls = untold.map(|(call, errand)| {
            errand.told = CallAnnouncement::Yes;
            Block::ToolCall(ToolCall {
                id: format!("{PREFIX}{session}_{}", call.value()),
                name: errand.name.clone(),
                arguments: errand.arguments.to_string(),
                replay: None,
            })
        });
        calls.collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ToolCallId, ClientToolCall>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
