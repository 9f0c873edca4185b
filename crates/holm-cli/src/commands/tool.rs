//! `holm tool`: shows the tools as the model sees them, and runs them without a model. Loading them
//! is the work of `tool_sources.rs`; a call is made by `manual_call.rs` under the rules of a run,
//! and grants never exceed the administrator's policy. What is wrong with a declaration is decided
//! by the kernel.
//!
//! Where things are:
//! - `tool/show.rs`: prints tools. `tool/new.rs`: creates one from a template.
//! - `tool/trust.rs`: records whether the user trusts files of other authors.
//! - `tool/wasm.rs`: runs a WASM file for its author.

mod new;
mod show;
mod trust;
mod wasm;

pub(super) use trust::TrustReview;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Subcommand;
use holm::{
    grants::{Allowance, Grant, Mode},
    guards::json::Json,
    kernel::{Config, Effect, Event, ModelSpec, Outcome, Run, Started, Timestamp, ToolOutput, ToolSpec},
    runtime::{self, AgentBuilder},
    store::Store,
};
use holm_config::ConfigSettings;
use holm_tools::{
    agents::{AgentBuildError, AgentLoader},
    registry::{RegistrySnapshot, ToolRegistry},
    shell::{ApprovalGate, CommandRule, CommandRules},
};
use serde_json::json;

use super::{run, session::find_call};
use crate::{
    approve::{self, TerminalApprover, UserPresence},
    checks,
    exit::{CommandError, CommandExit},
    helper_factory::{HelperFactory, is_agent},
    holm_paths::{HolmPaths, workspace},
    manual_call::{self, ManualToolCall},
    protected_paths::ProtectedPaths,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    settings::FolderSettings,
    tool_sources::{ToolSources, WatchMode},
    tools::{self, CommandConfinement, OutsideTools},
};

/// Arguments of `holm tool`.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolArgs {
    /// Which of Holm's own tools to use for files, commands and the web
    #[arg(long, value_enum, default_value_t, global = true)]
    tools: tools::BuiltinToolSet,
    #[command(subcommand)]
    command: ToolCommand,
}

