//! The parts of a type definition that matter for reading it. These are data: `parse.rs` fills them
//! from tokens, and `write.rs` generates code from them.

use crate::attributes::SerdeAttributes;

/// A struct or an enum.
pub(crate) struct TypeItem {
    pub(crate) name: String,
    /// The lifetime with its quote. There is at most one.
    pub(crate) lifetime: Option<String>,
    pub(crate) attributes: SerdeAttributes,
    pub(crate) body: TypeBody,
}

/// The content of a type.
pub(crate) enum TypeBody {
    Struct(FieldList),
    Enum(Vec<EnumVariant>),
}

/// One variant of an enum.
pub(crate) struct EnumVariant {
    pub(crate) name: String,
    pub(crate) attributes: SerdeAttributes,
    pub(crate) fields: FieldList,
}

/// The fields of a struct or a variant.
pub(crate) enum FieldList {
    Unit,
    /// The number of unnamed fields.
    Tuple(usize),
    Named(Vec<NamedField>),
}

pub(crate) struct NamedField {
    pub(crate) name: String,
    /// The field's type, as written.
    pub(crate) kind: String,
    pub(crate) attributes: SerdeAttributes,
}

impl NamedField {
    /// Whether the field may be missing, because of its attributes or because it is an `Option`.
    pub(crate) fn is_optional(&self) -> bool {
        let path = self.kind.split('<').next().unwrap_or_default();
        self.attributes.default || path.trim().rsplit("::").next().is_some_and(|last| last.trim() == "Option")
    }
}
