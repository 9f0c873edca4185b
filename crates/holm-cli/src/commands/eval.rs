//! `holm eval`: runs evaluation cases by replay or with models, makes cases from sessions, and
//! compares results. Cases, checks and statistics are in the crate `holm-eval`; this file has the
//! arguments and the words for the user.

mod model_options;
mod past_workspace;

use std::{
    fs,
    path::{Path, PathBuf},
};

use holm::{
    grants::Grant,
    kernel::{NanoUsd, journal},
    runtime::JournalStore as _,
};
use holm_eval::{
    AttemptMode, AttemptResult, AttemptVerdict, CaseRunner, EvalCase, EvalComparison, EvalError, EvalPlan,
    Evaluation, NewCase, PassRate, RecordingScope, SessionTranscript, TrustLevelName, import_dataset, junit,
    markdown,
};
use holm_tools::root::DenyRules;
use serde_json::json;

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths, money,
    screen::{DisplayablePath as _, TerminalOutput},
    session_name,
};

use model_options::EvalModelOptions;
use past_workspace::PastWorkspace;

/// The user's agents, below the data folder.
const AGENTS: &str = "agents";

/// Arguments of `holm eval`.
#[derive(Debug, clap::Args)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    command: EvalCommand,
}

/// What to do with evaluation cases.
#[derive(Debug, clap::Subcommand)]
enum EvalCommand {
    /// Run cases with their recorded replies, or with models
    Run(EvalRunArgs),
    /// Run cases with their recorded replies, and store the results as the reference for later runs
    Record {
        /// Case folders, or folders that contain cases
        #[arg(required = true, value_name = "CASES")]
        cases: Vec<PathBuf>,
        /// Allow cases this grant, which reaches outside their workspace; can be repeated
        #[arg(long, value_name = "GRANT")]
        grant: Vec<Grant>,
        /// Record only calls, decisions and answers: they are the same on every machine
        #[arg(long)]
        decisions: bool,
    },
    /// Make a case from a session
    Add(EvalAddArgs),
    /// Compare the results of two evaluations
    Compare(EvalCompareArgs),
    /// Make cases from a dataset in JSON Lines, with an input and a target on each line
    Import {
        /// Dataset in the format of `inspect_ai` or `pydantic_evals`, or a folder of datasets
        dataset: PathBuf,
        /// Folder for the cases
        folder: PathBuf,
    },
}

/// Arguments of `holm eval run`.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, clap::Args)]
struct EvalRunArgs {
    /// Case folders, or folders that contain cases [default: evals]
    #[arg(value_name = "CASES", default_value = "evals", hide_default_value = true)]
    cases: Vec<PathBuf>,
    /// Use the recorded replies; this is the default without --model
    #[arg(long, conflicts_with = "model")]
    replay: bool,
    /// Model that answers, as provider/model; can be repeated
    #[arg(short, long, value_name = "NAME")]
    model: Vec<String>,
    /// Run the cases with this agent of yours instead of their own; can be repeated. Each agent runs with each model
    #[arg(long, value_name = "NAME", requires = "model")]
    agent: Vec<String>,
    #[command(flatten)]
    model_options: EvalModelOptions,
    /// Number of attempts at each case
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,
    /// Maximum cost of all attempts together, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse)]
    budget: Option<NanoUsd>,
    /// Allow cases this grant, which reaches outside their workspace; can be repeated
    #[arg(long, value_name = "GRANT")]
    grant: Vec<Grant>,
    /// Number of attempts at the same time [default: the number of processors; twice that for a replay]
    #[arg(long, value_name = "COUNT")]
    jobs: Option<usize>,
    /// Name of the evaluation. If it exists, Holm makes only the attempts that are missing [default: a new name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Also fail if the requests to the model differ from the recorded ones
    #[arg(long)]
    strict: bool,
    /// Keep the workspaces of attempts that passed
    #[arg(long)]
    keep: bool,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print one JSON object per attempt
    #[arg(long)]
    json: bool,
}

/// Arguments of `holm eval add`.
#[derive(Debug, clap::Args)]
struct EvalAddArgs {
    /// Session name, a prefix of it, or `last`
    session: String,
    /// New folder for the case
    folder: PathBuf,
    /// Folder with the workspace as it was before the session [default: the current one, with the session's changes undone]
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
}

