//! Limits on a child's use of the machine.

use std::time::Duration;

/// Bounds of one job. Each process has its own share of those that the kernel counts per process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JailLimits {
    /// From the start to the end, on the clock.
    pub wall: Duration,
    /// Processor time of one process.
    pub cpu: Duration,
    /// Private memory of one process in bytes; also what all processes of the job
    /// may have resident together.
    pub memory: u64,
    /// The largest file that can be written.
    pub file_size: u64,
    /// Open files of one process.
    pub files: u64,
    /// Processes and threads of the job. The kernel counts them per user, so those of other
    /// programs are added; root is never counted.
    pub processes: u64,
    /// Bytes on both output streams together before the job is ended.
    pub output: u64,
}

impl Default for JailLimits {
    /// Enough for a build of a large project, and nothing that takes a machine down.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(120),
            cpu: Duration::from_secs(600),
            memory: 4 << 30,
            file_size: 2 << 30,
            files: 1024,
            processes: 512,
            output: 64 << 20,
        }
    }
}
