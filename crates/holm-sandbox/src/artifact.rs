//! The only module that turns bytes into code that runs.

use wasmtime::component::Component;
use wasmtime::{Engine, Module};

use crate::cache::TrustedCode;

/// Loads a compiled component. Fails if it was compiled by another version
/// or for another configuration.
pub(crate) fn component(engine: &Engine, code: &TrustedCode) -> wasmtime::Result<Component> {
    #[expect(
        unsafe_code,
        reason = "loading compiled code is unsafe unless it comes unchanged from the compiler; `Trusted` is only made of \
                  what our own compiler answered, of a file that bears a seal made with a key of ours, or of what the \
                  program's builder vouched for by an unsafe call"
    )]
    // SAFETY: as the reason says; the engine itself checks version, configuration and processor.
    unsafe {
        Component::deserialize(engine, code.as_bytes())
    }
}

/// Loads a compiled module. Fails if it was compiled by another version
/// or for another configuration.
pub(crate) fn module(engine: &Engine, code: &TrustedCode) -> wasmtime::Result<Module> {
    #[expect(
        unsafe_code,
        reason = "loading compiled code is unsafe unless it comes unchanged from the compiler; `Trusted` is only made of \
                  what our own compiler answered, of a file that bears a seal made with a key of ours, or of what the \
                  program's builder vouched for by an unsafe call"
    )]
    // SAFETY: as the reason says; the engine itself checks version, configuration and processor.
    unsafe {
        Module::deserialize(engine, code.as_bytes())
    }
}
