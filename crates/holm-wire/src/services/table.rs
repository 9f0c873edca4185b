//! The table of all known services: parses a list, adds the user's services, and finds one by its
//! id or alias.
//!
//! The services themselves are lines of `data/services.json`; none is named in this file's code. A
//! user's service replaces ours of the same id. An unknown name is an error with the closest known
//! name (`suggest.rs`), and never a guess.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use super::{ModelName, ModelNameError, ProviderService, suggest::nearest};

/// The list of services that is part of Holm.
const STOCK: &str = include_str!("../../data/services.json");

/// The services by id.
///
/// ```
/// use holm_wire::services::ServiceTable;
///
/// let services = ServiceTable::stock();
/// let (name, service) = services.resolve("deepseek/deepseek-chat")?;
/// assert_eq!((name.model(), service.keys[0].as_str()), ("deepseek-chat", "DEEPSEEK_API_KEY"));
/// let error = services.resolve("depseek/deepseek-chat").unwrap_err();
/// assert_eq!(error.to_string(), "unknown provider \"depseek\"; did you mean deepseek?");
/// # Ok::<(), holm_wire::services::ModelNameError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceTable {
    by_id: BTreeMap<String, ProviderService>,
}

impl ServiceTable {
    /// The services that are part of Holm. Each call parses the list again, so a host
    /// should keep the result.
    pub fn stock() -> Self {
        // The list is part of this crate, and a test parses it.
        Self::parse(STOCK).unwrap_or_default()
    }

    /// Reads a list of services.
    ///
    /// # Errors
    /// [`ServiceTableError`] with the position of the mistake.
    pub fn parse(json: &str) -> Result<Self, ServiceTableError> {
        let list: Vec<ProviderService> = holm_read::from_str(json).map_err(|error| ServiceTableError {
            line: error.line() as u64,
            column: error.column() as u64,
            problem: alloc::string::ToString::to_string(&error),
        })?;
        Ok(Self::default().with(list))
    }

    /// The same table with more services. A service with a known id replaces the existing one.
    #[must_use]
    pub fn with(mut self, services: impl IntoIterator<Item = ProviderService>) -> Self {
        self.by_id.extend(services.into_iter().map(|service| (service.id.clone(), service)));
        self
    }

    /// The services in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &ProviderService> {
        self.by_id.values()
    }

    /// The service with this id or alias. An id has priority.
    ///
    /// # Errors
    /// [`UnknownServiceError`] with the closest name.
    pub fn find(&self, name: &str) -> Result<&ProviderService, UnknownServiceError> {
        let by_alias = || self.iter().find(|service| service.aliases.iter().any(|alias| alias == name));
        self.by_id.get(name).or_else(by_alias).ok_or_else(|| {
            let names = self.iter().flat_map(|service| {
                core::iter::once(service.id.as_str()).chain(service.aliases.iter().map(String::as_str))
            });
            UnknownServiceError {
                name: name.chars().take(80).collect(),
                suggestion: nearest(name, names).map(String::from),
            }
        })
    }

    /// Parses a full model name and finds its service.
    ///
    /// # Errors
    /// [`ModelNameError`] if the name is invalid or its provider is unknown.
    pub fn resolve(&self, name: &str) -> Result<(ModelName, &ProviderService), ModelNameError> {
        let name: ModelName = name.parse()?;
        let service = self.find(name.provider())?;
        Ok((name, service))
    }
}

/// The name of an unknown provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown provider {name:?}{}", hint(.suggestion.as_deref()))]
pub struct UnknownServiceError {
    pub name: String,
    /// The closest known name, if there is one.
    pub suggestion: Option<String>,
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(
        || "; for your own provider, configure a base URL".into(),
        |near| alloc::format!("; did you mean {near}?"),
    )
}

/// A list of services that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the list of services cannot be read: {problem}")]
pub struct ServiceTableError {
    /// The line number, counted from 1.
    pub line: u64,
    /// The column number, counted from 1.
    pub column: u64,
    pub problem: String,
}
