//! The edition of JSON Schema that a document uses.

use crate::json::JsonObject;

/// The edition whose rules apply where editions disagree.
///
/// They disagree in two places only: whether keywords next to `$ref` count, and whether `$id`
/// may hold an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaDialect {
    /// Draft 7 and before: `$ref` hides its siblings, `"$id": "#name"` is an anchor.
    Draft7,
    /// Draft 2019-09 and later.
    #[default]
    Draft2020,
}

impl SchemaDialect {
    /// The dialect of the document's own `$schema`, if it is known.
    pub(super) fn declared(document: &JsonObject) -> Option<Self> {
        let uri = document.get("$schema")?.as_str()?;
        let old = ["draft-03/", "draft-04/", "draft-05/", "draft-06/", "draft-07/"];
        if old.iter().any(|draft| uri.contains(draft)) {
            return Some(Self::Draft7);
        }
        uri.contains("json-schema.org/draft/20").then_some(Self::Draft2020)
    }
}
