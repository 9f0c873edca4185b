//! What clients of `holm mcp-server` may read beside its tools: sessions, if the user
//! allows it, and skills.

use std::time::Duration;

use holm::{
    runtime::BoxFuture,
    store::{Format, Listing, Session, Store, StoreError},
};
use holm_mcp::server::{Library, LibraryEntry, LibraryPage, LibraryText, PromptText, Prompts};
use tokio::{sync::watch, task::AbortHandle};

use crate::{places::Places, skills};

/// How often a list is checked for changes: other processes write sessions and skills too, and do
/// not notify this one.
const LOOK: Duration = Duration::from_secs(2);
/// How an address of a session begins.
const SESSION: &str = "holm://session/";
/// How sessions are written.
const MARKDOWN: &str = "text/markdown";
/// How many sessions are on a page.
const PAGE: u32 = 50;
/// The longest text: more than anybody reads, and less than what a client refuses.
const MOST: usize = 2 * 1024 * 1024;

/// The sessions of a store, as read-only MCP resources.
pub(crate) struct Sessions {
    store: Store,
    news: News,
}

impl Sessions {
    /// All sessions, also those that are yet to come.
    pub(crate) fn new(store: &Store) -> Self {
        let looked = store.clone();
        let news = News::of(move || {
            let store = looked.clone();
            Box::pin(async move {
                let first = Listing { limit: Some(PAGE), ..Listing::default() };
                let sessions = store.list(&first).await.map(|page| page.sessions).unwrap_or_default();
                // A session that goes on is no change of the list.
                let mut names: Vec<(String, String)> =
                    sessions.into_iter().map(|session| (session.run, session.title)).collect();
                names.sort();
                names
            })
        });
        Self { store: store.clone(), news }
    }
}

impl Library for Sessions {
    fn page(&self, after: Option<String>) -> BoxFuture<'static, Result<LibraryPage, String>> {
        let store = self.store.clone();
        Box::pin(async move {
            let after = after
                .map(|after| after.parse())
                .transpose()
                .map_err(|error: StoreError| error.to_string())?;
            let wanted = Listing { limit: Some(PAGE), after, ..Listing::default() };
            let page = store.list(&wanted).await.map_err(|error| error.to_string())?;
            Ok(LibraryPage {
                entries: page.sessions.into_iter().map(entry).collect(),
                next: page.next.map(|next| next.to_string()),
            })
        })
    }

    fn read(&self, uri: String) -> BoxFuture<'static, Result<Option<LibraryText>, String>> {
        let store = self.store.clone();
        Box::pin(async move {
            let Some(run) = uri.strip_prefix(SESSION) else { return Ok(None) };
            let bytes = match store.export(run, Format::Markdown).await {
                Ok(bytes) => bytes,
                Err(StoreError::Missing { .. }) => return Ok(None),
                Err(error) => return Err(error.to_string()),
            };
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if text.len() > MOST {
                text.truncate(text.floor_char_boundary(MOST));
                text.push_str("\n\n(the rest is omitted; `holm session show` shows all of it)\n");
            }
            Ok(Some(LibraryText { kind: MARKDOWN.into(), text }))
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.news.count.clone()
    }
}

fn entry(session: Session) -> LibraryEntry {
    LibraryEntry {
        uri: format!("{SESSION}{}", session.run),
        name: session.run,
        title: session.title,
        kind: MARKDOWN.into(),
    }
}

/// The skills of a folder, as MCP prompts.
pub(crate) struct Skills {
    places: Places,
    news: News,
}

impl Skills {
    /// All skills, also those that are yet to come.
    pub(crate) fn new(places: &Places) -> Self {
        let looked = places.clone();
        let news = News::of(move || {
            let places = looked.clone();
            Box::pin(async move {
                tokio::task::spawn_blocking(move || prompts(&places)).await.unwrap_or_default()
            })
        });
        Self { places: places.clone(), news }
    }
}

impl Prompts for Skills {
    fn list(&self) -> Vec<PromptText> {
        prompts(&self.places)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.news.count.clone()
    }
}

fn prompts(places: &Places) -> Vec<PromptText> {
    let prompt = |skill: &holm_config::skills::Skill| {
        // Nothing is put in, so it is no larger than its file.
        let text = skill.filled("").ok()?;
        Some(PromptText { name: skill.name.clone(), description: skill.description.clone(), text })
    };
    skills::Skills::find(places, &[]).listed().filter_map(prompt).collect()
}

/// Checks a value at intervals, and counts its changes.
struct News {
    count: watch::Receiver<u64>,
    task: AbortHandle,
}

impl News {
    fn of<T: PartialEq + Send + 'static>(
        look: impl Fn() -> BoxFuture<'static, T> + Send + Sync + 'static,
    ) -> Self {
        let (sender, count) = watch::channel(0);
        let task = tokio::spawn(async move {
            let mut seen = look().await;
            loop {
                tokio::time::sleep(LOOK).await;
                let now = look().await;
                if now != seen {
                    seen = now;
                    sender.send_modify(|count| *count += 1);
                }
            }
        });
        Self { count, task: task.abort_handle() }
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.task.abort();
    }
}
