//! Our own WASI 0.1 for plain modules. It takes a third of the time of the general implementation,
//! returns exact exit codes, and lets the same policy decide about every path.
//!
//! Functions here translate numbers and memory; decisions about files are in `files/`, and there
//! are no sockets. Every pointer of a guest is checked (`p1/abi.rs`), and a wrong one is an error
//! number, never a panic.
//!
//! Where things are:
//!
//! - `p1/abi.rs`: numbers, layouts and the guest's memory.
//! - `p1/table.rs`: open files by number.
//! - `p1/fd.rs`: functions on open files.
//! - `p1/path.rs`: functions on paths.
//! - `p1/poll.rs`: waiting.
//! - `p1/process.rs`: arguments, environment, clocks, randomness, exit.

mod abi;
mod fd;
mod path;
mod poll;
mod process;
mod table;

pub(crate) use table::DescriptorTable;

use wasmtime::{Caller, Linker};

use crate::state::GuestState;
use abi::{GuestMemory, HostCallError, WasiErrno};

/// The name under which modules import it.
const MODULE: &str = "wasi_snapshot_preview1";

/// Adds all functions of WASI 0.1.
pub(crate) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    process::link(linker)?;
    fd::link(linker)?;
    path::link(linker)?;
    poll::link(linker)
}

/// Runs one function: its memory and state apart, its result as the number that the guest sees.
fn enter(
    caller: &mut Caller<'_, GuestState>,
    act: impl FnOnce(&mut GuestMemory<'_>, &mut GuestState) -> Result<(), HostCallError>,
) -> wasmtime::Result<i32> {
    let Some(memory) = caller.get_export("memory").and_then(wasmtime::Extern::into_memory) else {
        return Err(wasmtime::format_err!("the module exports no memory"));
    };
    let (bytes, state) = memory.data_and_store_mut(caller);
    match act(&mut GuestMemory::new(bytes), state) {
        Ok(()) => Ok(0),
        Err(HostCallError::Errno(errno)) => Ok(i32::from(errno.0)),
        Err(HostCallError::Cut(cut)) => Err(cut.into()),
    }
}

/// Defines one function. The arguments are as the standard writes them; the
/// body is its implementation.
macro_rules! define {
    ($linker:ident, $($name:literal => |$guest:pat_param, $state:ident $(, $arg:ident: $type:ty)*| $body:expr;)*) => {
        $($linker.func_wrap(
            $crate::p1::MODULE,
            $name,
            |mut caller: wasmtime::Caller<'_, $crate::state::GuestState> $(, $arg: $type)*| -> wasmtime::Result<i32> {
                $crate::p1::enter(&mut caller, |$guest, $state| $body)
            },
        )?;)*
    };
}
use define;

/// The number of an error, for the few places that build one by hand.
fn errno(errno: WasiErrno) -> HostCallError {
    HostCallError::Errno(errno)
}
