//! Runs a WASM file for its author: shows what Holm reads from it, and what it does. The sandbox is
//! `holm-sandbox`, the tool `holm-tools/src/wasm/`; the call is made by `manual_call.rs`. The file
//! gets exactly the grants of the command line, no matter what it asks for, and the level of the
//! call follows from these grants.

use std::{fs, io::Read, path::Path, sync::Arc, time::Duration};

use holm::{
    grants::{Allowances, CallNeed, Grant, GrantSet},
    guards::{json::Json, schema::CompiledSchema},
    kernel::{Outcome, ToolOutput, ToolSpec},
    runtime::{self, BoxFuture, Tool as _, ToolInvocation},
};
use holm_config::{read_plain, read_plain_within};
use holm_sandbox::{GuestClock, GuestEntryPoint, GuestRandomness, WasmKind};
use holm_tools::{
    registry::{PinStatus, ToolLoadError, ToolSidecar},
    trust::MAX_FILE,
    wasm::{GuestInspection, NeedsSource, WasmHost, WasmLoader, WasmTool, least_level},
};
use serde_json::json;

use super::{ToolExecuteArgs, flaws, gate};
use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    manual_call::ManualToolCall,
    screen::TerminalOutput,
    tool_sources,
};

/// Whether the name means a WASM file.
pub(super) fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    path.is_file() && WasmLoader::is_wasm(path, if read.is_ok() { &head } else { &[] })
}

