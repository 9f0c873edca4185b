//! `poll_oneoff`: the only function of WASI 0.1 that may take long. It also watches for the end of
//! the call.
//!
//! Sleeping goes through `cancel.rs`, so that a cancelled guest wakes at once; no other sleep may
//! be used. Files and streams are always ready. Clocks are in `p1/process.rs`.

use std::time::{Duration, Instant};

use wasmtime::Linker;

use super::abi::{GuestMemory, HostCallError, WasiErrno};
use super::define;
use super::process::time;
use crate::nondeterminism::GuestClock;
use crate::state::GuestState;

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    define! { linker,
        "poll_oneoff" => |guest, state, subscriptions: u32, events: u32, count: u32, at: u32| {
            poll(guest, state, subscriptions, events, count, at)
        };
    }
    Ok(())
}

/// The most things that can be waited for at once.
const MAX_SUBSCRIPTIONS: u32 = 1024;
/// The sizes of a subscription and of an event.
const SUBSCRIPTION: u32 = 48;
const EVENT: u32 = 32;

/// One thing that is waited for.
struct PollSubscription {
    userdata: u64,
    waits_for: PollTarget,
}

enum PollTarget {
    Time(Instant),
    /// A file or stream: always ready, or not there.
    Handle {
        kind: u8,
        fd: i32,
    },
}

fn poll(
    guest: &mut GuestMemory<'_>,
    state: &GuestState,
    subscriptions_at: u32,
    events: u32,
    count: u32,
    at: u32,
) -> Result<(), HostCallError> {
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Err(WasiErrno::INVAL.into());
    }
    let subscriptions: Vec<PollSubscription> = (0..count)
        .map(|index| subscription(guest, state, subscriptions_at, index))
        .collect::<Result<_, _>>()?;
    let handles =
        subscriptions.iter().any(|subscription| matches!(subscription.waits_for, PollTarget::Handle { .. }));
    let first = subscriptions.iter().filter_map(|subscription| match subscription.waits_for {
        PollTarget::Time(until) => Some(until),
        PollTarget::Handle { .. } => None,
    });
    if let (false, Some(until)) = (handles, first.min()) {
        state.cancel.sleep(until, state.deadline)?;
    }
    let now = Instant::now();
    let mut happened = 0;
    for subscription in &subscriptions {
        let (error, kind, bytes) = match subscription.waits_for {
            PollTarget::Time(until) if until > now => continue,
            PollTarget::Time(_) => (0, 0, 0),
            PollTarget::Handle { kind, fd } => match state.descriptors.get(fd) {
                Ok(_) => (0, kind, 1 << 16),
                Err(errno) => (errno.0, kind, 0),
            },
        };
        let event = events.checked_add(happened * EVENT).ok_or(WasiErrno::FAULT)?;
        guest.put_u64(event, subscription.userdata)?;
        guest.put_u64(
            event.checked_add(8).ok_or(WasiErrno::FAULT)?,
            u64::from(error) | u64::from(kind) << 16,
        )?;
        guest.put_u64(event.checked_add(16).ok_or(WasiErrno::FAULT)?, bytes)?;
        guest.put_u64(event.checked_add(24).ok_or(WasiErrno::FAULT)?, 0)?;
        happened += 1;
    }
    Ok(guest.put_u32(at, happened)?)
}

fn subscription(
    guest: &GuestMemory<'_>,
    state: &GuestState,
    subscriptions: u32,
    index: u32,
) -> Result<PollSubscription, HostCallError> {
    let at = subscriptions.checked_add(index * SUBSCRIPTION).ok_or(WasiErrno::FAULT)?;
    let field = |offset: u32| at.checked_add(offset).ok_or(WasiErrno::FAULT);
    let userdata = guest.u64(at)?;
    let waits_for = match guest.bytes(field(8)?, 1)?.first() {
        Some(0) => {
            let clock = guest.u32(field(16)?)?.cast_signed();
            let timeout = Duration::from_nanos(guest.u64(field(24)?)?);
            let absolute = guest.u32(field(40)?)? & 1 != 0;
            let wait = match (absolute, state.clock) {
                (false, _) => timeout,
                // A fixed clock would never get there, so the wait ends at once instead of lasting
                // forever.
                (true, GuestClock::Fixed(_)) => Duration::ZERO,
                (true, GuestClock::Real) => timeout.saturating_sub(time(state, clock)?),
            };
            let now = Instant::now();
            // A time that overflows is after the deadline anyway.
            PollTarget::Time(now.checked_add(wait).unwrap_or(state.deadline))
        }
        Some(kind @ (1 | 2)) => PollTarget::Handle { kind: *kind, fd: guest.u32(field(16)?)?.cast_signed() },
        _ => return Err(WasiErrno::INVAL.into()),
    };
    Ok(PollSubscription { userdata, waits_for })
}
