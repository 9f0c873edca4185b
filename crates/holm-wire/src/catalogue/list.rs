//! The catalogue of models: parses a list, and lays the user's values over the snapshot.
//!
//! The numbers are in `data/models.json`, which `scripts/make-catalogue` creates; they are not
//! edited here. One entry is in `entry.rs`. Names match exactly, because the price of a similar
//! name would be a guess. A value of a wrong type is an error and never a price.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use holm_guards::json::{Json, JsonParseError};

use super::{LongPromptPrices, ModelCatalogueEntry, ModelPrices};

/// The snapshot, created by `scripts/make-catalogue`.
const PINNED: &str = include_str!("../../data/models.json");

/// A list of models by their names.
///
/// ```
/// use holm_wire::catalogue::ModelCatalogue;
///
/// let user = ModelCatalogue::parse(r#"{"models":{"openai/gpt-5":{"context":100000}}}"#)?;
/// let catalogue = ModelCatalogue::pinned().overridden_by(user);
/// let entry = catalogue.model("openai/gpt-5").unwrap();
/// assert_eq!((entry.context, entry.price.input), (Some(100_000), Some(1_250_000_000)));
/// assert!(catalogue.model("openai/gpt-99").is_none());
/// # Ok::<(), holm_wire::catalogue::CatalogueError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCatalogue {
    source: String,
    as_of: String,
    models: BTreeMap<String, ModelCatalogueEntry>,
}

impl ModelCatalogue {
    /// The snapshot that is part of Holm. Each call parses it again, so a host
    /// should keep the result.
    pub fn pinned() -> Self {
        // The snapshot is part of this crate, and a test parses it.
        Self::parse(PINNED).unwrap_or_default()
    }

    /// Parses a catalogue in the format of the snapshot. Unknown members are ignored.
    ///
    /// # Errors
    /// [`CatalogueError`] with the position of the mistake.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let json = Json::parse(text).map_err(CatalogueError::NotJson)?;
        let word = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().into();
        let models = json.get("models").and_then(Json::as_object);
        let models =
            models.ok_or_else(|| CatalogueError::member("/models", "an object of models by name"))?;
        let read = |(name, json): (&String, &Json)| Ok((name.clone(), read_entry(name, json)?));
        Ok(Self {
            source: word("source"),
            as_of: word("as_of"),
            models: models.iter().map(read).collect::<Result<_, CatalogueError>>()?,
        })
    }

    /// The same catalogue with the user's values on top. Values that the user does not give stay.
    #[must_use]
    pub fn overridden_by(mut self, user: Self) -> Self {
        for (name, entry) in user.models {
            let known = self
                .models
                .entry(name.clone())
                .or_insert_with(|| ModelCatalogueEntry { name, ..ModelCatalogueEntry::default() });
            known.learn(entry);
        }
        self
    }

    /// The model of exactly this name. Similar names are not searched, because their price
    /// would be a guess.
    pub fn model(&self, name: &str) -> Option<&ModelCatalogueEntry> {
        self.models.get(name)
    }

    /// The models in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &ModelCatalogueEntry> {
        self.models.values()
    }

    /// The source of the numbers.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The date of the numbers, such as `2026-07-02`.
    pub fn as_of(&self) -> &str {
        &self.as_of
    }
}

fn read_entry(name: &str, json: &Json) -> Result<ModelCatalogueEntry, CatalogueError> {
    let pointer = format!("/models/{name}");
    if json.as_object().is_none() {
        return Err(CatalogueError::member(pointer, "an object"));
    }
    let mut over = Vec::new();
    for tier in json.get("over").and_then(Json::as_array).unwrap_or_default() {
        let tokens = read_number(tier, "tokens", &pointer)?
            .ok_or_else(|| CatalogueError::member(format!("{pointer}/over/tokens"), "a whole number"))?;
        over.push(LongPromptPrices { tokens, price: read_prices(tier, &pointer)? });
    }
    over.sort_by_key(|over| over.tokens);
    Ok(ModelCatalogueEntry {
        name: name.into(),
        context: read_number(json, "context", &pointer)?,
        max_output: read_number(json, "max_output", &pointer)?,
        price: read_prices(json, &pointer)?,
        over,
    })
}

fn read_prices(json: &Json, pointer: &str) -> Result<ModelPrices, CatalogueError> {
    let Some(price) = json.get("price") else { return Ok(ModelPrices::default()) };
    let read = |name: &str| read_number(price, name, pointer);
    Ok(ModelPrices {
        input: read("input")?,
        output: read("output")?,
        cache_read: read("cache_read")?,
        cache_write: read("cache_write")?,
    })
}

/// A number that may be missing or `null`, which both mean unknown. Any other value is a mistake,
/// and must not be mistaken for a price.
fn read_number(json: &Json, name: &str, pointer: &str) -> Result<Option<u64>, CatalogueError> {
    match json.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => value
            .as_u64()
            .map(Some)
            .ok_or_else(|| CatalogueError::member(format!("{pointer}/{name}"), "a whole number")),
    }
}

/// A catalogue that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// It is not JSON.
    #[error("the catalogue is not JSON: {0}")]
    NotJson(JsonParseError),
    /// A member has the wrong type.
    #[error("{place} of the catalogue: expected {expected}")]
    Member {
        place: String,
        /// What the member should be.
        expected: &'static str,
    },
}

impl CatalogueError {
    fn member(pointer: impl Into<String>, expected: &'static str) -> Self {
        Self::Member { place: pointer.into(), expected }
    }
}