/// Shows what a run would see of the file.
pub(super) async fn validate(
    file: &str,
    as_json: bool,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<CommandExit> {
    let host = tool_sources::host(places, tool_sources::settings(places)?)?;
    let (tool, found) = match open(host, file, Allowances::default(), screen).await? {
        Ok(opened) => opened,
        Err(error) => {
            let why = error.to_string();
            let said = if as_json {
                json!({ "file": file, "usable": false, "problems": [why] }).to_string()
            } else {
                format!("{file}: {why}")
            };
            screen.answer(&said);
            return Ok(CommandExit::NoAnswer);
        }
    };
    let declared = tool.declaration();
    let (usable, problems) = flaws(declared);
    if as_json {
        let object = json!({
            "file": file, "tool": declared.name, "usable": usable, "problems": problems, "warnings": found.warnings,
            "description": declared.description, "level": declared.level, "asks": found.asks, "schema": declared.schema,
            "proposed": found.asked_by == NeedsSource::Proposal,
            "bytes": found.size, "kind": kind(found.kind), "called_by": entry(found.entry),
            "described_by": found.said_by.as_str(), "imports": found.imports,
            "loading_ms": found.loading.as_millis(), "describing_ms": found.describing.as_millis(),
        });
        screen.line(&object.to_string());
    } else {
        tell(screen, declared, &found)?;
        for problem in &problems {
            screen.answer(&format!("problem:      {problem}"));
        }
    }
    Ok(if usable { CommandExit::Done } else { CommandExit::NoAnswer })
}

fn tell(screen: &TerminalOutput, declared: &ToolSpec, found: &GuestInspection) -> anyhow::Result<()> {
    let about = declared.description.lines().next().unwrap_or_default();
    let asks = needs_in_words(found);
    let version = found.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    screen.answer(&format!("tool:         {}{version}", declared.name));
    screen.answer(&format!("says:         {about}"));
    screen.answer(&format!("level:        {}", declared.level));
    screen.answer(&format!("asks for:     {asks}"));
    screen.answer(&format!("is:           {}, called by {}", kind(found.kind), entry(found.entry)));
    screen.answer(&format!("described by: {}", found.said_by.as_str()));
    screen.answer(&format!("size:         {} bytes", found.size));
    let (loading, describing) = (found.loading.as_millis(), found.describing.as_millis());
    screen.answer(&format!("time:         {loading} ms to load or compile, {describing} ms to describe"));
    screen.answer(&format!("schema:       {}", serde_json::to_string(&declared.schema)?));
    for warning in &found.warnings {
        screen.answer(&format!("warning:      {warning}"));
    }
    Ok(())
}

/// What each call asks for, and who says so.
fn needs_in_words(found: &GuestInspection) -> String {
    match (found.asks.is_empty(), found.asked_by) {
        (true, _) => "nothing".to_owned(),
        (false, NeedsSource::Proposal) => {
            let asks = found.asks.join(", ");
            format!("{asks} (proposed from its arguments; `asks` in a sidecar replaces it)")
        }
        (false, NeedsSource::Tool | NeedsSource::Sidecar) => found.asks.join(", "),
    }
}

/// What each call of a file asks for, in words. The file is only asked to describe itself, in the
/// sandbox and without grants.
pub(super) fn needs(path: &Path, places: &HolmPaths) -> Result<String, String> {
    let bytes = read_plain_within(path, MAX_FILE).map_err(|error| error.to_string())?;
    let sidecar = match read_plain(&path.with_extension("toml")) {
        Ok(text) => Some(ToolSidecar::read(&text).map_err(|error| error.to_string())?),
        Err(_) => None,
    };
    let host = tool_sources::settings(places).and_then(|settings| tool_sources::host(places, settings));
    let host = host.map_err(|error| format!("{error:#}"))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let open = || WasmTool::open(&host, &name, &bytes, sidecar.as_ref(), PinStatus::Confirmed, &mut |_| {});
    // Opening blocks, and this may be a worker of the async runtime.
    let opened = std::thread::scope(|scope| scope.spawn(open).join());
    let (_, found) = opened.map_err(|_| "it could not be read")?.map_err(|error| error.to_string())?;
    Ok(needs_in_words(&found))
}

/// Runs the file once, with exactly the grants of the command line and as far as the mode allows.
pub(super) async fn execute(
    args: ToolExecuteArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<CommandExit> {
    let mut settings = tool_sources::settings(places)?;
    if let Some(seconds) = args.clock {
        settings.clock = GuestClock::Fixed(Duration::from_secs(seconds));
    }
    if let Some(seed) = args.seed {
        settings.randomness = GuestRandomness::Seeded(seed);
    }
    let host = tool_sources::host(places, settings)?;
    let mut limits = Allowances::default();
    args.limit.iter().for_each(|limit| limits.set(*limit));
    let opened = open(host, args.tool(), limits, screen).await?;
    let (tool, _) = opened
        .map_err(|error| CommandError::new(CommandExit::NoAnswer, format!("{}: {error}", args.tool())))?;
    if args.check {
        return super::check_call(screen, tool.declaration(), places, args.arguments());
    }
    let arguments = check(args.arguments(), &tool.declaration().schema)?;
    let (mode, gate) = (args.mode, gate(&args, screen));
    let tool = Arc::new(GrantedTool::new(tool, args.grant));
    let trial = ManualToolCall { tool, arguments, grants: GrantSet::default(), mode };
    let came = trial.run_at_terminal(gate, screen, |builder| builder).await?;
    if came.is_cancelled {
        return Ok(super::cancelled(screen));
    }
    match &came.output {
        Some(output) => show(screen, output, args.json),
        None => super::show(screen, came.outcome, &came.said, None, args.json),
    }
}

/// A WASM file that has exactly the grants of the user, independent of what it asks for.
struct GrantedTool {
    tool: WasmTool,
    declaration: ToolSpec,
    grants: Vec<Grant>,
}

impl GrantedTool {
    fn new(tool: WasmTool, grants: Vec<Grant>) -> Self {
        let mut declaration = tool.declaration().clone();
        // The mode depends on what the file can do with these grants, which may be more
        // than it asks for.
        let granted = least_level(grants.iter().map(Grant::kind));
        declaration.level = declaration.level.max(granted);
        declaration.needs.clear();
        Self { tool, declaration, grants }
    }
}

impl runtime::Tool for GrantedTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, mut job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        job.needs = self.grants.iter().cloned().map(CallNeed::Grant).collect();
        self.tool.run(job)
    }
}

