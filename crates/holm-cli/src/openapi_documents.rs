//! OpenAPI documents of tool folders: their connections and their keys. What a document becomes is
//! decided in `holm-tools/src/openapi/`; keys are stored by `commands/keys.rs`.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use holm::{models::SecretString, runtime::BoxFuture};
use holm_config::KeyFile;
use holm_net::{HttpClient, TlsConfig};
use holm_tools::{
    openapi::{OpenApiKeyStore, OpenApiLoader, is_openapi_file},
    registry::{LoadResource, ToolFile, ToolLoadError, ToolLoader, ToolOffer},
};

use crate::{holm_paths::HolmPaths, keyring::SystemKeyrings};

/// Loads documents; the connections are set up with the first one.
pub(crate) struct LazyOpenApiLoader {
    pub(crate) places: HolmPaths,
    pub(crate) loader: OnceLock<Result<OpenApiLoader, String>>,
}

impl ToolLoader for LazyOpenApiLoader {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        is_openapi_file(path)
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            let loader = self.loader.get_or_init(|| loader(&self.places));
            loader.as_ref().map_err(ToolLoadError::unavailable)?.load(found).await
        })
    }

    fn takes(&self) -> LoadResource {
        LoadResource::Patience
    }
}

/// A loader with the connections and keys of this machine.
pub(crate) fn loader(places: &HolmPaths) -> Result<OpenApiLoader, String> {
    Ok(OpenApiLoader::new(client(places)?, key_store(places)).documents(places.api_documents()))
}

/// The connections of tools that documents describe.
pub(crate) fn client(places: &HolmPaths) -> Result<HttpClient, String> {
    let tls = TlsConfig::platform().map_err(|error| error.to_string())?;
    Ok(HttpClient::new(places.bounds.connector(), tls))
}

/// The keys of hosts that the user has stored.
pub(crate) fn key_store(places: &HolmPaths) -> Arc<dyn OpenApiKeyStore> {
    Arc::new(StoredHostKeys { places: places.clone() })
}

/// Keys of hosts, from the file of keys and the keyring. They are read when a call needs one, so a
/// key that is stored while a run works counts at once.
struct StoredHostKeys {
    places: HolmPaths,
}

impl OpenApiKeyStore for StoredHostKeys {
    fn stored(&self, name: &str) -> Result<Option<SecretString>, String> {
        let keys = KeyFile::load(&self.places.keys()).map_err(|error| error.to_string())?;
        if let Some((_, key)) = keys.iter().find(|(known, _)| *known == name) {
            return Ok(Some(key.clone()));
        }
        if !keys.in_keyring().any(|known| known == name) {
            return Ok(None);
        }
        match SystemKeyrings::here(&self.places.data).get(name) {
            Ok(Some(key)) => Ok(Some(key)),
            Ok(None) => {
                Err(format!("the keyring lost the key of {name}; store it again with `holm keys add {name}`"))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn variable(&self, name: &str) -> Option<SecretString> {
        std::env::var(name).ok().filter(|value| !value.trim().is_empty()).map(SecretString::from)
    }
}
