//! What Holm hears from a server between answers: how far it is, that its lists changed, what it wants to ask.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holm_runtime::{Progress, Update};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorData,
    FormElicitationCapability, Implementation, ProgressNotificationParam, ProgressToken,
    UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::watch;

use super::ask::{Asker, elicit};
use crate::ServerName;

/// Listens to one server. It offers nothing but to be asked: no model for the server's use, no list of folders.
#[derive(Clone)]
pub(crate) struct Ear {
    server: ServerName,
    asker: Option<Arc<dyn Asker>>,
    routes: Routes,
    /// Counts the times that a list changed; who is told late is told once.
    changes: watch::Sender<u64>,
}

/// Who wants to know how far which call is.
#[derive(Clone, Default)]
pub(crate) struct Routes(Arc<Mutex<Board>>);

struct Board {
    listeners: HashMap<ProgressToken, Progress>,
    /// How many calls are under way.
    calls: u32,
    /// How often the server may still ask the person something.
    questions: u32,
    /// What nobody listened to: a server can be faster than the one who asked it, who learns the token when the question
    /// is out.
    early: VecDeque<(ProgressToken, Update)>,
}

impl Default for Board {
    fn default() -> Self {
        Self { listeners: HashMap::new(), calls: 0, questions: MOST_QUESTIONS, early: VecDeque::new() }
    }
}

/// How often a server may ask a person something for one call: more than any form needs, and no more than anybody bears.
const MOST_QUESTIONS: u32 = 8;
/// As much as is kept for somebody who has yet to listen; a server that says more loses the oldest.
const MOST_EARLY: usize = 16;
/// As much of a message as anybody shows.
const MOST_TEXT: usize = 1_000;

impl Routes {
    /// Tells of this call until the guard is dropped.
    pub(crate) fn follow(&self, token: ProgressToken, progress: &Progress) -> Following {
        let mut board = self.board();
        let early = std::mem::take(&mut board.early);
        let (now, later): (VecDeque<_>, VecDeque<_>) = early.into_iter().partition(|(of, _)| *of == token);
        board.early = later;
        board.listeners.insert(token.clone(), progress.clone());
        drop(board);
        now.into_iter().for_each(|(_, update)| progress.say(update));
        Following { routes: self.clone(), token }
    }

    /// Lets the server ask for one more call, until the guard is dropped.
    pub(crate) fn call(&self) -> Calling {
        let mut board = self.board();
        board.calls = board.calls.saturating_add(1);
        let before = if board.calls > 1 { board.questions } else { 0 };
        board.questions = before.saturating_add(MOST_QUESTIONS);
        drop(board);
        Calling { routes: self.clone() }
    }

    /// Whether the server may ask once more; counted.
    fn may_ask(&self) -> bool {
        let mut board = self.board();
        let left = board.questions.checked_sub(1);
        board.questions = left.unwrap_or_default();
        left.is_some()
    }

    fn tell(&self, params: &ProgressNotificationParam) {
        let text = params.message.as_deref().unwrap_or_default().chars().take(MOST_TEXT).collect();
        let update = Update { text, done: whole(params.progress), total: params.total.and_then(whole) };
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

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops telling when it is dropped.
pub(crate) struct Following {
    routes: Routes,
    token: ProgressToken,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.routes.board().listeners.remove(&self.token);
    }
}

/// A call that is under way. When the last of them is done, the server has as many questions as at the beginning.
pub(crate) struct Calling {
    routes: Routes,
}

impl Drop for Calling {
    fn drop(&mut self) {
        let mut board = self.routes.board();
        board.calls = board.calls.saturating_sub(1);
        if board.calls == 0 {
            board.questions = MOST_QUESTIONS;
        }
    }
}

impl Ear {
    pub(crate) fn new(
        server: ServerName,
        asker: Option<Arc<dyn Asker>>,
        routes: Routes,
        changes: watch::Sender<u64>,
    ) -> Self {
        Self { server, asker, routes, changes }
    }

    /// The server's list of tools changed.
    pub(crate) fn list_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Carries a question to the person.
    pub(crate) async fn elicit(&self, request: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        match &self.asker {
            Some(_) if !self.routes.may_ask() => {
                let often = format!("a person is asked {MOST_QUESTIONS} times for one call, and no more");
                Err(ErrorData::invalid_request(often, None))
            }
            Some(asker) => Ok(elicit(&self.server, asker, request).await),
            None => Err(ErrorData::invalid_request("nobody is there to be asked", None)),
        }
    }
}

impl ClientHandler for Ear {
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

/// A measure without its fraction; a server that counts below zero or without end says nothing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked, and a fraction of a step is nothing to show"
)]
fn whole(number: f64) -> Option<u64> {
    (number.is_finite() && (0.0..1e15).contains(&number)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::{MOST_QUESTIONS, Routes};

    fn asks(routes: &Routes) -> u32 {
        (0..100).map(|_| u32::from(routes.may_ask())).sum()
    }

    #[test]
    fn a_person_is_asked_so_often_for_each_call_and_no_more() {
        let routes = Routes::default();
        let one = routes.call();
        assert_eq!(asks(&routes), MOST_QUESTIONS);
        let other = routes.call();
        assert_eq!(asks(&routes), MOST_QUESTIONS, "another call is another matter");
        drop(one);
        assert_eq!(asks(&routes), 0);
        drop(other);
        assert_eq!(asks(&routes), MOST_QUESTIONS);
    }
}