/// Compiles and describes, on a thread that may block.
async fn open(
    host: WasmHost,
    file: &str,
    limits: Allowances,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<Result<(WasmTool, GuestInspection), ToolLoadError>> {
    let (path, screen) = (Path::new(file).to_owned(), Arc::clone(screen));
    let bytes = fs::read(&path)?;
    let mut sidecar = match read_plain(&path.with_extension("toml")) {
        Ok(text) => Some(ToolSidecar::read(&text).map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("{}: {error}", path.with_extension("toml").shown()))
        })?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        // One that cannot be read might have asked for less.
        Err(error) => return Err(anyhow::anyhow!("{}: {error}", path.with_extension("toml").shown())),
    };
    for limit in limits.iter() {
        sidecar.get_or_insert_with(ToolSidecar::default).limits.set(limit);
    }
    let opened = tokio::task::spawn_blocking(move || {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut last = 0;
        let mut progress = |step: holm_sandbox::CompileProgress| {
            if step.elapsed.as_secs() > last {
                last = step.elapsed.as_secs();
                let most = step.budget.as_secs();
                screen.note(&format!("holm: compiling {} ({last} s, at most {most} s)", path.shown()));
            }
        };
        WasmTool::open(&host, &name, &bytes, sidecar.as_ref(), PinStatus::Confirmed, &mut progress)
    });
    Ok(opened.await?)
}

/// The arguments in canonical form, if the schema lets them pass.
pub(super) fn check(arguments: &str, schema: &Json) -> anyhow::Result<String> {
    let wrong = |why: String| CommandError::new(CommandExit::Usage, format!("invalid arguments: {why}"));
    let parsed = Json::parse(arguments).map_err(|error| wrong(error.to_string()))?;
    let schema = CompiledSchema::compile(schema).map_err(|error| wrong(error.to_string()))?;
    if let Err(flaws) = schema.validate(&parsed) {
        let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        return Err(wrong(flaws.join("; ")).into());
    }
    Ok(parsed.canonical())
}

fn show(screen: &TerminalOutput, output: &ToolOutput, as_json: bool) -> anyhow::Result<CommandExit> {
    if as_json {
        screen.line(&serde_json::to_string(output)?);
    } else {
        if output.outcome == Outcome::Succeeded {
            screen.answer(&output.text);
        } else {
            screen.note(&format!("error: {}", output.text));
        }
        notes(screen, output);
    }
    Ok(if output.outcome == Outcome::Succeeded { CommandExit::Done } else { CommandExit::NoAnswer })
}

/// What was used, what was refused, what was written aside.
fn notes(screen: &TerminalOutput, output: &ToolOutput) {
    let Some(metadata) = &output.metadata else { return };
    let number = |name: &str| metadata.get(name).and_then(Json::as_u64).unwrap_or(0);
    let (fuel, memory, micros) = (number("fuel"), number("memory") >> 10, number("micros"));
    screen.note(&format!("holm: {fuel} steps of fuel, {memory} KiB of memory, {micros} µs"));
    for refusal in metadata.get("refused").and_then(Json::as_array).unwrap_or_default() {
        screen.note(&format!("holm: {}", refusal.as_str().unwrap_or_default()));
    }
    if let (Some(aside), Outcome::Succeeded) = (metadata.get("stderr").and_then(Json::as_str), output.outcome)
    {
        screen.note(&format!("holm: it wrote to standard error: {aside}"));
    }
}

fn kind(kind: WasmKind) -> &'static str {
    match kind {
        WasmKind::Module => "a module of WASI 0.1",
        WasmKind::Component => "a component",
    }
}

fn entry(entry: GuestEntryPoint) -> &'static str {
    match entry {
        GuestEntryPoint::Command | GuestEntryPoint::Module => "a command line",
        GuestEntryPoint::Text => "one text",
    }
}
