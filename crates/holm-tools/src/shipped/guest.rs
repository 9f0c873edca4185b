//! One guest inside the binary.

use std::io::Read;

use flate2::read::DeflateDecoder;
use thiserror::Error;

use holm_sandbox::Progress;

use crate::registry::{LoadError, Sidecar, Standing};
use crate::wasm::{Inspection, WasmHost, WasmTool};

/// A guest inside the binary, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    pub(super) name: &'static str,
    pub(super) size: usize,
    pub(super) sidecar: &'static str,
    pub(super) packed: &'static [u8],
}

/// Why a guest could not be taken out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShippedError {
    /// The binary is damaged.
    #[error("the guest {0} inside this program is damaged; install the program again")]
    Damaged(&'static str),
}

/// All guests that were there when this program was built; none where they were not.
#[must_use]
pub const fn all() -> &'static [Shipped] {
    include!(concat!(env!("OUT_DIR"), "/shipped.rs"))
}

impl Shipped {
    /// What it is called.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How many bytes it has when it is taken out.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// How many bytes it takes inside the program.
    #[must_use]
    pub const fn packed_size(&self) -> usize {
        self.packed.len()
    }

    /// What it asks for and how it is called, as the file beside a tool says it.
    #[must_use]
    pub const fn sidecar(&self) -> &'static str {
        self.sidecar
    }

    /// The guest itself.
    ///
    /// # Errors
    ///
    /// Where the program is damaged.
    pub fn bytes(&self) -> Result<Vec<u8>, ShippedError> {
        let damaged = ShippedError::Damaged(self.name);
        let mut bytes = Vec::with_capacity(self.size);
        // One byte more than there should be shows that there is too much.
        let most = u64::try_from(self.size).unwrap_or(u64::MAX).saturating_add(1);
        let read = DeflateDecoder::new(self.packed).take(most).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() != self.size {
            return Err(damaged);
        }
        Ok(bytes)
    }

    /// Makes a tool of it, as if it lay in a folder that a person has confirmed. Blocks while it is compiled, which is done
    /// once for each cache.
    ///
    /// # Errors
    ///
    /// Where it cannot be taken out or run on this machine.
    pub fn open(
        &self,
        host: &WasmHost,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(WasmTool, Inspection), LoadError> {
        let bytes = self.bytes().map_err(|error| LoadError::Refused(error.to_string()))?;
        let sidecar = Sidecar::parse(self.sidecar).map_err(|error| LoadError::Refused(error.to_string()))?;
        WasmTool::open(host, self.name, &bytes, Some(&sidecar), Standing::Confirmed, progress)
    }
}
