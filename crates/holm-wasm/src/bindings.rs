//! Hands the other modules over to JavaScript. Nothing is decided here: each function passes
//! strings on and turns a [`BindingError`] into what is thrown, its JSON, which the package
//! wraps into a `HolmError`.

pub mod agent_rs;
pub mod grants;
pub mod guards;
pub mod run;
pub mod wire;

use wasm_bindgen::JsValue;

use crate::BindingError;

/// What is thrown for a fault.
#[expect(clippy::needless_pass_by_value, reason = "the signature is that of `map_err`")]
fn thrown(fault: BindingError) -> JsValue {
    JsValue::from_str(&fault.json())
}
