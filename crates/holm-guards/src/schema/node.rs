//! A compiled schema: nodes in one vector that name each other by index. A recursive schema is then
//! an index that points back.
//!
//! These are data: `schema/compile/` fills them, `schema/check/` enforces them, `repair/fixer.rs`
//! reads them. Lists that are searched are kept sorted. A rule that is present is enforced
//! completely; a demand that is not enforced leaves no rule here but a gap (`schema/error.rs`).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::pattern::EcmaPattern;
use crate::json::{Json, JsonKind, JsonNumber};

/// Index of a node in its schema's arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SchemaNodeId(pub(super) u32);

/// One subschema, its keywords sorted by the kind of value that they speak about.
#[derive(Debug, Clone, Default)]
pub(crate) struct SchemaNode {
    /// Whether this is the schema `false`, which admits nothing.
    pub(crate) refused: bool,
    pub(crate) types: TypeSet,
    pub(crate) values: Option<Box<AllowedValues>>,
    pub(crate) number: Option<Box<NumberRules>>,
    pub(crate) string: Option<Box<StringRules>>,
    pub(crate) array: Option<Box<ArrayRules>>,
    pub(crate) object: Option<Box<ObjectRules>>,
    pub(crate) logic: Option<Box<LogicRules>>,
}

/// The kinds that `type` admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypeSet(u8);

impl TypeSet {
    pub(crate) const ANY: Self = Self(0b111_1111);
    pub(crate) const NONE: Self = Self(0);
    /// `type` names in the order in which messages list them.
    pub(crate) const NAMES: [(&'static str, Self); 7] = [
        ("string", Self(1)),
        ("integer", Self(1 << 1)),
        ("number", Self(1 << 1 | 1 << 2)),
        ("boolean", Self(1 << 3)),
        ("array", Self(1 << 4)),
        ("object", Self(1 << 5)),
        ("null", Self(1 << 6)),
    ];
    pub(crate) const INTEGER: Self = Self(1 << 1);

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, types)| *types)
    }

    pub(crate) const fn of(kind: JsonKind) -> Self {
        Self(match kind {
            JsonKind::String => 1,
            JsonKind::Number => 1 << 1 | 1 << 2,
            JsonKind::Boolean => 1 << 3,
            JsonKind::Array => 1 << 4,
            JsonKind::Object => 1 << 5,
            JsonKind::Null => 1 << 6,
        })
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the value is of an admitted kind.
    pub(crate) fn admit(self, value: &Json) -> bool {
        let kind = Self::of(value.kind());
        match value {
            Json::Number(number) if !self.contains(kind) => {
                self.contains(Self::INTEGER) && number.is_integer()
            }
            _ => self.contains(kind),
        }
    }

    /// The names of the admitted types; `number` covers `integer`.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let numbers = self.contains(Self::of(JsonKind::Number));
        Self::NAMES
            .into_iter()
            .filter(move |(name, types)| self.contains(*types) && !(numbers && *name == "integer"))
            .map(|(name, _)| name)
    }
}

impl Default for TypeSet {
    fn default() -> Self {
        Self::ANY
    }
}

/// The values that `enum` and `const` allow.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedValues {
    pub(crate) one_of: Option<Vec<Json>>,
    pub(crate) constant: Option<Json>,
}

/// What a number must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberRules {
    pub(crate) minimum: Option<JsonNumber>,
    pub(crate) maximum: Option<JsonNumber>,
    pub(crate) exclusive_minimum: Option<JsonNumber>,
    pub(crate) exclusive_maximum: Option<JsonNumber>,
    pub(crate) multiple_of: Option<JsonNumber>,
}

/// What a string must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct StringRules {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) pattern: Option<EcmaPattern>,
}

/// What an array must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArrayRules {
    pub(crate) prefix: Vec<SchemaNodeId>,
    pub(crate) items: Option<SchemaNodeId>,
    pub(crate) contains: Option<ContainsRule>,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) unique: bool,
    pub(crate) unevaluated: Option<SchemaNodeId>,
}

/// `contains` with its counts.
#[derive(Debug, Clone)]
pub(crate) struct ContainsRule {
    pub(crate) node: SchemaNodeId,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
}

/// What an object must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectRules {
    /// Kept sorted by property name.
    pub(crate) properties: Vec<(Box<str>, SchemaNodeId)>,
    pub(crate) patterns: Vec<(EcmaPattern, SchemaNodeId)>,
    pub(crate) additional: Option<SchemaNodeId>,
    pub(crate) names: Option<SchemaNodeId>,
    /// Kept in sorted order.
    pub(crate) required: Vec<Box<str>>,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) dependent_required: Vec<(Box<str>, Vec<Box<str>>)>,
    pub(crate) dependent_schemas: Vec<(Box<str>, SchemaNodeId)>,
    pub(crate) unevaluated: Option<SchemaNodeId>,
}

impl ObjectRules {
    /// The schema of a declared property.
    pub(crate) fn property(&self, name: &str) -> Option<SchemaNodeId> {
        let found = self.properties.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        self.properties.get(found).map(|(_, node)| *node)
    }

    pub(crate) fn is_required(&self, name: &str) -> bool {
        self.required.binary_search_by(|required| (**required).cmp(name)).is_ok()
    }
}

/// Schemas that apply to the same value.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogicRules {
    pub(crate) reference: Option<SchemaNodeId>,
    pub(crate) dynamic: Option<SchemaNodeId>,
    pub(crate) all_of: Vec<SchemaNodeId>,
    pub(crate) any_of: Vec<SchemaNodeId>,
    pub(crate) one_of: Vec<SchemaNodeId>,
    pub(crate) not: Option<SchemaNodeId>,
    pub(crate) condition: Option<ConditionalRule>,
}

impl LogicRules {
    /// The schemas that every valid value must satisfy.
    pub(crate) fn always(&self) -> impl Iterator<Item = SchemaNodeId> + '_ {
        self.reference.iter().chain(&self.dynamic).chain(&self.all_of).copied()
    }
}

/// `if` with its two branches.
#[derive(Debug, Clone)]
pub(crate) struct ConditionalRule {
    pub(crate) test: SchemaNodeId,
    pub(crate) then: Option<SchemaNodeId>,
    pub(crate) otherwise: Option<SchemaNodeId>,
}
