//! The OpenAPI toolboxes of an agent: where the document is, which of its operations become tools,
//! and which secrets its requests carry. It opens no file and resolves no secret; the host does.

use std::fmt;
use std::path::{Path, PathBuf};

use super::json::{JsonNode, JsonNodeKind, JsonSource};
use crate::{ConfigError, ConfigProblem};

/// An OpenAPI toolbox as the agent names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExeApiEntry {
    /// The agent's file has the settings.
    Inline(ExeApi),
    /// The file that has the settings.
    OnDisk { path: PathBuf },
}

/// The settings of an OpenAPI toolbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeApi {
    /// The address of the document, or `file://` and its path.
    pub spec_url: String,
    pub base_url: String,
    pub headers: Vec<(String, ExeHiddenText)>,
    pub token: Option<ExeHiddenText>,
    pub filter: Option<ExeEndpointFilter>,
    pub secrets: Vec<ExeSecret>,
}

/// A text that may be a secret. It is never shown, not by `Debug` either.
#[derive(Clone, PartialEq, Eq)]
pub struct ExeHiddenText(String);

impl ExeHiddenText {
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ExeHiddenText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ExeHiddenText(…)")
    }
}

/// Which operations become tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExeEndpointFilter {
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Not(Box<Self>),
    PathPrefix(String),
    PathSuffix(String),
    PathEqual(String),
    PathContains(String),
    MethodEquals(String),
    OperationIdEquals(String),
    Always(bool),
}

/// A secret of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeSecret {
    pub source: ExeSecretSource,
    pub decoder: ExeSecretDecoder,
    pub place: ExeSecretPlace,
}

/// Where a secret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExeSecretSource {
    /// In the agent's file.
    Given(ExeHiddenText),
    /// In the keys file, under this id.
    ApiKey(String),
    /// In a file, a variable or the output of a program, which Holm does not read for such a project.
    Elsewhere(String),
}

/// How the text of a secret is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExeSecretDecoder {
    Clear { trim: bool },
    Base64,
    Hexadecimal,
}

/// Where a request carries a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExeSecretPlace {
    /// A header, with a text in which `{{secret}}` stands for it.
    Header {
        name: String,
        template: Option<String>,
    },
    Query {
        name: String,
    },
}

impl ExeEndpointFilter {
    /// Whether an operation passes. Prefixes and suffixes are whole parts of a path.
    #[must_use]
    pub fn admits(&self, id: &str, method: &str, path: &str) -> bool {
        let parts = |path: &str| -> Vec<String> {
            path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        match self {
            Self::And(both) => both.iter().all(|one| one.admits(id, method, path)),
            Self::Or(both) => both.iter().any(|one| one.admits(id, method, path)),
            Self::Not(one) => !one.admits(id, method, path),
            Self::PathPrefix(prefix) => parts(path).starts_with(&parts(prefix)),
            Self::PathSuffix(suffix) => parts(path).ends_with(&parts(suffix)),
            Self::PathEqual(other) => parts(path) == parts(other),
            Self::PathContains(part) => path.contains(part.as_str()),
            Self::MethodEquals(other) => method.eq_ignore_ascii_case(other),
            Self::OperationIdEquals(other) => id == other,
            Self::Always(passes) => *passes,
        }
    }
}

impl ExeApi {
    /// Parses the file of a toolbox on disk.
    ///
    /// # Errors
    /// The first error, with its line.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let source = JsonSource { text, path };
        let document = source.parse()?;
        let contents = document.get("contents").unwrap_or(&document);
        ApiReader { source }.api(contents)
    }
}

/// One entry of `openApiToolboxes`; `None` if its tag is not known.
pub(super) fn entry(
    source: JsonSource<'_>,
    tag: &str,
    contents: &JsonNode,
) -> Result<Option<ExeApiEntry>, ConfigError> {
    let reader = ApiReader { source };
    match tag {
        "OpenAPIServer" => Ok(Some(ExeApiEntry::Inline(reader.api(contents)?))),
        "OpenAPIServerOnDisk" => {
            let named = contents.text().or_else(|| contents.get("path").and_then(JsonNode::text));
            let named = named.ok_or_else(|| source.wrong(contents, "the path of a file"))?;
            let path = source.path.parent().unwrap_or(Path::new("")).join(named);
            Ok(Some(ExeApiEntry::OnDisk { path }))
        }
        _ => Ok(None),
    }
}

/// Reads the members of a toolbox.
struct ApiReader<'a> {
    source: JsonSource<'a>,
}

