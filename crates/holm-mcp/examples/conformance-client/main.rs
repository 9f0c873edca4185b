//! The client that the official conformance suite talks with: it does what Holm does with any server, and nothing that is
//! made for the suite but to be its own person at the browser and the keyboard.
//!
//! The suite gives the address as the last argument and the rest in variables; see `scripts/conformance`.

use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use holm_grants::{GrantPolicy, GrantSet};
use holm_mcp::{
    ElicitationHandler, LoginBrowser, LoginSettings, McpServerSpec, McpTransports, ProtocolEra, RemoteServer,
    ServerAddress, ServerAnswer, ServerEndpoint, ServerQuestion,
};
use holm_net::{Connector, ExchangeLimits, HttpClient, HttpClientRequest, SystemResolver, TlsConfig};
use holm_runtime::{BoxFuture, CancellationToken, ProgressReporter};
use serde_json::{Map, Value, json};

/// Where the suite's own servers may be: on this machine, at any port.
const HERE: [&str; 2] = ["fetch:http://localhost:*", "fetch:http://127.0.0.1:*"];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).context("the address of a server is missing")?;
    let context: Value = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Value::Null,
    };
    let mut address = ServerAddress::new(&url)?;
    if let Some(id) = context.get("client_id").and_then(Value::as_str) {
        let secret = context.get("client_secret").and_then(Value::as_str);
        address.client = Some((id.to_owned(), secret.map(str::to_owned)));
    }
    let mut spec = McpServerSpec::address("suite", &url)?.grants(GrantSet::parse(HERE)?).era(era());
    spec.reach = ServerEndpoint::Address(address);
    let net = HttpClient::new(Connector::new(Arc::new(SystemResolver)), TlsConfig::platform()?);
    let login = LoginSettings::new(Alone(net.clone()))
        .document("https://conformance-test.local/client-metadata.json");
    let remote = RemoteServer::new(spec, McpTransports::new().net(net).asker(Agreeable).login(login));
    let outcome = use_it(&remote, &context).await;
    remote.close().await;
    outcome
}

/// Lists the tools and calls those that the suite wants, or all of them.
async fn use_it(remote: &RemoteServer, context: &Value) -> anyhow::Result<()> {
    let listing = remote.list().await?;
    let wanted = context.get("toolCalls").and_then(Value::as_array);
    let calls: Vec<(String, Map<String, Value>)> = match wanted {
        Some(wanted) => wanted.iter().filter_map(call).collect(),
        None => {
            let arguments = |schema: &holm_guards::json::Json| {
                let schema: Value = serde_json::from_str(&schema.canonical()).unwrap_or_default();
                made_up(&schema)
            };
            listing.tools.iter().map(|tool| (tool.name.clone(), arguments(&tool.schema))).collect()
        }
    };
    for (name, arguments) in calls {
        remote.call(&name, arguments, &ProgressReporter::silent(), &CancellationToken::new()).await?;
    }
    Ok(())
}

fn call(wanted: &Value) -> Option<(String, Map<String, Value>)> {
    let arguments = wanted.get("arguments").and_then(Value::as_object).cloned();
    Some((wanted.get("name")?.as_str()?.to_owned(), arguments.unwrap_or_default()))
}

/// The suite says which era it is about; without a word, both are tried.
fn era() -> ProtocolEra {
    match std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").as_deref() {
        Ok(version) if version >= "2026-07-28" => ProtocolEra::Stateless,
        Ok(_) => ProtocolEra::Handshake,
        Err(_) => ProtocolEra::Either,
    }
}

/// Arguments that a schema accepts: one for each member that it requires.
fn made_up(schema: &Value) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let value = |name: &str| match schema.pointer(&format!("/properties/{name}/type")).and_then(Value::as_str)
    {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        _ => json!("test"),
    };
    required.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), value(name))).collect()
}

/// Answers every question by what the server suggests.
struct Agreeable;

impl ElicitationHandler for Agreeable {
    fn ask(&self, _: ServerQuestion) -> BoxFuture<'static, ServerAnswer> {
        Box::pin(async { ServerAnswer::Given(Map::new()) })
    }
}

/// A browser without a person: it goes where it is sent, once.
struct Alone(HttpClient);

impl LoginBrowser for Alone {
    fn comes_back_to(&self) -> String {
        "http://localhost:3000/callback".into()
    }

    fn visit(&self, url: String) -> BoxFuture<'static, Result<String, String>> {
        let client = self.0.clone();
        Box::pin(async move { sent_to(&client, &url).await.map_err(|error| error.to_string()) })
    }
}

async fn sent_to(client: &HttpClient, url: &str) -> anyhow::Result<String> {
    let policy = GrantPolicy { grants: GrantSet::parse(HERE)?, ..GrantPolicy::default() };
    let limits = ExchangeLimits { redirects: 0, ..ExchangeLimits::default() };
    let answer = client.send(HttpClientRequest::get(url.parse()?), &policy, &limits).await?;
    let place = answer.headers().get("location").and_then(|place| place.to_str().ok());
    place.map(str::to_owned).ok_or_else(|| anyhow!("the browser was sent nowhere"))
}
