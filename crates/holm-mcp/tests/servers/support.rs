//! What the tests start servers with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use holm_grants::GrantSet;
use holm_jail::{JailEngine, JailLauncher};
use holm_mcp::{McpServerSpec, McpTransports, ProgramSettings, ProtocolEra, RemoteServer, ServerProgram};
use holm_net::{Connector, HostResolver, HttpClient, TlsConfig};
use holm_runtime::{CancellationToken, ProgressReporter};
use holm_tools::registry::{PinFileStore, PinStore};
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Longer than any machine takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A folder in which servers may work.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn means(&self) -> McpTransports {
        let engine = JailEngine::detect().expect("confinement is needed: run scripts/setup test");
        let launcher = JailLauncher::at(env!("CARGO_BIN_EXE_holm-mcp-launcher"));
        McpTransports::new().programs(ProgramSettings::new(launcher, engine, self.path()))
    }

    /// The entry of a server that behaves so.
    pub(crate) fn spec(&self, name: &str, mode: &str) -> McpServerSpec {
        let script = script();
        let state = self.path().join(format!("{name}.state"));
        let folder = self.path();
        let grants = [
            format!("read:{}", script.display()),
            format!("read:{}/", folder.display()),
            format!("write:{}/", folder.display()),
        ];
        let program =
            ServerProgram::new("python3").args([script.to_str().unwrap(), mode, state.to_str().unwrap()]);
        let grants = GrantSet::parse(grants.iter().map(String::as_str)).unwrap();
        McpServerSpec::program(name, program).unwrap().grants(grants)
    }

    pub(crate) fn remote(&self, mode: &str) -> RemoteServer {
        // Servers of the older era do not answer the question for the newer one in a test's time.
        let era =
            if ["modern", "quiet"].contains(&mode) { ProtocolEra::Stateless } else { ProtocolEra::Handshake };
        RemoteServer::new(self.spec("t", mode).era(era), self.means())
    }

    /// Whether a server has fallen silent since this was asked last.
    pub(crate) fn fell_silent(&self) -> bool {
        std::fs::remove_file(self.path().join("t.state.silent")).is_ok()
    }

    pub(crate) fn pins(&self) -> Arc<dyn PinStore> {
        Arc::new(PinFileStore::new(self.path().join("pins")))
    }
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn echo(
    remote: &RemoteServer,
    word: &str,
) -> Result<CallToolResult, holm_mcp::RemoteServerError> {
    let arguments: Map<String, Value> = [("word".to_owned(), Value::from(word))].into_iter().collect();
    remote.call("echo", arguments, &ProgressReporter::silent(), &CancellationToken::new()).await
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

/// A client with the usual checks, which resolves names with this resolver.
pub(crate) fn net(resolver: impl HostResolver + 'static) -> HttpClient {
    HttpClient::new(Connector::new(Arc::new(resolver)), TlsConfig::platform().unwrap())
}

/// A request that a web server received.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) token: String,
    pub(crate) body: String,
}

/// What it is answered: the status, further headers, each with an end of its line, and the body.
pub(crate) type Replied = (&'static str, String, String);

/// Answers one request and hangs up.
pub(crate) async fn reply(stream: TcpStream, answer: impl FnOnce(&Asked) -> Replied) {
    let mut stream = BufReader::new(stream);
    let (mut line, mut token, mut length) = (String::new(), String::new(), 0);
    if stream.read_line(&mut line).await.is_err() {
        return;
    }
    loop {
        let mut header = String::new();
        if stream.read_line(&mut header).await.unwrap_or_default() <= 2 {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "authorization" => token = value.trim().to_owned(),
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return };
    let body = String::from_utf8_lossy(&body).into_owned();
    let (status, headers, said) = answer(&Asked { method, path, token, body });
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", said.len());
    // Who has hung up already wants no answer.
    let _ = stream.write_all((head + &said).as_bytes()).await;
}

pub(crate) async fn bind() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0)).await.unwrap()
}

/// The header of an answer that is JSON.
pub(crate) const IS_JSON: &str = "content-type: application/json\r\n";

/// The server that behaves as its first argument says.
pub(crate) fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/server.py").canonicalize().unwrap()
}
