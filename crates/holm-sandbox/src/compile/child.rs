//! The child's side: reads limits, then bytes, and returns code or a reason.
//!
//! It limits itself before it reads the first byte from outside. Until then it runs only our own
//! code, so nothing can prevent that. Setting the limits from outside would need a fork, which is
//! slow in a large program.
//!
//! It gets no environment and can write no file. Its answer carries its length, so that a child
//! that was killed is not mistaken for one that finished. The other side is `compile/parent.rs`;
//! the engine's configuration, which must be the same on both sides, is in `engine.rs`.

use std::io::{Read, Write};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::budget::CompileBudget;
use crate::engine::{EnginePurpose, engine};
use crate::wasm_shape::WasmKind;

/// The first bytes in both directions, so that neither side mistakes another program for its peer.
pub(super) const MAGIC: [u8; 8] = *b"holmcc01";
/// The first byte of an answer.
pub(super) const COMPILED: u8 = 0;
pub(super) const INVALID: u8 = 1;

/// The header that the parent sends before the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompileHeader {
    pub(super) kind: WasmKind,
    pub(super) cpu_seconds: u64,
    pub(super) memory: u64,
}

/// The length of a header on the wire.
pub(super) const HEADER: usize = 25;

impl CompileHeader {
    pub(super) fn new(kind: WasmKind, budget: &CompileBudget) -> Self {
        Self { kind, cpu_seconds: budget.cpu_seconds, memory: budget.memory }
    }

    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let kind = match self.kind {
            WasmKind::Module => 0,
            WasmKind::Component => 1,
        };
        let parts = [&MAGIC[..], &[kind], &self.cpu_seconds.to_le_bytes(), &self.memory.to_le_bytes()];
        let mut bytes = [0; HEADER];
        for (to, byte) in bytes.iter_mut().zip(parts.concat()) {
            *to = byte;
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk()?;
        let (kind, rest) = rest.split_first()?;
        let (cpu, rest) = rest.split_first_chunk()?;
        let kind = match kind {
            0 => WasmKind::Module,
            1 => WasmKind::Component,
            _ => return None,
        };
        (*magic == MAGIC).then_some(Self {
            kind,
            cpu_seconds: u64::from_le_bytes(*cpu),
            memory: u64::from_le_bytes(rest.try_into().ok()?),
        })
    }
}

/// Compiles the input and writes the answer. Returns the exit code.
pub(super) fn run() -> i32 {
    match serve(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn serve(mut input: impl Read, mut output: impl Write) -> std::io::Result<()> {
    let mut header = [0; HEADER];
    input.read_exact(&mut header)?;
    let header = CompileHeader::from_bytes(&header)
        .ok_or_else(|| std::io::Error::new(std::io::ErrorKind::InvalidData, "unknown request"))?;
    limit(&header)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let compiled = engine(EnginePurpose::Compile).and_then(|engine| match header.kind {
        WasmKind::Module => engine.precompile_module(&bytes),
        WasmKind::Component => engine.precompile_component(&bytes),
    });
    let (tag, answer) = match compiled {
        Ok(code) => (COMPILED, code),
        Err(error) => (INVALID, format!("{error:#}").into_bytes()),
    };
    output.write_all(&MAGIC)?;
    output.write_all(&[tag])?;
    // A child that is killed while it writes must not be mistaken for one that is done.
    output.write_all(&(answer.len() as u64).to_le_bytes())?;
    output.write_all(&answer)?;
    output.flush()
}

/// Gives up all rights and resources that compiling does not need.
fn limit(header: &CompileHeader) -> std::io::Result<()> {
    // The soft limit ends the process with a signal that names the cause; the hard limit would not.
    let cpu =
        Rlimit { current: Some(header.cpu_seconds), maximum: Some(header.cpu_seconds.saturating_add(1)) };
    setrlimit(Resource::Cpu, cpu)?;
    for (resource, most) in [
        (Resource::As, header.memory),
        // No file can be written, and no memory of a crash is left lying about.
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nofile, 64),
    ] {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_as_it_was() {
        for kind in [WasmKind::Module, WasmKind::Component] {
            let header = CompileHeader::new(kind, &CompileBudget::of(123_456));
            assert_eq!(CompileHeader::from_bytes(&header.to_bytes()), Some(header));
        }
        let mut bytes = CompileHeader::new(WasmKind::Module, &CompileBudget::of(1)).to_bytes();
        bytes[0] = 0;
        assert_eq!(CompileHeader::from_bytes(&bytes), None);
    }

    #[test]
    fn a_stranger_is_not_served() {
        let mut answer = Vec::new();
        assert!(serve(&[0; HEADER][..], &mut answer).is_err());
        assert!(serve(&b"short"[..], &mut answer).is_err());
        assert!(answer.is_empty());
    }
}
