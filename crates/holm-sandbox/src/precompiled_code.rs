//! Guests that were compiled when the program was built, so that its own tools start at once.
//!
//! Loading compiled code is running it. So the only way to hand code to the sandbox is `unsafe`:
//! the builder of the program vouches that the bytes are its own. The engine still checks version,
//! configuration and processor. If they do not fit, the guest is compiled like any other.
//!
//! `prepare` runs without limits and is for the builder's own bytes alone; bytes of strangers go
//! through `compile/`. Code is loaded in `artifact.rs`.

use crate::engine::{EnginePurpose, engine};
use crate::guest::GuestLoadError;
use crate::wasm_shape::{WasmKind, WasmShape};

/// Compiled code of a guest that comes with the program.
#[derive(Clone, PartialEq, Eq)]
pub struct PrecompiledCode(pub(crate) Vec<u8>);

impl PrecompiledCode {
    /// Declares that code comes unchanged from our own compiler.
    ///
    /// # Safety
    ///
    /// `code` must be what [`prepare`] gave, unchanged, from a place that only the builder of the
    /// program can write to, such as the program itself. It is run as machine code.
    #[must_use]
    #[expect(unsafe_code, reason = "that the bytes are code of ours is nothing that could be checked here")]
    pub const unsafe fn new(code: Vec<u8>) -> Self {
        Self(code)
    }
}

impl std::fmt::Debug for PrecompiledCode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Ready({} bytes)", self.0.len())
    }
}

/// Compiles a guest for every processor of this machine's family, to be embedded in a program. Runs
/// in this process, without limits: it is meant for the builder's own bytes.
///
/// # Errors
///
/// If the bytes are not a guest, or the compiler does not accept them.
pub fn prepare(bytes: &[u8]) -> Result<Vec<u8>, GuestLoadError> {
    let shape = WasmShape::of(bytes)?;
    let compiled = engine(EnginePurpose::Precompile).and_then(|engine| match shape.kind {
        WasmKind::Module => engine.precompile_module(bytes),
        WasmKind::Component => engine.precompile_component(bytes),
    });
    let mut code = compiled.map_err(|error| GuestLoadError::Unsuitable(format!("{error:#}")))?;
    let _ = without_names(&mut code);
    Ok(code)
}

/// The kind of a section that lists names.
const NAMES: u32 = 2;
/// The size of a section header.
const HEADER: usize = 64;

/// Empties the lists of names of an ELF file, and the texts that they point into. Only debuggers
/// read them, and even packed they take space in the program. They keep their size, so that nothing
/// moves. Bytes that are not an ELF file stay unchanged.
fn without_names(code: &mut [u8]) -> Option<()> {
    let headers = long(code, 0x28)?;
    let count = usize::from(u16::from_le_bytes(read(code, 0x3c)?));
    let of_sections = usize::from(u16::from_le_bytes(read(code, 0x3e)?));
    let header_offset = |section: usize| section.checked_mul(HEADER)?.checked_add(headers);
    for section in 0..count {
        let header = header_offset(section)?;
        if u32::from_le_bytes(read(code, header.checked_add(4)?)?) != NAMES {
            continue;
        }
        let texts = usize::try_from(u32::from_le_bytes(read(code, header.checked_add(0x28)?)?)).ok()?;
        empty(code, header)?;
        if texts != of_sections {
            empty(code, header_offset(texts)?)?;
        }
    }
    Some(())
}

fn empty(code: &mut [u8], header: usize) -> Option<()> {
    let from = long(code, header.checked_add(0x18)?)?;
    let size = long(code, header.checked_add(0x20)?)?;
    code.get_mut(from..from.checked_add(size)?)?.fill(0);
    Some(())
}

fn long(code: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(read(code, at)?)).ok()
}

fn read<const SIZE: usize>(code: &[u8], at: usize) -> Option<[u8; SIZE]> {
    code.get(at..)?.first_chunk().copied()
}