#[derive(Debug, Subcommand)]
enum ToolCommand {
    /// List tools and what they need
    List {
        /// Print full declarations as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show everything known about a tool
    Show {
        /// Tool name
        tool: String,
    },
    /// Check a tool as a run would; `-` reads a declaration from standard input
    Validate {
        /// Tool name, .wasm file, or file with a declaration as JSON
        tool: String,
        /// Print the findings as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a tool once, with only the grants given here
    Execute(ToolExecuteArgs),
    /// Create a tool from a template
    New(new::ToolNewArgs),
    /// Show and trust the current content of this project's tools
    Trust(trust::ToolTrustArgs),
    /// Stop trusting this project's tools; running agents can no longer call them
    Distrust(trust::ToolDistrustArgs),
    /// Accept the new code of one of your tools after it has changed
    Confirm(trust::ToolConfirmArgs),
}

#[derive(Debug, clap::Args)]
struct ToolExecuteArgs {
    /// Tool name, or a .wasm file
    #[arg(required_unless_present = "again")]
    tool: Option<String>,
    /// Arguments, as a JSON object [default: {}]
    arguments: Option<String>,
    /// Repeat a call of a session; `holm session calls` shows the numbers
    #[arg(long, value_name = "SESSION:NUMBER", conflicts_with_all = ["tool", "arguments"])]
    again: Option<String>,
    /// Only check the arguments and print what the call would need
    #[arg(long)]
    check: bool,
    /// Permission for the tool, such as read:src/**; can be repeated
    #[arg(long, value_name = "GRANT")]
    grant: Vec<Grant>,
    /// When to ask about granted calls: `plan` only reads, `default` asks before every write
    /// and command, `accept-edits` asks only before commands, `full` never asks
    #[arg(long, value_name = "MODE", default_value_t = Mode::Default)]
    mode: Mode,
    /// Approve calls without asking if they need no more than this grant; can be repeated
    #[arg(long, value_name = "GRANT")]
    yes: Vec<Grant>,
    /// Run commands that start like this without asking, such as `git status`; can be repeated. A
    /// program that runs code from the workspace, such as `npm test`, then runs any code found
    /// there
    #[arg(long, value_name = "COMMAND")]
    allow_command: Vec<CommandRule>,
    /// Refuse commands that start like this, such as `git push`; can be repeated. Only commands that
    /// a call spells out are checked, not what a program starts by itself
    #[arg(long, value_name = "COMMAND")]
    deny_command: Vec<CommandRule>,
    /// For a .wasm file: limit for the call, such as time:5s, mem:64MiB or fuel:1e9; can be
    /// repeated
    #[arg(long, value_name = "LIMIT")]
    limit: Vec<Allowance>,
    /// For a .wasm file: the time it sees, in seconds since 1970 [default: the current time]
    #[arg(long, value_name = "SECONDS")]
    clock: Option<u64>,
    /// For a .wasm file: seed for its random numbers [default: the system's]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Print the full output as JSON
    #[arg(long)]
    json: bool,
}

impl ToolCommand {
    /// What the user gives a call.
    fn granted(&self) -> Vec<Grant> {
        match self {
            Self::Execute(args) => [args.grant.clone(), args.yes.clone()].concat(),
            _ => Vec::new(),
        }
    }
}

impl ToolExecuteArgs {
    /// The tool, by name or file.
    fn tool(&self) -> &str {
        self.tool.as_deref().unwrap_or_default()
    }

    fn arguments(&self) -> &str {
        self.arguments.as_deref().unwrap_or("{}")
    }

    /// With the tool and the arguments of the recorded call, if one is named.
    async fn with_recorded(mut self, store: &Store) -> anyhow::Result<Self> {
        if let Some(which) = &self.again {
            let (tool, arguments) = find_call(store, which).await?;
            (self.tool, self.arguments) = (Some(tool), Some(arguments));
        }
        Ok(self)
    }

    /// What may be run as a command, and what never.
    fn rules(&self) -> CommandRules {
        run::rules_of(&self.allow_command, &self.deny_command)
    }
}

pub(crate) async fn execute(args: ToolArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let screen = Arc::new(TerminalOutput::default());
    match args.command {
        ToolCommand::New(args) => return new::execute(&args, &screen),
        ToolCommand::Trust(args) => return trust::trust(&args, &HolmPaths::find(data)?, &screen),
        ToolCommand::Distrust(args) => return trust::distrust(&args, &HolmPaths::find(data)?, &screen),
        ToolCommand::Confirm(args) => return trust::confirm(&args, &HolmPaths::find(data)?, &screen),
        ToolCommand::Validate { tool, json } if wasm::is_file(&tool) => {
            return wasm::validate(&tool, json, &HolmPaths::look(data)?, &screen).await;
        }
        ToolCommand::Execute(args) if wasm::is_file(args.tool()) => {
            let places = HolmPaths::find(data)?;
            return wasm::execute(bound(args, &places)?, &places, &screen).await;
        }
        ToolCommand::Validate { tool, json } if tool == "-" => {
            return validate(&screen, &read("-")?, &[], json);
        }
        ToolCommand::List { .. }
        | ToolCommand::Show { .. }
        | ToolCommand::Validate { .. }
        | ToolCommand::Execute(_) => {}
    }
    let (places, store) = if let ToolCommand::Execute(_) = &args.command {
        let places = HolmPaths::find(data)?;
        let store = places.store().await?;
        (places, store)
    } else {
        let places = HolmPaths::look(data)?;
        let store = places.store_to_read().await?;
        (places, store)
    };
    args.tools.check()?;
    let rules = match &args.command {
        ToolCommand::Execute(args) => {
            run::warn_of(&args.allow_command, &screen);
            manual_call::denied(&places, args.rules())?
        }
        _ => CommandRules::default(),
    };
    let kept = ProtectedPaths::find(&places).granted(&args.command.granted());
    let sources = sources(&places, &store, args.tools, &rules, &kept, &screen).await?;
    let (held, faults) = (sources.snapshot(), sources.faults(&screen));
    match args.command {
        ToolCommand::List { json } => {
            sources.tell(&screen, &runtime::Toolbox::new());
            let missing = tools::missing().filter(|_| args.tools.has_guests() && !json);
            missing.iter().for_each(|what| screen.note(&format!("holm: {what}")));
            show::list(&screen, &held, &faults, json)
        }
        ToolCommand::Show { tool } => {
            tell(&screen, &about(&held, &faults, &tool));
            show::one(&screen, &held, &tool)
        }
        ToolCommand::Validate { tool, json } => {
            validate(&screen, &declaration(&held, &tool)?, &about(&held, &faults, &tool), json)
        }
        ToolCommand::Execute(args) => {
            let args = args.with_recorded(&store).await?;
            tell(&screen, &about(&held, &faults, args.tool()));
            try_once(&screen, &held, bound(args, &places)?, &places).await
        }
        ToolCommand::New(_) | ToolCommand::Trust(_) | ToolCommand::Distrust(_) | ToolCommand::Confirm(_) => {
            Ok(CommandExit::Done)
        }
    }
}

/// All tools that a run in this folder has, but for those of its conversation.
pub(crate) async fn known_tools(
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<Vec<Arc<dyn runtime::Tool>>> {
    let (store, rules) = (places.store_to_read().await?, CommandRules::default());
    let kept = ProtectedPaths::find(places);
    let sources = sources(places, &store, tools::BuiltinToolSet::All, &rules, &kept, screen).await?;
    Ok(sources.snapshot().tools().map(|(tool, _)| Arc::clone(tool)).collect())
}

/// What was given, as far as an administrator lets anybody go.
fn bound(mut args: ToolExecuteArgs, places: &HolmPaths) -> Result<ToolExecuteArgs, CommandError> {
    (args.grant, args.mode) = manual_call::bound(&args.grant, args.mode, places)?;
    Ok(args)
}

/// The tools that `holm run` has but for those of its conversation, agents of files among them.
async fn sources(
    places: &HolmPaths,
    store: &Store,
    set: tools::BuiltinToolSet,
    rules: &CommandRules,
    kept: &ProtectedPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<ToolSources> {
    let env = |name: &str| std::env::var(name).ok();
    let confinement = CommandConfinement::Required;
    let outside = OutsideTools::here(places, kept, rules.clone(), confinement, None, None, env);
    let outside = outside.after_killed_commands(places);
    let native = tools::native(places, kept, store, outside.outputs.as_deref());
    let outside = outside.and(native);
    outside.notes.iter().for_each(|note| screen.note(&format!("holm: {note}")));
    let own = tools::own(set, outside, places, rules, screen);
    let registry = ToolRegistry::new();
    let agents = AgentLoader::new(HelperFactory::to_look_at(&registry, places, store, set, reach(places)));
    ToolSources::with_agents(registry, Some(agents), None, places, &own, screen, WatchMode::Once).await
}

/// The keys and addresses of a run. Problems of their files are reported by a run.
pub(crate) fn reach(places: &HolmPaths) -> ProviderAccess {
    let settings =
        FolderSettings::find(places).map(|here| here.loaded.layers.settle(ConfigSettings::default()));
    ProviderAccess::here(&settings.unwrap_or_default(), places).unwrap_or_default()
}

/// Hint of `holm tool validate` for input that it does not understand.
const EXPECTED: &str = "give a tool's name, a .wasm file, or a file with a JSON object such as \
    {\"name\":\"mine\",\"description\":\"What it does.\",\"level\":\"none\",\"schema\":{\"type\":\"object\"}}; \
    a program is checked when it lies in a folder of tools, by `holm tool list`";

/// `found` is what its folder has to say of it.
fn validate(
    screen: &TerminalOutput,
    tool: &ToolSpec,
    found: &[String],
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let (usable, mut problems) = flaws(tool);
    problems.extend(found.iter().cloned());
    let work = std::env::current_dir().unwrap_or_default();
    let unchecked = checks::cannot_be_made(&tool.postconditions, &work);
    let can_check = unchecked.is_empty();
    problems.extend(unchecked);
    if as_json {
        screen.line(&json!({ "tool": tool.name, "usable": usable, "problems": problems }).to_string());
    } else {
        for problem in &problems {
            screen.answer(&format!("{}: {problem}", tool.name));
        }
        if problems.is_empty() {
            screen.answer(&format!("{}: no problems found", tool.name));
        }
    }
    Ok(if usable && found.is_empty() && can_check { CommandExit::Done } else { CommandExit::NoAnswer })
}

/// Notes about a tool that a user should know before using it. A missing tool is reported
/// by the lookup itself.
fn about(tools: &RegistrySnapshot, faults: &[AgentBuildError], which: &str) -> Vec<String> {
    let Ok(tool) = find(tools, which) else { return Vec::new() };
    let name = &tool.declaration().name;
    let origins = tools.tools().filter(|(tool, _)| tool.declaration().name == *name);
    let mut known: Vec<String> = Vec::new();
    for (_, entry) in origins {
        let problems = tools.problems().iter().filter(|problem| problem.source.origin == entry.origin);
        known.extend(problems.map(|problem| problem.what.clone()));
    }
    known.extend(faults.iter().filter(|fault| fault.agent == *name).map(|fault| fault.why.to_string()));
    known
}

fn tell(screen: &TerminalOutput, known: &[String]) {
    known.iter().for_each(|what| screen.note(&format!("holm: {what}")));
}

/// A tool of ours by its name, or any tool by its declaration.
fn declaration(tools: &RegistrySnapshot, which: &str) -> anyhow::Result<ToolSpec> {
    match find(tools, which) {
        Ok(tool) => Ok(tool.declaration().clone()),
        Err(trouble) if !Path::new(which).is_file() || reason(tools, which).is_some() => Err(trouble.into()),
        Err(_) => read(which),
    }
}

/// The tool of a name, or the one that was made of this file.
fn find<'a>(tools: &'a RegistrySnapshot, which: &str) -> Result<&'a Arc<dyn runtime::Tool>, CommandError> {
    if let Some(tool) = tools.find(which) {
        return Ok(tool);
    }
    let is_it = |origin: &str| is_file(origin, which) || is_named(Path::new(origin), which);
    let mut made = tools.tools().filter(|(_, entry)| is_it(&entry.origin)).map(|(tool, _)| tool);
    match (made.next(), made.next()) {
        (Some(only), None) => Ok(only),
        (Some(first), Some(_)) => {
            let message =
                format!("`{which}` holds more than one tool, such as `{}`", first.declaration().name);
            Err(CommandError::new(CommandExit::Usage, message)
                .hint("name the tool; `holm tool list` shows the tools"))
        }
        (None, _) => match reason(tools, which) {
            Some(why) => {
                Err(CommandError::new(CommandExit::NoAnswer, format!("`{which}` cannot be used: {why}")))
            }
            None => Err(no_such(which)),
        },
    }
}

/// Why there is no tool although there is something of its name.
fn reason(tools: &RegistrySnapshot, which: &str) -> Option<String> {
    let is_it = |origin: &str| {
        let file = Path::new(origin).file_name().and_then(|file| file.to_str()).unwrap_or_default();
        let stem = file.split('.').next().unwrap_or_default();
        let server = file.ends_with(".mcp.json") && which.split('_').next() == Some(stem);
        !stem.is_empty() && (server || may_be_named(Path::new(origin), which) || is_file(origin, which))
    };
    let problem = tools.problems().iter().find(|problem| is_it(&problem.source.origin))?;
    Some(problem.what.clone())
}

/// Whether a name means this file: its own name, with or without the ending, or that of its tool.
pub(super) fn is_named(file: &Path, name: &str) -> bool {
    let file = file.file_name().and_then(|file| file.to_str()).unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    !stem.is_empty() && (name == file || name == stem || name.strip_prefix("bash_") == Some(stem))
}

/// The same, also for a file whose tool is not loaded: it may be called `name_2`, because another
/// tool had its name.
pub(super) fn may_be_named(file: &Path, name: &str) -> bool {
    let numbered = |(name, number): (&str, &str)| {
        let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
        is_number && is_named(file, name)
    };
    is_named(file, name) || name.rsplit_once('_').is_some_and(numbered)
}

/// Whether a path leads to the file that a tool comes from.
fn is_file(origin: &str, which: &str) -> bool {
    let real = |path: &str| Path::new(path).canonicalize().ok();
    real(which).is_some_and(|path| real(origin) == Some(path))
}

fn read(which: &str) -> anyhow::Result<ToolSpec> {
    let text = match which {
        "-" => io::read_to_string(io::stdin())?,
        path if Path::new(path).exists() => {
            let bytes = fs::read(PathBuf::from(path))?;
            if let Some(kind) = other_kind(path, &bytes) {
                let message = format!("{which} is {kind}, not a declaration");
                return Err(CommandError::new(CommandExit::NoAnswer, message).hint(IN_A_FOLDER).into());
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        name => return Err(no_such(name).into()),
    };
    serde_json::from_str(&text).map_err(|error| {
        let trouble =
            CommandError::new(CommandExit::NoAnswer, format!("{which} is not a valid declaration: {error}"));
        trouble.hint(EXPECTED).into()
    })
}

/// Where files of tools are checked.
const IN_A_FOLDER: &str = "put it into .holm/tools or into your own tools folder (`holm paths` shows \
                           where); then `holm tool list` shows what is wrong \
                           with it";

/// What a file of a tool folder is that is not checked by itself.
fn other_kind(path: &str, bytes: &[u8]) -> Option<&'static str> {
    if path.ends_with(".mcp.json") {
        return Some("the file of a server");
    }
    if bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF") {
        return Some("a program");
    }
    (path.ends_with(".md") && bytes.starts_with(b"---")).then_some("the file of an agent")
}

fn no_such(name: &str) -> CommandError {
    if Path::new(name).exists() {
        return CommandError::new(CommandExit::NoAnswer, format!("{name} exists, but is not a tool"))
            .hint(IN_A_FOLDER);
    }
    let message = format!("no tool or file is named `{name}`");
    CommandError::new(CommandExit::Missing, message).hint("`holm tool list` shows the tools")
}

/// What the kernel says about a tool when a run begins with it.
fn flaws(tool: &ToolSpec) -> (bool, Vec<String>) {
    let mut config = Config::new(ModelSpec::named("scripted/none"));
    config.tools = vec![tool.clone()];
    let mut run = Run::start(Started::new("validate", 0, config), Timestamp::new(0));
    let mut found = (true, Vec::new());
    loop {
        match run.poll() {
            Effect::Wait(_) => return found,
            Effect::Emit(numbered) => {
                if let Event::ToolFlawed { usable, problems, .. } = numbered.event {
                    found = (usable, problems);
                }
            }
            _ => {}
        }
    }
}

/// Runs one call, as a model would make it.
async fn try_once(
    screen: &Arc<TerminalOutput>,
    tools: &RegistrySnapshot,
    args: ToolExecuteArgs,
    places: &HolmPaths,
) -> anyhow::Result<CommandExit> {
    let tool = find(tools, args.tool())?;
    if args.check {
        return check_call(screen, tool.declaration(), places, args.arguments());
    }
    let name = tool.declaration().name.clone();
    if is_agent(tool.declaration()) {
        let message = format!("`{}` is an agent; only a run can use it", args.tool());
        return Err(CommandError::new(CommandExit::Usage, message).hint("use it with `holm run`").into());
    }
    if let Some(grant) = args.grant.iter().find(|grant| !matches!(grant, Grant::Tool(_)))
        && let Some(file) = asks_nothing(tools, &name)
    {
        screen.note(&format!(
            "holm: `{name}` asks for no grants, so it does not get {grant}; write its needs into {file} \
             beside it, such as asks = [\"read:{{path}}\"] with the name of its argument"
        ));
    }
    let gate = gate(&args, screen);
    let grants = args.grant.iter().cloned().collect();
    let arguments = args.arguments().to_owned();
    let trial = ManualToolCall { tool: Arc::clone(tool), arguments, grants, mode: args.mode };
    let workspace = std::env::current_dir().ok().and_then(|folder| workspace(&folder));
    let equip = |builder: AgentBuilder| builder.config(|config| config.workspace = workspace);
    let came = trial.run_at_terminal(gate, screen, equip).await?;
    if came.is_cancelled {
        return Ok(cancelled(screen));
    }
    show(screen, came.outcome, &came.said, came.output.as_ref(), args.json)
}

/// The texts of an argument: one, several, or none.
fn texts_of<'a>(arguments: &'a Json, name: &str) -> Vec<&'a str> {
    match arguments.get(name) {
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
        Some(value) => value.as_str().into_iter().collect(),
        None => Vec::new(),
    }
}

