//! Routes for administrators: tokens, budgets and the audit log. Every route here calls
//! `administers` of `state.rs` first. Tokens are stored in `auth/token_registry.rs`, and the log in
//! `audit.rs`. The last token that administers the server cannot be revoked.

use std::collections::BTreeSet;

use axum::{Extension, Json, body::Body, extract::State, response::IntoResponse};
use holm_kernel::NanoUsd;
use http::{StatusCode, header::CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    ApiError, HolmServer, Problem, ServerError,
    auth::{AuthenticatedUser, Role, TokenId, TokenRecord, TokenScope, UserName},
    extract::{JsonBody, PathParam},
    state::administers,
};

/// A token to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// The user; a new name creates a new user.
    user: String,
    /// What the token allows.
    role: Role,
    /// The sessions that the token can be used with; all sessions of the user if not set.
    sessions: Option<Vec<String>>,
}

/// A token, without the token itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenView {
    /// The number by which it is revoked.
    id: u64,
    user: String,
    /// What the token allows.
    role: Role,
    /// The sessions that the token can be used with; all sessions of the user if not set.
    sessions: Option<Vec<String>>,
}

/// A newly created token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeToken {
    /// The token. It is shown only once.
    token: String,
    /// Information about the token.
    card: TokenView,
}

/// The budget of all sessions of a user together.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBudget {
    /// The budget in billionths of a US dollar; unlimited if not set.
    nano_usd: Option<u64>,
}

/// Lists the tokens of all users.
#[utoipa::path(get, path = "/api/tokens", responses((status = 200, body = Vec<TokenView>), (status = 403, body = Problem)))]
pub(crate) async fn tokens(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<TokenView>>, ApiError> {
    administers(&who)?;
    Ok(Json(server.inner.keyring.cards().iter().map(view).collect()))
}

/// Creates a token for a user.
#[utoipa::path(post, path = "/api/tokens", request_body = NewToken,
    responses((status = 201, body = MadeToken), (status = 400, body = Problem), (status = 403, body = Problem)))]
pub(crate) async fn issue(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewToken>,
) -> Result<impl IntoResponse, ApiError> {
    administers(&who)?;
    let user: UserName = new.user.parse()?;
    let scope = match new.sessions {
        None => TokenScope::All,
        Some(ids) => TokenScope::Only(ids.iter().map(|id| id.parse()).collect::<Result<BTreeSet<_>, _>>()?),
    };
    let (card, token) = server.inner.keyring.issue(user, new.role, scope)?;
    let made = MadeToken { token: token.reveal().to_owned(), card: view(&card) };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Revokes a token and closes its connections.
#[utoipa::path(delete, path = "/api/tokens/{id}", params(("id" = u64, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub(crate) async fn revoke(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(PathNumber(id)): PathParam<PathNumber>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    let administering = |card: &&TokenRecord| card.role == Role::Admin && card.scope == TokenScope::All;
    let cards = server.inner.keyring.cards();
    let mut last = cards.iter().filter(administering);
    if last.next().is_some_and(|card| card.id == TokenId::new(id)) && last.next().is_none() {
        let message = "this is the last token that administers the server; make another first";
        return Err(ApiError::conflict("last_admin", message));
    }
    if server.inner.keyring.revoke(TokenId::new(id))? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::missing("token"))
    }
}

/// Sets the budget of all sessions of a user together.
#[utoipa::path(post, path = "/api/users/{user}/budget", params(("user" = String, Path)), request_body = NewBudget,
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn budget(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(user): PathParam<UserName>,
    JsonBody(new): JsonBody<NewBudget>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    if server.inner.keyring.set_budget(&user, new.nano_usd.map(NanoUsd::new))? {
        // If it cannot be applied now, it applies from the next prompt on.
        let _ = server.inner.hall.budget_changed(&user).await;
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::missing("user"))
    }
}

/// Returns the audit log, one entry per line.
#[utoipa::path(get, path = "/api/audit", responses((status = 200, content_type = "application/x-ndjson", body = String), (status = 403, body = Problem)))]
pub(crate) async fn audit(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<impl IntoResponse, ApiError> {
    administers(&who)?;
    let log = server.inner.audit.export().await?;
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(log.pieces())))
}

/// A number in a path.
pub(crate) struct PathNumber(u64);

impl std::str::FromStr for PathNumber {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        text.parse().map(Self).map_err(|_| ApiError::bad("bad_id", "not a number"))
    }
}

impl From<ServerError> for ApiError {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Name { .. } => Self::bad("bad_name", error.to_string()),
            ServerError::Exposed(_)
            | ServerError::Listen { .. }
            | ServerError::Certificate { .. }
            | ServerError::File { .. }
            | ServerError::Taken(_)
            | ServerError::BasePath(_)
            | ServerError::Random(_) => Self::failed(
                "the server could not use one of its files; its log \
                                                      says \
                                                      why",
            ),
        }
    }
}

fn view(card: &TokenRecord) -> TokenView {
    let sessions = match &card.scope {
        TokenScope::All => None,
        TokenScope::Only(ids) => Some(ids.iter().map(ToString::to_string).collect()),
    };
    TokenView { id: card.id.value(), user: card.user.to_string(), role: card.role, sessions }
}
