//! Random numbers for components (`wasi:random`), from the call's own source. The source is part of
//! the call's state (`state.rs`); WASI preview 1 has its own in `p1/process.rs`.

use wasmtime::Result;
use wasmtime::component::HasData;
use wasmtime_wasi::p2::bindings::random::{insecure, insecure_seed, random};

use crate::nondeterminism::RandomSource;
use crate::state::GuestState;

pub(super) struct RandomHost;

impl HasData for RandomHost {
    type Data<'a> = &'a mut RandomSource;
}

pub(super) fn dice(state: &mut GuestState) -> &mut RandomSource {
    &mut state.dice
}

/// The most random bytes that a component may ask for at once; the host has to hold them.
const MAX_BYTES: u64 = 1 << 20;

fn bytes(dice: &mut RandomSource, len: u64) -> Result<Vec<u8>> {
    if len > MAX_BYTES {
        return Err(wasmtime::format_err!("more than {MAX_BYTES} random bytes at once"));
    }
    let mut bytes = vec![0; usize::try_from(len)?];
    dice.fill(&mut bytes)?;
    Ok(bytes)
}

impl random::Host for RandomSource {
    fn get_random_bytes(&mut self, len: u64) -> Result<Vec<u8>> {
        bytes(self, len)
    }

    fn get_random_u64(&mut self) -> Result<u64> {
        Ok(self.word()?)
    }
}

impl insecure::Host for RandomSource {
    fn get_insecure_random_bytes(&mut self, len: u64) -> Result<Vec<u8>> {
        bytes(self, len)
    }

    fn get_insecure_random_u64(&mut self) -> Result<u64> {
        Ok(self.word()?)
    }
}

impl insecure_seed::Host for RandomSource {
    fn insecure_seed(&mut self) -> Result<(u64, u64)> {
        Ok((self.word()?, self.word()?))
    }
}