/// Checks the arguments of a call against the tool's schema, and prints the needs of the call.
fn check_call(
    screen: &TerminalOutput,
    tool: &ToolSpec,
    places: &HolmPaths,
    arguments: &str,
) -> anyhow::Result<CommandExit> {
    let parsed = Json::parse(&wasm::check(arguments, &tool.schema)?)?;
    let workspace = places.workspace();
    let mut needs = Vec::new();
    for template in &tool.needs {
        let found = template.needs_in(workspace.as_ref(), |name| texts_of(&parsed, name));
        let found = found.map_err(|error| CommandError::new(CommandExit::Usage, error.to_string()))?;
        needs.extend(found.iter().map(ToString::to_string));
    }
    let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") };
    screen.answer(&format!("{}: the arguments are valid; the call needs {needs}", tool.name));
    Ok(CommandExit::Done)
}

/// Says that a call was stopped by a signal.
fn cancelled(screen: &TerminalOutput) -> CommandExit {
    screen.note("error: the call was cancelled before it ended");
    CommandExit::Cancelled
}

/// Asks the person at the terminal about what the grants and `--yes` leave open.
fn gate(args: &ToolExecuteArgs, screen: &Arc<TerminalOutput>) -> ApprovalGate {
    let person = if TerminalOutput::can_ask() { UserPresence::There } else { UserPresence::Away };
    let yes = args.yes.iter().cloned().collect();
    let terminal = TerminalApprover::new(yes, person, Arc::clone(screen)).without_levels();
    ApprovalGate::new(terminal, args.rules())
}

/// Where a file of a folder would say what its tool asks for, if it asks for nothing.
fn asks_nothing(tools: &RegistrySnapshot, name: &str) -> Option<String> {
    let (tool, entry) = tools.tools().find(|(tool, _)| tool.declaration().name == name)?;
    let file = Path::new(&entry.origin);
    let is_server = entry.origin.ends_with(".mcp.json");
    let sidecar = file.with_extension("toml");
    (tool.declaration().needs.is_empty() && file.is_file() && !is_server)
        .then(|| sidecar.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

fn show(
    screen: &TerminalOutput,
    outcome: Outcome,
    said: &str,
    output: Option<&ToolOutput>,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    if as_json {
        screen.line(&json!({ "outcome": outcome, "output": output, "said": said }).to_string());
    } else if let (Outcome::Succeeded, Some(output)) = (outcome, output) {
        screen.answer(&output.text);
    } else {
        screen.note(&format!("error: {}", approve::for_user(said)));
    }
    Ok(if outcome == Outcome::Succeeded { CommandExit::Done } else { CommandExit::NoAnswer })
}
