//! Keys of requests. A stored key belongs to the host that receives it: it is looked up under that
//! host's name, so neither a document nor a setting can send it to another.
//!
//! Keys are looked up when a call needs one, and every output is searched for those of its call. A
//! redirect to another origin takes none along (`holm-net/src/redirect.rs`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use holm_grants::{DenialSet, FetchPattern, Grant, GrantPolicy, Url, UrlScheme};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest};
use holm_runtime::SecretRedactor;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::request::{OpenApiRequest, encoded, joined};
use super::settings::{OpenApiAuth, OpenApiAuthKind};

/// The largest answer of a token's server.
const MOST_TOKEN_BYTES: u64 = 64 * 1024;
/// How long before its end a token counts as used up.
const EARLY: Duration = Duration::from_secs(30);
/// How long a token without an end is used.
const USUAL: Duration = Duration::from_secs(300);

/// Finds keys. Implemented by the host, which knows files, keyrings and the environment.
pub trait OpenApiKeyStore: Send + Sync {
    /// The key that is stored under `host`, `host:port` or `label@host`; `None` if there is none.
    ///
    /// # Errors
    /// Why a stored key cannot be read.
    fn stored(&self, name: &str) -> Result<Option<SecretString>, String>;

    /// The value of a variable of the environment, if it is set and not empty.
    fn variable(&self, name: &str) -> Option<SecretString>;
}

/// A key that its owner gave together with the document, for its server only.
#[derive(Debug, Clone)]
pub struct OpenApiCredential {
    /// The header, or the field of the query.
    pub name: String,
    /// Whether it is a field of the query.
    pub is_query: bool,
    /// The whole value as it is sent.
    pub value: SecretString,
    /// The secret in it, which no output may show.
    pub secret: SecretString,
}

/// The keys of one document's server.
pub(super) struct OpenApiAuthenticator {
    auth: Option<OpenApiAuth>,
    /// Whether calls without a key are sent all the same.
    is_optional: bool,
    given: Vec<OpenApiCredential>,
    keys: Arc<dyn OpenApiKeyStore>,
    client: HttpClient,
    token: Mutex<Option<IssuedToken>>,
}

struct IssuedToken {
    value: SecretString,
    ends: Instant,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    expires_in: Option<u64>,
}

/// The name under which the key of an address is stored.
pub(super) fn key_name(url: &Url, label: Option<&str>) -> String {
    let host = if Some(url.port()) == url.scheme().default_port() {
        url.host().to_string()
    } else {
        format!("{}:{}", url.host(), url.port())
    };
    label.map_or_else(|| host.clone(), |label| format!("{label}@{host}"))
}

/// The name under which the key of a host is stored, for a text such as `api.example.com`,
/// `work@api.example.com:8443` or `https://api.example.com`. `None` if the text names no host.
///
/// ```
/// use holm_tools::openapi::host_key_name;
///
/// assert_eq!(host_key_name("https://API.example.com/v1").as_deref(), Some("api.example.com"));
/// assert_eq!(host_key_name("work@localhost:8080").as_deref(), Some("work@localhost:8080"));
/// assert_eq!(host_key_name("openai"), None);
/// ```
#[must_use]
pub fn host_key_name(text: &str) -> Option<String> {
    let (label, host) = match text.split_once('@') {
        Some((label, host)) => (Some(label), host),
        None => (None, text),
    };
    let is_word = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if !host.contains(['.', ':']) && host != "localhost" || label.is_some_and(|label| !is_word(label)) {
        return None;
    }
    let url: Url =
        if host.contains("://") { host.parse() } else { format!("https://{host}").parse() }.ok()?;
    Some(key_name(&url, label))
}

impl OpenApiAuthenticator {
    pub(super) fn new(
        auth: Option<OpenApiAuth>,
        is_optional: bool,
        given: Vec<OpenApiCredential>,
        keys: Arc<dyn OpenApiKeyStore>,
        client: HttpClient,
    ) -> Self {
        Self { auth, is_optional, given, keys, client, token: Mutex::new(None) }
    }

    /// What a user can do when the server at this address refuses a call without a key.
    pub(super) fn hint(&self, url: &Url) -> Option<String> {
        let auth = self.auth.as_ref().filter(|auth| self.is_optional && auth.key_env.is_none())?;
        let name = key_name(url, auth.label.as_deref());
        let is_missing = matches!(self.keys.stored(&name), Ok(None));
        is_missing.then(|| {
            format!("no key is stored for {name}; the user can store one with `holm keys add {name}`")
        })
    }

