//! What clients of `holm mcp-server` may read beside its tools: sessions, if the user allows it,
//! and skills. It never writes. The protocol is in `holm-mcp/src/server/`, the command in
//! `commands/mcp_server.rs`, and which skills are usable is decided in `skills.rs`.

use std::time::Duration;

use holm::{
    runtime::BoxFuture,
    store::{SessionFileFormat, SessionQuery, Store, StoreError, StoredSession},
};
use holm_mcp::server::{
    LibraryPrompt, PromptLibrary, ResourceEntry, ResourceLibrary, ResourcePage, ResourceText,
};
use tokio::{sync::watch, task::AbortHandle};

use crate::{holm_paths::HolmPaths, skills};

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
pub(crate) struct SessionResources {
    store: Store,
    news: ChangeCounter,
}

impl SessionResources {
    /// All sessions, also those that are yet to come.
    pub(crate) fn new(store: &Store) -> Self {
        let looked = store.clone();
        let news = ChangeCounter::of(move || {
            let store = looked.clone();
            Box::pin(async move {
                let first = SessionQuery { limit: Some(PAGE), ..SessionQuery::default() };
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

impl ResourceLibrary for SessionResources {
    fn page(&self, after: Option<String>) -> BoxFuture<'static, Result<ResourcePage, String>> {
        let store = self.store.clone();
        Box::pin(async move {
            let after = after
                .map(|after| after.parse())
                .transpose()
                .map_err(|error: StoreError| error.to_string())?;
            let wanted = SessionQuery { limit: Some(PAGE), after, ..SessionQuery::default() };
            let page = store.list(&wanted).await.map_err(|error| error.to_string())?;
            Ok(ResourcePage {
                entries: page.sessions.into_iter().map(entry).collect(),
                next: page.next.map(|next| next.to_string()),
            })
        })
    }

    fn read(&self, uri: String) -> BoxFuture<'static, Result<Option<ResourceText>, String>> {
        let store = self.store.clone();
        Box::pin(async move {
            let Some(run) = uri.strip_prefix(SESSION) else { return Ok(None) };
            let bytes = match store.export(run, SessionFileFormat::Markdown).await {
                Ok(bytes) => bytes,
                Err(StoreError::Missing { .. }) => return Ok(None),
                Err(error) => return Err(error.to_string()),
            };
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if text.len() > MOST {
                text.truncate(text.floor_char_boundary(MOST));
                text.push_str("\n\n(the rest is omitted; `holm session show` shows all of it)\n");
            }
            Ok(Some(ResourceText { kind: MARKDOWN.into(), text }))
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.news.count.clone()
    }
}

fn entry(session: StoredSession) -> ResourceEntry {
    ResourceEntry {
        uri: format!("{SESSION}{}", session.run),
        name: session.run,
        title: session.title,
        kind: MARKDOWN.into(),
    }
}

/// The skills of a folder, as MCP prompts.
pub(crate) struct SkillPrompts {
    places: HolmPaths,
    news: ChangeCounter,
}

impl SkillPrompts {
    /// All skills, also those that are yet to come.
    pub(crate) fn new(places: &HolmPaths) -> Self {
        let looked = places.clone();
        let news = ChangeCounter::of(move || {
            let places = looked.clone();
            Box::pin(async move {
                tokio::task::spawn_blocking(move || prompts(&places)).await.unwrap_or_default()
            })
        });
        Self { places: places.clone(), news }
    }
}

impl PromptLibrary for SkillPrompts {
    fn list(&self) -> Vec<LibraryPrompt> {
        prompts(&self.places)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.news.count.clone()
    }
}

fn prompts(places: &HolmPaths) -> Vec<LibraryPrompt> {
    let prompt = |skill: &holm_config::skills::SkillDocument| {
        // Nothing is put in, so it is no larger than its file.
        let text = skill.filled("").ok()?;
        Some(LibraryPrompt { name: skill.name.clone(), description: skill.description.clone(), text })
    };
    skills::RunSkills::find(places, &[]).listed().filter_map(prompt).collect()
}

/// Checks a value at intervals, and counts its changes.
struct ChangeCounter {
    count: watch::Receiver<u64>,
    task: AbortHandle,
}

impl ChangeCounter {
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

impl Drop for ChangeCounter {
    fn drop(&mut self) {
        self.task.abort();
    }
}
