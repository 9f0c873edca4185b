//! All tools of a document: which operations become tools, under which names, at which address and
//! with which keys.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{Level, Url, UrlScheme};
use holm_net::{ExchangeLimits, HttpClient, MimeFilter};
use serde_json::value::RawValue;

use super::auth::{OpenApiAuthenticator, OpenApiCredential, OpenApiKeyStore};
use super::document::{OpenApiDocument, RawMembers, as_json, items, members};
use super::error::OpenApiError;
use super::operation::{OpenApiOperation, OperationReader, first_server};
use super::settings::{OpenApiAuth, OpenApiAuthKind, OperationPatterns};
use super::tool::{OpenApiCall, OpenApiServer, OpenApiTool, declaration};
use crate::catalogue::SchemaDisclosure;
use crate::registry::{ToolOffer, ToolSidecar};
use crate::trust::ContentHash;

/// The most operations of a document: twice those of the largest public ones.
const MOST_OPERATIONS: usize = 3000;
/// With more tools than this, a model looks their schemas up.
const MOST_SHOWN: usize = 10;
/// The longest name of a tool or an argument.
const MOST_NAME: usize = 60;
/// How many reasons for operations that are left out are told.
const MOST_TOLD: usize = 3;
/// The most bytes of an answer.
const MOST_ANSWER: u64 = 5 << 20;

/// How tools and arguments are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenApiNaming {
    /// `NAME_operation` with the parameters' own names and `body`.
    #[default]
    Plain,
    /// As agents-exe does: `openapi_NAME_operation` with `p_` before parameters and `b` for the body.
    AgentsExe,
}

/// The tools of a document.
#[derive(Debug)]
pub struct OpenApiTools {
    pub offers: Vec<ToolOffer>,
    /// What a person should know, such as which operations are left out.
    pub notes: Vec<String>,
}

/// Chooses operations by id, method and path.
type OperationFilter = Box<dyn Fn(&str, &str, &str) -> bool + Send + Sync>;

/// Makes tools of a document.
pub struct OpenApiToolbox<'a> {
    name: &'a str,
    client: HttpClient,
    keys: Arc<dyn OpenApiKeyStore>,
    sidecar: ToolSidecar,
    naming: OpenApiNaming,
    document_url: Option<Url>,
    given: Vec<OpenApiCredential>,
    filter: Option<OperationFilter>,
}

impl<'a> OpenApiToolbox<'a> {
    /// Tools whose names begin with this name.
    pub fn new(name: &'a str, client: HttpClient, keys: Arc<dyn OpenApiKeyStore>) -> Self {
        Self {
            name,
            client,
            keys,
            sidecar: ToolSidecar::default(),
            naming: OpenApiNaming::default(),
            document_url: None,
            given: Vec::new(),
            filter: None,
        }
    }

    /// With the settings of a sidecar.
    #[must_use]
    pub fn sidecar(self, sidecar: ToolSidecar) -> Self {
        Self { sidecar, ..self }
    }

    #[must_use]
    pub fn naming(self, naming: OpenApiNaming) -> Self {
        Self { naming, ..self }
    }

    /// Says where the document was fetched from. Relative servers are relative to that.
    #[must_use]
    pub fn document_url(self, url: Url) -> Self {
        Self { document_url: Some(url), ..self }
    }

    /// Adds keys that every request to the document's server carries.
    #[must_use]
    pub fn given(self, given: Vec<OpenApiCredential>) -> Self {
        Self { given, ..self }
    }

    /// Keeps only operations for which this is true, by id, method and path.
    #[must_use]
    pub fn filter(self, filter: impl Fn(&str, &str, &str) -> bool + Send + Sync + 'static) -> Self {
        Self { filter: Some(Box::new(filter)), ..self }
    }

    /// The tools of a document in JSON or YAML.
    ///
    /// # Errors
    /// If it is not a document, or none of its operations can be a tool.
    pub fn tools(self, bytes: &[u8]) -> Result<OpenApiTools, OpenApiError> {
        let text = as_json(bytes)?;
        let document = OpenApiDocument::parse(&text)?;
        let settings = self.sidecar.api.clone().unwrap_or_default();
        let (only, reads) = (
            OperationPatterns::new("only", &settings.only)?,
            OperationPatterns::new("reads", &settings.reads)?,
        );
        self.check_sidecar()?;
        let (auth, is_optional) = self.auth(&document)?;
        let base = self.base(&document)?;
        let limits = ExchangeLimits {
            body: MOST_ANSWER,
            total: Duration::from_secs(60),
            idle: Duration::from_secs(30),
            mimes: MimeFilter::Any,
            ..ExchangeLimits::default()
        };
        let is_wanted = |operation: &OpenApiOperation| {
            let (id, method, path) = (&operation.id, &operation.method, &operation.path);
            (only.is_empty() || only.name(id, method, path))
                && self.filter.as_ref().is_none_or(|filter| filter(id, method, path))
        };
        let (operations, mut left_out) = operations(&document, self.naming, is_wanted)?;
        let auth = OpenApiAuthenticator::new(
            auth,
            is_optional,
            self.given.clone(),
            Arc::clone(&self.keys),
            self.client.clone(),
        );
        let server = Arc::new(OpenApiServer { client: self.client.clone(), limits, auth });
        let mut offers = Vec::new();
        for operation in operations {
            let (id, method, path) = (&operation.id, &operation.method, &operation.path);
            let only_reads =
                matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS") || reads.name(id, method, path);
            let line = format!("{method} {path}");
            match self.offer(&server, &base, operation, only_reads) {
                Ok(offer) => offers.push(offer),
                Err(why) => left_out.push(format!("{line}: {why}")),
            }
        }
        if offers.is_empty() {
            return Err(OpenApiError::NoOperation(left_out));
        }
        let many = SchemaDisclosure::OnDemand;
        let usual = if offers.len() > MOST_SHOWN { many } else { SchemaDisclosure::Full };
        let disclosure = self.sidecar.disclosure.unwrap_or(usual);
        offers.iter_mut().for_each(|offer| offer.disclosure = disclosure);
        Ok(OpenApiTools { offers, notes: told(&left_out) })
    }

