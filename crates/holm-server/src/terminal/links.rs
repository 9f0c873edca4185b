//! The links to all terminals that the server knows, by session. One link is in `link.rs`. There is
//! never more than one link to a session, because two would add every event twice. A session that
//! the server drives itself has none.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Mutex as AsyncMutex;

use super::{TerminalLink, session_socket::SessionSocket};
use crate::{ApiError, HolmServer, SessionId, auth::UserName};

/// The number of entries from which on unused ones are removed.
const MANY: usize = 64;

type TerminalKey = (UserName, SessionId);
type TerminalSlot = Arc<AsyncMutex<Option<Arc<TerminalLink>>>>;

/// The links to terminals, by session.
#[derive(Default)]
pub(crate) struct TerminalLinks(Mutex<HashMap<TerminalKey, TerminalSlot>>);

impl TerminalLinks {
    fn slot(&self, user: &UserName, id: &SessionId) -> TerminalSlot {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MANY {
            let is_used = |slot: &TerminalSlot| {
                let held = slot.try_lock();
                Arc::strong_count(slot) > 1
                    || held.is_ok_and(|link| link.as_ref().is_some_and(|link| link.is_there()))
            };
            slots.retain(|_, slot| is_used(slot));
        }
        Arc::clone(slots.entry((user.clone(), id.clone())).or_default())
    }
}

impl HolmServer {
    /// The link to the terminal that drives a session. `None` if no terminal does, or the
    /// server drives it itself.
    ///
    /// # Errors
    /// [`ApiError`] if the user has no data folder.
    pub(crate) async fn terminal(
        &self,
        user: &UserName,
        id: &SessionId,
    ) -> Result<Option<Arc<TerminalLink>>, ApiError> {
        if self.inner.hall.find(user, id).await.is_some() {
            return Ok(None);
        }
        // Held while connecting, because two links would add every event twice.
        let slot = self.inner.links.slot(user, id);
        let mut held = slot.lock().await;
        if let Some(link) = held.as_ref().filter(|link| link.is_there()) {
            return Ok(Some(Arc::clone(link)));
        }
        *held = None;
        let private = self.inner.workshop.home(user).await?.private;
        let socket = SessionSocket::of(&private, id.as_str());
        let Some((stream, key)) = socket.connect(id.as_str()).await else { return Ok(None) };
        *held = TerminalLink::begin(stream, key, self.inner.hall.feed(user, id)).await;
        Ok(held.clone())
    }
}