/// Arguments of `holm eval compare`.
#[derive(Debug, clap::Args)]
struct EvalCompareArgs {
    /// Name of the first evaluation, or its folder
    first: String,
    /// Name of the second evaluation, or its folder
    second: String,
    /// Exit with 3 if the second one is worse
    #[arg(long)]
    gate: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(args: EvalArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    // Attempts run in other folders.
    let data = std::path::absolute(holm_paths::data_here(data)?)?;
    let screen = TerminalOutput::default();
    match args.command {
        EvalCommand::Run(args) => {
            // Attempts are processes, and waiting for them blocks.
            tokio::task::spawn_blocking(move || run(&args, &data, &screen)).await?
        }
        EvalCommand::Record { cases, grant, decisions } => {
            let scope = if decisions { RecordingScope::Decisions } else { RecordingScope::All };
            tokio::task::spawn_blocking(move || record(&cases, grant, scope, &data, &screen)).await?
        }
        EvalCommand::Add(args) => add(&args, &data, &screen).await,
        EvalCommand::Compare(args) => compare(&args, &data, &screen),
        EvalCommand::Import { dataset, folder } => {
            let count = import_dataset(&dataset, &folder).map_err(failed)?;
            screen.note(&format!("holm: {count} cases in {}", folder.shown()));
            Ok(CommandExit::Done)
        }
    }
}

/// An error of a case or of an evaluation.
fn failed(error: EvalError) -> CommandError {
    let mut message = error.to_string();
    let exit = match error {
        EvalError::Case { .. }
        | EvalError::Workspace { .. }
        | EvalError::Results { .. }
        | EvalError::NotGranted { .. }
        | EvalError::Changed { .. } => CommandExit::Usage,
        EvalError::NoCase(_) => CommandExit::Missing,
        EvalError::File { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
            message = format!("there is no file or folder {}", path.shown());
            CommandExit::Missing
        }
        _ => CommandExit::Failed,
    };
    CommandError::new(exit, message)
}

/// An error of the search for cases.
fn not_found(error: EvalError) -> CommandError {
    let error = failed(error);
    if error.exit == CommandExit::Missing {
        return error.hint("name folders with cases; `holm eval add` makes a case from a session");
    }
    error
}

/// The folder of an evaluation: a name is one below the data folder, and a text with `/` a path.
fn folder_of(name: &str, data: &Path) -> Result<PathBuf, CommandError> {
    let path = std::path::absolute(name).ok().filter(|_| name.contains('/'));
    if let Some(path) = path.filter(|path| path.join("results.jsonl").is_file()) {
        return Ok(path);
    }
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        let message =
            format!("`{name}` is not a valid name of an evaluation; use letters, digits, `-`, `_` and `.`");
        return Err(CommandError::new(CommandExit::Usage, message));
    }
    Ok(data.join("evals").join(name))
}

/// A name for an evaluation that has none.
fn new_name() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("eval-{}-{}", since.as_millis(), std::process::id())
}

