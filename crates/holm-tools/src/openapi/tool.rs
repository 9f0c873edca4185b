//! One operation as a tool. It sends the one request that its call was allowed: the policy of the
//! connection is made of the call's needs, so a URL that is not among them is not opened.

use std::sync::Arc;

use holm_grants::{
    AccessRequest, CallNeed, FetchPattern, Grant, GrantPolicy, Level, NeedTemplate, TemplateError, Url,
};
use holm_guards::json::Json;
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_kernel::{Repeat, ToolOutput, ToolSpec, Yields};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, NetError};
use holm_runtime::{BoxFuture, SecretRedactor, Tool, ToolInvocation};
use http::{Method, StatusCode};

use super::answer::OpenApiAnswer;
use super::auth::OpenApiAuthenticator;
use super::document::shown;
use super::operation::{ArgumentPlace, OpenApiOperation, slots};
use super::request::OpenApiRequest;
use crate::authority;

/// The user agent that a server sees.
const AGENT: &str = concat!("holm/", env!("CARGO_PKG_VERSION"));
/// The most arguments of a need.
const MOST_SLOTS: usize = 8;
/// How many redirects of a look are followed.
const MOST_REDIRECTS: u8 = 5;

/// What all tools of a document share.
pub(super) struct OpenApiServer {
    pub(super) client: HttpClient,
    pub(super) limits: ExchangeLimits,
    pub(super) auth: OpenApiAuthenticator,
}

/// An operation as a tool.
pub(super) struct OpenApiTool {
    pub(super) declaration: ToolSpec,
    pub(super) call: Arc<OpenApiCall>,
}

/// What a call of an operation needs to know.
pub(super) struct OpenApiCall {
    pub(super) server: Arc<OpenApiServer>,
    pub(super) operation: OpenApiOperation,
    /// The address that the path is added to, without a slash at its end.
    pub(super) base: String,
    /// Whether that is the document's server and not one of the operation's own.
    pub(super) is_own_server: bool,
}

/// The declaration of an operation.
pub(super) fn declaration(
    name: &str,
    operation: &mut OpenApiOperation,
    base: &str,
    only_reads: bool,
) -> Result<ToolSpec, String> {
    let level = if only_reads { Level::ReadOnly } else { Level::Execute };
    let schema = std::mem::take(&mut operation.schema);
    let tool = ToolSpec::new(name, std::mem::take(&mut operation.about), schema).level(level);
    Ok(ToolSpec {
        needs: vec![need(operation, base)?],
        empty: EmptyOutput::Allowed,
        error_text: ErrorText::Allowed,
        repeat: if only_reads { Repeat::Idempotent } else { Repeat::Once },
        yields: Yields { untrusted: true, private: false, egress: true },
        ..tool
    })
}

/// The need of a call: its URL, or what its path begins with if arguments in it are no plain texts.
fn need(operation: &OpenApiOperation, base: &str) -> Result<NeedTemplate, String> {
    let in_path = operation.arguments.iter().filter(|argument| argument.place == ArgumentPlace::Path);
    let names = slots(&operation.path)?;
    let is_exact = names.len() <= MOST_SLOTS && in_path.clone().all(|argument| argument.is_plain);
    if is_exact {
        let path = in_path.fold(operation.path.clone(), |path, argument| {
            path.replace(&format!("{{{}}}", argument.wire), &format!("{{{}}}", argument.name))
        });
        if let Ok(template) = format!("fetch:{base}{path}").parse() {
            return Ok(template);
        }
    }
    let literal = operation.path.split('{').next().unwrap_or_default();
    let folder =
        if names.is_empty() { literal } else { literal.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let folder: Result<NeedTemplate, TemplateError> = format!("fetch:{base}{folder}").parse();
    folder.or_else(|_| format!("fetch:{base}").parse()).map_err(|error: TemplateError| error.to_string())
}

impl Tool for OpenApiTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let call = Arc::clone(&self.call);
        Box::pin(async move {
            let stop = job.stop.clone();
            tokio::select! {
                output = call.send(&job) => output,
                () = stop.cancelled() => ToolOutput::failed("stopped: it was cancelled"),
            }
        })
    }
}

impl OpenApiCall {
    async fn send(&self, job: &ToolInvocation) -> ToolOutput {
        let mut secrets = SecretRedactor::only_known();
        let mut output = match self.answer(job, &mut secrets).await {
            Ok(output) => output,
            Err(why) => ToolOutput::failed(why),
        };
        secrets.output(&mut output);
        output
    }

