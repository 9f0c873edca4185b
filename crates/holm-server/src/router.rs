//! The routes of the server, and the OpenAPI document that describes them. A new route is added
//! here twice, to the router and to the document; its handler belongs in `routes/mod.rs`. Access is
//! not checked here: every route is behind `request_guard.rs`, except those of the dashboard,
//! `/hooks` (`routes/hooks.rs`) and the probes (`routes/probes.rs`).

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{any, delete, get, post},
};
use utoipa::OpenApi;

use crate::{
    ApiError, HolmServer, dashboard,
    error_responses::ErrorResponses,
    openapi::{self, GeneratorHints},
    request_guard::door,
    routes::{
        admin, agents, backups, catalogue, evaluations, events, files, folders, health, hooks, jobs, mcp,
        openai, probes, questions, servers, sessions, settings, sites, skills, tools, trust, usage, work,
    },
};

/// All routes behind the access checks, and the dashboard's files in front of them.
pub fn router(server: HolmServer) -> Router {
    let routes = Router::new()
        .route("/health", get(health::health))
        .route("/metrics", get(health::metrics))
        .route("/api/openapi.json", get(openapi::show))
        .route("/api/me", get(health::me))
        .merge(parts())
        .route("/api/sessions", get(sessions::list).post(sessions::create))
        .route("/api/sessions/{id}", get(sessions::show).delete(sessions::erase))
        .route("/api/sessions/{id}/title", post(sessions::title))
        .route("/api/sessions/{id}/fork", post(sessions::fork))
        .route("/api/sessions/{id}/replay", get(sessions::replay))
        .route("/api/sessions/{id}/grants", get(sessions::grants))
        .route("/api/sessions/{id}/export", get(sessions::export))
        .route("/api/sessions/{id}/prompt", post(work::prompt))
        .route("/api/sessions/{id}/steer", post(work::steer))
        .route("/api/sessions/{id}/follow-up", post(work::follow_up))
        .route("/api/sessions/{id}/cancel", post(work::cancel))
        .route("/api/sessions/{id}/questions", get(questions::list).post(questions::answer))
        .route("/api/sessions/{id}/events", get(events::events))
        .route("/api/sessions/{id}/socket", get(events::socket))
        .route("/api/search", get(sessions::search))
        .route("/api/usage", get(usage::usage))
        .route("/api/jobs", get(jobs::list).post(jobs::create))
        .route("/api/jobs/{id}", get(jobs::show).patch(jobs::amend).delete(jobs::remove))
        .route("/api/jobs/{id}/key", post(jobs::rekey))
        .route("/api/jobs/{id}/spec", post(jobs::respecify))
        .route("/api/jobs/{id}/enable", post(jobs::enable))
        .route("/api/jobs/{id}/disable", post(jobs::disable))
        .route("/api/jobs/{id}/run", post(jobs::run))
        .route("/api/jobs/{id}/stop", post(jobs::stop))
        .route("/api/jobs/{id}/runs", get(jobs::runs))
        .route("/api/sites", get(sites::list).post(sites::publish))
        .route("/api/sites/{id}", delete(sites::take_back))
        .route("/api/tokens", get(admin::tokens).post(admin::issue))
        .route("/api/tokens/{id}", delete(admin::revoke))
        .route("/api/users/{user}/budget", post(admin::budget))
        .route("/api/audit", get(admin::audit))
        .route("/v1/models", get(openai::models))
        .route("/v1/models/{id}", get(openai::model))
        .route("/v1/chat/completions", post(openai::chat))
        .route("/v1/responses", post(openai::responses))
        .route("/mcp", any(mcp::mcp))
        .method_not_allowed_fallback(not_allowed)
        .fallback(nowhere);
    let base = server.config().base.as_str().to_owned();
    let routes = if base.is_empty() { routes } else { Router::new().nest(&base, routes).fallback(nowhere) };
    let hooks = hooks::router(server.clone()).method_not_allowed_fallback(not_allowed);
    let probes = probes::router(server.clone()).method_not_allowed_fallback(not_allowed);
    let open = hooks.merge(probes).merge(dashboard::routes(&server));
    // The access checks have already limited the body; a second limit would refuse what they allow.
    let routes = routes.layer(DefaultBodyLimit::disable());
    routes.layer(middleware::from_fn_with_state(server.clone(), door)).with_state(server).merge(open)
}

