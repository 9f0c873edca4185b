//! The position of a watcher in the feed. It is one short text, which a browser sends back when it
//! reconnects by itself.
//!
//! What follows a position is found in `feed.rs` or, if the feed no longer has it, in
//! `session_watcher.rs`. Clients store the text, so its form must not change.

use std::{fmt, str::FromStr};

use holm_kernel::{CallId, EventId, Numbered, Seq};

use super::feed::ends_reply;
use crate::ApiError;

/// A position in the feed of a session: the last event that was seen, and how many bytes of the
/// reply that is arriving now.
///
/// Written `RECORD.INDEX`, or `RECORD.INDEX/CALL.BYTES` within a reply; `-` means no event at all.
///
/// ```
/// use holm_server::FeedCursor;
///
/// let cursor: FeedCursor = "12.3/7.512".parse()?;
/// assert_eq!(cursor.to_string(), "12.3/7.512");
/// assert!("12".parse::<FeedCursor>().is_err());
/// # Ok::<(), holm_server::ApiError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedCursor {
    /// The last event; `None` before the first.
    pub event: Option<EventId>,
    /// The reply that is arriving, and how many of its bytes were seen.
    pub reply: Option<(CallId, u64)>,
}

impl FeedCursor {
    /// The position after an event, with nothing of a reply.
    pub const fn after(event: EventId) -> Self {
        Self { event: Some(event), reply: None }
    }

    /// The position after the next event. The position in a reply stays valid until an
    /// event ends the reply.
    pub(super) fn past(self, event: &Numbered) -> Self {
        let reply = self.reply.filter(|_| !ends_reply(&event.event));
        Self { event: Some(event.id), reply }
    }
}

impl fmt::Display for FeedCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.event {
            Some(id) => write!(out, "{}.{}", id.record.value(), id.index)?,
            None => out.write_str("-")?,
        }
        match self.reply {
            Some((call, bytes)) => write!(out, "/{}.{bytes}", call.value()),
            None => Ok(()),
        }
    }
}

impl FromStr for FeedCursor {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        let bad = || ApiError::bad("bad_cursor", "a cursor is the id of an event, such as `12.3`");
        let (event, reply) = match text.split_once('/') {
            Some((event, reply)) => (event, Some(pair(reply).ok_or_else(bad)?)),
            None => (text, None),
        };
        let event = match event {
            "-" => None,
            text => {
                let (record, index) = pair(text).ok_or_else(bad)?;
                Some(EventId { record: Seq::new(record), index })
            }
        };
        Ok(Self { event, reply: reply.map(|(call, bytes)| (CallId::new(call), bytes)) })
    }
}

fn pair(text: &str) -> Option<(u64, u64)> {
    let number = |text: &str| {
        // The parser would accept `+1`, which would be a second spelling of the same number.
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    };
    let (record, index) = text.split_once('.')?;
    Some((number(record)?, number(index)?))
}