    /// Sends the request. The filter learns every key of the call before it is sent.
    async fn answer(&self, job: &ToolInvocation, secrets: &mut SecretRedactor) -> Result<ToolOutput, String> {
        let arguments = Json::parse(&job.arguments).map_err(|error| error.to_string())?;
        let mut request = OpenApiRequest::new(&self.operation, &self.base, &arguments)?;
        let sent = request.clone();
        let url = parsed(&request.url)?;
        if !self.operation.is_keyless {
            let known = std::mem::take(secrets);
            *secrets =
                self.server.auth.sign(&url, self.is_own_server, &mut request, known, &job.denials).await?;
        }
        let (policy, limits) = self.bounds(job);
        let message = self.message(&request)?;
        let answer =
            self.server.client.send(message, &policy, &limits).await.map_err(|error| refused(&error))?;
        let (status, headers, from) = (answer.status(), answer.headers().clone(), answer.url().to_string());
        let bytes = answer.bytes().await.map_err(|error| refused(&error))?;
        let answer = OpenApiAnswer { status, headers, url: from, bytes: bytes.to_vec() };
        self.output(&answer, &sent, &url).await
    }

    async fn output(
        &self,
        answer: &OpenApiAnswer,
        sent: &OpenApiRequest,
        url: &Url,
    ) -> Result<ToolOutput, String> {
        let (status, method) = (answer.status, &self.operation.method);
        let text = answer.text(method);
        if status.is_success() {
            let mut text = text?;
            if let Some(next) = answer.next_page(&self.operation, sent) {
                text = format!("{text}\n\n{next}");
            }
            return Ok(ToolOutput::text(text));
        }
        let mut message = format!("{method} {} answered {status}", shown(&sent.url));
        if status.is_redirection() {
            message.push_str("; the redirect was not followed");
        }
        if status == StatusCode::UNAUTHORIZED {
            self.server.auth.forget_token().await;
            let hint = self.server.auth.hint(url);
            message.extend(hint.into_iter().flat_map(|hint| ["; ".to_owned(), hint]));
        }
        Err(format!("{message}\n\n{}", text.unwrap_or_else(|why| why)))
    }

    fn message(&self, request: &OpenApiRequest) -> Result<HttpClientRequest, String> {
        let method =
            Method::from_bytes(self.operation.method.as_bytes()).map_err(|error| error.to_string())?;
        let mut message = HttpClientRequest::new(method, parsed(&request.full_url())?);
        let has = |wanted: &str| request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let mut headers = request.headers.clone();
        if !has("user-agent") {
            headers.push(("user-agent".into(), AGENT.into()));
        }
        headers.push(("accept".into(), "application/json, text/*;q=0.8, */*;q=0.5".into()));
        if let Some((kind, _)) = &request.body {
            headers.push(("content-type".into(), kind.clone()));
        }
        for (name, value) in &headers {
            message = message.header(name, value).map_err(|error| error.to_string())?;
        }
        let body = request.body.as_ref().map(|(_, text)| text.clone());
        Ok(body.into_iter().fold(message, HttpClientRequest::body))
    }

    /// Exactly what the call was allowed. A path that no grant can spell was allowed with its host;
    /// then no redirect is followed.
    fn bounds(&self, job: &ToolInvocation) -> (GrantPolicy, ExchangeLimits) {
        let (mut grants, mut limits) = (authority::grants(&job.needs), self.server.limits.clone());
        let only_reads = matches!(self.operation.method.as_str(), "GET" | "HEAD");
        limits.redirects = if only_reads { MOST_REDIRECTS } else { 0 };
        for need in &*job.needs {
            if let CallNeed::Request(AccessRequest::Fetch(url)) = need
                && !grants.admits(&AccessRequest::Fetch(url.clone()))
            {
                grants.extend(FetchPattern::origin(url).map(Grant::Fetch));
                limits.redirects = 0;
            }
        }
        (GrantPolicy { grants, denials: (*job.denials).clone() }, limits)
    }
}

fn parsed(url: &str) -> Result<Url, String> {
    url.parse().map_err(|error| format!("{}: {error}", shown(url)))
}

fn refused(error: &NetError) -> String {
    let NetError::Refused(refusal) = error else { return error.to_string() };
    match (&refusal.missing, &refusal.led_to) {
        (Some(grant), Some(url)) => {
            format!("the server redirected to {url}, which this call may not reach: missing grant {grant}")
        }
        (Some(_) | None, _) => error.to_string(),
    }
}
