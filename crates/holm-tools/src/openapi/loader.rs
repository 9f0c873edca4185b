//! Loads documents from a tool folder: `NAME.openapi.json` or `.yaml`, with settings in
//! `NAME.openapi.toml`. The file is a document, or names the address of one:
//! `{"document": "https://api.example.com/openapi.json"}`.
//!
//! A document of an address is fetched once and then stays as it is, so that a server cannot change
//! tools that a person has seen. Which files may be loaded is decided before (`registry/`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{FetchPattern, Grant, GrantPolicy, Url, UrlScheme};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest};
use holm_runtime::BoxFuture;
use serde::Deserialize;

use super::auth::OpenApiKeyStore;
use super::toolbox::{OpenApiToolbox, OpenApiTools};
use crate::registry::{LoadResource, PinStatus, ToolFile, ToolLoadError, ToolLoader, ToolOffer, ToolSidecar};
use crate::trust::ContentHash;

/// The endings of documents.
const ENDINGS: [&str; 3] = [".openapi.json", ".openapi.yaml", ".openapi.yml"];
/// The largest document that is fetched: twice the largest public ones.
const MOST_DOCUMENT: u64 = 32 << 20;
/// How long fetching a document may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Whether a file of a tool folder is an OpenAPI document, by its name.
#[must_use]
pub fn is_openapi_file(path: &Path) -> bool {
    prefix(path).is_some()
}

/// Loads tools from OpenAPI documents.
#[derive(Clone)]
pub struct OpenApiLoader {
    client: HttpClient,
    keys: Arc<dyn OpenApiKeyStore>,
    documents: Option<PathBuf>,
}

/// A file that names the address of its document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentAddress {
    document: String,
}

impl OpenApiLoader {
    /// Creates a loader that connects with this client and finds keys in this store.
    pub fn new(client: HttpClient, keys: Arc<dyn OpenApiKeyStore>) -> Self {
        Self { client, keys, documents: None }
    }

    /// Keeps fetched documents in this folder. Without one, each process fetches them again.
    #[must_use]
    pub fn documents(mut self, folder: PathBuf) -> Self {
        self.documents = Some(folder);
        self
    }

    /// Forgets the document that was fetched for a file. The next load fetches it again.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn forget(folder: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let Some(Ok(url)) = address(bytes) else { return Ok(()) };
        match std::fs::remove_file(stored(folder, &url)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Fetches a document, or takes the one that was fetched before.
    ///
    /// # Errors
    /// Why there is no document.
    pub async fn fetched(&self, url: &Url, headers: &[(String, String)]) -> Result<Vec<u8>, String> {
        let kept = self.documents.as_deref().map(|folder| stored(folder, url));
        if let Some(bytes) = kept.as_deref().and_then(|kept| std::fs::read(kept).ok()) {
            return Ok(bytes);
        }
        fetch(&self.client, url, headers)
            .await
            .map_err(|why| format!("cannot fetch the document {url}: {why}"))
    }

    /// Keeps a document that became tools.
    pub fn keep(&self, url: &Url, bytes: &[u8]) {
        let Some(folder) = &self.documents else { return };
        let target = stored(folder, url);
        if target.exists() || std::fs::create_dir_all(folder).is_err() {
            return;
        }
        // Without a copy, the next process fetches it again.
        let _ = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
            std::io::Write::write_all(&mut file, bytes)?;
            file.persist(&target).map(|_| ()).map_err(|error| error.error)
        });
    }

    async fn made(&self, found: ToolFile<'_>, name: &str) -> Result<OpenApiTools, ToolLoadError> {
        let sidecar = found.sidecar.cloned().unwrap_or_default();
        let Some(url) = address(found.bytes) else {
            return self.tools(name, sidecar, None, found.bytes.to_vec()).await;
        };
        let url = url.map_err(ToolLoadError::refused)?;
        let bytes = self.fetched(&url, &[]).await.map_err(ToolLoadError::unavailable)?;
        let tools = self.tools(name, sidecar, Some(url.clone()), bytes.clone()).await?;
        self.keep(&url, &bytes);
        Ok(tools)
    }

    /// Reads the document on a thread of its own: large ones take a while.
    async fn tools(
        &self,
        name: &str,
        sidecar: ToolSidecar,
        url: Option<Url>,
        bytes: Vec<u8>,
    ) -> Result<OpenApiTools, ToolLoadError> {
        let (name, client, keys) = (name.to_owned(), self.client.clone(), Arc::clone(&self.keys));
        let made = tokio::task::spawn_blocking(move || {
            let toolbox = OpenApiToolbox::new(&name, client, keys).sidecar(sidecar);
            let toolbox = match url {
                Some(url) => toolbox.document_url(url),
                None => toolbox,
            };
            toolbox.tools(&bytes)
        });
        let made = made.await.map_err(|error| ToolLoadError::unavailable(error.to_string()))?;
        made.map_err(|error| ToolLoadError::refused(error.to_string()))
    }
}

impl ToolLoader for OpenApiLoader {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        is_openapi_file(path)
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            if found.standing == PinStatus::Replaced {
                let file = found.path.file_name().unwrap_or_default().to_string_lossy();
                return Err(ToolLoadError::refused(format!(
                    "it changed since you confirmed it; review it, then run `holm tool confirm {file}`"
                )));
            }
            let name = prefix(found.path).unwrap_or_default();
            let made = self.made(found, &name).await?;
            let mut offers = made.offers;
            if let Some(first) = offers.first_mut() {
                first.notes.extend(made.notes);
            }
            Ok(offers)
        })
    }

    fn takes(&self) -> LoadResource {
        LoadResource::Patience
    }
}

/// What the names of a file's tools begin with.
fn prefix(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let found = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    found.filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The address that a file names in place of a document.
fn address(bytes: &[u8]) -> Option<Result<Url, String>> {
    if bytes.len() > 8192 {
        return None;
    }
    let named: DocumentAddress = serde_json::from_slice(bytes).ok()?;
    let url = named.document.parse::<Url>().map_err(|error| format!("`document` is not an address: {error}"));
    Some(url.and_then(|url| match url.scheme() {
        UrlScheme::Http | UrlScheme::Https => Ok(url),
        UrlScheme::Ws | UrlScheme::Wss | UrlScheme::Tcp => {
            Err("`document` is not an http or https address".to_owned())
        }
    }))
}

fn stored(folder: &Path, url: &Url) -> PathBuf {
    folder.join(ContentHash::of(url.to_string().as_bytes()).to_string())
}

async fn fetch(client: &HttpClient, url: &Url, headers: &[(String, String)]) -> Result<Vec<u8>, String> {
    let grant = FetchPattern::origin(url).map_err(|error| error.to_string())?;
    let policy =
        GrantPolicy { grants: [Grant::Fetch(grant)].into_iter().collect(), ..GrantPolicy::default() };
    let limits = ExchangeLimits { body: MOST_DOCUMENT, total: PATIENCE, ..ExchangeLimits::default() };
    let mut request = HttpClientRequest::get(url.clone())
        .header("accept", "application/json, application/yaml;q=0.9, */*;q=0.5")
        .map_err(|error| error.to_string())?;
    for (name, value) in headers {
        request = request.header(name, value).map_err(|error| error.to_string())?;
    }
    let answer = client.send(request, &policy, &limits).await.map_err(|error| error.to_string())?;
    let status = answer.status();
    if !status.is_success() {
        return Err(format!("the server answered {status}"));
    }
    Ok(answer.bytes().await.map_err(|error| error.to_string())?.to_vec())
}
