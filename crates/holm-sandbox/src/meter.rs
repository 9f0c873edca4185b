//! Charges memory and tables to one call, all of its memories together.
//!
//! Growth beyond the limit is refused, as WASM defines it, and the guest may continue with less;
//! `run.rs` uses the refusal to explain a later trap. Host memory that a guest causes is bounded
//! elsewhere (`output.rs`, `net.rs`). The limit itself is in `limits.rs`.

use wasmtime::{Error, ResourceLimiter};

use crate::limits::GuestLimits;

/// Counts the memory of a call's instances and refuses growth beyond the limit.
///
/// A guest that asks for too much is refused, as the WASM standard defines it, and may continue
/// with less. Whether it was refused decides what a later trap means: see [`MemoryMeter::refused`].
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    memory: MeteredAmount,
    elements: MeteredAmount,
    instances: u32,
    refused: Option<RefusedGrowth>,
}

/// The kind of growth that was refused first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedGrowth {
    Memory,
    Table,
}

/// One amount under one limit.
#[derive(Debug)]
struct MeteredAmount {
    limit: u64,
    now: u64,
    peak: u64,
}

impl MemoryMeter {
    pub(crate) fn new(limits: &GuestLimits) -> Self {
        Self {
            memory: MeteredAmount { limit: limits.memory, now: 0, peak: 0 },
            elements: MeteredAmount { limit: limits.table_elements, now: 0, peak: 0 },
            instances: limits.instances,
            refused: None,
        }
    }

    /// The most bytes at any one time.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.memory.peak
    }

    /// The kind of growth that was refused first, if any.
    pub(crate) fn refused(&self) -> Option<RefusedGrowth> {
        self.refused
    }
}

impl MeteredAmount {
    fn grow(&mut self, current: usize, desired: usize) -> bool {
        let next = self.now.saturating_sub(current as u64).saturating_add(desired as u64);
        if next > self.limit {
            return false;
        }
        self.now = next;
        self.peak = self.peak.max(next);
        true
    }
}

impl ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool, Error> {
        let fits = self.memory.grow(current, desired);
        if !fits {
            self.refused.get_or_insert(RefusedGrowth::Memory);
        }
        Ok(fits)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool, Error> {
        let fits = self.elements.grow(current, desired);
        if !fits {
            self.refused.get_or_insert(RefusedGrowth::Table);
        }
        Ok(fits)
    }

    fn instances(&self) -> usize {
        self.instances as usize
    }

    fn tables(&self) -> usize {
        self.instances as usize
    }

    fn memories(&self) -> usize {
        self.instances as usize
    }
}

#[cfg(test)]
mod tests;
