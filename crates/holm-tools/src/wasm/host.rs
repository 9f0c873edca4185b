//! State that all WASM tools of a program share: the sandbox, and what could be granted. It grants
//! nothing: the policy of a call is made in `policy.rs` from the needs that the kernel allowed. The
//! sandbox itself is the crate `holm-sandbox`.

use std::path::PathBuf;
use std::sync::Arc;

use holm_grants::{Denial, DenialSet, Grant};
use holm_runtime::SecretRedactor;
use holm_sandbox::{GuestClock, GuestLimits, GuestRandomness, OutboundNetwork, Sandbox};

use super::guest_network::SecretInjector;

/// The host in which WASM tools run, and the resources that could be granted to them.
/// Clones share the host.
#[derive(Clone)]
pub struct WasmHost(pub(super) Arc<WasmHostState>);

pub(super) struct WasmHostState {
    pub(super) sandbox: Sandbox,
    pub(super) settings: WasmSettings,
    pub(super) outbound: Option<Arc<dyn OutboundNetwork>>,
    /// The denials about files, which are many and so shared by all calls; and the other denials.
    pub(super) denied: Arc<DenialSet>,
    pub(super) denials: DenialSet,
}

/// The resources that could be granted. These settings alone give a tool nothing.
#[derive(Clone)]
pub struct WasmSettings {
    /// The folder that relative paths are about.
    pub workspace: Option<PathBuf>,
    /// Files that no tool may touch, no matter what is granted: Holm's own files, tool folders,
    /// keys. For the default ones see [`WorkspaceRoot::denials`](crate::root::WorkspaceRoot::denials).
    pub denials: DenialSet,
    /// The way to the network.
    pub outbound: Option<Arc<dyn OutboundNetwork>>,
    /// Secrets that are inserted on the way out, for hosts to which a call may send them.
    pub secrets: SecretRedactor,
    /// Environment variables that `env:` grants can speak of.
    pub environment: Vec<(String, String)>,
    /// The most that a sidecar can raise the limits of a call to.
    pub most: GuestLimits,
    /// Which time tools see.
    pub clock: GuestClock,
    /// Which random numbers tools see.
    pub randomness: GuestRandomness,
}

impl Default for WasmSettings {
    /// Nothing to grant: no workspace, no network, no environment.
    fn default() -> Self {
        Self {
            workspace: None,
            denials: DenialSet::default(),
            outbound: None,
            secrets: SecretRedactor::only_known(),
            environment: Vec::new(),
            most: ceiling(),
            clock: GuestClock::Real,
            randomness: GuestRandomness::Real,
        }
    }
}

impl WasmHost {
    /// A host over this sandbox.
    #[must_use]
    pub fn new(sandbox: Sandbox, settings: WasmSettings) -> Self {
        let with_secrets = |inner: &Arc<dyn OutboundNetwork>| -> Arc<dyn OutboundNetwork> {
            Arc::new(SecretInjector { inner: Arc::clone(inner), secrets: settings.secrets.clone() })
        };
        let outbound = settings.outbound.as_ref().map(with_secrets);
        let about_files = |denial: &&Denial| {
            matches!(denial, Denial::Path(_) | Denial::Grant(Grant::Read(_) | Grant::Write(_)))
        };
        let denied = Arc::new(settings.denials.iter().filter(about_files).cloned().collect());
        let denials = settings.denials.iter().filter(|denial| !about_files(denial)).cloned().collect();
        Self(Arc::new(WasmHostState { sandbox, settings, outbound, denied, denials }))
    }

    /// The network access of guests, with secrets inserted where a call may use them.
    #[must_use]
    pub fn outbound(&self) -> Option<Arc<dyn OutboundNetwork>> {
        self.0.outbound.clone()
    }

    #[must_use]
    pub fn sandbox(&self) -> &Sandbox {
        &self.0.sandbox
    }
}

impl std::fmt::Debug for WasmHost {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WasmHost").field("workspace", &self.0.settings.workspace).finish_non_exhaustive()
    }
}

/// Enough for a long query over a large file; a tool that needs more should be a native program.
fn ceiling() -> GuestLimits {
    GuestLimits {
        time: std::time::Duration::from_mins(10),
        fuel: 1_000_000_000_000,
        memory: 1 << 30,
        output: 64 << 20,
        ..GuestLimits::default()
    }
}