fn run(args: &EvalRunArgs, data: &Path, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let cases = EvalCase::find(args.cases.iter().map(PathBuf::as_path)).map_err(not_found)?;
    let cases = if args.model.is_empty() { replayable(cases, screen)? } else { cases };
    let (model_options, run_options) = args.model_options.words(!args.model.is_empty())?;
    let cases = with_agents(cases, !args.agent.is_empty(), data)?;
    let modes = modes(&args.model, &args.agent);
    let name = args.name.clone().unwrap_or_else(new_name);
    let folder = folder_of(&name, data)?;
    let granted = args.grant.iter().cloned().collect();
    let mut runner = CaseRunner::new(std::env::current_exe()?, &folder)
        .options(model_options, run_options)
        .granting(granted);
    cases.iter().try_for_each(|case| runner.check(case)).map_err(failed)?;
    if args.keep {
        runner = runner.keep_workspaces();
    }
    if !args.model.is_empty() {
        share("keys.json", data, &runner.data())?;
    }
    if args.agent.is_empty() {
        share_agents(&cases, data, &runner.data())?;
    } else {
        share(AGENTS, data, &runner.data())?;
    }
    let jobs = args.jobs.unwrap_or_else(|| usual_jobs(&modes));
    let budget = args.budget.map(|budget| budget.value() as f64 / 1e9);
    let plan = EvalPlan { cases, modes, repeat: args.repeat, jobs, budget };
    let total = plan.cases.len() * plan.modes.len() * args.repeat as usize;
    let mut evaluation = Evaluation::open(&folder).map_err(failed)?;
    let known = evaluation.results().len();
    if known > 0 {
        screen.note(&format!("holm: {name} already has {known} results; making the missing attempts"));
    }
    let done = std::sync::atomic::AtomicUsize::new(known);
    let told = |result: &AttemptResult| {
        let count = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        screen.note(&format!("[{count}/{total}] {}", line_of(result)));
    };
    let ended = evaluation.run(&plan, &runner, told);
    let results = evaluation.results();
    if let Some(path) = &args.junit {
        write_file(path, &junit(&results))?;
    }
    ended.map_err(failed)?;
    show(&results, args.json, screen)?;
    if results.len() < total {
        let message = format!("{} of {total} attempts were made; the budget is used up", results.len());
        return Err(CommandError::new(CommandExit::Limit, message).into());
    }
    let PassRate { passed, attempts, .. } = PassRate::of(&results);
    screen.note(&format!("holm: {name}: {passed} of {attempts} passed; results in {}", folder.shown()));
    let is_failed = |result: &&&AttemptResult| {
        !result.is_passed() || (args.strict && result.verdict == AttemptVerdict::Changed)
    };
    Ok(if results.iter().filter(is_failed).count() == 0 { CommandExit::Done } else { CommandExit::NoAnswer })
}

fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    let wrong = |error| format!("{} cannot be written: {error}", path.shown());
    fs::write(path, text).map_err(|error| CommandError::new(CommandExit::Failed, wrong(error)))
}

/// Prints the results for a program, or what a person should know of them.
fn show(results: &[&AttemptResult], as_json: bool, screen: &TerminalOutput) -> anyhow::Result<()> {
    for result in results {
        if as_json {
            screen.line(&serde_json::to_string(result)?);
        } else {
            details_of(result).iter().for_each(|line| screen.answer(line));
        }
    }
    Ok(())
}

/// Who answers: each model, with each agent.
fn modes(models: &[String], agents: &[String]) -> Vec<AttemptMode> {
    match (models, agents) {
        ([], _) => vec![AttemptMode::Replay],
        (models, []) => models.iter().cloned().map(AttemptMode::Model).collect(),
        (models, agents) => {
            let with = |model: &String| {
                let (model, agents) = (model.clone(), agents.iter().cloned());
                agents.map(move |agent| AttemptMode::Agent { agent, model: model.clone() })
            };
            models.iter().flat_map(with).collect()
        }
    }
}

/// How many attempts run at the same time. A replay waits for the disk about as long as it uses a processor.
fn usual_jobs(modes: &[AttemptMode]) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if modes == [AttemptMode::Replay] { 2 * processors } else { processors }
}

/// Adds the user's agents to what identifies the cases that run one.
fn with_agents(cases: Vec<EvalCase>, run_agents: bool, data: &Path) -> Result<Vec<EvalCase>, CommandError> {
    let folder = data.join(AGENTS);
    let with = |case: EvalCase| {
        if run_agents || case.agent.is_some() { case.including_agents(&folder) } else { Ok(case) }
    };
    cases.into_iter().map(with).collect::<Result<_, _>>().map_err(failed)
}

/// The cases that have replies. The others are named and left out: only a model can answer them.
fn replayable(cases: Vec<EvalCase>, screen: &TerminalOutput) -> Result<Vec<EvalCase>, CommandError> {
    let (others, cases): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.needs_model);
    let Some(first) = others.first() else { return Ok(cases) };
    let count = others.len();
    if cases.is_empty() {
        let message = format!("these {count} cases have no replies, so only a model can answer them");
        return Err(CommandError::new(CommandExit::Usage, message).hint("choose one with --model"));
    }
    screen.note(&format!(
        "holm: cases left out because they need --model: {count}; the first is {}",
        first.name
    ));
    Ok(cases)
}

