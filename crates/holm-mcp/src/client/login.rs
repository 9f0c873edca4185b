//! Logging in to a server, when it asks for it and never before: OAuth 2.1 with PKCE, as MCP has it.
//!
//! The flow is `rmcp`'s: metadata of the resource (RFC 9728) and of the issuer (RFC 8414 and `OpenID`), the `resource`
//! parameter, the check of `iss` (RFC 9207), scopes that only grow. What is ours is where its requests go: through `holm-net`,
//! to public addresses over TLS, or to those that the entry names. So metadata that points inside leads nowhere.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{FetchPattern, Grant, GrantSet, Policy, Scheme};
use holm_net::{Client, HttpRequest, Limits, Mimes};
use holm_runtime::BoxFuture;
use rmcp::transport::AuthClient;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, OAuthClientConfig, OAuthHttpClient,
    OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use tokio::sync::Mutex;

use super::logins::Logins;
use super::web::Web;
use crate::{Address, ServerSpec};

/// The largest answer of a login: metadata and tokens are a few kilobytes.
const MAX_ANSWER: u64 = 1024 * 1024;
/// How long one request of a login may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a person is sent to log in for one piece of work: once, and for two widenings. A server that asks again after
/// that asks for ever.
const MOST_LOGINS: u32 = 3;

/// Shows a person where to log in.
pub trait Browser: Send + Sync {
    /// Where the person's browser is sent when they have logged in.
    fn comes_back_to(&self) -> String;

    /// Opens the address and waits for the one that the browser was sent back to, with all its parameters.
    ///
    /// # Errors
    ///
    /// Why nobody came back.
    fn visit(&self, url: String) -> BoxFuture<'static, Result<String, String>>;
}

/// How Holm logs in.
#[derive(Clone, Default)]
pub struct Login {
    /// Without one, nobody is sent anywhere.
    browser: Option<Arc<dyn Browser>>,
    /// Where logins are kept; without a place, they end with the process.
    kept: Option<Logins>,
    /// Where a document about this client lies, for issuers that want to read one.
    document: Option<String>,
}

impl Login {
    /// By sending a person to the address.
    pub fn new(browser: impl Browser + 'static) -> Self {
        Self { browser: Some(Arc::new(browser)), ..Self::default() }
    }

    /// By what is kept alone: nobody is there to be sent anywhere.
    #[must_use]
    pub fn remembered(logins: Logins) -> Self {
        Self::default().keep(logins)
    }

    /// Keeps logins here, and uses those that are there.
    #[must_use]
    pub fn keep(mut self, logins: Logins) -> Self {
        self.kept = Some(logins);
        self
    }

    /// With a document about this client at this address (a client ID metadata document).
    #[must_use]
    pub fn document(mut self, url: impl Into<String>) -> Self {
        self.document = Some(url.into());
        self
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Login")
            .field("browser", &self.browser.is_some())
            .field("kept", &self.kept)
            .field("document", &self.document)
            .finish()
    }
}

/// Who Holm is to one server, once somebody has logged in.
pub(crate) struct Account {
    login: Login,
    web: AuthClient<Web>,
    plain: Web,
    client: Option<(String, Option<String>)>,
    state: Mutex<Visits>,
}

/// What happened so far.
#[derive(Default)]
struct Visits {
    logins: u32,
    /// Who issued the tokens that there are.
    issuer: Option<String>,
}

impl Account {
    pub(crate) async fn new(
        login: Login,
        net: &Client,
        web: Web,
        spec: &ServerSpec,
        address: &Address,
    ) -> Result<Self, AuthError> {
        let http = Arc::new(Oauth { client: net.clone(), policy: policy(spec, address) });
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

    /// The way to the server, with whatever token there is.
    pub(crate) fn web(&self) -> AuthClient<Web> {
        self.web.clone()
    }

    /// The same way, without a token.
    pub(crate) fn plain(&self) -> &Web {
        &self.plain
    }

    /// Logs in, or for more than before, because the server asked for it.
    pub(crate) async fn answer(&self, challenge: &str) -> Result<(), AuthError> {
        let Some(browser) = &self.login.browser else {
            let nobody = "nobody is there to log in; `holm mcp test` with its name does it".to_owned();
            return Err(AuthError::AuthorizationFailed(nobody));
        };
        let mut visits = self.state.lock().await;
        if visits.logins >= MOST_LOGINS {
            let often = format!("the server asked for a login {MOST_LOGINS} times and is still not content");
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
        // What was agreed with one issuer is nothing to another.
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

    /// After work that was done, a later server's wish counts anew.
    pub(crate) async fn done(&self) {
        let mut visits = self.state.lock().await;
        visits.logins = visits.logins.min(1);
    }

    /// Makes this client known: as it is known already, by its document, or by registering.
    async fn introduce(
        &self,
        manager: &mut AuthorizationManager,
        browser: &dyn Browser,
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

/// Takes up a login that is kept, so that it can be refreshed. Where that fails, the server asks for another.
async fn remember(manager: &mut AuthorizationManager, address: &Address) {
    let taken_up = manager.initialize_from_store().await.unwrap_or_default();
    if let Some(client) = address.client.as_ref().filter(|_| taken_up) {
        // Nothing is sent back to anywhere by a refresh.
        let _ = manager.configure_client(known_as(client, address.url.to_string()));
    }
}

/// A client that is known to the issuer already.
fn known_as((id, secret): &(String, Option<String>), back: String) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(id, back);
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}

/// Where a login may lead: to the server itself, to public addresses over TLS, and to what the entry names.
fn policy(spec: &ServerSpec, address: &Address) -> Policy {
    let mut grants: GrantSet =
        spec.grants.iter().filter(|grant| matches!(grant, Grant::Fetch(_))).cloned().collect();
    grants.extend(FetchPattern::origin(&address.url).map(Grant::Fetch));
    if address.url.scheme() == Scheme::Https {
        grants.extend("fetch:https://*".parse::<Grant>());
    }
    Policy { grants, ..Policy::default() }
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

/// The requests of a login, over the one path that checks where they go.
struct Oauth {
    client: Client,
    policy: Policy,
}

impl OAuthHttpClient for Oauth {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let (head, body) = asked.request.into_parts();
            let url: holm_grants::Url = head.uri.to_string().parse()?;
            let mut request = HttpRequest::new(head.method, url);
            for (name, value) in &head.headers {
                // Host and length are set from what is checked and sent.
                if !matches!(name.as_str(), "host" | "content-length") {
                    request = request.header(name.as_str(), value.to_str()?)?;
                }
            }
            let redirects = match asked.redirect_policy {
                OAuthHttpRedirectPolicy::Stop => 0,
                _ => 3,
            };
            let limits = Limits {
                body: MAX_ANSWER,
                total: asked.timeout.unwrap_or(PATIENCE).min(PATIENCE),
                idle: PATIENCE,
                redirects,
                mimes: Mimes::Any,
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
