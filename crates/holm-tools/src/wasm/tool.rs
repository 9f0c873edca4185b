//! A WASM file as a tool: its declaration from description and sidecar, and its calls. Descriptions
//! are read in `describe.rs`, policies made in `policy.rs`, and results in `output.rs`; the guest
//! runs in the crate `holm-sandbox`. Each call is a fresh instance with exactly the allowed needs.
//! The needs of code that was replaced are withheld until a person confirms it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holm_grants::{AllowanceKind, Allowances, CallNeed, DenialSet, GrantPolicy, NeedTemplate};
use holm_kernel::ToolOutput;
use holm_runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation};
use holm_sandbox::{
    CallOwner, CompileProgress, Guest, GuestAccess, GuestCall, GuestLimits, PATIENCE, PrecompiledCode,
};

use super::calling_convention::CallingConvention;
use super::describe::{GuestDescription, describe};
use super::host::WasmHost;
use super::inspection::GuestInspection;
use super::{minimum_level, output, policy};
use crate::registry::{PinStatus, ToolLoadError, ToolOffer, ToolSidecar};
use crate::text::tidy;

/// How much longer than the guest the kernel waits, once it has its place: the guest's own limit
/// should be the one that tells.
const GRACE: Duration = Duration::from_secs(2);

/// A component larger than this is probably not stripped.
const LARGE: usize = 16 << 20;

/// A WASM file as a tool. Each call is a fresh instance with exactly what the call was allowed.
pub struct WasmTool {
    host: WasmHost,
    declaration: holm_kernel::ToolSpec,
    keywords: Vec<String>,
    guest: Guest,
    /// The program name that the guest sees.
    program: String,
    calling: CallingConvention,
    limits: GuestLimits,
}

impl WasmTool {
    /// Makes a tool of a file's bytes: compiles them and asks for the description. This blocks, so
    /// it must not run on a worker of an async runtime.
    ///
    /// # Errors
    ///
    /// If the bytes are not a guest, or do not describe themselves.
    pub fn open(
        host: &WasmHost,
        name: &str,
        bytes: &[u8],
        sidecar: Option<&ToolSidecar>,
        standing: PinStatus,
        progress: &mut dyn FnMut(CompileProgress),
    ) -> Result<(Self, GuestInspection), ToolLoadError> {
        let began = Instant::now();
        let guest = host
            .0
            .sandbox
            .load(bytes, progress)
            .map_err(|error| ToolLoadError::Refused(error.to_string()))?;
        Self::of(host, name, bytes, (guest, began), sidecar, standing)
    }

    /// The same for a guest of the program itself, which was compiled with it.
    pub(crate) fn open_ready(
        host: &WasmHost,
        name: &str,
        bytes: &[u8],
        ready: PrecompiledCode,
        sidecar: &ToolSidecar,
        progress: &mut dyn FnMut(CompileProgress),
    ) -> Result<(Self, GuestInspection), ToolLoadError> {
        let began = Instant::now();
        let loaded = host.0.sandbox.load_ready(bytes, ready, progress);
        let guest = loaded.map_err(|error| ToolLoadError::Refused(error.to_string()))?;
        Self::of(host, name, bytes, (guest, began), Some(sidecar), PinStatus::Confirmed)
    }

    /// Makes a tool of a guest that is loaded, and says since when it was.
    fn of(
        host: &WasmHost,
        name: &str,
        bytes: &[u8],
        (guest, began): (Guest, Instant),
        sidecar: Option<&ToolSidecar>,
        standing: PinStatus,
    ) -> Result<(Self, GuestInspection), ToolLoadError> {
        let loading = began.elapsed();
        let described = describe(&host.0.sandbox, &guest, name, bytes)?;
        let describing = began.elapsed().saturating_sub(loading);
        let default = ToolSidecar::default();
        let sidecar = sidecar.unwrap_or(&default);
        let mut warnings = Vec::new();
        let asks = asks(&described, sidecar, standing, &mut warnings)?;
        let limits = limits(&host.0.settings.most, &sidecar.limits, &mut warnings);
        let shape = guest.shape().clone();
        if shape.size > LARGE {
            warnings.push(format!("it has {} bytes; strip it and optimise it for size", shape.size));
        }
        let declaration = declaration(name, &described, sidecar, &asks, &limits, &mut warnings);
        let inspection = GuestInspection {
            size: shape.size,
            kind: shape.kind,
            entry: guest.entry(),
            imports: shape.imports,
            loading,
            describing,
            said_by: described.said_by,
            version: described.version.clone(),
            asks: asks.iter().map(ToString::to_string).collect(),
            warnings,
        };
        let keywords =
            if sidecar.keywords.is_empty() { described.keywords } else { sidecar.keywords.clone() };
        let (host, program, calling) = (host.clone(), name.to_owned(), described.calling);
        Ok((Self { host, declaration, keywords, guest, program, calling, limits }, inspection))
    }

    /// The offer for the registry.
    #[must_use]
    pub fn offer(self, notes: Vec<String>) -> ToolOffer {
        let keywords = self.keywords.clone();
        ToolOffer { notes, ..ToolOffer::new(Arc::new(self)).keywords(keywords) }
    }

