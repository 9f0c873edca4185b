//! Stores accepted prompts until their work has ended. A client whose prompt was accepted need not
//! send it again, even if the server crashes.
//!
//! When a prompt is stored and deleted is decided in `drive.rs`. Whether it was heard is decided by
//! the journal alone, so that a crash neither loses nor repeats it. Secrets are removed before.

use holm_kernel::{Input, NanoUsd, Prompt, Seq, Timestamp};
use holm_runtime::Clock as _;
use holm_store::Store;
use serde::{Deserialize, Serialize};

use crate::{ApiError, SessionId, jobs::WallClock};

/// The tray of accepted prompts, each under the name of its session.
const PROMPTS: &str = holm_store::PROMPT_TRAY;
/// The tray of the sessions' own budgets, while a lower budget of the user applies.
const BOUNDS: &str = "bounds";

/// An accepted prompt, as it is stored.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPrompt {
    prompt: Prompt,
    /// The session's last record when it was accepted. A prompt record after this one
    /// is the prompt itself.
    after: Seq,
}

/// The session's own budget, as it is stored.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredBudget {
    own: Option<NanoUsd>,
}

/// Stores a prompt that is accepted for a session whose last record is `after`.
pub(super) async fn keep(store: &Store, id: &SessionId, prompt: &Prompt, after: Seq) -> Result<(), ApiError> {
    let body = written(&StoredPrompt { prompt: prompt.clone(), after })?;
    if store.put_slip(PROMPTS, id.as_str(), now(), &body).await? {
        return Ok(());
    }
    // The driver of a session accepts one prompt at a time, so the stored one is a leftover of a
    // server that could not delete it.
    store.take_slip(PROMPTS, id.as_str()).await?;
    store.put_slip(PROMPTS, id.as_str(), now(), &body).await?;
    Ok(())
}

/// The prompt that was accepted for a session, if its journal does not have it yet.
pub(super) async fn unheard(store: &Store, id: &SessionId) -> Result<Option<Prompt>, ApiError> {
    let Some(slip) = store.slip(PROMPTS, id.as_str()).await? else { return Ok(None) };
    let unreadable = |_| ApiError::failed("an accepted prompt cannot be read");
    let kept: StoredPrompt = serde_json::from_slice(&slip.body).map_err(unreadable)?;
    let since = store.inputs_after(id.as_str(), kept.after).await?;
    let is_heard = since.iter().any(|input| matches!(input, Input::Prompted(_)));
    Ok(Some(kept.prompt).filter(|_| !is_heard))
}

/// Deletes the stored prompt once its work has ended.
pub(super) async fn done(store: &Store, id: &SessionId) -> Result<(), ApiError> {
    store.take_slip(PROMPTS, id.as_str()).await?;
    Ok(())
}

/// The sessions with a stored prompt, oldest first.
pub(super) async fn waiting(store: &Store) -> Vec<SessionId> {
    let slips = store.slips(PROMPTS).await.unwrap_or_default();
    slips.into_iter().filter_map(|slip| slip.name.parse().ok()).collect()
}

/// Whether a session has a stored prompt.
pub(super) async fn is_waiting(store: &Store, id: &SessionId) -> bool {
    store.slip(PROMPTS, id.as_str()).await.is_ok_and(|slip| slip.is_some())
}

/// Notes the session's own budget before another one applies.
pub(super) async fn note_bound(store: &Store, id: &SessionId, own: Option<NanoUsd>) -> Result<(), ApiError> {
    store.take_slip(BOUNDS, id.as_str()).await?;
    store.put_slip(BOUNDS, id.as_str(), now(), &written(&StoredBudget { own })?).await?;
    Ok(())
}

/// The session's own budget, if another one applies now.
pub(super) async fn bound(store: &Store, id: &SessionId) -> Result<Option<Option<NanoUsd>>, ApiError> {
    let Some(slip) = store.slip(BOUNDS, id.as_str()).await? else { return Ok(None) };
    let bound: Result<StoredBudget, _> = serde_json::from_slice(&slip.body);
    bound.map(|bound| Some(bound.own)).map_err(|_| ApiError::failed("a session's bound cannot be read"))
}

/// Deletes the note: only the session's own budget applies again.
pub(super) async fn forget_bound(store: &Store, id: &SessionId) -> Result<(), ApiError> {
    store.take_slip(BOUNDS, id.as_str()).await?;
    Ok(())
}

fn written(value: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(value).map_err(|_| ApiError::failed("the data cannot be written"))
}

fn now() -> Timestamp {
    WallClock.now()
}

#[cfg(test)]
mod tests;