    fn offer(
        &self,
        server: &Arc<OpenApiServer>,
        base: &str,
        mut operation: OpenApiOperation,
        only_reads: bool,
    ) -> Result<ToolOffer, String> {
        let own = match &operation.server {
            Some(own) => self.address(own).map_err(|error| error.to_string())?,
            None => base.to_owned(),
        };
        let prefix = self.sidecar.name.as_deref().unwrap_or(self.name);
        let name = self.naming.tool(prefix, &operation.id);
        let mut spec = declaration(&name, &mut operation, &own, only_reads)?;
        let sidecar = &self.sidecar;
        spec.level = sidecar.level.unwrap_or(Level::None).max(spec.level);
        spec.result_limit = sidecar.result_limit;
        spec.timeout_ms = sidecar.limits.limit(holm_grants::AllowanceKind::Time);
        spec.postconditions.clone_from(&sidecar.postconditions);
        let tags = operation.tags.iter().map(|tag| crate::text::tidy(tag, 60));
        // What a path names is what a person calls the thing.
        let parts = operation.path.split(['/', '{', '}', '.']).filter(|part| !part.is_empty());
        let parts = parts.map(|part| crate::text::tidy(part, 60));
        let keywords: BTreeSet<String> = sidecar.keywords.iter().cloned().chain(tags).chain(parts).collect();
        let call = OpenApiCall {
            server: Arc::clone(server),
            is_own_server: origin(&own) == origin(base),
            base: own,
            operation,
        };
        let tool = OpenApiTool { declaration: spec, call: Arc::new(call) };
        Ok(ToolOffer::new(Arc::new(tool)).keywords(keywords))
    }

    /// Refuses what a sidecar can say of other tools, and what would have no effect here.
    fn check_sidecar(&self) -> Result<(), OpenApiError> {
        let sidecar = &self.sidecar;
        let idle = [
            ("asks", !sidecar.asks.is_empty()),
            ("description", sidecar.description.is_some()),
            ("repeat", sidecar.repeat.is_some()),
            ("empty", sidecar.empty.is_some()),
            ("error_text", sidecar.error_text.is_some()),
        ];
        let Some((name, _)) = idle.into_iter().find(|(_, is_set)| *is_set) else { return Ok(()) };
        Err(OpenApiError::Sidecar(name))
    }

    /// The address of the server, without a slash at its end.
    fn base(&self, document: &OpenApiDocument<'_>) -> Result<String, OpenApiError> {
        let settings = self.sidecar.api.as_ref();
        let server = settings.and_then(|settings| settings.server.clone());
        let server = server.or_else(|| document.servers().and_then(first_server));
        let beside = || self.document_url.is_some().then(|| "/".to_owned());
        self.address(&server.or_else(beside).ok_or(OpenApiError::NoServer)?)
    }

    fn address(&self, server: &str) -> Result<String, OpenApiError> {
        let wrong = |reason: String| OpenApiError::Server { server: super::document::shown(server), reason };
        let text = match (&self.document_url, server.contains("://")) {
            (_, true) => server.to_owned(),
            (Some(url), false) => {
                let joined = url::Url::parse(&url.to_string()).and_then(|base| base.join(server));
                joined.map_err(|error| wrong(error.to_string()))?.to_string()
            }
            (None, false) => {
                return Err(wrong(
                    "it is relative; set `server` under [api] in the file beside it".to_owned(),
                ));
            }
        };
        let url: Url = text.parse().map_err(|error: holm_grants::UrlError| wrong(error.to_string()))?;
        if !matches!(url.scheme(), UrlScheme::Http | UrlScheme::Https) || url.query().is_some() {
            return Err(wrong("an http or https address without a query is expected".to_owned()));
        }
        Ok(url.to_string().trim_end_matches('/').to_owned())
    }

