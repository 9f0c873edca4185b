//! The limits of one call. Every call has every limit; a caller can only choose the numbers.
//!
//! Fuel alone bounds neither a bulk operation nor memory, a clock alone does not say how much work
//! was done, and memory alone stops nothing that spins. So all of them hold at once, and whichever
//! is reached first ends the call.
//!
//! The numbers are enforced elsewhere: fuel and time in `run.rs`, memory in `meter.rs`, output in
//! `output.rs`, handles in `lease.rs`, written bytes in `files/quota.rs`. Limits of compiling are
//! in `compile/budget.rs`.

use std::time::Duration;

use holm_grants::{AllowanceKind, Allowances};

/// The most of everything that one call may use.
///
/// ```
/// use holm_grants::Allowances;
/// use holm_sandbox::GuestLimits;
/// let limits = GuestLimits::default().within(&Allowances::parse(["time:2s", "mem:16MiB"])?);
/// assert_eq!(limits.time.as_secs(), 2);
/// assert_eq!(limits.memory, 16 << 20);
/// # Ok::<(), holm_grants::AllowanceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuestLimits {
    /// The time on the wall, host calls and waiting included.
    pub time: Duration,
    /// Steps of the guest's own code, about one per instruction.
    pub fuel: u64,
    /// Bytes of all linear memories together.
    pub memory: u64,
    /// Elements of all tables together.
    pub table_elements: u64,
    /// Core instances that a component may consist of.
    pub instances: u32,
    /// Files, streams, sockets, requests and other resources that are open at once.
    pub handles: u32,
    /// Those among them that the operating system holds too: files, listings, sockets, connections.
    pub files: u32,
    /// Bytes of standard output, standard error and the answer together.
    pub output: u64,
    /// Bytes written to files, and by how much a file may be extended. A new file or directory
    /// counts as a block.
    pub written: u64,
}

impl GuestLimits {
    /// The same limits, each replaced by the allowance of its kind if there is one.
    ///
    /// The giver of an allowance has the right to give it, so it may also be more than the default.
    /// Kinds that a sandbox does not know, such as money, are ignored.
    #[must_use]
    pub fn within(mut self, allowances: &Allowances) -> Self {
        if let Some(time) = allowances.limit(AllowanceKind::Time) {
            self.time = Duration::from_millis(time).min(MAX_TIME);
        }
        if let Some(fuel) = allowances.limit(AllowanceKind::Fuel) {
            self.fuel = fuel;
        }
        if let Some(memory) = allowances.limit(AllowanceKind::Mem) {
            self.memory = memory;
        }
        if let Some(output) = allowances.limit(AllowanceKind::Output) {
            self.output = output;
        }
        self
    }
}

/// A day: longer calls belong to a job, and deadlines stay far from the end of the clock.
const MAX_TIME: Duration = Duration::from_hours(24);

impl Default for GuestLimits {
    fn default() -> Self {
        Self {
            // Long enough for a slow page, short enough that the user does not stare at a hung
            // tool.
            time: Duration::from_secs(30),
            // Less than a second of spinning on an idle machine, so that it ends soon on a busy one
            // too.
            fuel: 1_000_000_000,
            memory: 64 << 20,
            // Large programs have some ten thousand functions called through pointers.
            table_elements: 100_000,
            // A command made from a WASI 0.1 module consists of four.
            instances: 64,
            handles: 1024,
            // As many as a program that reads its input file by file ever needs; a process often
            // has only a thousand.
            files: 64,
            output: 8 << 20,
            written: 256 << 20,
        }
    }
}

#[cfg(test)]
mod tests;
