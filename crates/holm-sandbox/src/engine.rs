//! The configuration of the WASM engine, shared by the process that compiles guests and the one
//! that runs them.
//!
//! The engine refuses code that was compiled with another configuration, so both use `config`.
//! Fuel, interruption and the stack size are configured here and used in `run.rs`; the limits of
//! one call are in `limits.rs`. A change of the configuration changes the fingerprint, so every
//! guest is recompiled.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

/// The purpose of an engine. It only changes how instances are allocated, which compiled code
/// does not depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EnginePurpose {
    /// Compiles a guest, in a separate process.
    Compile,
    /// Compiles Holm's own guests at build time, for every processor of this architecture.
    Precompile,
    /// Runs up to this many guests at the same time.
    Run { guests: u32 },
}

/// The stack of a guest, as wasmtime's authors recommend: a quarter of a thread's stack.
const STACK: usize = 512 << 10;
/// The stack on which a component runs, the host's functions included.
const ASYNC_STACK: usize = 2 << 20;

/// Slots per guest. A command made from a WASI 0.1 module has four instances, one memory and three
/// tables; a component that contains a Python interpreter has 38 instances.
const INSTANCES_PER_GUEST: u32 = 64;
const MEMORIES_PER_GUEST: u32 = 4;
const TABLES_PER_GUEST: u32 = 8;
/// The capacity of each table in elements; the limit of a call may be lower, but not higher.
const TABLE_ELEMENTS: usize = 200_000;
/// The maximum size of the engine's own data about one component and its instances; a large
/// component needs some hundred kilobytes.
const INSTANCE_BYTES: usize = 2 << 20;
/// How much of a memory, table or stack stays mapped between calls. It is still reset to its
/// initial state; this only saves page faults.
const KEEP_RESIDENT_MEMORY_BYTES: usize = 1 << 20;
const KEEP_RESIDENT_TABLE_BYTES: usize = 64 << 10;
const KEEP_RESIDENT_STACK_BYTES: usize = 64 << 10;

/// Creates an engine for this purpose.
pub(crate) fn engine(purpose: EnginePurpose) -> wasmtime::Result<Engine> {
    let guests = match purpose {
        EnginePurpose::Run { guests } => guests,
        EnginePurpose::Compile => return Engine::new(&config()),
        EnginePurpose::Precompile => {
            let mut config = config();
            if let Some(target) = baseline_target() {
                config.target(target)?;
            }
            return Engine::new(&config);
        }
    };
    // `pagemap_scan` needs a recent Linux kernel, and pooling needs more address space than some
    // machines have, so simpler strategies are tried next.
    let strategies =
        [pooled(guests, Enabled::Yes), pooled(guests, Enabled::No), InstanceAllocationStrategy::OnDemand];
    let mut last_error = None;
    for strategy in strategies {
        let mut config = config();
        config.allocation_strategy(strategy);
        match Engine::new(&config) {
            Ok(engine) => return Ok(engine),
            Err(error) => last_error = Some(error),
        }
    }
    Err(last_error
        .unwrap_or_else(|| wasmtime::format_err!("no strategy to allocate instances works on this machine")))
}

/// A hash of everything that compiled code depends on: version, processor and configuration.
pub(crate) fn fingerprint(engine: &Engine) -> [u8; 32] {
    let mut digest = StableHasher(Sha256::new());
    env!("CARGO_PKG_VERSION").hash(&mut digest);
    engine.precompile_compatibility_hash().hash(&mut digest);
    digest.0.finalize().into()
}

/// The target of this machine, without features that only some processors of its family have. With
/// a named target, the compiler does not inspect the processor it runs on. Without one, code fits
/// only machines like this one.
fn baseline_target() -> Option<&'static str> {
    match (std::env::consts::ARCH, std::env::consts::OS) {
        ("x86_64", "linux") => Some("x86_64-unknown-linux-gnu"),
        ("aarch64", "linux") => Some("aarch64-unknown-linux-gnu"),
        ("x86_64", "macos") => Some("x86_64-apple-darwin"),
        ("aarch64", "macos") => Some("aarch64-apple-darwin"),
        _ => None,
    }
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(STACK)
        .async_stack_size(ASYNC_STACK)
        // Zeroed so that a guest cannot read what an earlier one left on the stack.
        .async_stack_zeroing(true)
        .memory_init_cow(true)
        .generate_address_map(false)
        .native_unwind_info(false)
        // A backtrace would hold only function numbers, and collecting it takes time.
        .wasm_backtrace_max_frames(None)
        .concurrency_support(false)
        .relaxed_simd_deterministic(true)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_component_model(true);
    config
}

fn pooled(guests: u32, pagemap_scan: Enabled) -> InstanceAllocationStrategy {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(guests)
        .total_core_instances(guests.saturating_mul(INSTANCES_PER_GUEST))
        .total_memories(guests.saturating_mul(MEMORIES_PER_GUEST))
        .total_tables(guests.saturating_mul(TABLES_PER_GUEST))
        .total_stacks(guests)
        .max_core_instances_per_component(INSTANCES_PER_GUEST)
        .max_memories_per_component(MEMORIES_PER_GUEST)
        .max_tables_per_component(TABLES_PER_GUEST)
        .max_tables_per_module(TABLES_PER_GUEST)
        .max_component_instance_size(INSTANCE_BYTES)
        .max_core_instance_size(INSTANCE_BYTES)
        .table_elements(TABLE_ELEMENTS)
        .linear_memory_keep_resident(KEEP_RESIDENT_MEMORY_BYTES)
        .table_keep_resident(KEEP_RESIDENT_TABLE_BYTES)
        .async_stack_keep_resident(KEEP_RESIDENT_STACK_BYTES)
        .pagemap_scan(pagemap_scan);
    InstanceAllocationStrategy::Pooling(pool)
}

/// A `Hasher` whose result is the same in every process, unlike the default one.
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Not used: the whole digest is taken.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_compiled_for_one_purpose_runs_for_the_other() {
        let compile = engine(EnginePurpose::Compile).unwrap();
        let run = engine(EnginePurpose::Run { guests: 4 }).unwrap();
        assert_eq!(fingerprint(&compile), fingerprint(&run));
        assert_eq!(fingerprint(&compile), fingerprint(&engine(EnginePurpose::Compile).unwrap()));
    }

    #[test]
    fn the_pool_is_really_used() {
        assert!(engine(EnginePurpose::Run { guests: 4 }).unwrap().pooling_allocator_metrics().is_some());
    }
}