/// Links the user's agents, so that a case can only run an agent whose file the user wrote. Agents
/// also change what a case without an agent sees, so such cases need an evaluation of their own.
fn share_agents(cases: &[EvalCase], data: &Path, to: &Path) -> Result<(), CommandError> {
    let Some(with) = cases.iter().find(|case| case.agent.is_some()) else { return Ok(()) };
    if let Some(without) = cases.iter().find(|case| case.agent.is_none()) {
        let (with, without) = (&with.name, &without.name);
        let message = format!("case `{with}` names an agent and case `{without}` does not");
        return Err(CommandError::new(CommandExit::Usage, message)
            .hint("run cases with agents separately: the agents would change what the other cases see"));
    }
    share(AGENTS, data, to)
}

/// Links something from the user's data folder into that of an evaluation.
fn share(name: &str, data: &Path, to: &Path) -> Result<(), CommandError> {
    let (own, link) = (data.join(name), to.join(name));
    if !own.exists() {
        return Ok(());
    }
    let wrong = |why: &dyn std::fmt::Display| {
        CommandError::new(CommandExit::Failed, format!("{} cannot be made: {why}", link.shown()))
    };
    holm_paths::private_folder(to).map_err(|error| wrong(&error))?;
    match fs::read_link(&link) {
        Ok(known) if known == own => return Ok(()),
        // The data folder has moved.
        Ok(_) => fs::remove_file(&link).map_err(|error| wrong(&error))?,
        Err(_) => {}
    }
    std::os::unix::fs::symlink(own, &link).map_err(|error| wrong(&error))
}

/// A result in a line.
fn line_of(result: &AttemptResult) -> String {
    let word = match result.verdict {
        AttemptVerdict::Passed => "passed",
        AttemptVerdict::Changed => "changed",
        AttemptVerdict::Failed => "FAILED",
        AttemptVerdict::Error => "ERROR",
    };
    let (turns, seconds) = (result.turns, result.seconds);
    format!("{word} {} ({}, {turns} turns, {seconds:.1} s)", result.case, result.model)
}

/// What a person should know of a result: nothing of one that passed.
fn details_of(result: &AttemptResult) -> Vec<String> {
    if result.verdict == AttemptVerdict::Passed {
        return Vec::new();
    }
    let mut lines = vec![format!("{} (session {})", line_of(result), result.session)];
    let indented = |text: &str| text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>();
    for failure in result.failures() {
        lines.extend(indented(&failure));
    }
    for difference in result.differences.iter().filter(|difference| !difference.is_regression()) {
        lines.extend(indented(&difference.to_string()));
    }
    if let Some(turn) = result.applies_until() {
        lines.push(match turn {
            0 | 1 => "  the recording no longer applies".to_owned(),
            turn => format!("  the recording applies up to turn {}", turn - 1),
        });
    }
    lines
}

fn record(
    cases: &[PathBuf],
    grant: Vec<Grant>,
    scope: RecordingScope,
    data: &Path,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let cases = EvalCase::find(cases.iter().map(PathBuf::as_path)).map_err(not_found)?;
    let cases = replayable(cases, screen)?;
    let folder = data.join("evals").join(format!("recording-{}", std::process::id()));
    let granted = grant.into_iter().collect();
    let runner = CaseRunner::new(std::env::current_exe()?, &folder).granting(granted);
    cases.iter().try_for_each(|case| runner.check(case)).map_err(failed)?;
    share_agents(&cases, data, &runner.data())?;
    let mut ended = Ok(());
    for case in &cases {
        match runner.record(case, scope) {
            Ok(recording) => {
                screen.note(&format!("holm: recorded {}: {} turns", case.name, recording.turns.len()));
            }
            Err(error) => {
                ended = Err(failed(error));
                break;
            }
        }
    }
    let _ = fs::remove_dir_all(&folder);
    ended?;
    Ok(CommandExit::Done)
}

