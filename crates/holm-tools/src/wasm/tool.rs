//! A WASM file as a tool: its declaration from description and sidecar, and its calls. Descriptions
//! are read in `describe.rs`, policies made in `policy.rs`, and results in `output.rs`; the guest
//! runs in the crate `holm-sandbox`. Each call is a fresh instance with exactly the allowed needs.
//! The needs of code that was replaced are withheld until a person confirms it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holm_grants::{
    AllowanceKind, Allowances, CallNeed, DenialSet, GrantPolicy, Level, NeedTemplate, path_in_workspace,
};
use holm_guards::json::Json;
use holm_kernel::{Outcome, ToolOutput};
use holm_runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation};
use holm_sandbox::{
    CallOwner, CompileProgress, Guest, GuestAccess, GuestCall, GuestLimits, PATIENCE, PrecompiledCode,
};

use super::calling_convention::CallingConvention;
use super::describe::{GuestDescription, describe};
use super::host::WasmHost;
use super::inspection::{DescriptionSource, GuestInspection, NeedsSource};
use super::{minimum_level, output, policy};
use crate::proposed_needs::{FileUse, PathOrigin, proposed_needs};
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
    /// Whether its success votes to end the run.
    ends_run: bool,
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
        let mut warnings = Vec::new();
        let (asks, asked_by) = asks(&described, sidecar, standing, &mut warnings)?;
        let default = ToolSidecar::default();
        let sidecar = sidecar.unwrap_or(&default);
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
            asked_by,
            warnings,
        };
        let keywords =
            if sidecar.keywords.is_empty() { described.keywords } else { sidecar.keywords.clone() };
        let (host, program, calling) = (host.clone(), name.to_owned(), described.calling);
        let ends_run = sidecar.ends_run;
        Ok((Self { host, declaration, keywords, guest, program, calling, limits, ends_run }, inspection))
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
        self.calling.give(call, &self.program, &self.as_the_guest_sees(arguments))
    }

    /// The arguments with each path as the guest knows it. Its root is the workspace, and a model may
    /// name a file in it by the whole path on this machine.
    fn as_the_guest_sees(&self, arguments: &str) -> String {
        let mut names = self.declaration.needs.iter().flat_map(NeedTemplate::workspace_paths).peekable();
        let workspace = self.host.0.settings.workspace.as_ref();
        let workspace = workspace.and_then(|path| path.canonicalize().ok()?.to_str()?.parse().ok());
        if names.peek().is_none() {
            return arguments.to_owned();
        }
        let Ok(Json::Object(mut members)) = Json::parse(arguments) else { return arguments.to_owned() };
        let place = |value: &mut Json| {
            if let Json::String(path) = value
                && path.starts_with('/')
            {
                *path = format!("/{}", path_in_workspace(path, workspace.as_ref()));
            }
        };
        for name in names {
            match members.get_mut(name) {
                Some(Json::Array(items)) => items.iter_mut().for_each(place),
                Some(value) => place(value),
                None => {}
            }
        }
        Json::Object(members).canonical()
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
        let ends_run = self.ends_run;
        let nameless =
            (job.needs.is_empty() && self.declaration.needs.is_empty()).then(|| self.program.clone());
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
            let mut output = output::of(&outcome);
            if let Some(program) = nameless {
                output::without_needs(&mut output, &program);
            }
            output.terminate = ends_run && output.outcome == Outcome::Succeeded;
            output
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

/// The needs of each call: from the sidecar, or else from the tool itself, or else proposed from
/// its arguments. The needs of replaced code are not granted.
fn asks(
    described: &GuestDescription,
    sidecar: Option<&ToolSidecar>,
    standing: PinStatus,
    warnings: &mut Vec<String>,
) -> Result<(Vec<NeedTemplate>, NeedsSource), ToolLoadError> {
    let (asks, source) = match sidecar {
        Some(sidecar) if !sidecar.asks.is_empty() => (sidecar.asks.clone(), NeedsSource::Sidecar),
        // A sidecar without `asks` was written by someone who wants none.
        Some(_) => (described.asks.clone(), NeedsSource::Tool),
        None if described.said_by == DescriptionSource::Help => {
            let changes = described.level.is_some_and(|level| level > Level::ReadOnly);
            let file_use = if changes { FileUse::ReadsAndWrites } else { FileUse::Reads };
            let proposed = proposed_needs(&described.schema, file_use, PathOrigin::WorkspaceIsRoot);
            (proposed, NeedsSource::Proposal)
        }
        None => (described.asks.clone(), NeedsSource::Tool),
    };
    if let Some(ask) = asks.iter().find(|ask| !minimum_level::is_possible(ask)) {
        return Err(ToolLoadError::Refused(format!("it asks for {ask}, which a sandboxed tool cannot have")));
    }
    if asks.is_empty() && described.level.is_some_and(|level| level > Level::None) {
        warnings.push(
            "it names no needs, and none of its arguments names a file or a URL, so a call gets no files \
             and no network; list what it needs under `asks` in a .toml file beside it"
                .to_owned(),
        );
    }
    match standing {
        PinStatus::Replaced if !asks.is_empty() => {
            warnings.push(
                "its code changed, so its grants are withheld; review it, then run `holm tool confirm`"
                    .to_owned(),
            );
            Ok((Vec::new(), source))
        }
        PinStatus::Confirmed | PinStatus::Replaced => Ok((asks, source)),
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
