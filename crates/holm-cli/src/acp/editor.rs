//! The client side of one session: sends updates to the editor and numbers what Holm itself says.
//! It does not decide anything. Questions are asked in `editor_user.rs`, and events become updates
//! in `update_translator.rs`. No update may leave before the editor knows the session, so early
//! notes wait here.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use agent_client_protocol::{
    Client,
    v1::{
        ConnectionTo,
        schema::{ClientCapabilities, Notice, NoticeSeverity, SessionId, SessionNotification, SessionUpdate},
    },
};
use holm::kernel::visible;

use super::update_translator::{NoticeSupport, chunk};

/// The client side of one session of an editor. Cheap to clone.
#[derive(Clone)]
pub(super) struct EditorClient {
    client: ConnectionTo<Client>,
    can: Arc<ClientCapabilities>,
    /// Set once the session has started; no update is sent before.
    session: Arc<OnceLock<SessionId>>,
    /// Notes that are sent once it has started.
    early: Arc<Mutex<Vec<String>>>,
    /// Numbers the messages and questions of Holm itself.
    count: Arc<AtomicU64>,
}

impl EditorClient {
    /// An editor that can do this.
    pub(super) fn new(client: ConnectionTo<Client>, can: Arc<ClientCapabilities>) -> Self {
        Self { client, can, session: Arc::default(), early: Arc::default(), count: Arc::default() }
    }

    /// Says which session it is about.
    pub(super) fn seated(&self, session: SessionId) {
        // There is one session for each, so there is never another name.
        let _ = self.session.set(session);
    }

    /// Which session it is about.
    pub(super) fn session(&self) -> Option<&SessionId> {
        self.session.get()
    }

    /// The connection, for questions.
    pub(super) fn client(&self) -> &ConnectionTo<Client> {
        &self.client
    }

    /// What the editor can do.
    pub(super) fn can(&self) -> &ClientCapabilities {
        &self.can
    }

    /// Whether the editor shows notices.
    pub(super) fn notices(&self) -> NoticeSupport {
        let shown = self.can.session.as_ref().is_some_and(|session| session.notices.is_some());
        if shown { NoticeSupport::Shown } else { NoticeSupport::Unknown }
    }

    /// Sends an update. A failure is ignored: an editor that has disconnected does not need it, and
    /// the journal has it.
    pub(super) fn tell(&self, update: SessionUpdate) {
        if let Some(session) = self.session.get() {
            let _ = self.client.send_notification(SessionNotification::new(session.clone(), update));
        }
    }

    /// Says something beside the model's replies, as a message of its own.
    pub(super) fn says(&self, text: &str) {
        self.tell(SessionUpdate::AgentMessageChunk(chunk(text, &self.name("holm"))));
    }

    /// Notes what Holm itself has to say of the session, where the editor shows such things.
    pub(super) fn note(&self, text: &str) {
        match (self.notices(), self.session()) {
            (NoticeSupport::Unknown, _) => {}
            (NoticeSupport::Shown, None) => self.early().push(text.to_owned()),
            (NoticeSupport::Shown, Some(_)) => {
                self.tell(SessionUpdate::Notice(Notice::new(NoticeSeverity::Info, visible(text))));
            }
        }
    }

    /// Notes what there was to say before the editor knew the session.
    pub(super) fn catch_up(&self) {
        let early = std::mem::take(&mut *self.early());
        early.iter().for_each(|text| self.note(text));
    }

    fn early(&self) -> MutexGuard<'_, Vec<String>> {
        self.early.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name that nothing else has here.
    pub(super) fn name(&self, kind: &str) -> String {
        format!("{kind}-{}", self.count.fetch_add(1, Ordering::Relaxed))
    }
}
