//! The programs that are measured, and how each is asked for a turn. The benchmark of the first request uses this file too.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
    asks: Asks,
}

/// How it is asked to do something.
#[derive(Debug, Clone, Copy)]
enum Asks {
    Holm,
    Codex,
    Opencode,
}

impl Program {
    /// Holm's binary, and those that npm brought into a folder.
    pub fn all(holm: &Path, peers: &Path) -> [Self; 3] {
        let modules = peers.join("node_modules");
        let codex = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
        [
            Self { name: "holm", path: holm.to_owned(), asks: Asks::Holm },
            Self { name: "codex", path: modules.join(codex), asks: Asks::Codex },
            Self {
                name: "opencode",
                path: modules.join("opencode-linux-x64/bin/opencode"),
                asks: Asks::Opencode,
            },
        ]
    }

    /// Has it say `hi` to the model on this port.
    pub fn ask(&self, command: &mut Command, port: u16) {
        let base = format!("http://127.0.0.1:{port}/v1");
        match self.asks {
            Asks::Holm => {
                // At this level all the tools of the default offer can be used, as with the others.
                command.args(["run", "--trust", "jail", "--model", "openai/gpt-5-mini", "-p", "hi"]);
                command.env("OPENAI_API_KEY", "none").env("OPENAI_BASE_URL", base);
            }
            Asks::Codex => {
                let provider = format!(
                    "model_providers.bench={{name=\"bench\",base_url=\"{base}\",wire_api=\"responses\"}}"
                );
                command.args([
                    "exec",
                    "--skip-git-repo-check",
                    "-m",
                    "m",
                    "-c",
                    "model_provider=\"bench\"",
                    "-c",
                ]);
                command.args([&provider, "hi"]);
            }
            Asks::Opencode => {
                let config = format!(
                    "{{\"autoupdate\":false,\"model\":\"bench/m\",\"small_model\":\"bench/m\",\"provider\":{{\"bench\":{{\
                     \"npm\":\"@ai-sdk/openai-compatible\",\"options\":{{\"baseURL\":\"{base}\",\"apiKey\":\"none\"}},\
                     \"models\":{{\"m\":{{\"name\":\"m\"}}}}}}}}}}"
                );
                command.args(["run", "-m", "bench/m", "hi"]);
                command.env("OPENCODE_CONFIG_CONTENT", config).env("OPENCODE_DISABLE_MODELS_FETCH", "1");
            }
        }
    }
}

/// An empty home folder that is gone afterwards.
pub struct Home(PathBuf);

impl Home {
    pub fn new() -> Result<Self, String> {
        let name = format!("holm-startup-{}-{:?}", std::process::id(), thread::current().id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        Ok(Self(folder))
    }

    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.0).env_clear().env("HOME", &self.0).env("CODEX_HOME", &self.0);
        command.env("PATH", env::var_os("PATH").unwrap_or_default());
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