impl ApiReader<'_> {
    fn api(&self, node: &JsonNode) -> Result<ExeApi, ConfigError> {
        let headers = node.get("headers").map(|headers| {
            let members = headers.members().iter();
            members
                .map(|(name, value)| Ok((name.clone(), self.hidden(value)?)))
                .collect::<Result<Vec<_>, ConfigError>>()
        });
        let secrets = match node.get("secrets") {
            None => Vec::new(),
            Some(list) => {
                let items = list.items().ok_or_else(|| self.source.wrong(list, "a list"))?;
                items.iter().map(|item| self.secret(item)).collect::<Result<_, _>>()?
            }
        };
        Ok(ExeApi {
            spec_url: self.text(node, "specUrl")?,
            base_url: self.text(node, "baseUrl")?,
            headers: headers.transpose()?.unwrap_or_default(),
            token: node.get("token").map(|token| self.hidden(token)).transpose()?,
            filter: node.get("filter").map(|filter| self.filter(filter)).transpose()?,
            secrets,
        })
    }

    fn filter(&self, node: &JsonNode) -> Result<ExeEndpointFilter, ConfigError> {
        let contents =
            || node.get("contents").ok_or_else(|| self.source.wrong(node, "an object with contents"));
        let text = || contents().and_then(|contents| self.as_text(contents)).map(str::to_owned);
        let both = || {
            let contents = contents()?;
            match contents.items() {
                Some([first, second]) => Ok(Box::new([self.filter(first)?, self.filter(second)?])),
                Some(_) | None => Err(self.source.wrong(contents, "a list of two filters")),
            }
        };
        match self.text(node, "tag")?.as_str() {
            "And" => Ok(ExeEndpointFilter::And(both()?)),
            "Or" => Ok(ExeEndpointFilter::Or(both()?)),
            "Not" => Ok(ExeEndpointFilter::Not(Box::new(self.filter(contents()?)?))),
            "PathPrefix" => Ok(ExeEndpointFilter::PathPrefix(text()?)),
            "PathSuffix" => Ok(ExeEndpointFilter::PathSuffix(text()?)),
            "PathEqual" => Ok(ExeEndpointFilter::PathEqual(text()?)),
            "PathContains" => Ok(ExeEndpointFilter::PathContains(text()?)),
            "MethodEquals" => Ok(ExeEndpointFilter::MethodEquals(text()?)),
            "OperationIdEquals" => Ok(ExeEndpointFilter::OperationIdEquals(text()?)),
            "AlwaysTrue" => Ok(ExeEndpointFilter::Always(true)),
            "AlwaysFalse" => Ok(ExeEndpointFilter::Always(false)),
            // Keeping every operation in place of an unknown filter would give more than was meant.
            _ => Err(self.source.wrong(node, "a filter such as PathPrefix")),
        }
    }

    fn secret(&self, node: &JsonNode) -> Result<ExeSecret, ConfigError> {
        let part = |name: &str| {
            let part = node.get(name).ok_or_else(|| self.missing(node, name))?;
            Ok::<_, ConfigError>((self.text(part, "tag")?, part))
        };
        let (kind, source) = part("source")?;
        let named = || self.text(source, "contents");
        let source = match kind.as_str() {
            "Given" => ExeSecretSource::Given(ExeHiddenText(named()?)),
            "ApiKey" => ExeSecretSource::ApiKey(named()?),
            "FileSystem" => ExeSecretSource::Elsewhere(format!("the file {}", named()?)),
            "EnvVar" => ExeSecretSource::Elsewhere(format!("the variable {}", named()?)),
            "Command" => ExeSecretSource::Elsewhere("a command".to_owned()),
            _ => return Err(self.source.wrong(source, "a source such as ApiKey")),
        };
        let (kind, node) = part("decoder")?;
        let trim = node
            .get("contents")
            .is_some_and(|contents| contents.kind == JsonNodeKind::Plain(serde_json::Value::Bool(true)));
        let decoder = match kind.as_str() {
            "Clear" => ExeSecretDecoder::Clear { trim },
            "Base64" => ExeSecretDecoder::Base64,
            "Hexadecimal" => ExeSecretDecoder::Hexadecimal,
            _ => return Err(self.source.wrong(node, "a decoder such as Clear")),
        };
        Ok(ExeSecret { source, decoder, place: self.place(part("serializer")?)? })
    }

    fn place(&self, (kind, node): (String, &JsonNode)) -> Result<ExeSecretPlace, ConfigError> {
        let contents = node.get("contents").ok_or_else(|| self.missing(node, "contents"))?;
        match (kind.as_str(), contents.items()) {
            ("Header", Some([name, template])) => Ok(ExeSecretPlace::Header {
                name: self.as_text(name)?.to_owned(),
                template: template.text().map(str::to_owned),
            }),
            ("QueryString", None) => Ok(ExeSecretPlace::Query { name: self.as_text(contents)?.to_owned() }),
            _ => Err(self.source.wrong(node, "a Header with its name and a template, or a QueryString")),
        }
    }

    fn text(&self, node: &JsonNode, key: &str) -> Result<String, ConfigError> {
        let found = node.get(key).ok_or_else(|| self.missing(node, key))?;
        self.as_text(found).map(str::to_owned)
    }

    fn as_text<'n>(&self, node: &'n JsonNode) -> Result<&'n str, ConfigError> {
        node.text().ok_or_else(|| self.source.wrong(node, "a text"))
    }

    fn hidden(&self, node: &JsonNode) -> Result<ExeHiddenText, ConfigError> {
        self.as_text(node).map(|text| ExeHiddenText(text.to_owned()))
    }

    fn missing(&self, node: &JsonNode, key: &str) -> ConfigError {
        let problem = ConfigProblem::WrongValue(format!("`{key}` is missing"));
        ConfigError::at(self.source.path, node.line, problem)
    }
}
