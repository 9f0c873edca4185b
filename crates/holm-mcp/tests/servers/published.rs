//! Servers of other people over every way that they speak: standard streams from a jail, and both kinds of HTTP.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use holm_mcp::{
    HttpVariant, McpServerSpec, McpTransports, ProtocolEra, RemoteServer, ServerAddress, ServerEndpoint,
    ServerProgram,
};
use holm_net::{Connector, HttpClient, SystemResolver, TlsConfig};
use holm_runtime::ToolInvocation;
use holm_tools::registry::NoPinStore;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::peers::{call, home, node, spec};
use crate::support::{PATIENCE, Place, text};

/// A server of the npm SDK: on standard streams, or on the port that it is given.
const NPM_SERVER: &str = r#"
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
function make() {
    const server = new Server({ name: 'npm', version: '1' }, { capabilities: { tools: {} } });
    const inputSchema = { type: 'object', properties: { word: { type: 'string' } } };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'shout', description: 'Shouts.', inputSchema }] }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
        ({ content: [{ type: 'text', text: params.arguments.word.toUpperCase() }] }));
    return server;
}
if (process.env.PORT) {
    createServer(async (request, response) => {
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        await make().connect(transport);
        await transport.handleRequest(request, response);
    }).listen(Number(process.env.PORT), '127.0.0.1');
} else {
    await make().connect(new StdioServerTransport());
}
"#;

/// A server of the Python SDK with a tool, a resource and a prompt.
pub(crate) const PYTHON_SERVER: &str = r#"
import os, sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("python")
@server.tool()
def add(a: int, b: int) -> int:
    "Adds."
    return a + b
@server.resource("note://tide")
def tide() -> str:
    "When the tide comes."
    return "high at noon"
@server.prompt()
def greet(name: str) -> str:
    "Greets somebody."
    return f"Greet {name}."
way = os.environ.get("WAY", "stdio")
if way == "stdio":
    server.run("stdio")
else:
    server.run(way, port=int(os.environ["PORT"]))
"#;

/// A program that listens on a port of its own. Dropped, it is gone.
pub(crate) struct Listening {
    _program: Child,
    port: u16,
}

impl Listening {
    /// Starts a program that is told its port, and waits until it listens.
    pub(crate) async fn start(mut command: Command) -> Self {
        let port = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap().port();
        command.env("PORT", port.to_string()).current_dir(home()).kill_on_drop(true);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let program = quiet.spawn().unwrap();
        let (address, end) = (SocketAddr::from((Ipv4Addr::LOCALHOST, port)), Instant::now() + PATIENCE);
        while TcpStream::connect(address).await.is_err() {
            assert!(Instant::now() < end, "nobody listens on {address}");
            sleep(Duration::from_millis(50)).await;
        }
        Self { _program: program, port }
    }

