//! The route that sums up what a user's sessions have used. The sums come from the store
//! (`holm-store`); budgets are enforced in `live/budget_reservations.rs`. It changes nothing, and
//! shows only the sessions that the token may use.

use axum::{Extension, Json, extract::State};
use holm_kernel::NanoUsd;
use holm_store::{UsageGrouping, UsageLine, UsageQuery, UsageTally};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, Problem, SessionId,
    auth::{AuthenticatedUser, TokenScope},
    extract::QueryParams,
    state::admit,
};

/// Selects and groups usage.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageParams {
    /// `model` (the default), `session`, `tool`, `day` or `agent`.
    by: Option<String>,
    /// Only the usage of this session.
    session: Option<String>,
}

/// Tokens used and their cost.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UsageView {
    /// One total for each model, session, tool, day or agent.
    #[schema(value_type = Vec<Object>)]
    lines: Vec<UsageLine>,
    /// Total cost in billionths of a US dollar, as far as prices are known.
    spent_nano_usd: u64,
    /// Number of calls without a known price. They are not free: their cost is
    /// missing from the total.
    unpriced: u64,
    /// Number of tokens that no provider reported; they and their cost are estimates.
    estimated_tokens: u64,
    /// The budget of all sessions together; unlimited if not set.
    budget_nano_usd: Option<u64>,
}

impl UsageView {
    fn of(lines: Vec<UsageLine>, budget: Option<NanoUsd>) -> Self {
        let all = lines.iter().fold(UsageTally::default(), |sum, line| sum.plus(line.tally));
        Self {
            lines,
            spent_nano_usd: all.cost.value(),
            unpriced: all.unpriced,
            estimated_tokens: all.tokens.estimated,
            budget_nano_usd: budget.map(NanoUsd::value),
        }
    }
}

/// Shows usage and cost.
#[utoipa::path(get, path = "/api/usage", params(UsageParams), responses((status = 200, body = UsageView), (status = 400, body = Problem)))]
pub(crate) async fn usage(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(wanted): QueryParams<UsageParams>,
) -> Result<Json<UsageView>, ApiError> {
    let by = match wanted.by.as_deref() {
        None | Some("model") => UsageGrouping::Model,
        Some("session") => UsageGrouping::Session,
        Some("tool") => UsageGrouping::Tool,
        Some("day") => UsageGrouping::Day,
        Some("agent") => UsageGrouping::Agent,
        Some(_) => {
            let message = "`by` is `model`, `session`, `tool`, `day` or `agent`";
            return Err(ApiError::bad("bad_query", message));
        }
    };
    let session = wanted.session.map(|id| id.parse::<SessionId>()).transpose()?;
    match (&session, &who.scope) {
        (Some(id), _) => admit(&who, id)?,
        (None, TokenScope::All) => {}
        (None, TokenScope::Only(_)) => return Err(ApiError::forbidden("name one of your token's sessions")),
    }
    let store = server.inner.workshop.home(&who.user).await?.store;
    let query = UsageQuery { run: session.map(|id| id.to_string()), ..UsageQuery::default() };
    let lines = store.usage(by, &query).await?;
    Ok(Json(UsageView::of(lines, server.inner.keyring.budget(&who.user))))
}

#[cfg(test)]
mod tests;
