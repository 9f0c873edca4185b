//! Recognizes the sessions of helpers. A helper's session belongs to the session that started it,
//! and is resumed or forked only with it. This file only looks up names and parents in the store
//! and refuses; helpers are started by the runtime (`helper_factory.rs` builds them), and
//! `session_fork.rs` and the commands call the check.

use holm::{
    kernel::{
        Input,
        journal::{self, JournalRecord},
    },
    runtime::JournalStore as _,
    store::{SessionQuery, Store},
};

use crate::exit::{CommandError, CommandExit};

/// What their names begin with. The key of the call that asked for them follows.
const PREFIX: &str = "child-";

/// How long a key is, in hex.
const KEY_DIGITS: usize = 32;

/// How many sessions are looked through at once.
const PAGE: u32 = 1_000;

/// How far the parents of a helper are followed: further than any limit on depth allows.
const DEEPEST: usize = 64;

/// Whether a session has a helper's name.
pub(crate) fn is_named_like_one(session: &str) -> bool {
    let is_key = |key: &str| {
        key.len() == KEY_DIGITS && key.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    };
    session.strip_prefix(PREFIX).is_some_and(is_key)
}

/// Refuses to take up a helper's session by itself, and says where it goes on.
pub(crate) async fn check(store: &Store, session: &str) -> anyhow::Result<()> {
    if !is_named_like_one(session) {
        return Ok(());
    }
    // The caller that resumes it reports the missing session in better words.
    let Ok(started) = store.started(session).await else { return Ok(()) };
    if started.config.depth == 0 {
        return Ok(());
    }
    let message = format!("session `{session}` belongs to a helper and cannot be resumed by itself");
    let trouble = CommandError::new(CommandExit::Usage, message);
    Err(match root_of(store, session).await? {
        Some(root) => trouble.hint(format!("resume its parent session: holm run --session {root} --resume")),
        None => trouble.hint("its parent session no longer exists"),
    }
    .into())
}

/// The session at the top, if it is there.
async fn root_of(store: &Store, child: &str) -> anyhow::Result<Option<String>> {
    let mut found = parent_of(store, child).await?;
    for _ in 0..DEEPEST {
        let Some(parent) = found.as_deref().filter(|parent| is_named_like_one(parent)) else { break };
        let above = parent_of(store, parent).await?;
        if above.is_none() {
            break;
        }
        found = above;
    }
    Ok(found)
}

/// The session in whose journal a child was begun.
async fn parent_of(store: &Store, child: &str) -> anyhow::Result<Option<String>> {
    let mut wanted = SessionQuery { limit: Some(PAGE), ..SessionQuery::default() };
    loop {
        let page = store.list(&wanted).await?;
        for session in page.sessions.into_iter().filter(|session| session.run != child) {
            // A session that is gone by now, or damaged, cannot be a parent.
            let Ok(text) = store.read(&session.run).await else { continue };
            if String::from_utf8_lossy(&text).contains(child) && began(&text, child) {
                return Ok(Some(session.run));
            }
        }
        match page.next {
            Some(next) => wanted.after = Some(next),
            None => return Ok(None),
        }
    }
}

fn began(text: &[u8], child: &str) -> bool {
    let Ok(tail) = journal::decode(text) else { return false };
    let begins = |record: &JournalRecord| match record.payload().input() {
        Ok(Input::ChildStarted { child: begun, .. }) => begun == child,
        Ok(_) | Err(_) => false,
    };
    tail.records.iter().any(begins)
}

#[cfg(test)]
mod tests;
