//! Handles what a server sends between answers: progress, list changes, and questions for the user.
//!
//! How a question is checked and shown is in `elicitation.rs`; subscriptions to list changes are in
//! `subscription.rs`. The number of questions during a call is bounded, and a server gets neither a
//! model nor a list of folders.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holm_runtime::{ProgressReporter, ProgressUpdate};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorData,
    FormElicitationCapability, Implementation, ProgressNotificationParam, ProgressToken,
    UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::watch;

use super::elicitation::{ElicitationHandler, elicit};
use crate::ServerName;

/// Handles the messages of one server. Holm offers it no sampling and no list of roots; the server
/// can only ask questions.
#[derive(Clone)]
pub(crate) struct NotificationHandler {
    server: ServerName,
    asker: Option<Arc<dyn ElicitationHandler>>,
    routes: ProgressRoutes,
    /// Counts list changes. A receiver that reads late sees several changes as one.
    changes: watch::Sender<u64>,
}

/// Maps each progress token to the call that wants its progress.
#[derive(Clone, Default)]
pub(crate) struct ProgressRoutes(Arc<Mutex<ProgressTable>>);

struct ProgressTable {
    listeners: HashMap<ProgressToken, ProgressReporter>,
    /// The number of running calls.
    calls: u32,
    /// How many more questions the server may ask the user.
    questions: u32,
    /// Progress that arrived before its call registered. A server can be faster than the caller,
    /// which learns its token only after the request is sent.
    early: VecDeque<(ProgressToken, ProgressUpdate)>,
}

impl Default for ProgressTable {
    fn default() -> Self {
        Self { listeners: HashMap::new(), calls: 0, questions: MOST_QUESTIONS, early: VecDeque::new() }
    }
}

/// How many questions a server may ask the user during one call: more than any form needs, and few
/// enough for a person to bear.
const MOST_QUESTIONS: u32 = 8;
/// How many early progress messages are kept for calls that have not registered yet. Beyond it,
/// the oldest is dropped.
const MOST_EARLY: usize = 16;
/// The longest progress text that is shown.
const MOST_TEXT: usize = 1_000;

impl ProgressRoutes {
    /// Forwards the progress of this call until the guard is dropped.
    pub(crate) fn follow(&self, token: ProgressToken, progress: &ProgressReporter) -> ProgressSubscription {
        let mut board = self.board();
        let early = std::mem::take(&mut board.early);
        let (now, later): (VecDeque<_>, VecDeque<_>) = early.into_iter().partition(|(of, _)| *of == token);
        board.early = later;
        board.listeners.insert(token.clone(), progress.clone());
        drop(board);
        now.into_iter().for_each(|(_, update)| progress.say(update));
        ProgressSubscription { routes: self.clone(), token }
    }

    /// Counts one more running call, during which the server may ask questions, until
    /// the guard is dropped.
    pub(crate) fn call(&self) -> ActiveCallGuard {
        let mut board = self.board();
        board.calls = board.calls.saturating_add(1);
        let before = if board.calls > 1 { board.questions } else { 0 };
        board.questions = before.saturating_add(MOST_QUESTIONS);
        drop(board);
        ActiveCallGuard { routes: self.clone() }
    }

    /// Whether the server may ask another question. Each call of this function uses up one.
    fn may_ask(&self) -> bool {
        let mut board = self.board();
        let left = board.questions.checked_sub(1);
        board.questions = left.unwrap_or_default();
        left.is_some()
    }

    fn tell(&self, params: &ProgressNotificationParam) {
        let text = params.message.as_deref().unwrap_or_default().chars().take(MOST_TEXT).collect();
        let update =
            ProgressUpdate { text, done: to_count(params.progress), total: params.total.and_then(to_count) };
        let mut board = self.board();
        match board.listeners.get(&params.progress_token).cloned() {
            Some(listener) => {
                drop(board);
                listener.say(update);
            }
            None => {
                board.early.push_back((params.progress_token.clone(), update));
                if board.early.len() > MOST_EARLY {
                    board.early.pop_front();
                }
            }
        }
    }

    /// Every change is a single step, so a panic in another thread leaves no partial state.
    fn board(&self) -> MutexGuard<'_, ProgressTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops forwarding progress when it is dropped.
pub(crate) struct ProgressSubscription {
    routes: ProgressRoutes,
    token: ProgressToken,
}

impl Drop for ProgressSubscription {
    fn drop(&mut self) {
        self.routes.board().listeners.remove(&self.token);
    }
}

/// A running call. When the last running call ends, the server gets back its
/// full number of questions.
pub(crate) struct ActiveCallGuard {
    routes: ProgressRoutes,
}

impl Drop for ActiveCallGuard {
    fn drop(&mut self) {
        let mut board = self.routes.board();
        board.calls = board.calls.saturating_sub(1);
        if board.calls == 0 {
            board.questions = MOST_QUESTIONS;
        }
    }
}

impl NotificationHandler {
    pub(crate) fn new(
        server: ServerName,
        asker: Option<Arc<dyn ElicitationHandler>>,
        routes: ProgressRoutes,
        changes: watch::Sender<u64>,
    ) -> Self {
        Self { server, asker, routes, changes }
    }

    /// Records that the server's list of tools changed.
    pub(crate) fn list_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Carries a question to the user.
    pub(crate) async fn elicit(&self, request: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        match &self.asker {
            Some(_) if !self.routes.may_ask() => {
                let often = format!(
                    "a server may ask the user at most {MOST_QUESTIONS} times for one \
                                     call"
                );
                Err(ErrorData::invalid_request(often, None))
            }
            Some(asker) => Ok(elicit(&self.server, asker, request).await),
            None => Err(ErrorData::invalid_request("no user is present to be asked", None)),
        }
    }
}

impl ClientHandler for NotificationHandler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.asker.is_some() {
            let form = FormElicitationCapability::new().with_schema_validation(true);
            capabilities.elicitation = Some(
                ElicitationCapability::new().with_form(form).with_url(UrlElicitationCapability::default()),
            );
        }
        ClientConfig::new(capabilities, Implementation::new("holm", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.elicit(request).await
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.routes.tell(&params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed();
    }
}

/// Drops the fraction of a progress value. Negative and non-finite values are ignored.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked, and a fraction of a step is nothing to show"
)]
fn to_count(number: f64) -> Option<u64> {
    (number.is_finite() && (0.0..1e15).contains(&number)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::{MOST_QUESTIONS, ProgressRoutes};

    fn asks(routes: &ProgressRoutes) -> u32 {
        (0..100).map(|_| u32::from(routes.may_ask())).sum()
    }

    #[test]
    fn a_person_is_asked_so_often_for_each_call_and_no_more() {
        let routes = ProgressRoutes::default();
        let first_call = routes.call();
        assert_eq!(asks(&routes), MOST_QUESTIONS);
        let other = routes.call();
        assert_eq!(asks(&routes), MOST_QUESTIONS, "another call is another matter");
        drop(first_call);
        assert_eq!(asks(&routes), 0);
        drop(other);
        assert_eq!(asks(&routes), MOST_QUESTIONS);
    }
}
