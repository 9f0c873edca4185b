//! A compiled schema: nodes in one vector that name each other by index. A recursive schema is then
//! an index that points back.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::pattern::Pattern;
use crate::json::{Json, Kind, Number};

/// Index of a node in its schema's arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(super) u32);

/// One subschema, its keywords sorted by the kind of value that they speak about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// `false` for the schema that admits nothing.
    pub(crate) refused: bool,
    pub(crate) types: Types,
    pub(crate) values: Option<Box<Values>>,
    pub(crate) number: Option<Box<NumberRules>>,
    pub(crate) string: Option<Box<StringRules>>,
    pub(crate) array: Option<Box<ArrayRules>>,
    pub(crate) object: Option<Box<ObjectRules>>,
    pub(crate) logic: Option<Box<Logic>>,
}

/// The kinds that `type` admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
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

    pub(crate) const fn of(kind: Kind) -> Self {
        Self(match kind {
            Kind::String => 1,
            Kind::Number => 1 << 1 | 1 << 2,
            Kind::Boolean => 1 << 3,
            Kind::Array => 1 << 4,
            Kind::Object => 1 << 5,
            Kind::Null => 1 << 6,
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
        let numbers = self.contains(Self::of(Kind::Number));
        Self::NAMES
            .into_iter()
            .filter(move |(name, types)| self.contains(*types) && !(numbers && *name == "integer"))
            .map(|(name, _)| name)
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::ANY
    }
}

/// The values that `enum` and `const` allow.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) one_of: Option<Vec<Json>>,
    pub(crate) constant: Option<Json>,
}

/// What a number must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberRules {
    pub(crate) minimum: Option<Number>,
    pub(crate) maximum: Option<Number>,
    pub(crate) above: Option<Number>,
    pub(crate) below: Option<Number>,
    pub(crate) multiple_of: Option<Number>,
}

/// What a string must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct StringRules {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
}

/// What an array must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArrayRules {
    pub(crate) prefix: Vec<NodeId>,
    pub(crate) items: Option<NodeId>,
    pub(crate) contains: Option<Contains>,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) unique: bool,
    pub(crate) unevaluated: Option<NodeId>,
}

/// `contains` with its counts.
#[derive(Debug, Clone)]
pub(crate) struct Contains {
    pub(crate) node: NodeId,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
}

/// What an object must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectRules {
    /// Kept sorted by property name.
    pub(crate) properties: Vec<(Box<str>, NodeId)>,
    pub(crate) patterns: Vec<(Pattern, NodeId)>,
    pub(crate) additional: Option<NodeId>,
    pub(crate) names: Option<NodeId>,
    /// Kept in sorted order.
    pub(crate) required: Vec<Box<str>>,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) dependent_required: Vec<(Box<str>, Vec<Box<str>>)>,
    pub(crate) dependent_schemas: Vec<(Box<str>, NodeId)>,
    pub(crate) unevaluated: Option<NodeId>,
}

impl ObjectRules {
    /// The schema of a declared property.
    pub(crate) fn property(&self, name: &str) -> Option<NodeId> {
        let found = self.properties.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        self.properties.get(found).map(|(_, node)| *node)
    }

    pub(crate) fn is_required(&self, name: &str) -> bool {
        self.required.binary_search_by(|required| (**required).cmp(name)).is_ok()
    }
}

/// Schemas that apply to the same value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Logic {
    pub(crate) reference: Option<NodeId>,
    pub(crate) dynamic: Option<NodeId>,
    pub(crate) all: Vec<NodeId>,
    pub(crate) any: Vec<NodeId>,
    pub(crate) one: Vec<NodeId>,
    pub(crate) not: Option<NodeId>,
    pub(crate) condition: Option<Condition>,
}

impl Logic {
    /// The schemas that every valid value must satisfy.
    pub(crate) fn always(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.reference.iter().chain(&self.dynamic).chain(&self.all).copied()
    }
}

/// `if` with its two branches.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub(crate) test: NodeId,
    pub(crate) then: Option<NodeId>,
    pub(crate) otherwise: Option<NodeId>,
}
