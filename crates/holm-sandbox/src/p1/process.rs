//! Arguments, environment, clocks, randomness, exit, and sockets, which are not supported.
//!
//! Everything comes from the call's own state (`state.rs`, `nondeterminism.rs`): nothing of the
//! host process is shown, not even its processor time. Long work asks for the end of the call
//! between pieces.

use std::time::Duration;

use wasmtime::Linker;

use super::abi::{GuestMemory, HostCallError, WasiErrno};
use super::{define, errno};
use crate::guest_abort::GuestAbort;
use crate::nondeterminism::GuestClock;
use crate::state::GuestState;

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    define! { linker,
        "args_sizes_get" => |guest, state, count: u32, size: u32| {
            sizes(guest, count, size, state.args.iter().map(String::len))
        };
        "args_get" => |guest, state, pointers: u32, texts: u32| {
            list(guest, pointers, texts, state.args.iter().cloned())
        };
        "environ_sizes_get" => |guest, state, count: u32, size: u32| {
            sizes(guest, count, size, state.env.iter().map(|(name, value)| name.len() + 1 + value.len()))
        };
        "environ_get" => |guest, state, pointers: u32, texts: u32| {
            list(guest, pointers, texts, state.env.iter().map(|(name, value)| format!("{name}={value}")))
        };
        "clock_res_get" => |guest, state, clock: i32, at: u32| {
            time(state, clock)?;
            Ok(guest.put_u64(at, 1)?)
        };
        "clock_time_get" => |guest, state, clock: i32, _precision: i64, at: u32| {
            let nanoseconds = time(state, clock)?.as_nanos();
            Ok(guest.put_u64(at, u64::try_from(nanoseconds).unwrap_or(u64::MAX))?)
        };
        "random_get" => |guest, state, at: u32, len: u32| {
            for chunk in guest.bytes_mut(at, len)?.chunks_mut(PIECE) {
                state.files.term.check()?;
                state.dice.fill(chunk).map_err(|_| errno(WasiErrno::IO))?;
            }
            Ok(())
        };
        "sched_yield" => |_, _state| {
            std::thread::yield_now();
            Ok(())
        };
        "proc_raise" => |_, _state, _signal: i32| Err(WasiErrno::NOTSUP.into());
        "sock_accept" => |_, state, fd: i32, _flags: i32, _at: u32| no_socket(state, fd);
        "sock_recv" => |_, state, fd: i32, _a: u32, _b: u32, _c: i32, _d: u32, _e: u32| no_socket(state, fd);
        "sock_send" => |_, state, fd: i32, _a: u32, _b: u32, _c: i32, _d: u32| no_socket(state, fd);
        "sock_shutdown" => |_, state, fd: i32, _how: i32| no_socket(state, fd);
    }
    linker.func_wrap(super::MODULE, "proc_exit", |code: i32| -> wasmtime::Result<()> {
        Err(GuestAbort::Exit(code).into())
    })?;
    Ok(())
}

/// The random bytes made between two checks whether the call is over.
const PIECE: usize = 256 << 10;

/// The time of a clock: the wall, or one that starts with the call.
pub(super) fn time(state: &GuestState, clock: i32) -> Result<Duration, HostCallError> {
    match (clock, state.clock) {
        (0, clock) => Ok(clock.wall()),
        (1, GuestClock::Fixed(time)) => Ok(time),
        (1, GuestClock::Real) => Ok(state.began.elapsed()),
        // The guest does not learn how much processor time was used.
        (_, _) => Err(WasiErrno::INVAL.into()),
    }
}

/// No handle is ever a socket.
fn no_socket(state: &GuestState, fd: i32) -> Result<(), HostCallError> {
    state.descriptors.get(fd)?;
    Err(WasiErrno::NOTSOCK.into())
}

fn sizes(
    guest: &mut GuestMemory<'_>,
    count: u32,
    size: u32,
    lengths: impl Iterator<Item = usize>,
) -> Result<(), HostCallError> {
    let (items, bytes) = lengths.fold((0_usize, 0_usize), |(items, bytes), len| (items + 1, bytes + len + 1));
    guest.put_u32(count, u32::try_from(items).map_err(|_| WasiErrno::OVERFLOW)?)?;
    guest.put_u32(size, u32::try_from(bytes).map_err(|_| WasiErrno::OVERFLOW)?)?;
    Ok(())
}

/// Writes texts one after the other, each with a zero at its end, and a list of their addresses.
fn list(
    guest: &mut GuestMemory<'_>,
    mut pointers: u32,
    mut texts: u32,
    items: impl Iterator<Item = String>,
) -> Result<(), HostCallError> {
    for item in items {
        guest.put_u32(pointers, texts)?;
        guest.put(texts, item.as_bytes())?;
        let end = u32::try_from(item.len()).ok().and_then(|len| texts.checked_add(len));
        let end = end.ok_or(WasiErrno::OVERFLOW)?;
        guest.put(end, &[0])?;
        pointers = pointers.checked_add(4).ok_or(WasiErrno::OVERFLOW)?;
        texts = end.checked_add(1).ok_or(WasiErrno::OVERFLOW)?;
    }
    Ok(())
}
