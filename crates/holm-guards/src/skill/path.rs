//! Pointers into an output, and the values that they lead to; `*` means every element or
//! member.
//!
//! It finds values and checks none (`skill/runner.rs` does). It walks with its own stack, so
//! that no nesting of an output reaches the call stack. A pointer that leads nowhere is not an
//! error: whether a member is required is the schema's business.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::ContractError;
use crate::json::Json;

/// A JSON pointer in which `*` means every element or member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutputPointer {
    steps: Vec<PointerStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PointerStep {
    Each,
    Name(String),
}

impl OutputPointer {
    pub(super) fn parse(pointer: &str) -> Result<Self, ContractError> {
        if pointer.is_empty() {
            return Ok(Self { steps: Vec::new() });
        }
        let Some(rest) = pointer.strip_prefix('/') else {
            return Err(ContractError::BadPointer(pointer.to_string()));
        };
        let step = |token: &str| match token {
            "*" => PointerStep::Each,
            // The order matters: `~01` means `~1`.
            name => PointerStep::Name(name.replace("~1", "/").replace("~0", "~")),
        };
        Ok(Self { steps: rest.split('/').map(step).collect() })
    }

    /// Every value without parts (not an array, not an object) at or below the
    /// path, in document order.
    pub(super) fn leaves<'a>(&self, root: &'a Json) -> LeafValues<'a> {
        let mut at = vec![root];
        for step in &self.steps {
            at = at.into_iter().flat_map(|value| step.follow(value)).collect();
        }
        at.reverse();
        LeafValues { pending: at }
    }
}

impl PointerStep {
    fn follow<'a>(&self, value: &'a Json) -> Vec<&'a Json> {
        match (self, value) {
            (Self::Each, value) => parts(value),
            (Self::Name(name), Json::Object(members)) => members.get(name).into_iter().collect(),
            (Self::Name(name), Json::Array(items)) => {
                name.parse::<usize>().ok().and_then(|at| items.get(at)).into_iter().collect()
            }
            (Self::Name(_), Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => Vec::new(),
        }
    }
}

/// See [`OutputPointer::leaves`]. A stack of its own, so that no nesting of the output
/// reaches the call stack.
pub(super) struct LeafValues<'a> {
    pending: Vec<&'a Json>,
}

impl<'a> Iterator for LeafValues<'a> {
    type Item = &'a Json;

    fn next(&mut self) -> Option<&'a Json> {
        loop {
            let value = self.pending.pop()?;
            match value {
                Json::Array(_) | Json::Object(_) => self.pending.extend(parts(value).into_iter().rev()),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return Some(value),
            }
        }
    }
}

fn parts(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(members) => members.values().collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::{ContractError, OutputPointer};
    use crate::json::Json;

    fn check(pointer: &str, expect: &[&str]) {
        let document = r#"{"a":[{"b":1,"c":"x"},{"b":[2,{"d":3}]}],"e/f":{"~":true},"g":[],"h":null}"#;
        let document = Json::parse(document).unwrap();
        let found: Vec<String> =
            OutputPointer::parse(pointer).unwrap().leaves(&document).map(ToString::to_string).collect();
        assert_eq!(found, expect, "{pointer}");
    }

    #[test]
    fn a_path_leads_to_every_value_below_it_in_document_order() {
        check("", &["1", "\"x\"", "2", "3", "true", "null"]);
        check("/a", &["1", "\"x\"", "2", "3"]);
        check("/a/1", &["2", "3"]);
        check("/a/0/b", &["1"]);
    }

    #[test]
    fn a_star_is_every_element_or_member() {
        check("/a/*/b", &["1", "2", "3"]);
        check("/a/*/*", &["1", "\"x\"", "2", "3"]);
        check("/*/~0", &["true"]);
    }

    #[test]
    fn names_are_unescaped_and_a_path_may_lead_nowhere() {
        check("/e~1f/~0", &["true"]);
        for pointer in ["/x", "/a/7", "/a/b", "/g", "/g/*", "/h/x", "/a/0/c/x"] {
            check(pointer, &[]);
        }
        assert_eq!(OutputPointer::parse("a"), Err(ContractError::BadPointer("a".into())));
    }

    #[test]
    fn deep_outputs_do_not_reach_the_call_stack() {
        let mut deep = Json::from(1_u64);
        for _ in 0..100 {
            deep = Json::Array([deep].into());
        }
        assert_eq!(OutputPointer::parse("").unwrap().leaves(&deep).count(), 1);
    }
}
