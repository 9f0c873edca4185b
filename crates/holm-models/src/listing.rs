//! Lists a provider's models, and checks whether a key is valid. Nothing is generated or billed.
//! Calls of models are in `exchange.rs`; models that Holm knows are in
//! `holm-wire/src/catalogue/mod.rs`. The size of a list is bounded.

use holm_guards::json::Json;
use holm_kernel::{Failure, FailureClass};
use holm_wire::{HttpMethod, classify, stream::check_values};

use crate::{
    ModelClient,
    client::{now_ms, probe},
    exchange::{failure_of, gather},
};

/// How many bytes of a list are read. The longest known list is about a tenth of it.
const MAX_LIST: usize = 16 << 20;

/// Whether a provider accepts a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialCheck {
    Accepted,
    Refused { reason: String },
}

/// Why a list cannot be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelListError {
    /// The client does not know the provider.
    #[error("no provider is named {0:?}; add it to the client")]
    UnknownProvider(String),
    /// The provider offers no list of models.
    #[error("{0} does not list its models; name the model yourself")]
    NoList(String),
    /// The provider did not answer with a list.
    #[error("{message}")]
    Failed {
        /// The class of the failure.
        class: FailureClass,
        message: String,
    },
}

impl ModelClient {
    /// The names of a provider's models, sorted.
    ///
    /// # Errors
    /// [`ModelListError`] if the list cannot be fetched.
    pub async fn list_models(&self, provider: &str) -> Result<Vec<String>, ModelListError> {
        let shared = self.shared();
        let endpoint = shared
            .endpoints
            .get(provider)
            .ok_or_else(|| ModelListError::UnknownProvider(provider.to_owned()))?;
        let path = endpoint.listing_path().ok_or_else(|| ModelListError::NoList(provider.to_owned()))?;
        let mut request = probe(endpoint);
        request.method = HttpMethod::Get;
        request.path = path.to_owned();
        request.query.clear();
        request.headers.retain(|(name, _)| name != "content-type");
        request.body.clear();
        let failed = |failure: Failure| ModelListError::Failed {
            class: failure.class,
            message: shared.secrets.text(&failure.message).into_owned(),
        };
        let sent = shared.transport.send(shared.outgoing(provider, endpoint, request)).await;
        let mut answer = sent.map_err(|error| failed(failure_of(&error)))?;
        let body = gather(shared, &mut answer, MAX_LIST).await.map_err(|error| failed(failure_of(&error)))?;
        if !(200..300).contains(&answer.status) {
            let headers: Vec<(&str, &str)> =
                answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let status = answer.status;
            let now_ms = Some(now_ms());
            return Err(failed(classify::http(&classify::HttpFailure {
                status,
                headers: &headers,
                body: &body,
                now_ms,
            })));
        }
        check_values(&body).map_err(failed)?;
        names(&body).ok_or_else(|| failed(classify::failure(FailureClass::Server, "the list cannot be read")))
    }

    /// Checks whether a provider accepts the key by requesting its list of models. Nothing
    /// is generated or billed.
    ///
    /// # Errors
    /// [`ModelListError`] if the check failed. Services with a public list accept any key.
    pub async fn check_credentials(&self, provider: &str) -> Result<CredentialCheck, ModelListError> {
        match self.list_models(provider).await {
            Ok(_) => Ok(CredentialCheck::Accepted),
            Err(ModelListError::Failed { class: FailureClass::Auth, message }) => {
                Ok(CredentialCheck::Refused { reason: message })
            }
            Err(error) => Err(error),
        }
    }
}

/// Finds the model names in any of the known list formats.
fn names(body: &[u8]) -> Option<Vec<String>> {
    let json = Json::parse(std::str::from_utf8(body).ok()?).ok()?;
    let list =
        ["data", "models"].iter().find_map(|name| json.get(name)?.as_array()).or_else(|| json.as_array())?;
    let name = |entry: &Json| {
        let name = ["id", "name", "model"].iter().find_map(|name| entry.get(name)?.as_str());
        name.or_else(|| entry.as_str()).map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    let mut names: Vec<String> = list.iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}
