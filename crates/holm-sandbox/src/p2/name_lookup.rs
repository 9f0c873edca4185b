//! Looks up names for raw sockets. Wasmtime's implementation asks the system's resolver; this one
//! asks the call's outbound network.
//!
//! Whether a name may be looked up is decided in `net.rs`, which also remembers the answer: a later
//! connection shows only an address. Connecting is checked there again.

use std::net::IpAddr;

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource, ResourceType};
use wasmtime_wasi::p2::bindings::sockets::network::{ErrorCode, IpAddress};
use wasmtime_wasi::p2::{DynPollable, Network, Pollable, subscribe};
use wasmtime_wasi::runtime::{AbortOnDropJoinHandle, spawn};

use crate::net::{CallNetwork, OutboundError};
use crate::state::GuestState;

/// A question that was asked.
struct NameLookup(LookupProgress);

enum LookupProgress {
    Asking(AbortOnDropJoinHandle<Result<Vec<IpAddr>, ErrorCode>>),
    Answered(std::vec::IntoIter<IpAddr>),
    Failed(ErrorCode),
}

impl LookupProgress {
    fn done(answer: Result<Vec<IpAddr>, ErrorCode>) -> Self {
        answer.map_or_else(Self::Failed, |found| Self::Answered(found.into_iter()))
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for NameLookup {
    async fn ready(&mut self) {
        if let LookupProgress::Asking(task) = &mut self.0 {
            self.0 = LookupProgress::done(task.await);
        }
    }
}

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut instance = linker.instance("wasi:sockets/ip-name-lookup@0.2.12")?;
    instance.resource(
        "resolve-address-stream",
        ResourceType::host::<NameLookup>(),
        |mut store: StoreContextMut<'_, GuestState>, rep| {
            store.data_mut().table.delete(Resource::<NameLookup>::new_own(rep))?;
            Ok(())
        },
    )?;
    instance.func_wrap("resolve-addresses", ask)?;
    instance.func_wrap("[method]resolve-address-stream.resolve-next-address", next)?;
    instance.func_wrap(
        "[method]resolve-address-stream.subscribe",
        |mut store: StoreContextMut<'_, GuestState>, (lookup,): (Resource<NameLookup>,)| {
            let pollable: Resource<DynPollable> = subscribe(&mut store.data_mut().table, lookup)?;
            Ok((pollable,))
        },
    )
}

type LookupStarted = (Result<Resource<NameLookup>, ErrorCode>,);

fn ask(
    mut store: StoreContextMut<'_, GuestState>,
    (network, name): (Resource<Network>, String),
) -> wasmtime::Result<LookupStarted> {
    let state = store.data_mut();
    state.table.get(&network)?;
    // An address needs no lookup and sends no message.
    let literal = name.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = literal.parse::<IpAddr>() {
        let found = state.table.push(NameLookup(LookupProgress::done(Ok(vec![address]))))?;
        return Ok((Ok(found),));
    }
    let Some(outbound) = state.net.admit_lookup(&name) else {
        return Ok((Err(ErrorCode::AccessDenied),));
    };
    let net: CallNetwork = state.net.clone();
    let Some(lease) = net.lease() else {
        return Ok((Err(ErrorCode::TemporaryResolverFailure),));
    };
    let task = spawn(async move {
        let _lease = lease;
        let found = outbound.resolve(&name).await.map_err(|error| match error {
            OutboundError::Refused(_) => ErrorCode::AccessDenied,
            OutboundError::NoSuchHost(_) => ErrorCode::NameUnresolvable,
            OutboundError::TimedOut => ErrorCode::TemporaryResolverFailure,
            OutboundError::Failed(_) => ErrorCode::PermanentResolverFailure,
        })?;
        net.looked_up(&name, &found);
        Ok(found)
    });
    let asked = state.table.push(NameLookup(LookupProgress::Asking(task)))?;
    Ok((Ok(asked),))
}

type NextAddress = (Result<Option<IpAddress>, ErrorCode>,);

fn next(
    mut store: StoreContextMut<'_, GuestState>,
    (lookup,): (Resource<NameLookup>,),
) -> wasmtime::Result<NextAddress> {
    let lookup = store.data_mut().table.get_mut(&lookup)?;
    Ok((match &mut lookup.0 {
        LookupProgress::Asking(_) => Err(ErrorCode::WouldBlock),
        LookupProgress::Answered(found) => Ok(found.next().map(IpAddress::from)),
        LookupProgress::Failed(code) => Err(*code),
    },))
}
