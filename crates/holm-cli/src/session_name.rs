//! Finds the session that a user means: by its whole name, by the beginning of its name, or by the
//! word `last`. It only resolves names, in the index of `holm-store`; commands open the session
//! themselves. Valid names are defined in `holm-runtime/src/journal/name.rs`.

use holm::store::{SessionQuery, Store, StoreError, StoredSession};

use crate::{
    children,
    exit::{CommandError, CommandExit},
};

/// The word for the session that was used last.
pub(crate) const LAST: &str = "last";

/// How many sessions are looked through for a beginning, the latest first.
const MOST_SESSIONS: u32 = 1_000;

/// How many names an unclear beginning is answered with.
const MOST_NAMED: usize = 5;

/// The session that is meant. A name without a session is returned as it is.
///
/// # Errors
/// If several sessions begin like this, or the store cannot be read.
pub(crate) async fn resolve(store: &Store, typed: String) -> anyhow::Result<String> {
    // A name that cannot be a session's is refused where it is used.
    if !matches!(store.has_record(&typed, 0).await, Err(StoreError::Missing { .. })) {
        return Ok(typed);
    }
    let query = SessionQuery { limit: Some(MOST_SESSIONS), ..SessionQuery::default() };
    let listed = store.list(&query).await?.sessions.into_iter();
    let sessions: Vec<StoredSession> =
        listed.filter(|session| !children::is_named_like_one(&session.run)).collect();
    if typed == LAST {
        // A chat that was opened and closed again leaves a session without a prompt and a title.
        let last = sessions.iter().find(|session| !session.title.is_empty()).or(sessions.first());
        return Ok(last.map_or(typed, |session| session.run.clone()));
    }
    let is_meant = |name: &String| !typed.is_empty() && name.starts_with(&typed);
    let meant: Vec<String> = sessions.into_iter().map(|session| session.run).filter(is_meant).collect();
    match meant.as_slice() {
        [] => Ok(typed),
        [only] => Ok(only.clone()),
        several => {
            let shown: Vec<&str> = several.iter().take(MOST_NAMED).map(String::as_str).collect();
            let more = several.len() - shown.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let message =
                format!("{} sessions begin with `{typed}`: {}{more}", several.len(), shown.join(", "));
            Err(CommandError::new(CommandExit::Usage, message).hint("type more of the name").into())
        }
    }
}
