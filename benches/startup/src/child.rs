//! One start of a program, and what it used.

use std::{
    io,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// What one start cost.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    /// From the order to the reaped end.
    pub took: Duration,
    /// The most bytes of memory that it had at once. A child begins with what its parent has, so this is never below the
    /// two or three megabytes of this program.
    pub most_memory: u64,
}

/// Starts a command that is to end by itself, and waits.
pub fn run(command: &mut Command) -> Result<Ran, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let child = command.spawn().map_err(|error| error.to_string())?;
    let (status, most_memory) = reap(&child).map_err(|error| error.to_string())?;
    if status != 0 {
        return Err(format!("it ended with status {status}"));
    }
    Ok(Ran { took: began.elapsed(), most_memory })
}

/// Waits for a child, and gives its status and the most memory that it had.
#[expect(unsafe_code, reason = "the standard library waits without telling what a child used")]
fn reap(child: &Child) -> io::Result<(i32, u64)> {
    let id = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: an all-zero `rusage` is a valid one: it is made of integers.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to locals that live through the call, and `id` is a child that nobody else waits for.
        let waited = unsafe { libc::wait4(id, &raw mut status, 0, &raw mut used) };
        if waited == id {
            // Linux counts in kilobytes.
            return Ok((status, u64::try_from(used.ru_maxrss).unwrap_or(0) * 1024));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
