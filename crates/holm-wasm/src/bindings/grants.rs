//! Exports functions on grants to JavaScript. It only passes strings on; the functions are in
//! `grants.rs`, the rules in `holm-grants`.

use alloc::string::String;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::thrown;

/// Whether one list contains another.
#[wasm_bindgen]
pub fn grants_contain(outer: &str, inner: &str) -> Result<bool, JsValue> {
    crate::contains(outer, inner).map_err(thrown)
}

/// Whether a list admits a request.
#[wasm_bindgen]
pub fn grants_admit(grants: &str, request: &str) -> Result<bool, JsValue> {
    crate::admits(grants, request).map_err(thrown)
}

/// What both lists allow.
#[wasm_bindgen]
pub fn grants_meet(left: &str, right: &str) -> Result<String, JsValue> {
    crate::meet(left, right).map_err(thrown)
}

/// What a policy says of a request.
#[wasm_bindgen]
pub fn policy_decide(policy: &str, request: &str) -> Result<String, JsValue> {
    crate::decide(policy, request).map_err(thrown)
}

/// Why a connection may not be made.
#[wasm_bindgen]
pub fn policy_reach(policy: &str, url: &str, address: &str) -> Result<Option<String>, JsValue> {
    crate::reach(policy, url, address).map_err(thrown)
}

/// What kind of place an address is.
#[wasm_bindgen]
pub fn address_class(address: &str) -> Result<String, JsValue> {
    crate::class(address).map_err(thrown)
}