async fn add(args: &EvalAddArgs, data: &Path, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let store = holm_paths::store_to_read(data).await?;
    let session = session_name::resolve(&store, args.session.clone()).await?;
    let lines = store.read(&session).await.map_err(|_| super::session::no_such(&session))?;
    let records = journal::decode_strict(&lines)?;
    let run = journal::replay(&records)?;
    let place = run.config().workspace.as_ref().map(|path| PathBuf::from(path.to_string()));
    let place = place.unwrap_or(std::env::current_dir()?);
    let transcript = SessionTranscript::of(&records, &place).map_err(anyhow::Error::msg)?;
    let mut past = PastWorkspace { files: Vec::new(), notes: Vec::new() };
    let workspace = match &args.workspace {
        Some(folder) => folder.clone(),
        None => place,
    };
    if args.workspace.is_none() && NewCase::may_have_changed(&transcript) {
        past = past_workspace::before(&session, (&records, &transcript), &workspace, (&store, data)).await?;
    }
    let trust = trust_of(&run);
    let case = NewCase { session: &transcript, workspace: &workspace, past: &past.files, trust };
    let rules = DenyRules::usual();
    let is_secret =
        |name: &str| name.parse().is_ok_and(|path: holm::grants::FilePath| rules.reading(&path).is_some());
    let omissions = case.write(&args.folder, is_secret).map_err(failed)?;
    let left_out = omissions.left_out.iter().map(|name| format!("left out {name:?}: it may hold secrets"));
    let cleaned = omissions.cleaned.iter().map(|name| format!("replaced what looks like a key in {name:?}"));
    for note in past.notes.into_iter().chain(left_out).chain(cleaned) {
        screen.note(&format!("holm: {note}"));
    }
    let (folder, data) = (args.folder.clone(), data.to_owned());
    let notes = tokio::task::spawn_blocking(move || record_anew(&folder, &data)).await??;
    notes.iter().for_each(|note| screen.note(&format!("holm: {note}")));
    let path = args.folder.join("case.toml");
    screen.note(&format!(
        "holm: wrote {}; edit its checks, then run `holm eval run {}`",
        path.shown(),
        args.folder.shown()
    ));
    Ok(CommandExit::Done)
}

/// Replays a new case once and records that run: a replay sees other prompts than the model of the
/// session did. Returns what the replay did otherwise than the session.
fn record_anew(folder: &Path, data: &Path) -> anyhow::Result<Vec<String>> {
    let cases = EvalCase::find([folder]).map_err(failed)?;
    let place = data.join("evals").join(format!("recording-{}", std::process::id()));
    let runner = CaseRunner::new(std::env::current_exe()?, &place);
    let mut notes = Vec::new();
    for case in &cases {
        let result = runner.attempt(case, &AttemptMode::Replay, 1).map_err(failed)?;
        let other = result.failures();
        notes.extend(other.iter().map(|failure| format!("the replay differs from the session: {failure}")));
        if other.is_empty() {
            runner.record(case, RecordingScope::All).map_err(failed)?;
        }
    }
    let _ = fs::remove_dir_all(&place);
    Ok(notes)
}

/// The level that gives about what a session had.
fn trust_of(run: &holm::kernel::Run) -> TrustLevelName {
    let has = |text: &str| run.grants().iter().any(|grant| grant.to_string() == text);
    match (has("write:**"), has("exec:*")) {
        (true, true) => TrustLevelName::Jail,
        (true, false) => TrustLevelName::Edit,
        (false, _) => TrustLevelName::Look,
    }
}

fn compare(args: &EvalCompareArgs, data: &Path, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let open = |name: &str| -> Result<Evaluation, CommandError> {
        let folder = folder_of(name, data)?;
        if !folder.join("results.jsonl").is_file() {
            return Err(CommandError::new(CommandExit::Missing, format!("there is no evaluation `{name}`")));
        }
        Evaluation::open(folder).map_err(failed)
    };
    let (first, second) = (open(&args.first)?, open(&args.second)?);
    let comparison = EvalComparison::between(&first.results(), &second.results());
    if args.json {
        screen.line(
            &json!({ "first": args.first, "second": args.second, "comparison": comparison }).to_string(),
        );
    } else {
        markdown((&args.first, &args.second), &comparison).lines().for_each(|line| screen.answer(line));
    }
    if args.gate && comparison.is_worse() {
        screen.note("holm: the second evaluation is worse");
        return Ok(CommandExit::NoAnswer);
    }
    Ok(CommandExit::Done)
}
