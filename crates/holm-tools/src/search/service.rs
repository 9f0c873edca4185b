//! The definition of a search service: how it is queried, and where its response has the results.
//! It sends nothing (`tool.rs`) and parses no response (`answer.rs`). A new service belongs here as
//! data; it needs no code elsewhere if its response is a JSON list.

use holm_grants::{FetchPattern, Url};
use holm_guards::json::Json;
use http::Method;
use serde::{Deserialize, Serialize};

/// The most results of one request.
pub(super) const MAX_RESULTS: u64 = 20;

/// A search service, as data.
///
/// ```
/// use holm_tools::search::{QueryEncoding, SearchService};
/// let service = SearchService {
///     endpoint: "https://search.example.org/search".into(),
///     ..SearchService::searxng("https://x.example")?
/// };
/// assert_eq!(service.grant()?, "fetch:https://search.example.org");
/// # Ok::<(), holm_tools::search::SearchServiceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchService {
    /// The URL of the service, without the query.
    pub endpoint: String,
    /// How the query is sent.
    pub asking: QueryEncoding,
    /// The header that carries the key; `{key}` in its value is replaced. `None` if
    /// no key is needed.
    #[serde(default)]
    pub header: Option<(String, String)>,
    /// The JSON pointer to the list of results.
    pub results: String,
    /// The member of a result that is its title.
    pub title: String,
    /// The member that is its address.
    pub url: String,
    /// The member that is a piece of its text.
    pub snippet: String,
}

/// How a query is sent to the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryEncoding {
    /// As parameters of the URL.
    Parameters {
        /// The parameter of the question.
        query: String,
        /// The parameter for the number of results, if the service has one.
        count: Option<String>,
        /// Parameters that are always there.
        fixed: Vec<(String, String)>,
    },
    /// As members of a JSON object.
    Members {
        /// The member of the question.
        query: String,
        /// The member for the number of results, if the service has one.
        count: Option<String>,
    },
}

/// Why a service cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not the address of a search service; write an https URL without a query")]
pub struct SearchServiceError(String);

impl SearchService {
    /// A `SearXNG` instance at this address; its JSON format must be switched on.
    ///
    /// # Errors
    ///
    /// If the address is not a valid URL.
    pub fn searxng(address: &str) -> Result<Self, SearchServiceError> {
        let service = Self {
            endpoint: format!("{}/search", address.trim_end_matches('/')),
            asking: QueryEncoding::Parameters {
                query: "q".into(),
                count: None,
                fixed: vec![("format".into(), "json".into())],
            },
            header: None,
            results: "/results".into(),
            title: "title".into(),
            url: "url".into(),
            snippet: "content".into(),
        };
        service.address().map(|_| service)
    }

    /// The Brave Search API.
    #[must_use]
    pub fn brave() -> Self {
        Self {
            endpoint: "https://api.search.brave.com/res/v1/web/search".into(),
            asking: QueryEncoding::Parameters {
                query: "q".into(),
                count: Some("count".into()),
                fixed: Vec::new(),
            },
            header: Some(("x-subscription-token".into(), "{key}".into())),
            results: "/web/results".into(),
            title: "title".into(),
            url: "url".into(),
            snippet: "description".into(),
        }
    }

    #[must_use]
    pub fn tavily() -> Self {
        Self {
            endpoint: "https://api.tavily.com/search".into(),
            asking: QueryEncoding::Members { query: "query".into(), count: Some("max_results".into()) },
            header: Some(("authorization".into(), "Bearer {key}".into())),
            results: "/results".into(),
            title: "title".into(),
            url: "url".into(),
            snippet: "content".into(),
        }
    }

    /// The grant that asking it needs.
    ///
    /// # Errors
    ///
    /// If its endpoint is not a valid URL.
    pub fn grant(&self) -> Result<String, SearchServiceError> {
        let origin =
            FetchPattern::origin(&self.address()?).map_err(|_| SearchServiceError(self.endpoint.clone()))?;
        Ok(format!("fetch:{origin}"))
    }

    /// The method, address and body of one question.
    pub(super) fn question(
        &self,
        query: &str,
        count: u64,
    ) -> Result<(Method, Url, Option<String>), SearchServiceError> {
        let wrong = || SearchServiceError(self.endpoint.clone());
        match &self.asking {
            QueryEncoding::Parameters { query: name, count: number, fixed } => {
                let mut url: url::Url = self.endpoint.parse().map_err(|_| wrong())?;
                {
                    let mut pairs = url.query_pairs_mut();
                    pairs.append_pair(name, query);
                    if let Some(number) = number {
                        pairs.append_pair(number, &count.to_string());
                    }
                    pairs.extend_pairs(fixed);
                }
                Ok((Method::GET, url.as_str().parse().map_err(|_| wrong())?, None))
            }
            QueryEncoding::Members { query: name, count: number } => {
                let count = number.iter().map(|number| (number.clone(), Json::from(count)));
                let body = Json::object(std::iter::once((name.clone(), Json::from(query))).chain(count));
                Ok((Method::POST, self.address()?, Some(body.canonical())))
            }
        }
    }

    pub(super) fn no_grant(&self) -> SearchServiceError {
        SearchServiceError(self.endpoint.clone())
    }

    fn address(&self) -> Result<Url, SearchServiceError> {
        self.endpoint.parse().map_err(|_| SearchServiceError(self.endpoint.clone()))
    }
}
