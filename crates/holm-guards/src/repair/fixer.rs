//! Walks a value and its schema together and makes the changes that have only one possible result.
//!
//! If two branches of a union would both fit after a change, the value is left unchanged: a guess
//! would run a tool with arguments that the model did not choose. Whether a value is valid is
//! always decided by `schema/check/`, never here. The unwrapping of variants is in
//! `repair/variant.rs`, the reading of the text in `repair/text.rs`. Depth and trials are bounded,
//! because schema and value may both come from strangers.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::variant::flatten;
use super::{ArgumentFix, ArgumentFixKind};
use crate::json::{Json, JsonKind, JsonNumber, JsonObject};
use crate::schema::{CompiledSchema, SchemaChecker, SchemaNode, SchemaNodeId, TypeSet, plausible};

/// The deepest nesting of schemas that is examined; as deep as validation itself goes.
const MAX_NESTING: usize = 256;

/// Branches of unions that are tried in one repair: each works on a copy of the value.
const MAX_TRIALS: usize = 256;

/// One repair under way.
pub(super) struct ArgumentFixer<'s> {
    schema: &'s CompiledSchema,
    /// Shared by all questions, so that the whole repair has one budget of steps.
    checker: SchemaChecker<'s>,
    fixes: Vec<ArgumentFix>,
    path: Vec<String>,
    depth: usize,
    trials: usize,
}

impl<'s> ArgumentFixer<'s> {
    pub(super) const fn new(schema: &'s CompiledSchema) -> Self {
        let checker = SchemaChecker::new(schema);
        Self { schema, checker, fixes: Vec::new(), path: Vec::new(), depth: 0, trials: 0 }
    }

    pub(super) fn into_fixes(self) -> Vec<ArgumentFix> {
        self.fixes
    }

    pub(super) fn fix_root(&mut self, value: Json) -> Json {
        let root = self.schema.root();
        if value.is_null() && !self.checker.is_valid(root, &value) {
            self.note(ArgumentFixKind::Empty);
            return Json::Object(JsonObject::new());
        }
        self.fix(root, value)
    }

    fn note(&mut self, kind: ArgumentFixKind) {
        let pointer = self.path.iter().fold(String::new(), |pointer, token| format!("{pointer}/{token}"));
        self.fixes.push(ArgumentFix { pointer, kind });
    }

    fn is_valid(&mut self, id: SchemaNodeId, value: &Json) -> bool {
        self.checker.is_valid(id, value)
    }

    fn fix(&mut self, id: SchemaNodeId, value: Json) -> Json {
        let Some(node) = self.schema.node(id) else { return value };
        if self.is_valid(id, &value) || self.checker.is_stopped() || self.depth >= MAX_NESTING {
            return value;
        }
        self.depth += 1;
        let value = self.kind(node, value);
        let value = self.listed(node, value);
        let value = self.parts(node, value);
        let value = self.logic(node, value);
        self.depth -= 1;
        value
    }

    /// Changes the kind of a value that is of the wrong one.
    fn kind(&mut self, node: &SchemaNode, value: Json) -> Json {
        if node.types.admit(&value) {
            return value;
        }
        if let Json::String(text) = &value {
            if let Some(scalar) = scalar(text).filter(|scalar| node.types.admit(scalar)) {
                self.note(ArgumentFixKind::Unquoted);
                return scalar;
            }
            if let Some(inner) = structure(text).filter(|inner| node.types.admit(inner)) {
                self.note(ArgumentFixKind::Unfolded);
                return inner;
            }
        }
        if node.types.contains(TypeSet::of(JsonKind::String))
            && matches!(value, Json::Number(_) | Json::Bool(_))
        {
            self.note(ArgumentFixKind::Quoted);
            return Json::String(value.canonical());
        }
        if node.types.contains(TypeSet::of(JsonKind::Array)) && !value.is_null() {
            self.note(ArgumentFixKind::Listed);
            return Json::Array(vec![value]);
        }
        value
    }

    /// Changes a scalar into the value of an `enum` or `const` that reads the same.
    fn listed(&mut self, node: &SchemaNode, value: Json) -> Json {
        let Some(values) = &node.values else { return value };
        let allowed = |value: &Json| {
            let listed = values
                .one_of
                .as_ref()
                .is_none_or(|list| list.iter().any(|candidate| candidate.same_value(value)));
            listed && values.constant.as_ref().is_none_or(|constant| constant.same_value(value))
        };
        if allowed(&value) {
            return value;
        }
        let (kind, changed) = match &value {
            Json::String(text) => (ArgumentFixKind::Unquoted, scalar(text)),
            Json::Number(_) | Json::Bool(_) => {
                (ArgumentFixKind::Quoted, Some(Json::String(value.canonical())))
            }
            Json::Null | Json::Array(_) | Json::Object(_) => return value,
        };
        match changed.filter(allowed) {
            Some(changed) => {
                self.note(kind);
                changed
            }
            None => value,
        }
    }

