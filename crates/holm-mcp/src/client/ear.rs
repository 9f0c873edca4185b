//! What Holm hears from a server between answers: how far it is, that its lists changed, what it wants to ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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
pub(crate) struct Ear {
    server: ServerName,
    asker: Option<Arc<dyn Asker>>,
    routes: Routes,
    /// Counts the times that a list changed; who is told late is told once.
    changes: watch::Sender<u64>,
}

/// Who wants to know how far which call is.
#[derive(Clone, Default)]
pub(crate) struct Routes(Arc<Mutex<HashMap<ProgressToken, Progress>>>);

impl Routes {
    /// Tells of this call until the guard is dropped.
    pub(crate) fn follow(&self, token: ProgressToken, progress: Progress) -> Following {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(token.clone(), progress);
        Following { routes: self.clone(), token }
    }

    fn tell(&self, params: &ProgressNotificationParam) {
        let listener =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&params.progress_token).cloned();
        let Some(listener) = listener else { return };
        let text = params.message.clone().unwrap_or_default();
        listener.say(Update { text, done: whole(params.progress), total: params.total.and_then(whole) });
    }
}

/// Stops telling when it is dropped.
pub(crate) struct Following {
    routes: Routes,
    token: ProgressToken,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.routes.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.token);
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

    /// Carries a question to the person.
    pub(crate) async fn elicit(&self, request: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        match &self.asker {
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
        self.changes.send_modify(|count| *count += 1);
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
