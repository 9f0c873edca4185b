//! The host's data for one call while its guest runs. It is dropped with the call and never reused.
//!
//! It is built from a call (`call.rs`) and holds what host functions need; decisions are in
//! `files/`, `net.rs` and the functions of `p1/` and `p2/`. Variables are filtered by the policy
//! here. Wasmtime's own context gets only what was granted, and its address check asks `net.rs`.

use std::collections::HashMap;
use std::time::Instant;

use bytes::Bytes;
use holm_grants::{AccessRequest, GrantName, PolicyDecision};
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::p2::pipe::MemoryInputPipe;
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::access_denied::{DenialLog, DeniedAction, DeniedReason};
use crate::call::GuestCall;
use crate::cancel::{CallDeadline, CancelSwitch};
use crate::files::{DraftFiles, GuestFiles, WriteQuota};
use crate::lease::{HandleLease, HandleLeases};
use crate::meter::MemoryMeter;
use crate::net::CallNetwork;
use crate::nondeterminism::{FixedClock, GuestClock, RandomSource};
use crate::output::{OutputBudget, OutputSink};
use crate::p1::DescriptorTable;
use crate::p2::{HttpHooks, OpenFileState};

/// The host's side of one running guest.
pub(crate) struct GuestState {
    pub(crate) meter: MemoryMeter,
    pub(crate) audit: DenialLog,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Bytes,
    pub(crate) input: String,
    pub(crate) stdout: OutputSink,
    pub(crate) stderr: OutputSink,
    pub(crate) output_budget: OutputBudget,
    pub(crate) clock: GuestClock,
    pub(crate) dice: RandomSource,
    pub(crate) files: GuestFiles,
    pub(crate) handles: u32,
    pub(crate) began: Instant,
    pub(crate) deadline: Instant,
    pub(crate) cancel: CancelSwitch,
    /// The open files of a WASI 0.1 module.
    pub(crate) descriptors: DescriptorTable,
    /// The path and the lease of each open file of a component.
    pub(crate) held: HashMap<u32, OpenFileState>,
    /// The leases of a component's sockets.
    pub(crate) sockets: HashMap<u32, HandleLease>,
    pub(crate) table: ResourceTable,
    pub(crate) net: CallNetwork,
    pub(crate) filesystem: WasiFilesystemCtx,
    hooks: HttpHooks,
    http: WasiHttpCtx,
    /// Made when the guest first asks for something of it: many calls never do.
    wasi: Option<Box<WasiCtx>>,
}

/// The most random bytes that a component may ask for at once; the host has to hold them.
const MAX_RANDOM: u64 = 1 << 20;

impl GuestState {
    pub(crate) fn new(call: GuestCall, began: Instant, cancel: CancelSwitch) -> Self {
        let audit = DenialLog::default();
        let limits = call.limits;
        let output_budget = OutputBudget::new(limits.output);
        let deadline = began + limits.time;
        let leases = HandleLeases::new(limits.files);
        let env = granted(&call.access, call.env, &audit);
        let net = CallNetwork::new(call.access.shared_policy(), audit.clone(), call.outbound, leases.clone());
        let files = GuestFiles {
            access: call.access,
            audit: audit.clone(),
            quota: WriteQuota::new(limits.written),
            leases,
            term: CallDeadline::new(cancel.clone(), deadline),
            drafts: DraftFiles::default(),
        };
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        Self {
            meter: MemoryMeter::new(&limits),
            env,
            args: call.args,
            stdin: call.stdin,
            input: call.input,
            stdout: OutputSink::new(&output_budget),
            stderr: OutputSink::new(&output_budget),
            output_budget,
            clock: call.clock,
            dice: RandomSource::new(call.randomness),
            handles: limits.handles,
            began,
            deadline,
            cancel,
            descriptors: DescriptorTable::new(&files),
            files,
            held: HashMap::new(),
            sockets: HashMap::new(),
            table,
            hooks: HttpHooks::new(net.clone()),
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
        if let GuestClock::Fixed(time) = self.clock {
            wasi.wall_clock(FixedClock(time)).monotonic_clock(FixedClock(time));
        }
        wasi.build()
    }
}

/// The variables that the policy admits; the others are recorded as refused.
fn granted(
    access: &crate::files::GuestAccess,
    env: Vec<(String, String)>,
    audit: &DenialLog,
) -> Vec<(String, String)> {
    let admits = |name: &str| {
        let Ok(name) = name.parse::<GrantName>() else { return false };
        let request = AccessRequest::Env(name);
        let reason = match access.policy().decide(&request) {
            PolicyDecision::Granted(_) => return true,
            PolicyDecision::Denied(denial) => DeniedReason::Denied(denial.to_string()),
            PolicyDecision::Missing => DeniedReason::Missing,
        };
        audit.refuse(DeniedAction::Request(request), reason);
        false
    };
    env.into_iter().filter(|(name, _)| admits(name)).collect()
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        if self.wasi.is_none() {
            self.wasi = Some(Box::new(self.build_wasi()));
        }
        let ctx = self.wasi.get_or_insert_with(Box::default);
        WasiCtxView { ctx, table: &mut self.table }
    }
}

impl WasiHttpView for GuestState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}
