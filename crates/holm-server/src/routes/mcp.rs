//! MCP over HTTP: the agents of a user, for MCP clients. Each token has its own conversations,
//! which end when it is revoked.
//!
//! A question to an agent is a session like any other: it takes a permit, uses the user's budget,
//! and appears in the list.
//!
//! The agents are in `routes/mcp/agents.rs`; the protocol is in the crate `holm-mcp`. Servers that
//! Holm itself connects to are in `routes/servers.rs`.

mod agents;

use std::sync::{Arc, PoisonError, Weak};

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use holm_mcp::server::{HttpAccessPolicy, McpHttpService};
use holm_runtime::CancellationToken;
use http::Method;

use self::agents::McpAgentRoster;
use crate::{
    ApiError, HolmServer,
    auth::{AuthenticatedUser, TokenId},
    routes::sessions::all_sessions,
    state::ServerInner,
};

/// The MCP server of one token.
#[derive(Clone)]
pub(crate) struct McpConversation {
    service: McpHttpService,
    agents: McpAgentRoster,
}

/// Forwards a request to the token's own MCP server.
pub(crate) async fn mcp(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    request: Request,
) -> Result<Response, ApiError> {
    all_sessions(&who)?;
    // Every message may be a call, and a call is a run that costs money.
    let is_message = *request.method() == Method::POST;
    if is_message {
        server.inner.hall.check_budget(&who.user).await?;
    }
    let conversation = conversation(&server, &who).await?;
    if is_message {
        conversation.agents.refresh(&server).await?;
    }
    Ok(conversation.service.handle(request).await.map(Body::new))
}

async fn conversation(server: &HolmServer, who: &AuthenticatedUser) -> Result<McpConversation, ApiError> {
    let slot = {
        let mut conversations = server.inner.mcp.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(conversations.entry(who.token).or_default())
    };
    // Held by this token alone while the conversation is created. A slow folder delays no other
    // token.
    let mut made = slot.lock().await;
    if let Some(conversation) = &*made {
        return Ok(conversation.clone());
    }
    let exposed = server.inner.workshop.exposed(&who.user).await?;
    let exposed = exposed.ok_or_else(|| ApiError::missing("MCP server"))?;
    let stop = CancellationToken::new();
    let agents = McpAgentRoster::new(Arc::downgrade(&server.inner), who.user.clone(), stop.clone());
    agents.refresh(server).await?;
    // The token was checked already; the MCP library checks host names and origins again.
    let config = &server.inner.config;
    let own = [config.listen.ip().to_string()];
    let door =
        config.hosts.iter().chain(&own).cloned().fold(HttpAccessPolicy::open(), HttpAccessPolicy::host);
    let door = config.origins.iter().cloned().fold(door, HttpAccessPolicy::origin);
    let service = McpHttpService::until(exposed.roster(agents.clone()), &door, stop.clone());
    let conversation = McpConversation { service, agents };
    *made = Some(conversation.clone());
    tokio::spawn(end_with(Arc::downgrade(&server.inner), who.token, stop));
    Ok(conversation)
}

/// Ends a token's conversations when it is revoked.
async fn end_with(server: Weak<ServerInner>, token: TokenId, stop: CancellationToken) {
    let Some(mut changes) = server.upgrade().map(|inner| inner.keyring.changes()) else { return };
    loop {
        let is_valid = server.upgrade().is_some_and(|inner| inner.keyring.is_valid(token));
        if !is_valid || changes.changed().await.is_err() {
            break;
        }
    }
    stop.cancel();
    if let Some(inner) = server.upgrade() {
        inner.mcp.lock().unwrap_or_else(PoisonError::into_inner).remove(&token);
    }
}