    /// Adds the keys for this address to a request, and has the filter know them.
    pub(super) async fn sign(
        &self,
        url: &Url,
        is_own_server: bool,
        request: &mut OpenApiRequest,
        secrets: SecretRedactor,
        denials: &DenialSet,
    ) -> Result<SecretRedactor, String> {
        let mut secrets = secrets;
        if is_own_server && !self.given.is_empty() {
            encrypted_or_local(url)?;
            for credential in &self.given {
                secrets = known(known(secrets, "header", &credential.value), "key", &credential.secret);
                let value = credential.value.expose_secret();
                if credential.is_query {
                    request.query.push((encoded(&credential.name), encoded(value)));
                } else {
                    request.headers.push((credential.name.clone(), value.to_owned()));
                }
            }
        }
        let Some(auth) = &self.auth else { return Ok(secrets) };
        if auth.kind == OpenApiAuthKind::Oauth {
            if !is_own_server {
                return Ok(secrets);
            }
            let (token, secrets) = self.token(auth, secrets, denials).await?;
            request.headers.push(("authorization".into(), format!("Bearer {}", token.expose_secret())));
            return Ok(secrets);
        }
        encrypted_or_local(url)?;
        let Some(key) = self.key(auth, url, is_own_server)? else { return Ok(secrets) };
        let secrets = known(secrets, "key", &key);
        let text = key.expose_secret().trim();
        let name = auth.name.clone().unwrap_or_default();
        match auth.kind {
            OpenApiAuthKind::Bearer => {
                request.headers.push(("authorization".into(), format!("Bearer {text}")));
            }
            OpenApiAuthKind::Basic => {
                let pair = STANDARD.encode(text);
                request.headers.push(("authorization".into(), format!("Basic {pair}")));
            }
            OpenApiAuthKind::Header => request.headers.push((name, text.to_owned())),
            OpenApiAuthKind::Query => request.query.push((encoded(&name), encoded(text))),
            OpenApiAuthKind::Oauth => {}
        }
        Ok(secrets)
    }

    /// The key for an address. An operation's other server needs none: there may be no key for it.
    fn key(
        &self,
        auth: &OpenApiAuth,
        url: &Url,
        is_own_server: bool,
    ) -> Result<Option<SecretString>, String> {
        if let Some(variable) = &auth.key_env {
            if !is_own_server {
                return Ok(None);
            }
            let found = self.keys.variable(variable);
            return found.map(Some).ok_or_else(|| format!("no key: the variable {variable} is not set"));
        }
        let name = key_name(url, auth.label.as_deref());
        match self.keys.stored(&name)? {
            Some(key) => Ok(Some(key)),
            None if self.is_optional || !is_own_server => Ok(None),
            None => {
                Err(format!("no key is stored for {name}; the user stores one with `holm keys add {name}`"))
            }
        }
    }

    /// A token for the client's id and secret. It is kept in memory until it ends.
    async fn token(
        &self,
        auth: &OpenApiAuth,
        secrets: SecretRedactor,
        denials: &DenialSet,
    ) -> Result<(SecretString, SecretRedactor), String> {
        let mut kept = self.token.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| token.ends > Instant::now()) {
            return Ok((token.value.clone(), known(secrets, "token", &token.value)));
        }
        let (url, id) = (auth.token_url.as_deref().unwrap_or_default(), auth.client_id.as_deref());
        let url: Url = url.parse().map_err(|error| format!("token_url is wrong: {error}"))?;
        encrypted_or_local(&url)?;
        let secret = self.key(auth, &url, true)?.ok_or("no client secret")?;
        let secrets = known(secrets, "client secret", &secret);
        let pair = format!("{}:{}", encoded(id.unwrap_or_default()), encoded(secret.expose_secret().trim()));
        let mut fields = vec![("grant_type".to_owned(), "client_credentials".to_owned())];
        fields.extend(auth.scope.as_deref().map(|scope| ("scope".to_owned(), encoded(scope))));
        let answer = self.token_answer(&url, &pair, &joined(&fields), denials).await.map_err(|error| {
            let mut error = format!("no token from {}: {error}", url.host());
            secrets.clean(&mut error);
            error
        })?;
        let lives = answer.expires_in.map_or(USUAL, Duration::from_secs).saturating_sub(EARLY);
        let value = SecretString::from(answer.access_token);
        *kept = Instant::now().checked_add(lives).map(|ends| IssuedToken { value: value.clone(), ends });
        Ok((value.clone(), known(secrets, "token", &value)))
    }

    async fn token_answer(
        &self,
        url: &Url,
        pair: &str,
        body: &str,
        denials: &DenialSet,
    ) -> Result<TokenAnswer, String> {
        let grant = FetchPattern::exactly(url).map_err(|error| error.to_string())?;
        let policy =
            GrantPolicy { grants: [Grant::Fetch(grant)].into_iter().collect(), denials: denials.clone() };
        let limits = ExchangeLimits { body: MOST_TOKEN_BYTES, redirects: 0, ..ExchangeLimits::default() };
        let request = HttpClientRequest::post(url.clone())
            .header("authorization", &format!("Basic {}", STANDARD.encode(pair)))
            .and_then(|request| request.header("content-type", "application/x-www-form-urlencoded"))
            .and_then(|request| request.header("accept", "application/json"));
        let request = request.map_err(|error| error.to_string())?.body(body.to_owned());
        let answer = self.client.send(request, &policy, &limits).await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let bytes = answer.bytes().await.map_err(|error| error.to_string())?;
        if !status.is_success() {
            return Err(format!("it answered {status}"));
        }
        serde_json::from_slice(&bytes).map_err(|_| "its answer has no access_token".to_owned())
    }

    /// Drops a token that the server refused.
    pub(super) async fn forget_token(&self) {
        *self.token.lock().await = None;
    }
}

fn known(secrets: SecretRedactor, name: &str, value: &SecretString) -> SecretRedactor {
    secrets.know(name, value.clone())
}

/// A key is sent over an encrypted connection only, except on this machine.
fn encrypted_or_local(url: &Url) -> Result<(), String> {
    if url.scheme() == UrlScheme::Https || url.host().is_loopback() {
        return Ok(());
    }
    Err(format!("the key is not sent to {}: the connection would not be encrypted", url.host()))
}
