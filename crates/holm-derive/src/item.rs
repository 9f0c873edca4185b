//! A type as far as reading it is concerned.

use crate::attributes::Attributes;

/// A struct or an enum.
pub(crate) struct Item {
    pub(crate) name: String,
    /// With its quote; at most one.
    pub(crate) lifetime: Option<String>,
    pub(crate) attributes: Attributes,
    pub(crate) body: Body,
}

/// What it is made of.
pub(crate) enum Body {
    Struct(Fields),
    Enum(Vec<Variant>),
}

/// One variant of an enum.
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) attributes: Attributes,
    pub(crate) fields: Fields,
}

/// What a struct or a variant holds.
pub(crate) enum Fields {
    Unit,
    /// How many there are.
    Tuple(usize),
    Named(Vec<Field>),
}

pub(crate) struct Field {
    pub(crate) name: String,
    /// Its type as written.
    pub(crate) kind: String,
    pub(crate) attributes: Attributes,
}

impl Field {
    /// Whether it may be left out: by its attributes, or because it is an `Option`.
    pub(crate) fn is_optional(&self) -> bool {
        let path = self.kind.split('<').next().unwrap_or_default();
        self.attributes.default || path.trim().rsplit("::").next().is_some_and(|last| last.trim() == "Option")
    }
}
