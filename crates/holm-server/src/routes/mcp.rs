//! MCP over HTTP: a user's agents, for whoever speaks it. Each user has sessions of their own there.

use std::sync::{Arc, PoisonError};

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use holm_mcp::server::{Door, HttpService};
use http::Method;

use crate::{Refusal, Server, auth::Who, routes::sessions::all_sessions};

/// Passes a request on to the user's own MCP server.
pub(crate) async fn mcp(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    request: Request,
) -> Result<Response, Refusal> {
    all_sessions(&who)?;
    // Every message may be a call, and a call is a run that costs something.
    if *request.method() == Method::POST {
        let budget = server.inner.keyring.budget(&who.user);
        server.inner.hall.check_budget(&who.user, budget).await?;
    }
    let service = service(&server, &who).await?;
    Ok(service.handle(request).await.map(Body::new))
}

async fn service(server: &Server, who: &Who) -> Result<HttpService, Refusal> {
    let place = {
        let mut services = server.inner.mcp.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(services.entry(who.user.clone()).or_default())
    };
    // Held while it is made, by this user alone: one whose servers do not answer holds up nobody else.
    let mut made = place.lock().await;
    if let Some(service) = &*made {
        return Ok(service.clone());
    }
    let exposed = server.inner.workshop.exposed(&who.user).await?;
    let exposed = exposed.ok_or_else(|| Refusal::missing("MCP server"))?;
    // The door in front has looked at the token; names and origins are looked at again by the protocol's own code.
    let config = &server.inner.config;
    let own = [config.listen.ip().to_string()];
    let door = config.hosts.iter().chain(&own).cloned().fold(Door::open(), Door::host);
    let door = config.origins.iter().cloned().fold(door, Door::origin);
    let service = HttpService::new(exposed, &door);
    *made = Some(service.clone());
    Ok(service)
}
