//! Logs in to a server with OAuth 2.1 and PKCE, as MCP specifies it. It does so only when the
//! server asks for a login.
//!
//! The flow is that of `rmcp`: resource metadata (RFC 9728), issuer metadata (RFC 8414 and
//! `OpenID`), the `resource` parameter, the check of `iss` (RFC 9207), and scopes that only grow.
//! This module controls where the requests go: through `holm-net`, to public addresses over TLS or
//! to addresses that the entry names. Metadata that points to an internal address therefore leads
//! nowhere.
//!
//! Logins are stored in `login_store.rs`; when a login is needed is noticed in `remote_server.rs`.
//! The number of logins for one request is bounded, and credentials of one issuer are never used
//! with another.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{FetchPattern, Grant, GrantPolicy, GrantSet, UrlScheme};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, MimeFilter};
use holm_runtime::BoxFuture;
use rmcp::transport::AuthClient;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, OAuthClientConfig, OAuthHttpClient,
    OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use tokio::sync::Mutex;

use super::http_client::McpHttpClient;
use super::login_store::LoginStore;
use crate::{McpServerSpec, ServerAddress};

/// The largest answer during a login. Metadata and tokens are a few kilobytes.
const MAX_ANSWER: u64 = 1024 * 1024;
/// How long one request of a login may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a user is sent to log in for one request: once, and twice for more scopes. A server
/// that asks again after that would never stop.
const MOST_LOGINS: u32 = 3;

/// Opens the login page for the user.
pub trait LoginBrowser: Send + Sync {
    /// The redirect URI: where the browser is sent after the login.
    fn comes_back_to(&self) -> String;

    /// Opens the URL and waits for the redirect. Returns the redirect's full
    /// URL with its parameters.
    ///
    /// # Errors
    ///
    /// Why the redirect did not arrive.
    fn visit(&self, url: String) -> BoxFuture<'static, Result<String, String>>;
}

/// How Holm logs in to servers.
#[derive(Clone, Default)]
pub struct LoginSettings {
    /// Without a browser, Holm sends the user to no login page.
    browser: Option<Arc<dyn LoginBrowser>>,
    /// Where logins are stored. Without a store, they last as long as the process.
    kept: Option<LoginStore>,
    /// The URL of a document about this client, for issuers that read one.
    document: Option<String>,
}

impl LoginSettings {
    /// Logs in by opening a login page for the user.
    pub fn new(browser: impl LoginBrowser + 'static) -> Self {
        Self { browser: Some(Arc::new(browser)), ..Self::default() }
    }

    /// Uses stored logins only, because no user is present to log in.
    #[must_use]
    pub fn remembered(logins: LoginStore) -> Self {
        Self::default().keep(logins)
    }

    /// Stores logins here and reuses the stored ones.
    #[must_use]
    pub fn keep(mut self, logins: LoginStore) -> Self {
        self.kept = Some(logins);
        self
    }

    /// Sets the URL of this client's metadata document (a client ID metadata document).
    #[must_use]
    pub fn document(mut self, url: impl Into<String>) -> Self {
        self.document = Some(url.into());
        self
    }
}

impl fmt::Debug for LoginSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LoginSettings")
            .field("browser", &self.browser.is_some())
            .field("kept", &self.kept)
            .field("document", &self.document)
            .finish()
    }
}

/// Holm's identity at one server after a login.
pub(crate) struct ServerAccount {
    login: LoginSettings,
    web: AuthClient<McpHttpClient>,
    plain: McpHttpClient,
    client: Option<(String, Option<String>)>,
    state: Mutex<LoginHistory>,
}

/// The logins so far.
#[derive(Default)]
struct LoginHistory {
    logins: u32,
    /// The issuer of the current tokens.
    issuer: Option<String>,
}

impl ServerAccount {
    pub(crate) async fn new(
        login: LoginSettings,
        net: &HttpClient,
        web: McpHttpClient,
        spec: &McpServerSpec,
        address: &ServerAddress,
    ) -> Result<Self, AuthError> {
        let http = Arc::new(OauthTransport { client: net.clone(), policy: policy(spec, address) });
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(address.url.to_string(), http).await?;
        if let Some(kept) = &login.kept {
            manager.set_credential_store(kept.of(&spec.name, address));
            remember(&mut manager, address).await;
        }
        let plain = web.clone();
        let web = AuthClient::new(web, manager);
        Ok(Self { login, web, plain, client: address.client.clone(), state: Mutex::default() })
    }

    /// The HTTP client for the server, with the current token if there is one.
    pub(crate) fn web(&self) -> AuthClient<McpHttpClient> {
        self.web.clone()
    }

    /// The same HTTP client without a token.
    pub(crate) fn plain(&self) -> &McpHttpClient {
        &self.plain
    }

