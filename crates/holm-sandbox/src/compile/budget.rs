//! Limits on the cost of a compilation, by the size of the guest.
//!
//! They are numbers with their reasons; `compile/child.rs` applies processor time and memory to
//! itself, and `compile/parent.rs` watches the clock. Processor time is the limit that counts,
//! because it means the same on a busy machine. Limits of a running guest are in `limits.rs`.

use std::time::Duration;

/// The limits of one compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CompileBudget {
    /// Time of all processors together, in whole seconds because the system counts so. This is what
    /// cuts a bomb: it means the same on an idle machine and on a busy one.
    pub(crate) cpu_seconds: u64,
    /// Wall-clock time, for a machine so busy that nothing finishes.
    pub(crate) wall: Duration,
    /// Address space in bytes.
    pub(crate) memory: u64,
}

/// The progress of a compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileProgress {
    /// The number of bytes to compile.
    pub size: usize,
    /// The time since the start.
    pub elapsed: Duration,
    /// When it would be given up.
    pub budget: Duration,
}

/// The limit for the smallest guests. Honest ones of this size take some milliseconds, and a bomb
/// is over within two seconds, with the start of the child and its end.
const CPU_SECONDS: u64 = 1;
/// The addition for each mebibyte. Honest code takes 2 to 5 seconds; the rest
/// is for slow processors.
const CPU_SECONDS_PER_MIB: u64 = 15;
/// The wall-clock limit, as a multiple of the processor time.
const PATIENCE: u32 = 5;
/// The least wall-clock limit: starting a child takes long on a busy machine.
const LEAST_WALL: Duration = Duration::from_secs(10);
/// Room for the program itself and its threads, and for the compiler's notes about the code.
const MEMORY: u64 = 1 << 30;
const MEMORY_PER_MIB: u64 = 256 << 20;
/// The upper bound for guests of any size.
const MAX_MEMORY: u64 = 6 << 30;

impl CompileBudget {
    pub(crate) fn of(size: usize) -> Self {
        let size = size as u64;
        let share = |per_mib: u64| size.saturating_mul(per_mib) >> 20;
        let cpu_seconds = CPU_SECONDS.saturating_add(share(CPU_SECONDS_PER_MIB));
        Self {
            cpu_seconds,
            wall: Duration::from_secs(cpu_seconds).saturating_mul(PATIENCE).max(LEAST_WALL),
            memory: MEMORY.saturating_add(share(MEMORY_PER_MIB)).min(MAX_MEMORY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_grows_with_the_size() {
        let small = CompileBudget::of(15 << 10);
        assert_eq!(small.cpu_seconds, 1);
        assert_eq!(small.wall, Duration::from_secs(10));
        let large = CompileBudget::of(6 << 20);
        assert!(large.cpu_seconds > 60, "{large:?}");
        assert_eq!(CompileBudget::of(usize::MAX).memory, MAX_MEMORY);
    }
}