    /// How keys are sent: as the sidecar says, or else as the document does, if a key is stored.
    fn auth(&self, document: &OpenApiDocument<'_>) -> Result<(Option<OpenApiAuth>, bool), OpenApiError> {
        let settings = self.sidecar.api.as_ref();
        let Some(auth) = settings.and_then(|settings| settings.auth.clone()) else {
            let (security, schemes) = document.security();
            let auth = if self.given.is_empty() { documented(security, &schemes) } else { None };
            return Ok((auth, true));
        };
        auth.check()?;
        if auth.key_env.is_some() && settings.is_none_or(|settings| settings.server.is_none()) {
            let why = "auth: `key_env` needs `server`, so that the document cannot choose who gets the key";
            return Err(OpenApiError::Setting(why.to_owned()));
        }
        Ok((Some(auth), false))
    }
}

impl OpenApiNaming {
    fn tool(self, prefix: &str, id: &str) -> String {
        match self {
            Self::Plain => short(&word(&format!("{prefix}_{id}"))),
            Self::AgentsExe => short(&word(&format!("openapi_{prefix}_{id}"))),
        }
    }

    /// The name of a parameter for the model.
    pub(super) fn argument(self, wire: &str) -> String {
        let name = short(&word(wire));
        match self {
            Self::Plain if name.is_empty() => "value".to_owned(),
            Self::Plain => name,
            Self::AgentsExe => format!("p_{name}"),
        }
    }

    pub(super) fn body(self) -> &'static str {
        match self {
            Self::Plain => "body",
            Self::AgentsExe => "b",
        }
    }
}

/// A name that every provider accepts. Of a long one, a hash of the whole stands for the end, so that
/// operations with the same beginning keep different names.
fn short(name: &str) -> String {
    if name.len() <= MOST_NAME {
        return name.to_owned();
    }
    let hash = ContentHash::of(name.as_bytes()).to_string();
    let hash: String = hash.chars().filter(char::is_ascii_hexdigit).take(6).collect();
    let start = name.get(..MOST_NAME - 7).unwrap_or(name).trim_end_matches(['_', '-']);
    format!("{start}_{hash}")
}

/// A name of letters, digits, hyphens and single underscores.
fn word(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    out.trim_matches('_').to_owned()
}

/// The operations that are wanted, and why others are left out.
fn operations(
    document: &OpenApiDocument<'_>,
    naming: OpenApiNaming,
    is_wanted: impl Fn(&OpenApiOperation) -> bool,
) -> Result<(Vec<OpenApiOperation>, Vec<String>), OpenApiError> {
    let mut reader = OperationReader::new(document, naming);
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for (path, raw) in document.paths()? {
        for read in reader.path_item(&path, raw) {
            match read {
                Ok(operation) if found.len() >= MOST_OPERATIONS => {
                    left_out.push(format!("{} {}: there are too many", operation.method, operation.path));
                }
                Ok(operation) if is_wanted(&operation) => found.push(operation),
                Ok(_) => {}
                Err(why) => left_out.push(why),
            }
        }
    }
    Ok((found, left_out))
}

/// A note about operations that are left out.
fn told(left_out: &[String]) -> Vec<String> {
    if left_out.is_empty() {
        return Vec::new();
    }
    let shown = left_out.iter().take(MOST_TOLD).cloned().collect::<Vec<_>>().join("; ");
    let more = left_out.len().saturating_sub(MOST_TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    vec![format!("left out: {shown}{more}")]
}

fn origin(base: &str) -> Option<(UrlScheme, String, u16)> {
    let url: Url = base.parse().ok()?;
    Some((url.scheme(), url.host().to_string(), url.port()))
}

/// How the document wants a key: the first of its schemes that can be sent.
fn documented(security: Option<&RawValue>, schemes: &RawMembers<'_>) -> Option<OpenApiAuth> {
    let required = security.and_then(items).unwrap_or_default();
    let named = required.iter().filter_map(|raw| {
        let alternatives = members(raw)?;
        let (name, _) = alternatives.iter().next().filter(|_| alternatives.len() == 1)?;
        schemes.get(name).copied()
    });
    named.chain(schemes.values().copied()).find_map(scheme)
}

fn scheme(raw: &RawValue) -> Option<OpenApiAuth> {
    let scheme = members(raw)?;
    let text = |name: &str| serde_json::from_str::<String>(scheme.get(name)?.get()).ok();
    let (kind, name) = match (text("type")?.as_str(), text("in").as_deref()) {
        ("http", _) if text("scheme")?.eq_ignore_ascii_case("basic") => (OpenApiAuthKind::Basic, None),
        ("http", _) if text("scheme")?.eq_ignore_ascii_case("bearer") => (OpenApiAuthKind::Bearer, None),
        ("oauth2" | "openIdConnect", _) => (OpenApiAuthKind::Bearer, None),
        ("apiKey", Some("header")) => (OpenApiAuthKind::Header, text("name")),
        ("apiKey", Some("query")) => (OpenApiAuthKind::Query, text("name")),
        _ => return None,
    };
    let (label, key_env, token_url, client_id, scope) = (None, None, None, None, None);
    Some(OpenApiAuth { kind, name, label, key_env, token_url, client_id, scope })
}
