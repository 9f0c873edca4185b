//! Exports guards and skills to JavaScript.
//!
//! It only passes strings on; the functions are in `guards.rs`, the rules in `holm-guards`.
//! `mutate` switches a guard off and exists only with the feature of that name, for tests: a
//! package must not be built with it.

use alloc::string::String;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::thrown;
use crate::{PostconditionSet, SchemaHandle, SkillHandle};

/// Whether an output is plausible.
#[wasm_bindgen]
pub fn plausibility(outcome: &str, output: &str, expectation: &str) -> Result<String, JsValue> {
    crate::plausibility(outcome, output, expectation).map_err(thrown)
}

/// A compiled JSON Schema.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Schema(SchemaHandle);

#[wasm_bindgen]
impl Schema {
    /// Compiles a JSON Schema; throws if it is invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: &str) -> Result<Schema, JsValue> {
        SchemaHandle::new(schema).map(Self).map_err(thrown)
    }

    /// What is wrong with a value.
    pub fn validate(&self, value: &str) -> Result<String, JsValue> {
        self.0.validate(value).map_err(thrown)
    }

    /// Mends a model's arguments.
    pub fn repair(&self, arguments: &str) -> String {
        self.0.repair(arguments)
    }

    /// What is not enforced.
    pub fn unsupported(&self) -> String {
        self.0.unsupported()
    }
}

/// Postconditions that are ready to check results.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Postconditions(PostconditionSet);

#[wasm_bindgen]
impl Postconditions {
    /// Compiles a list of postconditions; throws if one is invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(declared: &str) -> Result<Postconditions, JsValue> {
        PostconditionSet::new(declared).map(Self).map_err(thrown)
    }

    /// What they say of an output.
    pub fn evaluate(&self, outcome: &str, output: &str) -> Result<String, JsValue> {
        self.0.evaluate(outcome, output).map_err(thrown)
    }
}

/// A compiled contract skill.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Skill(SkillHandle);

#[wasm_bindgen]
impl Skill {
    /// Compiles a contract; throws if it is invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(contract: &str) -> Result<Skill, JsValue> {
        SkillHandle::new(contract).map(Self).map_err(thrown)
    }

    /// The task in words.
    pub fn prompt(&self, input: &str) -> Result<String, JsValue> {
        self.0.prompt(input).map_err(thrown)
    }

    /// Proves a reply.
    pub fn check(&self, input: &str, reply: &str) -> Result<String, JsValue> {
        self.0.check(input, reply).map_err(thrown)
    }
}

/// The built-in contract.
#[wasm_bindgen]
pub fn extract_contract() -> String {
    crate::extract_contract()
}

/// Switches one guard off, or all on again; false if there is none of this name.
#[cfg(feature = "mutate")]
#[wasm_bindgen]
pub fn mutate(guard: &str) -> bool {
    holm_guards::guard_switches::switch_off(guard)
}
