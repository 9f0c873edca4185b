//! The host's data for one call while its guest runs. It is dropped with the call and never reused.

use std::collections::HashMap;
use std::time::Instant;

use bytes::Bytes;
use holm_grants::{Decision, Name, Request};
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::p2::pipe::MemoryInputPipe;
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::call::Call;
use crate::cancel::{Cancel, Term};
use crate::chance::{Clock, Dice, FixedClock};
use crate::files::{Drafts, Files, Quota};
use crate::lease::{Lease, Leases};
use crate::meter::Meter;
use crate::net::Net;
use crate::output::{Room, Sink};
use crate::p1::Descriptors;
use crate::p2::{Held, Hooks};
use crate::refusal::{Audit, Reason, Wanted};

/// The host's side of one running guest.
pub(crate) struct State {
    pub(crate) meter: Meter,
    pub(crate) audit: Audit,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Bytes,
    pub(crate) input: String,
    pub(crate) stdout: Sink,
    pub(crate) stderr: Sink,
    pub(crate) room: Room,
    pub(crate) clock: Clock,
    pub(crate) dice: Dice,
    pub(crate) files: Files,
    pub(crate) handles: u32,
    pub(crate) began: Instant,
    pub(crate) deadline: Instant,
    pub(crate) cancel: Cancel,
    /// The open files of a WASI 0.1 module.
    pub(crate) descriptors: Descriptors,
    /// The place and the lease of each open file of a component.
    pub(crate) held: HashMap<u32, Held>,
    /// The leases of a component's sockets.
    pub(crate) sockets: HashMap<u32, Lease>,
    pub(crate) table: ResourceTable,
    pub(crate) net: Net,
    pub(crate) filesystem: WasiFilesystemCtx,
    hooks: Hooks,
    http: WasiHttpCtx,
    /// Made when the guest first asks for something of it: many calls never do.
    wasi: Option<Box<WasiCtx>>,
}

/// The most random bytes that a component may ask for at once; the host has to hold them.
const MAX_RANDOM: u64 = 1 << 20;

impl State {
    pub(crate) fn new(call: Call, began: Instant, cancel: Cancel) -> Self {
        let audit = Audit::default();
        let limits = call.limits;
        let room = Room::new(limits.output);
        let deadline = began + limits.time;
        let leases = Leases::new(limits.files);
        let env = granted(&call.access, call.env, &audit);
        let net = Net::new(call.access.shared_policy(), audit.clone(), call.outbound, leases.clone());
        let files = Files {
            access: call.access,
            audit: audit.clone(),
            quota: Quota::new(limits.written),
            leases,
            term: Term::new(cancel.clone(), deadline),
            drafts: Drafts::default(),
        };
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        Self {
            meter: Meter::new(&limits),
            env,
            args: call.args,
            stdin: call.stdin,
            input: call.input,
            stdout: Sink::new(&room),
            stderr: Sink::new(&room),
            room,
            clock: call.clock,
            dice: Dice::new(call.randomness),
            handles: limits.handles,
            began,
            deadline,
            cancel,
            descriptors: Descriptors::new(&files),
            files,
            held: HashMap::new(),
            sockets: HashMap::new(),
            table,
            hooks: Hooks::new(net.clone()),
            net,
            filesystem: WasiFilesystemCtx::default(),
            http: WasiHttpCtx::new(),
            wasi: None,
            audit,
        }
    }

    fn build_wasi(&self) -> WasiCtx {
        let mut wasi = WasiCtx::builder();
        wasi.allow_blocking_current_thread(true)
            .args(&self.args)
            .envs(&self.env)
            .stdin(MemoryInputPipe::new(self.stdin.clone()))
            .stdout(self.stdout.clone())
            .stderr(self.stderr.clone())
            .max_random_size(MAX_RANDOM)
            // The check below decides, so that a refusal is written down.
            .allow_tcp(true)
            .allow_udp(false)
            .allow_ip_name_lookup(false);
        let net = self.net.clone();
        wasi.socket_addr_check(move |address, used| {
            let admitted = net.admit_socket(address, used);
            Box::pin(async move { admitted })
        });
        if let Clock::Fixed(time) = self.clock {
            wasi.wall_clock(FixedClock(time)).monotonic_clock(FixedClock(time));
        }
        wasi.build()
    }
}

/// The variables that the policy admits; the others are recorded as refused.
fn granted(
    access: &crate::files::Access,
    env: Vec<(String, String)>,
    audit: &Audit,
) -> Vec<(String, String)> {
    let admits = |name: &str| {
        let Ok(name) = name.parse::<Name>() else { return false };
        let request = Request::Env(name);
        let reason = match access.policy().decide(&request) {
            Decision::Granted(_) => return true,
            Decision::Denied(denial) => Reason::Denied(denial.to_string()),
            Decision::Missing => Reason::Missing,
        };
        audit.refuse(Wanted::Request(request), reason);
        false
    };
    env.into_iter().filter(|(name, _)| admits(name)).collect()
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        if self.wasi.is_none() {
            self.wasi = Some(Box::new(self.build_wasi()));
        }
        let ctx = self.wasi.get_or_insert_with(Box::default);
        WasiCtxView { ctx, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}
