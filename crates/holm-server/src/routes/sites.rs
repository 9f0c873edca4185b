//! Routes to list, publish and remove sites. Publishing opens a port or a host name of the machine,
//! so only administrators can do it.
//!
//! Sites are stored in `sites/site_registry.rs` and served in `sites/serve.rs`. A site never gets
//! an address or a host name of the server itself, because its pages would then have the server's
//! origin.

use std::net::SocketAddr;

use axum::{Extension, Json, extract::State, response::IntoResponse};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    ApiError, HolmServer, Problem, ServerError,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam},
    request_guard,
    routes::files::at_hand,
    sites::{PasswordHash, PublishedSite, SiteName, SitePath, SitePlace},
    state::administers,
};

/// A folder that is published as a site.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SiteView {
    name: String,
    /// The user whose workspace contains the folder.
    user: String,
    /// The folder, relative to the workspace.
    folder: String,
    /// Where it is published.
    place: SitePlace,
    /// The address where it is served now; not set if it is not served.
    address: Option<String>,
    /// Whether visitors need a password.
    locked: bool,
}

/// A folder to publish.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSite {
    name: String,
    /// The folder, relative to your workspace.
    folder: String,
    /// Where to publish it: `{"listen": "127.0.0.1:8080"}` or `{"host": "docs.localhost"}`.
    place: SitePlace,
    /// The password for visitors; if not set, everyone who can reach the site can see it.
    password: Option<String>,
}

/// Lists the sites of all users.
#[utoipa::path(get, path = "/api/sites", responses((status = 200, body = Vec<SiteView>), (status = 403, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<SiteView>>, ApiError> {
    administers(&who)?;
    let mut views = Vec::new();
    for site in server.inner.sites.list() {
        views.push(view(&server, &site).await);
    }
    Ok(Json(views))
}

/// Publishes a folder of your workspace.
#[utoipa::path(post, path = "/api/sites", request_body = NewSite,
    responses((status = 201, body = SiteView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub(crate) async fn publish(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewSite>,
) -> Result<impl IntoResponse, ApiError> {
    administers(&who)?;
    check_place(&server, &new.place)?;
    let hashed =
        tokio::task::spawn_blocking(move || new.password.as_deref().map(PasswordHash::new).transpose());
    let password = hashed.await.map_err(|_| ApiError::failed("the password could not be stored"))??;
    let (name, folder) = (new.name.parse()?, SitePath::folder(&new.folder)?);
    check_folder(&server, &who, &folder).await?;
    let site = PublishedSite { name, user: who.user, folder, place: new.place, password };
    server.inner.sites.add(site.clone())?;
    if let Err(error) = server.inner.hosting.show(&server, &site).await {
        server.inner.sites.remove(&site.name)?;
        return Err(not_shown(&error));
    }
    Ok((StatusCode::CREATED, Json(view(&server, &site).await)))
}

/// Unpublishes a site; its folder stays.
#[utoipa::path(delete, path = "/api/sites/{id}", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn take_back(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<SiteName>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    server.inner.sites.remove(&name)?;
    server.inner.hosting.hide(&name).await;
    Ok(StatusCode::NO_CONTENT)
}

/// A site must not use the server's own address or host names.
fn check_place(server: &HolmServer, place: &SitePlace) -> Result<(), ApiError> {
    let config = server.config();
    match place {
        SitePlace::Listen(address) if address.port() == config.listen.port() && address.port() != 0 => {
            Err(ApiError::bad("bad_place", "the server itself uses that port; choose another"))
        }
        SitePlace::Host(host) if request_guard::is_own(config, host) => {
            Err(ApiError::bad("bad_place", "the server itself uses that name; choose another"))
        }
        SitePlace::Host(_) if config.sites.is_none() => Err(ApiError::bad(
            "bad_place",
            "the server has no address for sites with a host name; see \
                                           `--sites`",
        )),
        SitePlace::Listen(_) | SitePlace::Host(_) => Ok(()),
    }
}

/// A missing folder would be an empty site.
async fn check_folder(
    server: &HolmServer,
    who: &AuthenticatedUser,
    folder: &SitePath,
) -> Result<(), ApiError> {
    let folder = folder.to_string();
    let looked = at_hand(server, who, move |root| {
        let path = root.path(if folder.is_empty() { "." } else { &folder })?;
        root.list(&path, 1)?;
        Ok(())
    });
    looked.await.map_err(|refusal| match refusal.status {
        StatusCode::NOT_FOUND => ApiError::missing("folder in your workspace"),
        _ => refusal,
    })
}

fn not_shown(error: &ServerError) -> ApiError {
    ApiError::bad("bad_place", error.to_string())
}

async fn view(server: &HolmServer, site: &PublishedSite) -> SiteView {
    let address = server.inner.hosting.address(site).await;
    let shown = |address: SocketAddr| match &site.place {
        SitePlace::Listen(_) => address.to_string(),
        SitePlace::Host(host) => format!("{host}:{}", address.port()),
    };
    SiteView {
        name: site.name.to_string(),
        user: site.user.to_string(),
        folder: site.folder.to_string(),
        place: site.place.clone(),
        address: address.map(shown),
        locked: site.password.is_some(),
    }
}
