//! Hands the other modules over to JavaScript. Nothing is decided here: each function passes
//! strings on and turns a [`BindingError`] into what is thrown, its JSON, which the package
//! wraps into a `HolmError`.
//!
//! Where things are:
//!
//! - `bindings/run.rs`: runs (`session/`).
//! - `bindings/wire.rs`: codecs (`wire/`).
//! - `bindings/guards.rs`: guards and skills (`guards.rs`).
//! - `bindings/grants.rs`: grants (`grants.rs`).
//! - `bindings/agent_rs.rs`: the agent.rs protocol (`compat.rs`).
//!
//! A check or a conversion belongs into the module behind it, which is tested natively. Names and
//! signatures are what `packages/holm/src/` calls.

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