    pub(crate) fn remote(&self, path: &str, http: HttpVariant, era: ProtocolEra) -> RemoteServer {
        let mut address = ServerAddress::new(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap();
        address.http = http;
        let mut spec = McpServerSpec::address("far", &address.url.to_string()).unwrap().era(era);
        spec.reach = ServerEndpoint::Address(address);
        let net = HttpClient::new(Connector::new(Arc::new(SystemResolver)), TlsConfig::platform().unwrap());
        RemoteServer::new(spec, McpTransports::new().net(net))
    }
}

fn everything(way: &str) -> Command {
    let mut command = Command::new(node());
    command.arg(home().join("node_modules/@modelcontextprotocol/server-everything/dist/index.js")).arg(way);
    command
}

fn npm() -> Command {
    let mut command = Command::new(node());
    command.args(["--input-type=module", "-e", NPM_SERVER]);
    command
}

fn python(way: &str) -> Command {
    let mut command = Command::new(home().join("python/bin/python3"));
    command.args(["-c", PYTHON_SERVER]).env("WAY", way);
    command
}

async fn check(
    server: &Listening,
    path: &str,
    http: HttpVariant,
    era: ProtocolEra,
    tool: (&str, Value),
    expect: &str,
) {
    let remote = server.remote(path, http, era);
    let (name, arguments) = tool;
    let result = call(&remote, name, arguments).await;
    assert!(text(&result).contains(expect), "{path} {http:?} {era:?}: {result:?}");
    remote.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_is_used_over_both_kinds_of_http() {
    let ask = || ("echo", json!({ "message": "across the water" }));
    let newer = Listening::start(everything("streamableHttp")).await;
    for era in [ProtocolEra::Either, ProtocolEra::Handshake] {
        check(&newer, "/mcp", HttpVariant::Newer, era, ask(), "across the water").await;
    }
    let older = Listening::start(everything("sse")).await;
    for http in [HttpVariant::Newer, HttpVariant::Older] {
        check(&older, "/sse", http, ProtocolEra::Either, ask(), "across the water").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_python_sdk_is_used_over_both_kinds_of_http() {
    let ask = || ("add", json!({ "a": 40, "b": 2 }));
    let newer = Listening::start(python("streamable-http")).await;
    for era in [ProtocolEra::Either, ProtocolEra::Handshake, ProtocolEra::Stateless] {
        check(&newer, "/mcp", HttpVariant::Newer, era, ask(), "42").await;
    }
    let older = Listening::start(python("sse")).await;
    for http in [HttpVariant::Newer, HttpVariant::Older] {
        check(&older, "/sse", http, ProtocolEra::Either, ask(), "42").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_npm_sdk_is_used_from_its_jail_and_over_http() {
    let ask = || ("shout", json!({ "word": "ahoy" }));
    let place = Place::new();
    let script = place.path().join("server.mjs");
    std::fs::write(&script, NPM_SERVER).unwrap();
    std::os::unix::fs::symlink(home().join("node_modules"), place.path().join("node_modules")).unwrap();
    let mut spec = spec("npm", ServerProgram::new(node().to_str().unwrap()).args([script.to_str().unwrap()]));
    spec.grants.insert(format!("read:{}/", place.path().display()).parse().unwrap());
    let remote = RemoteServer::new(spec.era(ProtocolEra::Handshake), place.means());
    let (name, arguments) = ask();
    assert_eq!(text(&call(&remote, name, arguments).await), "AHOY");
    let listening = Listening::start(npm()).await;
    check(&listening, "/mcp", HttpVariant::Newer, ProtocolEra::Either, ask(), "AHOY").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_speaks_no_http_of_ours_says_what_it_said() {
    let server = Listening::start(everything("sse")).await;
    let error = server
        .remote("/nothing", HttpVariant::Newer, ProtocolEra::Either)
        .list()
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("404"), "{error}");
    let error = server
        .remote("/nothing", HttpVariant::Older, ProtocolEra::Either)
        .list()
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("404"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_reads_resources_and_prompts_through_tools() {
    let server = Listening::start(python("streamable-http")).await;
    let remote = server.remote("/mcp", HttpVariant::Newer, ProtocolEra::Either);
    let (offers, _) = remote.offers(&NoPinStore).await.unwrap();
    let run = |name: &str, arguments: Value| {
        let tool = offers.iter().find(|offer| offer.tool.declaration().name == name);
        let tool = Arc::clone(&tool.unwrap_or_else(|| panic!("no {name} in {offers:?}")).tool);
        async move { tool.run(ToolInvocation::alone(arguments.to_string().as_str())).await }
    };
    for (name, arguments, expect) in [
        ("far_list_resources", json!({}), "note://tide"),
        ("far_read_resource", json!({ "uri": "note://tide" }), "high at noon"),
        ("far_list_prompts", json!({}), "greet(name)  Greets somebody."),
        ("far_get_prompt", json!({ "name": "greet", "arguments": { "name": "Ada" } }), "Greet Ada."),
    ] {
        let output = run(name, arguments).await;
        assert!(!output.outcome.is_error() && output.text.contains(expect), "{name}: {output:?}");
    }
    let missing = run("far_read_resource", json!({ "uri": "note://none" })).await;
    assert!(missing.outcome.is_error(), "{missing:?}");
}
