//! The tool: one GET request for a URL that the call was granted. It resolves and connects nothing
//! itself: `holm-net` checks every address and redirect against the grants of the call, which come
//! from `authority.rs`. If no grant can spell the path, the host is open for this one exchange and
//! no redirect is followed.

use std::sync::Arc;
use std::time::Duration;

use holm_grants::{AccessRequest, CallNeed, DenialSet, FetchPattern, Grant, GrantPolicy, Level, Url};
use holm_guards::json::Json;
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_kernel::{ToolOutput, ToolSpec, Yields};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, MimeFilter, NetError};
use holm_runtime::{BoxFuture, Tool, ToolInvocation};
use http::header::CONTENT_TYPE;
use serde::Deserialize;

use super::body;
use super::markdown::to_markdown;
use crate::authority;

/// The user agent that a server sees.
const AGENT: &str = concat!("holm/", env!("CARGO_PKG_VERSION"));

/// Fetches web pages. Cheap to clone.
///
/// ```no_run
/// use std::sync::Arc;
/// use holm_net::{HttpClient, Connector, SystemResolver, TlsConfig};
/// use holm_runtime::Toolbox;
/// use holm_tools::fetch::FetchTool;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = HttpClient::new(Connector::new(Arc::new(SystemResolver)), TlsConfig::platform()?);
/// let tools = Toolbox::new().with(FetchTool::new(client));
/// # drop(tools); Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FetchTool {
    declaration: ToolSpec,
    shared: Arc<FetchSettings>,
}

#[derive(Debug, Clone)]
struct FetchSettings {
    client: HttpClient,
    denials: DenialSet,
    limits: ExchangeLimits,
}

/// The arguments of the tool.
#[derive(Debug, Deserialize)]
struct FetchArguments {
    url: String,
    #[serde(default)]
    raw: bool,
}

impl FetchTool {
    /// The tool over this client.
    #[must_use]
    pub fn new(client: HttpClient) -> Self {
        let limits = ExchangeLimits {
            body: 5 << 20,
            total: Duration::from_secs(30),
            mimes: MimeFilter::Only(body::READABLE.iter().map(ToString::to_string).collect()),
            ..ExchangeLimits::default()
        };
        let shared = FetchSettings { client, denials: DenialSet::default(), limits };
        Self { declaration: declaration(), shared: Arc::new(shared) }
    }

    /// With hosts that are never reached, as the run's deny list has them.
    #[must_use]
    pub fn denials(mut self, denials: DenialSet) -> Self {
        self.shared = Arc::new(FetchSettings { denials, ..(*self.shared).clone() });
        self
    }

    /// With other bounds of size and time. Which media types are taken stays as it is.
    #[must_use]
    pub fn limits(mut self, mut limits: ExchangeLimits) -> Self {
        limits.mimes = self.shared.limits.mimes.clone();
        self.shared = Arc::new(FetchSettings { limits, ..(*self.shared).clone() });
        self
    }
}

impl Tool for FetchTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let stop = job.stop.clone();
            let fetched = async { shared.fetch(&job).await.unwrap_or_else(ToolOutput::failed) };
            tokio::select! {
                output = fetched => output,
                () = stop.cancelled() => ToolOutput::failed("stopped: it was cancelled"),
            }
        })
    }
}

impl FetchSettings {
    async fn fetch(&self, job: &ToolInvocation) -> Result<ToolOutput, String> {
        let arguments: FetchArguments = job.parse().map_err(|error| error.to_string())?;
        let url: Url = arguments.url.parse().map_err(|error| format!("not a valid URL to fetch: {error}"))?;
        let (policy, limits) = self.bounds(&job.needs, &job.denials);
        let request = request(url).map_err(|error| error.to_string())?;
        let answer = self.client.send(request, &policy, &limits).await.map_err(refused)?;
        let (status, from) = (answer.status(), answer.url().to_string());
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.to_owned();
        let bytes = answer.bytes().await.map_err(refused)?;
        let text = body::text(&bytes, &kind);
        let text = if body::is_html(&kind) && !arguments.raw { to_markdown(&text, &from) } else { text };
        if status.is_success() {
            return Ok(ToolOutput::text(text));
        }
        Err(format!("{from} answered {status}\n\n{text}"))
    }
}

impl FetchSettings {
    /// The policy and limits of a call: exactly what it was granted. The target of a redirect is
    /// checked against it, including the path.
    ///
    /// A path that no grant can spell was allowed with its whole host or by a person; then the host
    /// is open for this one exchange, and no redirect is followed.
    fn bounds(&self, needs: &[CallNeed], denials: &DenialSet) -> (GrantPolicy, ExchangeLimits) {
        let (mut grants, mut limits) = (authority::grants(needs), self.limits.clone());
        for need in needs {
            if let CallNeed::Request(AccessRequest::Fetch(url)) = need
                && !grants.admits(&AccessRequest::Fetch(url.clone()))
            {
                grants.extend(FetchPattern::origin(url).map(Grant::Fetch));
                limits.redirects = 0;
            }
        }
        (GrantPolicy { grants, denials: self.denials.join(denials) }, limits)
    }
}

fn request(url: Url) -> Result<HttpClientRequest, NetError> {
    HttpClientRequest::get(url)
        .header("accept", "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.1")?
        .header("user-agent", AGENT)
}

#[expect(clippy::needless_pass_by_value, reason = "it stands behind map_err")]
fn refused(error: NetError) -> String {
    let NetError::Refused(refusal) = &error else { return error.to_string() };
    match (&refusal.missing, &refusal.led_to) {
        (Some(grant), Some(url)) => format!(
            "redirected to {url}, which this call is not allowed to fetch: missing grant {grant}; to ask \
            for it, call again with that URL"
        ),
        (Some(_), None) => format!("{error}; to ask for it, call again with a URL of {}", refusal.origin),
        (None, _) => error.to_string(),
    }
}

fn declaration() -> ToolSpec {
    let url = Json::object([
        ("type", Json::from("string")),
        ("description", Json::from("What to fetch: an https or http URL.")),
        ("maxLength", Json::from(8192_u64)),
    ]);
    let raw = Json::object([
        ("type", Json::from("boolean")),
        ("description", Json::from("Returns the page unchanged instead of as Markdown.")),
    ]);
    let schema = Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object([("url", url), ("raw", raw)])),
        ("required", Json::from(vec![Json::from("url")])),
        ("additionalProperties", Json::from(false)),
    ]);
    let about = "Fetches a web page or text; pages are returned as Markdown.";
    let tool = ToolSpec::new("fetch", about, schema).level(Level::ReadOnly);
    let tool = tool.clone().needs(["fetch:{url}"]).unwrap_or(ToolSpec { level: Level::Execute, ..tool });
    ToolSpec {
        empty: EmptyOutput::Allowed,
        error_text: ErrorText::Allowed,
        yields: Yields { untrusted: true, private: false, egress: true },
        ..tool
    }
}
