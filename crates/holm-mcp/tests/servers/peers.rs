//! Servers and clients of other people, as they are published. `scripts/setup conformance` installs them.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use holm_grants::GrantSet;
use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{ToolOutput, ToolSpec};
use holm_mcp::server::{CallRights, HttpAccessPolicy, McpServerHandler, serve_http};
use holm_mcp::{McpServerSpec, McpTransports, ProtocolEra, RemoteServer, ServerProgram};
use holm_net::{Connector, HttpClient, SystemResolver, TlsConfig};
use holm_runtime::{CancellationToken, ProgressReporter, Toolbox, tool_fn};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::published::{Listening, PYTHON_SERVER};
use crate::support::{PATIENCE, Place, text};

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
pub(crate) fn spec(name: &str, program: ServerProgram) -> McpServerSpec {
    let grants = [format!("read:{}/", home().display())];
    let spec = McpServerSpec::program(name, program).unwrap();
    spec.grants(GrantSet::parse(grants.iter().map(String::as_str)).unwrap())
}

pub(crate) async fn call(remote: &RemoteServer, tool: &str, arguments: Value) -> rmcp::model::CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    remote.call(tool, arguments, &ProgressReporter::silent(), &CancellationToken::new()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_is_used_from_its_jail() {
    let script = home().join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let place = Place::new();
    let program = ServerProgram::new(node().to_str().unwrap()).args([script.to_str().unwrap(), "stdio"]);
    let remote = RemoteServer::new(spec("everything", program).era(ProtocolEra::Handshake), place.means());
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
    let program = ServerProgram::new(python.to_str().unwrap()).args(["-c", PYTHON_SERVER]);
    // An interpreter outside of the system's folders brings its own library.
    let own = real.parent().and_then(std::path::Path::parent).unwrap();
    for era in [ProtocolEra::Handshake, ProtocolEra::Either] {
        let mut spec = spec("python", program.clone()).era(era);
        if own != std::path::Path::new("/usr") {
            spec.grants.insert(format!("read:{}/", own.display()).parse().unwrap());
        }
        let remote = RemoteServer::new(spec, place.means());
        let sum = call(&remote, "add", json!({ "a": 40, "b": 2 })).await;
        assert_eq!(text(&sum), "42", "{era:?}");
    }
}

/// A server that adds a tool and tells of it.
const GROWING_SERVER: &str = r#"
import os
from mcp.server.mcpserver import Context, MCPServer
server = MCPServer("growing")
@server.tool()
async def grow(ctx: Context) -> str:
    "Adds a tool."
    def later() -> str:
        "Comes later."
        return "here"
    server.add_tool(later)
    await ctx.notify_tools_changed()
    return "grown"
way = os.environ.get("WAY", "stdio")
if way == "stdio":
    server.run("stdio")
else:
    server.run(way, port=int(os.environ["PORT"]))
"#;

/// Has a server add a tool and waits until the registry has it.
async fn grows(remote: RemoteServer, place: &Place) {
    let registry = holm_tools::registry::ToolRegistry::new();
    assert_eq!(remote.version().await.unwrap(), "2026-07-28");
    let name = remote.name().to_string();
    let _fleet = holm_mcp::ServerSet::start(&registry, [remote], &place.pins());
    let mut changes = registry.changes();
    let (grow, later) = (format!("{name}_grow"), format!("{name}_later"));
    let there = changes.wait_for(|held| held.find(&grow).is_some());
    let held = tokio::time::timeout(PATIENCE, there).await.unwrap().unwrap().clone();
    assert!(held.find(&later).is_none());
    let output = held.find(&grow).unwrap().run(holm_runtime::ToolInvocation::alone("{}")).await;
    assert_eq!(output.text, "grown");
    // Without the notification it would be read again in five minutes.
    let there = changes.wait_for(|held| held.find(&later).is_some());
    tokio::time::timeout(PATIENCE, there).await.expect("the server told of it").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_python_server_of_the_stateless_era_tells_of_new_tools_on_standard_streams() {
    let place = Place::new();
    let python = home().join("python/bin/python3");
    let program = ServerProgram::new(python.to_str().unwrap()).args(["-c", GROWING_SERVER]);
    let mut spec = spec("python", program).era(ProtocolEra::Stateless);
    let real = python.canonicalize().unwrap();
    let own = real.parent().and_then(std::path::Path::parent).unwrap();
    if own != std::path::Path::new("/usr") {
        spec.grants.insert(format!("read:{}/", own.display()).parse().unwrap());
    }
    grows(RemoteServer::new(spec, place.means()), &place).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_python_server_of_the_stateless_era_tells_of_new_tools_over_http() {
    let mut command = Command::new(home().join("python/bin/python3"));
    command.args(["-c", GROWING_SERVER]).env("WAY", "streamable-http");
    let server = Listening::start(command).await;
    grows(server.remote("/mcp", holm_mcp::HttpVariant::Newer, ProtocolEra::Stateless), &Place::new()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_a_virtual_environment_finds_its_packages() {
    let place = Place::new();
    let venv = place.path().join("venv");
    let made =
        Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&venv).status().await.unwrap();
    assert!(made.success());
    let lib = std::fs::read_dir(venv.join("lib")).unwrap().next().unwrap().unwrap().path();
    let only_here = "def greeting():\n    return 'from the environment'\n";
    std::fs::write(lib.join("site-packages/only_here.py"), only_here).unwrap();
    let script = std::fs::read_to_string(crate::support::script()).unwrap();
    let script = format!("import only_here; assert only_here.greeting()\n{script}");
    let state = place.path().join("t.state").display().to_string();
    let python = venv.join("bin/python").display().to_string();
    let program = ServerProgram::new(&python).args(["-c", &script, "ok", &state]);
    let real = std::path::Path::new(&python).canonicalize().unwrap();
    let own = real.parent().and_then(std::path::Path::parent).unwrap().display().to_string();
    let open = |grants: &[String]| {
        let system = (own != "/usr").then(|| format!("read:{own}/"));
        let grants: Vec<&str> = grants.iter().chain(&system).map(String::as_str).collect();
        let spec = McpServerSpec::program("t", program.clone()).unwrap();
        let spec = spec.grants(GrantSet::parse(grants).unwrap()).era(ProtocolEra::Handshake);
        RemoteServer::new(spec, place.means())
    };
    let folder = place.path().display().to_string();
    let granted = [format!("read:{folder}/"), format!("write:{folder}/")];
    assert!(!open(&granted).list().await.unwrap().tools.is_empty());
    let error = open(&[]).list().await.unwrap_err().to_string();
    assert!(error.contains(&format!("it may need the grant read:{folder}/venv/**")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_waits_for_the_network_without_one_is_given_up_at_once() {
    let place = Place::new();
    let waits = "import sys, time\nsys.stderr.write('getaddrinfo EAI_AGAIN registry.npmjs.org\\n')\n\
                 sys.stderr.flush()\ntime.sleep(3600)";
    let program = ServerProgram::new("python3").args(["-c", waits]);
    let spec = McpServerSpec::program("t", program).unwrap();
    let begun = std::time::Instant::now();
    let error = RemoteServer::new(spec, place.means()).list().await.unwrap_err().to_string();
    assert!(error.contains("it seems to need the network"), "{error}");
    // A server that says nothing has two minutes.
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

/// Holm's server over HTTP, with one tool.
async fn served() -> (String, tokio::task::JoinHandle<()>) {
    let schema = Json::parse(r#"{"type":"object","properties":{"word":{"type":"string"}}}"#).unwrap();
    let tool = ToolSpec::new("say", "Says it again.", schema).level(Level::None);
    let tools = Toolbox::new().with(tool_fn(tool, |job| async move { ToolOutput::text(&*job.arguments) }));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let exposed = McpServerHandler::new().tools(tools, CallRights::default());
    let serving =
        tokio::spawn(
            async move { drop(serve_http(listener, exposed, HttpAccessPolicy::new("sesame")).await) },
        );
    (url, serving)
}

#[tokio::test(flavor = "multi_thread")]
async fn holm_speaks_with_itself_over_http_in_either_era() {
    let (url, serving) = served().await;
    let net = HttpClient::new(Connector::new(Arc::new(SystemResolver)), TlsConfig::platform().unwrap());
    for (era, version) in [
        (ProtocolEra::Handshake, "2025-11-25"),
        (ProtocolEra::Stateless, "2026-07-28"),
        (ProtocolEra::Either, "2026-07-28"),
    ] {
        let mut entry = json!({ "url": url });
        entry["headers"] = json!({ "Authorization": "Bearer sesame" });
        let spec = McpServerSpec::read("holm".parse().unwrap(), &entry, &|_| None).unwrap().era(era);
        let remote = RemoteServer::new(spec, McpTransports::new().net(net.clone()));
        assert_eq!(text(&call(&remote, "say", json!({ "word": "hi" })).await), r#"{"word":"hi"}"#, "{era:?}");
        assert_eq!(remote.version().await.unwrap(), version);
    }
    let bare =
        RemoteServer::new(McpServerSpec::address("holm", &url).unwrap(), McpTransports::new().net(net));
    let refused = bare.call("say", Map::new(), &ProgressReporter::silent(), &CancellationToken::new()).await;
    assert!(matches!(refused, Err(holm_mcp::RemoteServerError::Login(_))), "{refused:?}");
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
