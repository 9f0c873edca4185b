//! What the tests start servers with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::GrantSet;
use holm_jail::{Engine, Launcher};
use holm_mcp::{Era, Means, Program, Programs, Remote, ServerSpec};
use holm_runtime::{CancellationToken, Progress};
use holm_tools::registry::{PinFile, Pins};
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};
use tempfile::TempDir;

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

    pub(crate) fn means(&self) -> Means {
        let engine = Engine::detect().expect("confinement is needed: run scripts/setup test");
        let launcher = Launcher::at(env!("CARGO_BIN_EXE_holm-mcp-launcher"));
        Means::new().programs(Programs::new(launcher, engine, self.path()))
    }

    /// The entry of a server that behaves so.
    pub(crate) fn spec(&self, name: &str, mode: &str) -> ServerSpec {
        let script = script();
        let state = self.path().join(format!("{name}.state"));
        let folder = self.path();
        let grants = [
            format!("read:{}", script.display()),
            format!("read:{}/", folder.display()),
            format!("write:{}/", folder.display()),
        ];
        let program = Program::new("python3").args([script.to_str().unwrap(), mode, state.to_str().unwrap()]);
        let grants = GrantSet::parse(grants.iter().map(String::as_str)).unwrap();
        ServerSpec::program(name, program).unwrap().grants(grants)
    }

    pub(crate) fn remote(&self, mode: &str) -> Remote {
        // Servers of the older era do not answer the question for the newer one in a test's time.
        let era = if mode == "modern" { Era::Stateless } else { Era::Handshake };
        Remote::new(self.spec("t", mode).era(era), self.means())
    }

    pub(crate) fn pins(&self) -> Arc<dyn Pins> {
        Arc::new(PinFile::new(self.path().join("pins")))
    }
}

pub(crate) async fn echo(remote: &Remote, word: &str) -> Result<CallToolResult, holm_mcp::RemoteError> {
    let arguments: Map<String, Value> = [("word".to_owned(), Value::from(word))].into_iter().collect();
    remote.call("echo", arguments, &Progress::silent(), &CancellationToken::new()).await
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

/// The server that behaves as its first argument says.
pub(crate) fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/server.py").canonicalize().unwrap()
}
