//! Guests that were compiled when the program was built, so that its own tools start at once.
//!
//! Loading compiled code is running it. So there is no way to hand code to the sandbox but an `unsafe` one, by which whoever
//! builds the program vouches that the bytes are its own. The engine still looks at version, configuration and processor, and
//! where they do not fit, the guest is compiled like any other.

use crate::engine::{Purpose, engine};
use crate::guest::LoadError;
use crate::shape::{Kind, Shape};

/// Compiled code of a guest that comes with the program.
#[derive(Clone, PartialEq, Eq)]
pub struct Ready(pub(crate) Vec<u8>);

impl Ready {
    /// Vouches for code.
    ///
    /// # Safety
    ///
    /// `code` must be what [`prepare`] gave, unchanged, from a place that only the builder of the program can write to, such as
    /// the program itself. It is run as machine code.
    #[must_use]
    #[expect(unsafe_code, reason = "that the bytes are code of ours is nothing that could be checked here")]
    pub const unsafe fn new(code: Vec<u8>) -> Self {
        Self(code)
    }
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Ready({} bytes)", self.0.len())
    }
}

/// Compiles a guest for every processor of this machine's family, to be put into a program. Takes place here, without
/// limits: it is meant for bytes of one's own, when building.
///
/// # Errors
///
/// Where the bytes are no guest, or the compiler does not accept them.
pub fn prepare(bytes: &[u8]) -> Result<Vec<u8>, LoadError> {
    let shape = Shape::of(bytes)?;
    let compiled = engine(Purpose::Ship).and_then(|engine| match shape.kind {
        Kind::Module => engine.precompile_module(bytes),
        Kind::Component => engine.precompile_component(bytes),
    });
    compiled.map_err(|error| LoadError::Unsuitable(format!("{error:#}")))
}