    /// Repairs the members of an object and the items of an array.
    fn parts(&mut self, node: &SchemaNode, value: Json) -> Json {
        match (value, &node.object, &node.array) {
            (Json::Object(members), Some(rules), _) => {
                let mut kept = JsonObject::new();
                for (name, member) in members {
                    let declared = rules.property(&name);
                    let matching = || rules.patterns.iter().find(|(pattern, _)| pattern.is_match(&name));
                    let schema = declared.or_else(|| matching().map(|(_, node)| *node)).or(rules.additional);
                    let Some(schema) = schema else {
                        kept.insert(name, member);
                        continue;
                    };
                    self.path.push(name.replace('~', "~0").replace('/', "~1"));
                    let optional = declared.is_some() && !rules.is_required(&name);
                    if member.is_null() && optional && !self.is_valid(schema, &member) {
                        self.note(ArgumentFixKind::NullDropped);
                    } else {
                        kept.insert(name, self.fix(schema, member));
                    }
                    self.path.pop();
                }
                Json::Object(kept)
            }
            (Json::Array(items), _, Some(rules)) => {
                let fix = |(index, item): (usize, Json)| {
                    let Some(schema) = rules.prefix.get(index).copied().or(rules.items) else { return item };
                    self.path.push(index.to_string());
                    let item = self.fix(schema, item);
                    self.path.pop();
                    item
                };
                Json::Array(items.into_iter().enumerate().map(fix).collect())
            }
            (value, _, _) => value,
        }
    }

    /// Repairs by the schemas that apply to the same value.
    fn logic(&mut self, node: &SchemaNode, mut value: Json) -> Json {
        let Some(logic) = &node.logic else { return value };
        for id in logic.always() {
            value = self.fix(id, value);
        }
        for branches in [&logic.any_of, &logic.one_of] {
            if !branches.is_empty() && !branches.iter().any(|id| self.is_valid(*id, &value)) {
                value = self.union(branches, value);
            }
        }
        if let Some(condition) = &logic.condition {
            let held = self.is_valid(condition.test, &value);
            if let Some(branch) = if held { condition.then } else { condition.otherwise } {
                value = self.fix(branch, value);
            }
        }
        value
    }

    /// Tries every branch; takes the result if there is only one.
    fn union(&mut self, branches: &[SchemaNodeId], value: Json) -> Json {
        let mut results: Vec<UnionTrial> = Vec::new();
        for id in branches {
            let Some(trial) = self.attempt(branches, *id, &value) else { continue };
            if results.iter().all(|known| known.value != trial.value) {
                results.push(trial);
            }
        }
        // A list of one is the last resort: it fits items of any type.
        for better in [UnionTrial::is_plausible as fn(&UnionTrial) -> bool, UnionTrial::is_scalar] {
            if results.len() > 1 && results.iter().any(better) {
                results.retain(better);
            }
        }
        match (results.pop(), results.is_empty()) {
            (Some(only), true) => {
                self.fixes.extend(only.fixes);
                only.value
            }
            (Some(_), false) | (None, _) => value,
        }
    }

    fn attempt(&mut self, branches: &[SchemaNodeId], id: SchemaNodeId, value: &Json) -> Option<UnionTrial> {
        let as_sent = self.trial(id, value.clone(), None);
        as_sent.or_else(|| {
            let flat = flatten(self.schema, branches, id, value)?;
            self.trial(id, flat, Some(ArgumentFixKind::Flattened))
        })
    }

    /// Repairs a value for one branch; the fixes are set apart until the branch is chosen.
    fn trial(&mut self, id: SchemaNodeId, value: Json, first: Option<ArgumentFixKind>) -> Option<UnionTrial> {
        self.trials += 1;
        if self.trials > MAX_TRIALS {
            return None;
        }
        let known = self.fixes.len();
        if let Some(kind) = first {
            self.note(kind);
        }
        let plausible = plausible(self.schema, id, &value);
        let value = self.fix(id, value);
        let fixes = self.fixes.split_off(known.min(self.fixes.len()));
        self.is_valid(id, &value).then_some(UnionTrial { value, fixes, plausible })
    }
}

/// The result of one branch of a union for a value.
struct UnionTrial {
    value: Json,
    fixes: Vec<ArgumentFix>,
    plausible: bool,
}

impl UnionTrial {
    const fn is_plausible(&self) -> bool {
        self.plausible
    }

    fn is_scalar(&self) -> bool {
        self.fixes.iter().all(|fix| fix.kind != ArgumentFixKind::Listed)
    }
}

/// The scalar that a string holds.
fn scalar(text: &str) -> Option<Json> {
    let text = text.trim();
    if let Ok(number) = text.parse::<JsonNumber>() {
        return Some(Json::Number(number));
    }
    match text {
        "true" | "True" | "TRUE" => Some(Json::Bool(true)),
        "false" | "False" | "FALSE" => Some(Json::Bool(false)),
        "null" => Some(Json::Null),
        _ => None,
    }
}

/// The object or array that a string holds.
fn structure(text: &str) -> Option<Json> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    Json::parse(text).ok()
}
