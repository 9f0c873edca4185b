//! Lists sessions, page by page, and changes their titles and tags.
//!
//! What a list shows is computed in `derive/head.rs` and stored by `store/index.rs`; which titles
//! and tags are valid is in `label.rs`. A cursor is a time and a number and not a count, so it
//! stays right while sessions come and go. A name without a record is not a session and never
//! listed.

use std::str::FromStr;

use holm_kernel::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    Store, StoreError,
    backend::{SessionFilter, SessionListRow},
    label::{MAX_TAG, MAX_TITLE, check_label},
    store::{IndexDepth, TITLE},
};

/// Sessions on a page by default.
const PAGE: u32 = 50;

/// Sessions on a page at the most: a list is for people.
const MAX_PAGE: u32 = 1_000;

/// The place of a sealed title that a person gave.
const NAMED: &str = "named";

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    pub run: String,
    /// The title that the user gave, or the first line of the first prompt.
    pub title: String,
    /// Kept in sorted order.
    pub tags: Vec<String>,
    /// When it was made here.
    pub created: Timestamp,
    /// When its last record was handled.
    pub updated: Timestamp,
    /// The number of its records.
    pub records: u64,
    pub agent: String,
    /// The model it began with.
    pub model: String,
    /// The process that drives the session now; `None` if none does or if it was killed.
    pub holder: Option<String>,
}

/// Which time sorts a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionSort {
    /// Sorts by the time of the last record.
    #[default]
    Updated,
    /// Sorts by the time of creation.
    Created,
}

/// Which end of a list comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionOrder {
    #[default]
    NewestFirst,
    OldestFirst,
}

/// A query for sessions, one page at a time.
///
/// ```
/// use holm_store::{SessionOrder, SessionQuery};
///
/// let wanted = SessionQuery {
///     tag: Some("release".into()),
///     order: SessionOrder::OldestFirst,
///     ..SessionQuery::default()
/// };
/// assert_eq!(wanted.after, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only those with this tag.
    pub tag: Option<String>,
    pub sort: SessionSort,
    /// Which end comes first.
    pub order: SessionOrder,
    /// The [`next`](SessionListPage::next) of the page before.
    pub after: Option<SessionCursor>,
    /// The size of a page; 50 by default, 1,000 at most.
    pub limit: Option<u32>,
}

/// A place in a list: stays right while sessions come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionCursor {
    time: u64,
    no: i64,
}

impl std::fmt::Display for SessionCursor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}-{}", self.time, self.no)
    }
}

impl FromStr for SessionCursor {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let parsed = text.split_once('-').and_then(|(time, no)| Some((time.parse().ok()?, no.parse().ok()?)));
        let (time, no) = parsed.ok_or_else(|| StoreError::BadLabel {
            what: "the place in the list".into(),
            reason: "it was not given by a list".into(),
        })?;
        Ok(Self { time, no })
    }
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionListPage {
    /// In the order that was asked for.
    pub sessions: Vec<StoredSession>,
    /// The beginning of the next page; `None` after the last.
    pub next: Option<SessionCursor>,
}

impl Store {
    /// Lists sessions, a page at a time.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn list(&self, wanted: &SessionQuery) -> Result<SessionListPage, StoreError> {
        self.catch_up(IndexDepth::Heads).await?;
        let limit = wanted.limit.unwrap_or(PAGE).clamp(1, MAX_PAGE) as usize;
        let mut page = SessionListPage { sessions: Vec::new(), next: wanted.after };
        loop {
            let (rows, next) = self.rows(wanted, page.next, limit - page.sessions.len()).await?;
            page.next = next;
            for row in rows {
                // A bare name is not a session.
                if row.has_begun {
                    page.sessions.push(self.session_of(row)?);
                }
            }
            // Names that were passed over leave room.
            if page.next.is_none() || page.sessions.len() >= limit {
                return Ok(page);
            }
        }
    }

    /// At most this many rows of a list after a position, and the position of the next ones.
    async fn rows(
        &self,
        wanted: &SessionQuery,
        after: Option<SessionCursor>,
        limit: usize,
    ) -> Result<(Vec<SessionListRow>, Option<SessionCursor>), StoreError> {
        let filter = SessionFilter {
            id: None,
            tag: wanted.tag.as_deref(),
            by_created: wanted.sort == SessionSort::Created,
            oldest_first: wanted.order == SessionOrder::OldestFirst,
            after: after.map(|cursor| (cursor.time, cursor.no)),
            limit: limit as u64 + 1,
        };
        let mut rows = self.inner.backend.list(filter).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|row| SessionCursor {
            time: if wanted.sort == SessionSort::Created { row.created } else { row.updated },
            no: row.run.no.0,
        });
        Ok((rows, next))
    }

    /// Looks up one session by its run.
    ///
    /// # Errors
    /// [`StoreError::Missing`].
    pub async fn session(&self, run: &str) -> Result<StoredSession, StoreError> {
        self.find(run).await?;
        self.catch_up(IndexDepth::Heads).await?;
        let filter = SessionFilter { id: Some(run), limit: 1, ..SessionFilter::default() };
        let row = self.inner.backend.list(filter).await?.into_iter().next();
        self.session_of(row.ok_or_else(|| StoreError::Missing { run: run.into() })?)
    }

    /// Calls a session something; none goes back to its first prompt.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or [`StoreError::BadLabel`] for a title that is not a single line.
    pub async fn rename(&self, run: &str, title: Option<&str>) -> Result<(), StoreError> {
        let row = self.find(run).await?;
        let Some(title) = title else { return self.inner.backend.name(row.no, None).await };
        check_label("the title", title, MAX_TITLE)?;
        match self.inner.key(&row)? {
            None => self.inner.backend.name(row.no, Some(title.as_bytes())).await,
            Some(key) => {
                let sealed = key.seal(NAMED, 0, title.as_bytes())?;
                self.inner.backend.name(row.no, Some(&sealed)).await
            }
        }
    }

    /// Puts a tag on a session; twice is once. Tags are readable even in an encrypted store.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or [`StoreError::BadLabel`].
    pub async fn tag(&self, run: &str, tag: &str) -> Result<(), StoreError> {
        check_label("the tag", tag, MAX_TAG)?;
        let row = self.find(run).await?;
        self.inner.backend.tag(row.no, tag).await
    }

    /// Removes a tag from a session, if the session has it.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the store has no such session.
    pub async fn untag(&self, run: &str, tag: &str) -> Result<(), StoreError> {
        let row = self.find(run).await?;
        self.inner.backend.untag(row.no, tag).await
    }

    fn session_of(&self, row: SessionListRow) -> Result<StoredSession, StoreError> {
        let title = match (row.named, row.derived, self.inner.key(&row.run)?) {
            (Some(sealed), _, Some(key)) => key.open(NAMED, 0, &sealed),
            (None, Some(sealed), Some(key)) => key.open(TITLE, 0, &sealed),
            (named, derived, _) => named.or(derived),
        };
        Ok(StoredSession {
            run: row.run.id,
            title: title.map(|title| String::from_utf8_lossy(&title).into_owned()).unwrap_or_default(),
            tags: row.tags,
            created: Timestamp::new(row.created),
            updated: Timestamp::new(row.updated),
            records: row.records,
            agent: row.agent,
            model: row.model,
            holder: row.holder,
        })
    }
}
