//! The agents of a user, as MCP clients see them. Each question to an agent becomes a session,
//! which is opened in `live/session_manager.rs`. The protocol is in the crate `holm-mcp`. Nobody is
//! asked for approval in such a session, and it ends when its client or its token is gone.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use holm_kernel::{Event, Prompt};
use holm_mcp::server::{AgentRoster, AnsweringAgent};
use holm_runtime::{BoxFuture, CancellationToken, EventNotice, ProgressUpdate};
use tokio::sync::watch;

use crate::{
    AgentCard, ApiError, HolmServer, QuestionAttendance, SessionOptions, SessionStart, WorkLifetime,
    auth::UserName, live::LiveSession, state::ServerInner,
};

/// The agents of a user, as of the last refresh. Clones share the same list.
#[derive(Clone)]
pub(super) struct McpAgentRoster {
    server: Weak<ServerInner>,
    user: UserName,
    cards: Arc<Mutex<Vec<AgentCard>>>,
    changes: Arc<watch::Sender<u64>>,
    /// Cancelled when the client's token was revoked.
    taken: CancellationToken,
}

impl McpAgentRoster {
    pub(super) fn new(server: Weak<ServerInner>, user: UserName, taken: CancellationToken) -> Self {
        let changes = Arc::new(watch::Sender::new(0));
        Self { server, user, cards: Arc::default(), changes, taken }
    }

    /// Reads the list of agents again.
    pub(super) async fn refresh(&self, server: &HolmServer) -> Result<(), ApiError> {
        let now = server.inner.workshop.agents(&self.user).await?;
        let mut cards = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        if *cards != now {
            *cards = now;
            self.changes.send_modify(|count| *count = count.wrapping_add(1));
        }
        Ok(())
    }
}

impl AgentRoster for McpAgentRoster {
    fn agents(&self) -> Vec<(String, String, Arc<dyn AnsweringAgent>)> {
        let cards = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        let named = cards.iter().map(|card| {
            let agent = ServerMcpAgent {
                server: Weak::clone(&self.server),
                user: self.user.clone(),
                agent: card.name.clone(),
                taken: self.taken.clone(),
            };
            (card.name.clone(), card.description.clone(), Arc::new(agent) as Arc<dyn AnsweringAgent>)
        });
        named.collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

struct ServerMcpAgent {
    server: Weak<ServerInner>,
    user: UserName,
    agent: String,
    taken: CancellationToken,
}

impl AnsweringAgent for ServerMcpAgent {
    fn answer(
        &self,
        question: String,
        tell: Arc<dyn Fn(ProgressUpdate) + Send + Sync>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<String, String>> {
        let server = self.server.upgrade().map(|inner| HolmServer { inner });
        let (user, agent, taken) = (self.user.clone(), self.agent.clone(), self.taken.clone());
        Box::pin(async move {
            let server = server.ok_or_else(|| "the server has stopped".to_owned())?;
            let opening = SessionOptions {
                agent: Some(agent),
                attendance: QuestionAttendance::Unattended,
                lasting: WorkLifetime::Request,
                ..SessionOptions::new(SessionStart::New(None))
            };
            let live_session = server.hall().open(&user, opening).await.map_err(|refusal| refusal.message)?;
            let answered = attend(&server, &live_session, question, &*tell, (&stop, &taken)).await;
            live_session.leave();
            answered
        })
    }
}

/// Sends a question to a session and waits for the answer, or until the client no longer wants it.
async fn attend(
    server: &HolmServer,
    live_session: &LiveSession,
    question: String,
    tell: &(dyn Fn(ProgressUpdate) + Send + Sync),
    (stop, taken): (&CancellationToken, &CancellationToken),
) -> Result<String, String> {
    let mut events = live_session.events();
    let asked = server.hall().prompt(live_session, Some(Prompt::text(question))).await;
    let mut done = asked.map_err(|refusal| refusal.message)?;
    let mut wanted = AnswerDemand::Yes;
    let outcome = loop {
        let reason = tokio::select! {
            outcome = &mut done => break outcome,
            Some(notice) = events.next() => {
                if let EventNotice::Event(numbered) = notice && matches!(numbered.event, Event::CallStarted { .. }) {
                    tell(ProgressUpdate::from("works with a tool"));
                }
                continue;
            }
            () = stop.cancelled(), if wanted == AnswerDemand::Yes => "the client cancelled the request",
            () = taken.cancelled(), if wanted == AnswerDemand::Yes => "the token was revoked",
        };
        wanted = AnswerDemand::No;
        // A session that ends at this moment need not be cancelled.
        let _ = live_session.cancel(reason);
    };
    match outcome {
        Ok(Ok(Some(report))) => report.into_text().map_err(|error| error.to_string()),
        Ok(Err(refusal)) => Err(refusal.message),
        Ok(Ok(None)) | Err(_) => Err("the session was closed before it answered".into()),
    }
}

/// Whether the client still waits for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerDemand {
    Yes,
    No,
}