/// The routes for agents, their parts and their workspace.
fn parts() -> Router<HolmServer> {
    let file = get(files::read).put(files::write).delete(files::remove);
    Router::new()
        .route("/api/agents", get(catalogue::agents))
        .route("/api/agents/{id}", get(agents::show).put(agents::keep).delete(agents::remove))
        .route("/api/check-agent", post(agents::check))
        .route("/api/tools", get(catalogue::tools))
        .route("/api/tools/{id}", get(tools::show))
        .route("/api/tools/{id}/try", post(tools::attempt))
        .route("/api/tools/{id}/calls", get(tools::calls))
        .route("/api/reload-tools", post(tools::reload))
        .route("/api/skills", get(catalogue::skills))
        .route("/api/skills/{id}", get(skills::show))
        .route("/api/models", get(catalogue::models))
        .route("/api/mcp-servers", get(servers::list).post(servers::add))
        .route("/api/mcp-servers/{id}", delete(servers::remove))
        .route("/api/mcp-servers/{id}/test", post(servers::test))
        .route("/api/keys", get(catalogue::keys).post(catalogue::keep_key))
        .route("/api/keys/{id}", delete(catalogue::remove_key))
        .route("/api/settings", get(settings::show))
        .route("/api/trust", get(trust::show).put(trust::keep))
        .route("/api/backups", get(backups::list).post(backups::make))
        .route("/api/files", file)
        .route("/api/files/rename", post(files::rename))
        .route("/api/folders", get(folders::list).post(folders::make))
        .route("/api/evaluations", get(evaluations::list))
        .route("/api/evaluations/{id}", get(evaluations::show))
        .route("/api/evaluations/{id}/sessions/{session}/replay", get(evaluations::replay))
        .route("/api/evaluations/{id}/sessions/{session}/grants", get(evaluations::grants))
        .route("/api/compare-evaluations", get(evaluations::compare))
}

/// The HTTP API as an OpenAPI document.
#[derive(OpenApi)]
#[openapi(
    info(title = "Holm", description = "Create, watch, steer and replay sessions of agents."),
    paths(
        health::health, probes::live, probes::ready, health::metrics, health::me,
        catalogue::agents, catalogue::tools, catalogue::skills, catalogue::models, catalogue::keys, catalogue::keep_key, catalogue::remove_key,
        agents::show, agents::check, agents::keep, agents::remove,
        tools::show, tools::attempt, tools::calls, tools::reload, skills::show,
        servers::list, servers::test, servers::add, servers::remove, settings::show, trust::show, trust::keep,
        backups::list, backups::make,
        evaluations::list, evaluations::show, evaluations::compare, evaluations::replay, evaluations::grants,
        sessions::list, sessions::create, sessions::show, sessions::title, sessions::fork, sessions::replay,
        sessions::grants, sessions::export, sessions::erase, sessions::search,
        work::prompt, work::steer, work::follow_up, work::cancel,
        questions::list, questions::answer, events::events, events::socket,
        usage::usage, files::read, files::write, files::remove, files::rename, folders::list, folders::make,
        jobs::list, jobs::create, jobs::show, jobs::respecify, jobs::amend, jobs::rekey, jobs::enable, jobs::disable, jobs::run, jobs::stop,
        jobs::remove, jobs::runs, hooks::trigger, sites::list, sites::publish, sites::take_back,
        admin::tokens, admin::issue, admin::revoke, admin::budget, admin::audit,
        openai::models, openai::model, openai::chat, openai::responses,
    ),
    modifiers(&BearerSecurity, &ErrorResponses, &GeneratorHints),
)]
struct ApiDocument;

/// Declares that every request needs a token.
struct BearerSecurity;

impl utoipa::Modify for BearerSecurity {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
        let bearer = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("token", bearer);
        document.security = Some(vec![SecurityRequirement::new("token", Vec::<String>::new())]);
    }
}

/// The OpenAPI document, generated from the types. `openapi.json`, which the server delivers,
/// is written from it.
pub fn document() -> utoipa::openapi::OpenApi {
    ApiDocument::openapi()
}

async fn nowhere() -> ApiError {
    ApiError::missing("path")
}

async fn not_allowed() -> ApiError {
    let message = "the path does not support this method";
    ApiError::new(http::StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
