//! What the sidecar of a document says under `[api]`: the server, which operations become tools, and
//! how a key is sent. It never contains a key.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::error::OpenApiError;

/// The table `[api]` of a sidecar.
///
/// ```
/// use holm_tools::registry::ToolSidecar;
///
/// let sidecar = ToolSidecar::parse("[api]\nonly = [\"GET *\", \"issues/*\"]\nauth.kind = \"bearer\"")?;
/// assert_eq!(sidecar.api.unwrap().only.len(), 2);
/// # Ok::<(), holm_tools::registry::SidecarError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpenApiSettings {
    /// The address that paths are added to. The default is the document's first server.
    pub server: Option<String>,
    /// Patterns of the operations that become tools: an operation id, or `METHOD /path`. All by default.
    pub only: Vec<String>,
    /// Patterns of operations that only look, whatever their method is.
    pub reads: Vec<String>,
    /// How a key is sent.
    pub auth: Option<OpenApiAuth>,
}

/// How a key is sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenApiAuth {
    pub kind: OpenApiAuthKind,
    /// The name of the header or of the query's field.
    #[serde(default)]
    pub name: Option<String>,
    /// Distinguishes several keys of one host: `label@host`.
    #[serde(default)]
    pub label: Option<String>,
    /// The variable of the environment that has the key, instead of a stored one.
    #[serde(default)]
    pub key_env: Option<String>,
    /// For `oauth`: where a token is obtained with the client's id and secret.
    #[serde(default)]
    pub token_url: Option<String>,
    #[serde(default)]
    pub client_id: Option<String>,
    #[serde(default)]
    pub scope: Option<String>,
}

/// The place of a key in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpenApiAuthKind {
    /// The header `Authorization: Bearer KEY`.
    Bearer,
    /// `Authorization: Basic`, of a key `user:password`.
    Basic,
    /// A header of its own.
    Header,
    /// A field of the query.
    Query,
    /// A token for client credentials.
    Oauth,
}

/// Patterns of operation ids and of `METHOD /path`.
#[derive(Debug, Clone, Default)]
pub(super) struct OperationPatterns(Vec<GlobMatcher>);

impl OperationPatterns {
    pub(super) fn new(setting: &str, patterns: &[String]) -> Result<Self, OpenApiError> {
        let compiled = patterns.iter().map(|text| {
            let glob = GlobBuilder::new(text).literal_separator(false).build();
            glob.map(|glob| glob.compile_matcher()).map_err(|error| {
                OpenApiError::Setting(format!("{setting}: `{text}` is not a pattern: {error}"))
            })
        });
        Ok(Self(compiled.collect::<Result<_, _>>()?))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a pattern names the operation.
    pub(super) fn name(&self, id: &str, method: &str, path: &str) -> bool {
        let line = format!("{method} {path}");
        self.0.iter().any(|glob| glob.is_match(id) || glob.is_match(&line))
    }
}

impl OpenApiAuth {
    /// Whether the settings that its kind needs are there, and no others.
    pub(super) fn check(&self) -> Result<(), OpenApiError> {
        let wrong = |text: &str| Err(OpenApiError::Setting(format!("auth: {text}")));
        let is_oauth = self.kind == OpenApiAuthKind::Oauth;
        let has_name = self.name.as_deref().is_some_and(|name| !name.is_empty());
        match self.kind {
            OpenApiAuthKind::Header | OpenApiAuthKind::Query if !has_name => {
                return wrong("`name` is missing: the name of the header, or of the field of the query");
            }
            OpenApiAuthKind::Oauth if self.token_url.is_none() || self.client_id.is_none() => {
                return wrong("`oauth` needs `token_url` and `client_id`");
            }
            OpenApiAuthKind::Bearer
            | OpenApiAuthKind::Basic
            | OpenApiAuthKind::Header
            | OpenApiAuthKind::Query
            | OpenApiAuthKind::Oauth => {}
        }
        let takes_name = matches!(self.kind, OpenApiAuthKind::Header | OpenApiAuthKind::Query);
        if self.name.is_some() && !takes_name {
            return wrong("`name` is only for `header` and `query`");
        }
        if !is_oauth && (self.token_url.is_some() || self.client_id.is_some() || self.scope.is_some()) {
            return wrong("`token_url`, `client_id` and `scope` are only for `oauth`");
        }
        Ok(())
    }
}
