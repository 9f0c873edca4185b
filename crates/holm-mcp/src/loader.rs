//! A server in a tool folder: `<name>.mcp.json` holds one entry, or a whole `mcpServers`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use holm_runtime::BoxFuture;
use holm_tools::registry::{Found, LoadError, Loader, Offer, Pins, Standing};
use tokio::time::timeout;

use crate::client::CHANGED;
use crate::{Means, Remote, ServerName, ServerSpec, import};

/// The ending of the files.
const ENDING: &str = ".mcp.json";
/// The largest file: an entry is a few lines.
const MAX_FILE: usize = 1024 * 1024;
/// How long a server may take to say what its tools are before the folder goes on without it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Looks up a variable that a file names.
type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Makes tools of `<name>.mcp.json` files.
///
/// A file that a person has not trusted never gets here (that is the folder's gate), and one that was replaced since it was
/// confirmed starts nothing.
#[derive(Clone)]
pub struct McpLoader {
    means: Means,
    pins: Arc<dyn Pins>,
    env: Environment,
}

impl McpLoader {
    /// Reaches servers with these means. `${NAME}` in a file is what `env` says.
    pub fn new(
        means: Means,
        pins: Arc<dyn Pins>,
        env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { means, pins, env: Arc::new(env) }
    }

    /// The servers of a file. Starts nothing.
    ///
    /// # Errors
    ///
    /// [`LoadError::Refused`] with what is wrong in it.
    pub fn read(&self, path: &Path, bytes: &[u8]) -> Result<Vec<ServerSpec>, LoadError> {
        let refused = |why: String| LoadError::refused(why);
        if bytes.len() > MAX_FILE {
            return Err(refused(format!("it has more than {MAX_FILE} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| refused("it is no text".into()))?;
        let env = |name: &str| (self.env)(name);
        match import(text, &env) {
            Ok(imported) => match imported.refused.into_iter().next() {
                Some((name, error)) => Err(refused(format!("{name}: {error}"))),
                None => Ok(imported.servers),
            },
            Err(crate::ImportError::NoServers) => {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let name = ServerName::near(name.strip_suffix(ENDING).unwrap_or(name));
                let name = name.ok_or_else(|| refused("its name is none for a server".into()))?;
                let entry = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
                let spec =
                    ServerSpec::read(name, &entry, &env).map_err(|error| refused(error.to_string()))?;
                Ok(vec![spec])
            }
            Err(error @ crate::ImportError::Json(_)) => Err(refused(error.to_string())),
        }
    }
}

impl Loader for McpLoader {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(ENDING))
    }

    fn load<'a>(&'a self, found: Found<'a>) -> BoxFuture<'a, Result<Vec<Offer>, LoadError>> {
        Box::pin(async move {
            if found.standing == Standing::Replaced {
                let file = found.path.file_name().unwrap_or_default().to_string_lossy();
                return Err(LoadError::refused(format!(
                    "it is not what was confirmed, so nothing of it is started; look at it, then `holm tool confirm {file}`"
                )));
            }
            let mut offers = Vec::new();
            for spec in self.read(found.path, found.bytes)? {
                let remote = Remote::new(spec, self.means.clone());
                let asked = timeout(PATIENCE, remote.offers(self.pins.as_ref())).await;
                let asked = asked.map_err(|_| {
                    LoadError::unavailable(format!("the server said nothing for {} s", PATIENCE.as_secs()))
                })?;
                let (mut own, listing) = asked.map_err(|error| LoadError::unavailable(error.to_string()))?;
                if own.is_empty() && !listing.changed.is_empty() {
                    let (tools, server) = (listing.changed.join("`, `"), remote.name());
                    let hint =
                        format!("look at it with `holm mcp test {server}`, then `holm mcp confirm {server}`");
                    return Err(LoadError::refused(format!("`{tools}` {CHANGED}; {hint}")));
                }
                if let Some(first) = own.first_mut() {
                    first.notes.extend(remote.spec().unknown_members());
                }
                offers.extend(own);
            }
            Ok(offers)
        })
    }
}

impl std::fmt::Debug for McpLoader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("McpLoader").field("means", &self.means).finish_non_exhaustive()
    }
}
