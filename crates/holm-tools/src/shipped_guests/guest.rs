//! One guest inside the binary: its bytes, its compiled code, and the tool that it becomes. It does
//! not compress or compile: the build does, with `pack.rs` and `prepare.rs`. Compiled code is used
//! only if its hash is the one that the build wrote down, because damaged bytes must not become
//! machine code.

use holm_kernel::ToolSpec;
use holm_sandbox::{CompileProgress, PrecompiledCode};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::calls;
use super::compressed_bytes::CompressedBytes;
use super::prepare::PrecompiledGuestInfo;
use crate::registry::{PinStatus, ToolLoadError, ToolSidecar};
use crate::wasm::{GuestInspection, WasmHost, WasmTool};

/// A compressed guest inside the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedGuest {
    pub(super) name: &'static str,
    pub(super) sidecar: &'static str,
    /// The guest whose bytes must be known to take this one out, because the two have much in
    /// common. That one needs no other.
    pub(super) like: Option<&'static str>,
    pub(super) wasm: CompressedBytes,
    pub(super) prepared: Option<PrecompiledGuest>,
}

/// The compiled code of a guest, made when the program was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrecompiledGuest {
    /// An [`PrecompiledGuestInfo`] as JSON.
    pub(super) about: &'static str,
    /// The code, with its calls converted. It was packed with these known bytes: the code of the
    /// similar guest, and this guest itself or its outline.
    pub(super) code: CompressedBytes,
}

/// Why a guest could not be unpacked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShippedGuestError {
    /// The binary is damaged.
    #[error("the guest {0} inside this program is damaged; install the program again")]
    Damaged(&'static str),
}

/// All guests that were packed when this program was built; empty if there were none.
#[must_use]
pub const fn all() -> &'static [ShippedGuest] {
    include!(concat!(env!("OUT_DIR"), "/shipped.rs"))
}

impl ShippedGuest {
    /// What it is called.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How many bytes it has when it is taken out.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.wasm.size
    }

    /// How many bytes it takes inside the program, its compiled code included.
    #[must_use]
    pub const fn packed_size(&self) -> usize {
        let code = match self.prepared {
            Some(prepared) => prepared.code.bytes.len(),
            None => 0,
        };
        self.wasm.bytes.len() + code
    }

    /// Its needs and its name, in the format of a tool's sidecar.
    #[must_use]
    pub const fn sidecar(&self) -> &'static str {
        self.sidecar
    }

    /// Whether it was compiled and described when the program was built.
    #[must_use]
    pub const fn is_prepared(&self) -> bool {
        self.prepared.is_some()
    }

    /// Its declaration for the kernel, and its search keywords; `None` if it was not prepared.
    #[must_use]
    pub fn declaration(&self) -> Option<(ToolSpec, Vec<String>)> {
        let about = PrecompiledGuestInfo::parse(self.prepared?.about)?;
        Some((about.tool, about.keywords))
    }

    /// The guest itself, or its outline where the build left the rest out.
    ///
    /// # Errors
    ///
    /// Where the program is damaged.
    pub fn bytes(&self) -> Result<Vec<u8>, ShippedGuestError> {
        let known = match self.like()? {
            Some(like) => like.bytes()?,
            None => Vec::new(),
        };
        self.wasm.unpack(&known).ok_or(ShippedGuestError::Damaged(self.name))
    }

    /// Makes a tool of it, as if it lay in a folder that a person has confirmed. Blocks: while its
    /// code is taken out, or while it is compiled, which is done once for each cache, where it
    /// has none that fits.
    ///
    /// # Errors
    ///
    /// Where it cannot be taken out or run on this machine.
    pub fn open(
        &self,
        host: &WasmHost,
        progress: &mut dyn FnMut(CompileProgress),
    ) -> Result<(WasmTool, GuestInspection), ToolLoadError> {
        let (bytes, code) = self.parts().map_err(|error| ToolLoadError::Refused(error.to_string()))?;
        let sidecar =
            ToolSidecar::parse(self.sidecar).map_err(|error| ToolLoadError::Refused(error.to_string()))?;
        match self.ready(code).map_err(|error| ToolLoadError::Refused(error.to_string()))? {
            Some(ready) => WasmTool::open_ready(host, self.name, &bytes, ready, &sidecar, progress),
            None => WasmTool::open(host, self.name, &bytes, Some(&sidecar), PinStatus::Confirmed, progress),
        }
    }

    fn like(&self) -> Result<Option<&'static Self>, ShippedGuestError> {
        let Some(name) = self.like else { return Ok(None) };
        let like = all().iter().find(|guest| guest.name == name && guest.like.is_none());
        like.map(Some).ok_or(ShippedGuestError::Damaged(self.name))
    }

    /// The guest, and its compiled code if it has any. Neither has been verified yet.
    fn parts(&self) -> Result<(Vec<u8>, Option<Vec<u8>>), ShippedGuestError> {
        let (known, code) = match self.like()? {
            Some(like) => like.parts()?,
            None => (Vec::new(), None),
        };
        let bytes = self.wasm.unpack(&known).ok_or(ShippedGuestError::Damaged(self.name))?;
        let Some(prepared) = self.prepared else { return Ok((bytes, None)) };
        let mut known = code.unwrap_or_default();
        known.extend_from_slice(&bytes);
        let mut code = prepared.code.unpack(&known).ok_or(ShippedGuestError::Damaged(self.name))?;
        if cfg!(target_arch = "x86_64") {
            calls::turn(&mut code, false);
        }
        Ok((bytes, Some(code)))
    }

    /// Vouches for the code that came with it. A damaged program must not become machine code, so
    /// its hash is compared.
    fn ready(&self, code: Option<Vec<u8>>) -> Result<Option<PrecompiledCode>, ShippedGuestError> {
        let (Some(prepared), Some(code)) = (self.prepared, code) else { return Ok(None) };
        let about =
            PrecompiledGuestInfo::parse(prepared.about).ok_or(ShippedGuestError::Damaged(self.name))?;
        if about.code_sha256 != hex(&Sha256::digest(&code)) {
            return Err(ShippedGuestError::Damaged(self.name));
        }
        #[expect(unsafe_code, reason = "the code lies in this very program, where its build put it")]
        // SAFETY: `prepare` made it of our own guests, the build packed it into this program, and its hash is the one that
        // was written down then.
        let ready = unsafe { PrecompiledCode::new(code) };
        Ok(Some(ready))
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