    /// Logs in, or requests more scopes, because the server asked for it.
    pub(crate) async fn answer(&self, challenge: &str) -> Result<(), AuthError> {
        let Some(browser) = &self.login.browser else {
            let nobody = "no user is present to log in; run `holm mcp test` with its name".to_owned();
            return Err(AuthError::AuthorizationFailed(nobody));
        };
        let mut visits = self.state.lock().await;
        if visits.logins >= MOST_LOGINS {
            let often = format!("the server asked for a login {MOST_LOGINS} times and still refuses");
            return Err(AuthError::AuthorizationFailed(often));
        }
        visits.logins += 1;
        let mut manager = self.web.auth_manager.lock().await;
        let resolved = manager.resolve_metadata_from_challenge(Some(challenge)).await?;
        let issuer = resolved.metadata.issuer.clone();
        let documents = resolved.metadata.additional_fields.get("client_id_metadata_document_supported");
        let documents = documents.and_then(serde_json::Value::as_bool).unwrap_or_default();
        let known = visits.issuer.is_some() && visits.issuer == issuer;
        manager.set_metadata(resolved.metadata);
        let scopes = match visits.logins {
            1 => manager.select_initial_scopes(&[]).await,
            _ => manager.select_scopes(scope_of(challenge).as_deref(), &[]),
        };
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        // Credentials from one issuer must not be used with another.
        if !known {
            self.introduce(&mut manager, browser.as_ref(), documents, &scopes).await?;
        }
        let url = manager.get_authorization_url(&scopes).await?;
        let back = browser.visit(url).await.map_err(AuthError::AuthorizationFailed)?;
        let back = AuthorizationCallback::from_redirect_url(&back)?;
        let token = manager
            .exchange_code_for_token_with_issuer(&back.code, &back.csrf_token, back.issuer.as_deref())
            .await;
        drop(manager);
        token?;
        visits.issuer = issuer;
        Ok(())
    }

    /// Resets the count of logins after a successful request, so that a later
    /// challenge counts as new.
    pub(crate) async fn done(&self) {
        let mut visits = self.state.lock().await;
        visits.logins = visits.logins.min(1);
    }

    /// Identifies this client to the issuer: with known credentials, with its metadata
    /// document, or by registration.
    async fn introduce(
        &self,
        manager: &mut AuthorizationManager,
        browser: &dyn LoginBrowser,
        documents: bool,
        scopes: &[&str],
    ) -> Result<(), AuthError> {
        let back = browser.comes_back_to();
        let owned = || scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let config = match (&self.client, &self.login.document) {
            (Some(client), _) => known_as(client, back).with_scopes(owned()),
            (None, Some(document)) if documents => {
                OAuthClientConfig::new(document, back).with_scopes(owned()).with_application_type("native")
            }
            (None, _) => manager.register_client("Holm", &back, scopes).await?,
        };
        manager.configure_client(config)
    }
}

/// Loads a stored login so that it can be refreshed. If that fails, the server will ask
/// for a new login.
async fn remember(manager: &mut AuthorizationManager, address: &ServerAddress) {
    let taken_up = manager.initialize_from_store().await.unwrap_or_default();
    if let Some(client) = address.client.as_ref().filter(|_| taken_up) {
        // A refresh never uses the redirect URI.
        let _ = manager.configure_client(known_as(client, address.url.to_string()));
    }
}

/// The configuration of a client that the issuer already knows.
fn known_as((id, secret): &(String, Option<String>), back: String) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(id, back);
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}

/// Where a login may connect to: the server itself, public addresses over TLS, and the addresses
/// that the entry names.
fn policy(spec: &McpServerSpec, address: &ServerAddress) -> GrantPolicy {
    let mut grants: GrantSet =
        spec.grants.iter().filter(|grant| matches!(grant, Grant::Fetch(_))).cloned().collect();
    grants.extend(FetchPattern::origin(&address.url).map(Grant::Fetch));
    if address.url.scheme() == UrlScheme::Https {
        grants.extend("fetch:https://*".parse::<Grant>());
    }
    GrantPolicy { grants, ..GrantPolicy::default() }
}

/// The scopes that a challenge names.
pub(crate) fn scope_of(challenge: &str) -> Option<String> {
    let (_, after) = challenge.split_once("scope=")?;
    let scope = match after.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => after.split([',', ' ', ';']).next()?,
    };
    (!scope.is_empty()).then(|| scope.to_owned())
}

/// Sends the requests of a login through the checked network client.
struct OauthTransport {
    client: HttpClient,
    policy: GrantPolicy,
}

impl OAuthHttpClient for OauthTransport {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let (head, body) = asked.request.into_parts();
            let url: holm_grants::Url = head.uri.to_string().parse()?;
            let mut request = HttpClientRequest::new(head.method, url);
            for (name, value) in &head.headers {
                // `host` and `content-length` are set from the checked URL and the body.
                if !matches!(name.as_str(), "host" | "content-length") {
                    request = request.header(name.as_str(), value.to_str()?)?;
                }
            }
            let redirects = match asked.redirect_policy {
                OAuthHttpRedirectPolicy::Stop => 0,
                _ => 3,
            };
            let limits = ExchangeLimits {
                body: MAX_ANSWER,
                total: asked.timeout.unwrap_or(PATIENCE).min(PATIENCE),
                idle: PATIENCE,
                redirects,
                mimes: MimeFilter::Any,
            };
            let answer = self.client.send(request.body(body), &self.policy, &limits).await?;
            let mut response = http::Response::builder().status(answer.status());
            for (name, value) in answer.headers() {
                response = response.header(name, value);
            }
            let body = answer.bytes().await?;
            Ok(response.body(body.to_vec())?)
        })
    }
}

#[cfg(test)]
mod tests;
