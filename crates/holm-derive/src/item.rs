//! The parts of a type definition that matter for reading it.

use crate::attributes::Attributes;

/// A struct or an enum.
pub(crate) struct Item {
    pub(crate) name: String,
    /// The lifetime with its quote. There is at most one.
    pub(crate) lifetime: Option<String>,
    pub(crate) attributes: Attributes,
    pub(crate) body: Body,
}

/// The content of a type.
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

/// The fields of a struct or a variant.
pub(crate) enum Fields {
    Unit,
    /// The number of unnamed fields.
    Tuple(usize),
    Named(Vec<Field>),
}

pub(crate) struct Field {
    pub(crate) name: String,
    /// The field's type, as written.
    pub(crate) kind: String,
    pub(crate) attributes: Attributes,
}

impl Field {
    /// Whether the field may be missing, because of its attributes or because it is an `Option`.
    pub(crate) fn is_optional(&self) -> bool {
        let path = self.kind.split('<').next().unwrap_or_default();
        self.attributes.default || path.trim().rsplit("::").next().is_some_and(|last| last.trim() == "Option")
    }
}
