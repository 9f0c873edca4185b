//! The `web_search` tool: its declaration, and the one request of a call. What a service expects is
//! in `service.rs`, the parsing of its response in `answer.rs`, and the connection in
//! `holm-net/src/client.rs`. It follows no redirect, because the key must reach only the service's
//! own origin.

use std::sync::Arc;

use holm_grants::{GrantPolicy, Level};
use holm_guards::json::Json;
use holm_guards::plausibility::ErrorText;
use holm_kernel::{ToolOutput, ToolSpec, Yields};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, MimeFilter};
use holm_runtime::{BoxFuture, SecretString, Tool, ToolInvocation};
use secrecy::ExposeSecret as _;
use serde::Deserialize;

use super::answer;
use super::service::{MAX_RESULTS, SearchService, SearchServiceError};
use crate::authority;

/// How many results there are unless the model asks for more.
const RESULTS: u64 = 8;

/// Searches the web with a service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebSearchTool {
    declaration: ToolSpec,
    shared: Arc<WebSearchSettings>,
}

#[derive(Debug)]
struct WebSearchSettings {
    client: HttpClient,
    service: SearchService,
    key: Option<SecretString>,
    limits: ExchangeLimits,
}

/// The arguments of the tool.
#[derive(Debug, Deserialize)]
struct WebSearchArguments {
    query: String,
    #[serde(default)]
    count: Option<u64>,
}

impl WebSearchTool {
    /// The tool over this client, with the key that the service wants.
    ///
    /// # Errors
    ///
    /// If the service's endpoint is not a valid URL.
    pub fn new(
        client: HttpClient,
        service: SearchService,
        key: Option<SecretString>,
    ) -> Result<Self, SearchServiceError> {
        let limits = ExchangeLimits {
            body: 2 << 20,
            redirects: 0,
            mimes: MimeFilter::Only(vec!["application/json".into(), "text/json".into()]),
            ..ExchangeLimits::default()
        };
        let declaration = declaration(&service)?;
        Ok(Self { declaration, shared: Arc::new(WebSearchSettings { client, service, key, limits }) })
    }
}

impl Tool for WebSearchTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let stop = job.stop.clone();
            let searched =
                async { shared.search(&job).await.map_or_else(ToolOutput::failed, ToolOutput::text) };
            tokio::select! {
                output = searched => output,
                () = stop.cancelled() => ToolOutput::failed("stopped: it was cancelled"),
            }
        })
    }
}

impl WebSearchSettings {
    async fn search(&self, job: &ToolInvocation) -> Result<String, String> {
        let arguments: WebSearchArguments = job.parse().map_err(|error| error.to_string())?;
        let count = arguments.count.unwrap_or(RESULTS).clamp(1, MAX_RESULTS);
        let (method, url, body) =
            self.service.question(&arguments.query, count).map_err(|error| error.to_string())?;
        let mut request = HttpClientRequest::new(method, url);
        let header = |request: HttpClientRequest, name: &str, value: &str| {
            request.header(name, value).map_err(|error| error.to_string())
        };
        request = header(request, "accept", "application/json")?;
        if let Some(body) = body {
            request = header(request, "content-type", "application/json")?.body(body);
        }
        if let Some((name, value)) = &self.service.header {
            let key = self.key.as_ref().ok_or("the search service needs a key; set one")?;
            request = header(request, name, &value.replace("{key}", key.expose_secret()))?;
        }
        let policy = GrantPolicy { grants: authority::grants(&job.needs), denials: (*job.denials).clone() };
        let answer =
            self.client.send(request, &policy, &self.limits).await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let bytes = answer.bytes().await.map_err(|error| error.to_string())?;
        if !status.is_success() {
            // The body may repeat the key.
            return Err(format!("the search service answered {status}"));
        }
        answer::read(&self.service, &String::from_utf8_lossy(&bytes), count)
    }
}

fn declaration(service: &SearchService) -> Result<ToolSpec, SearchServiceError> {
    let query = Json::object([
        ("type", Json::from("string")),
        ("description", Json::from("What to search for.")),
        ("minLength", Json::from(1_u64)),
        ("maxLength", Json::from(500_u64)),
    ]);
    let count = Json::object([
        ("type", Json::from("integer")),
        ("description", Json::from("How many results; default 8.")),
        ("minimum", Json::from(1_u64)),
        ("maximum", Json::from(MAX_RESULTS)),
    ]);
    let schema = Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object([("query", query), ("count", count)])),
        ("required", Json::from(vec![Json::from("query")])),
        ("additionalProperties", Json::from(false)),
    ]);
    let about = "Searches the web. Returns titles, addresses and excerpts; fetch what is worth reading.";
    let tool = ToolSpec::new("web_search", about, schema).level(Level::ReadOnly);
    let tool = tool.needs([service.grant()?]).map_err(|_| service.no_grant())?;
    Ok(ToolSpec {
        error_text: ErrorText::Allowed,
        yields: Yields { untrusted: true, private: false, egress: true },
        ..tool
    })
}