    /// Words under which it is found.
    #[must_use]
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// The SHA-256 of its code.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        self.guest.hash()
    }

    fn prepare(&self, arguments: &str, needs: &[CallNeed], denials: &DenialSet) -> Result<GuestCall, String> {
        let settings = &self.host.0.settings;
        let mut call = if needs.is_empty() {
            // Nothing is granted, so there is nothing to open.
            GuestCall::new(GuestAccess::none())
        } else {
            self.granted(policy::of(needs, &self.host.0.denials.join(denials)))?
        };
        call = call.limits(self.limits).clock(settings.clock).randomness(settings.randomness);
        if let Some(outbound) = &self.host.0.outbound {
            call = call.outbound(Arc::clone(outbound));
        }
        self.calling.give(call, &self.program, arguments)
    }

    fn granted(&self, policy: GrantPolicy) -> Result<GuestCall, String> {
        let settings = &self.host.0.settings;
        let variables = policy::environment(&policy, &settings.environment, &settings.secrets);
        let access = GuestAccess::open(policy, settings.workspace.as_deref())
            .map_err(|error| error.to_string())?
            .without(Arc::clone(&self.host.0.denied));
        Ok(variables.into_iter().fold(GuestCall::new(access), |call, (name, value)| call.env(name, value)))
    }
}

impl Tool for WasmTool {
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let call = self.prepare(&job.arguments, &job.needs, &job.denials).map(|call| match &*job.run {
            "" => call,
            run => call.party(CallOwner::named(run)),
        });
        let (sandbox, guest) = (self.host.0.sandbox.clone(), self.guest.clone());
        Box::pin(async move {
            let call = match call {
                Ok(call) => call,
                Err(why) => return ToolOutput::failed(why),
            };
            let mut running = sandbox.run(&guest, call);
            let cancel = running.cancel();
            let outcome = tokio::select! {
                biased;
                outcome = &mut running => outcome,
                () = job.stop.cancelled() => {
                    cancel.cancel();
                    running.await
                }
            };
            for refusal in &outcome.refusals {
                job.progress.say(output::refused(refusal));
            }
            output::of(&outcome)
        })
    }

    fn reveal(&self) -> SecretReveal {
        SecretReveal::OnTheWayOut
    }
}

impl std::fmt::Debug for WasmTool {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WasmTool")
            .field("name", &self.declaration.name)
            .field("guest", &self.guest)
            .finish_non_exhaustive()
    }
}

/// The needs of each call: from the sidecar, or else from the tool itself. The needs of replaced
/// code are not granted.
fn asks(
    described: &GuestDescription,
    sidecar: &ToolSidecar,
    standing: PinStatus,
    warnings: &mut Vec<String>,
) -> Result<Vec<NeedTemplate>, ToolLoadError> {
    let asks = if sidecar.asks.is_empty() { &described.asks } else { &sidecar.asks };
    if let Some(ask) = asks.iter().find(|ask| !minimum_level::is_possible(ask)) {
        return Err(ToolLoadError::Refused(format!("it asks for {ask}, which a sandboxed tool cannot have")));
    }
    match standing {
        PinStatus::Replaced if !asks.is_empty() => {
            warnings.push(
                "its code changed, so its grants are withheld; review it, then run `holm tool confirm`"
                    .to_owned(),
            );
            Ok(Vec::new())
        }
        PinStatus::Confirmed | PinStatus::Replaced => Ok(asks.clone()),
    }
}

fn limits(most: &GuestLimits, wanted: &Allowances, warnings: &mut Vec<String>) -> GuestLimits {
    let limits = GuestLimits::default().within(wanted);
    let bounded = GuestLimits {
        time: limits.time.min(most.time),
        fuel: limits.fuel.min(most.fuel),
        memory: limits.memory.min(most.memory),
        output: limits.output.min(most.output),
        ..limits
    };
    if bounded != limits {
        warnings.push("it asks for higher limits than a tool may have; the highest ones apply".to_owned());
    }
    for kind in [AllowanceKind::Spend, AllowanceKind::Calls] {
        if wanted.limit(kind).is_some() {
            warnings.push(format!("a limit of {} has no effect on a sandboxed tool", kind.as_str()));
        }
    }
    bounded
}

fn declaration(
    name: &str,
    described: &GuestDescription,
    sidecar: &ToolSidecar,
    asks: &[NeedTemplate],
    limits: &GuestLimits,
    warnings: &mut Vec<String>,
) -> holm_kernel::ToolSpec {
    let wanted = sidecar.name.as_deref().or(described.name.as_deref()).unwrap_or(name);
    let about = sidecar.description.as_deref().unwrap_or(&described.description);
    let about = tidy(about, super::manifest::MAX_DESCRIPTION);
    if about.is_empty() {
        warnings.push("it has no description, so a model cannot know when to call it".to_owned());
    }
    let least = minimum_level::level(asks);
    let claimed = sidecar.level.or(described.level);
    if claimed.is_some_and(|claimed| claimed < least) {
        warnings.push(format!("it declares a lower level than its grants allow; it counts as {least}"));
    }
    let mut tool = holm_kernel::ToolSpec::new(tidy(wanted, 256), about, described.schema.clone())
        .level(claimed.map_or(least, |claimed| claimed.max(least)));
    tool.needs = asks.to_vec();
    tool.yields = minimum_level::yields(asks);
    tool.postconditions.clone_from(&sidecar.postconditions);
    tool.result_limit = sidecar.result_limit;
    tool.empty = sidecar.empty.unwrap_or_default();
    tool.error_text = sidecar.error_text.unwrap_or_default();
    tool.repeat = sidecar.repeat.unwrap_or_default();
    tool.timeout_ms = u64::try_from((PATIENCE + limits.time + GRACE).as_millis()).ok();
    tool
}
