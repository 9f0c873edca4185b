//! Servers and clients of other people, as they are published. `scripts/setup conformance` installs them.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use holm_grants::GrantSet;
use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{Tool, ToolOutput};
use holm_mcp::server::{Door, Exposed, Rights, serve_http};
use holm_mcp::{Era, Means, Program, Remote, ServerSpec};
use holm_net::{Client, Connector, SystemResolver, Tls};
use holm_runtime::{CancellationToken, Progress, Toolbox, tool_fn};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::published::PYTHON_SERVER;
use crate::support::{Place, text};

/// Where they are.
pub(crate) fn home() -> PathBuf {
    let cache = || {
        std::env::var_os("XDG_CACHE_HOME")
            .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"), PathBuf::from)
    };
    let home = std::env::var_os("HOLM_MCP_PEERS").map_or_else(|| cache().join("holm/mcp"), PathBuf::from);
    assert!(
        home.join("holm-versions").is_file(),
        "{} has no peers: run scripts/setup conformance",
        home.display()
    );
    home.canonicalize().unwrap()
}

pub(crate) fn node() -> PathBuf {
    home().join("node_modules/.bin/node").canonicalize().unwrap()
}

/// A server that is a program of the folder of peers.
pub(crate) fn spec(name: &str, program: Program) -> ServerSpec {
    let grants = [format!("read:{}/", home().display())];
    let spec = ServerSpec::program(name, program).unwrap();
    spec.grants(GrantSet::parse(grants.iter().map(String::as_str)).unwrap())
}

pub(crate) async fn call(remote: &Remote, tool: &str, arguments: Value) -> rmcp::model::CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    remote.call(tool, arguments, &Progress::silent(), &CancellationToken::new()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_is_used_from_its_jail() {
    let script = home().join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let place = Place::new();
    let program = Program::new(node().to_str().unwrap()).args([script.to_str().unwrap(), "stdio"]);
    let remote = Remote::new(spec("everything", program).era(Era::Handshake), place.means());
    assert!(remote.list().await.unwrap().tools.len() > 5);
    let echoed = call(&remote, "echo", json!({ "message": "across the water" })).await;
    assert!(text(&echoed).contains("across the water"));
    assert!(!remote.resources().await.unwrap().is_empty());
    assert!(!remote.prompts().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_python_sdk_is_used_in_either_era() {
    let place = Place::new();
    let python = home().join("python/bin/python3");
    let real = python.canonicalize().unwrap();
    let packages = std::fs::read_dir(home().join("python/lib")).unwrap().next().unwrap().unwrap().path();
    let program = Program::new(real.to_str().unwrap())
        .args(["-c", PYTHON_SERVER])
        .env("PYTHONPATH", packages.join("site-packages").to_str().unwrap());
    // An interpreter outside of the system's folders brings its own library.
    let own = real.parent().and_then(std::path::Path::parent).unwrap();
    for era in [Era::Handshake, Era::Either] {
        let mut spec = spec("python", program.clone()).era(era);
        if own != std::path::Path::new("/usr") {
            spec.grants.insert(format!("read:{}/", own.display()).parse().unwrap());
        }
        let remote = Remote::new(spec, place.means());
        let sum = call(&remote, "add", json!({ "a": 40, "b": 2 })).await;
        assert_eq!(text(&sum), "42", "{era:?}");
    }
}

/// Holm's server over HTTP, with one tool.
async fn served() -> (String, tokio::task::JoinHandle<()>) {
    let schema = Json::parse(r#"{"type":"object","properties":{"word":{"type":"string"}}}"#).unwrap();
    let tool = Tool::new("say", "Says it again.", schema).level(Level::None);
    let tools = Toolbox::new().with(tool_fn(tool, |job| async move { ToolOutput::text(&*job.arguments) }));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let exposed = Exposed::new().tools(tools, Rights::default());
    let serving = tokio::spawn(async move { drop(serve_http(listener, exposed, Door::new("sesame")).await) });
    (url, serving)
}

#[tokio::test(flavor = "multi_thread")]
async fn holm_speaks_with_itself_over_http_in_either_era() {
    let (url, serving) = served().await;
    let net = Client::new(Connector::new(Arc::new(SystemResolver)), Tls::platform().unwrap());
    for (era, version) in
        [(Era::Handshake, "2025-11-25"), (Era::Stateless, "2026-07-28"), (Era::Either, "2026-07-28")]
    {
        let mut entry = json!({ "url": url });
        entry["headers"] = json!({ "Authorization": "Bearer sesame" });
        let spec = ServerSpec::read("holm".parse().unwrap(), &entry, &|_| None).unwrap().era(era);
        let remote = Remote::new(spec, Means::new().net(net.clone()));
        assert_eq!(text(&call(&remote, "say", json!({ "word": "hi" })).await), r#"{"word":"hi"}"#, "{era:?}");
        assert_eq!(remote.version().await.unwrap(), version);
    }
    let bare = Remote::new(ServerSpec::address("holm", &url).unwrap(), Means::new().net(net));
    let refused = bare.call("say", Map::new(), &Progress::silent(), &CancellationToken::new()).await;
    assert!(matches!(refused, Err(holm_mcp::RemoteError::Login(_))), "{refused:?}");
    serving.abort();
}

const NPM_CLIENT: &str = r#"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const headers = { Authorization: 'Bearer sesame' };
const transport = new StreamableHTTPClientTransport(new URL(process.argv[1]), { requestInit: { headers } });
const client = new Client({ name: 'npm', version: '1' });
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool({ name: tools[0].name, arguments: { word: 'from npm' } });
console.log(result.content[0].text);
await client.close();
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_npm_sdk_uses_holm() {
    let (url, serving) = served().await;
    let ran = Command::new(node())
        .args(["--input-type=module", "-e", NPM_CLIENT, &url])
        .current_dir(home())
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    serving.abort();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(said.trim(), r#"{"word":"from npm"}"#, "{}", String::from_utf8_lossy(&ran.stderr));
}
