//! `holm run`: gives an agent a task. This file has the flags of a session, which the chat,
//! editors, servers and skills use too, and the run at a terminal: it gathers the prompt, starts
//! the session, waits for the ending and prints it.
//!
//! Sessions at the terminal, in a chat and in an editor start in `run/prepared_run.rs`, which fixes
//! the order in which settings, policy and denials apply. The servers (`serve/session_provider.rs`,
//! `mcp_server.rs`) call `settle` and `seated_with` instead. Nothing here decides whether a call
//! may run: the kernel does, with the grants that are collected here. An answer counts as success
//! only if the model has read the prompt and, where no user was present, not all of its calls were
//! refused.
//!
//! Where things are:
//! - `run/resolved_settings.rs`: applies settings where no flag says otherwise.
//! - `run/prepared_run.rs`: prepares and starts a session.
//! - `run/agent_parts.rs`: collects tools, hooks, prompt and models, and builds the agent.
//! - `run/hosted_session.rs`: sessions whose user is in a chat or an editor.
//! - `run/session_authority.rs`, `run/session_models.rs`: what a resumed session keeps.
//! - `run/level_grants.rs`: what a resumed or forked session keeps of its terms.
//! - `run/fork_args.rs`, `run/trailing_options.rs`, `run/answer_schema.rs`: flags for forks, for
//!   other commands, and `--schema`.

mod agent_parts;
mod answer_schema;
mod command_folders;
mod fork_args;
mod hosted_session;
mod level_grants;
mod prepared_run;
mod resolved_settings;
mod run_sinks;
mod session_authority;
mod session_models;
mod trailing_options;
mod unlisted_tool;
mod value_parsers;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ValueEnum;
use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{Budget, Config, Ending, MarkRule, ModelSpec, NanoUsd, Prompt, Run},
    runtime::{
        Agent, DeltaSink, DriveError, EventSink, HookSet, JournalStorageError, ResumeChanges, RunReport,
        SecretRedactor, Session,
    },
    store::Store,
};
use holm_tools::{agents::AgentLoader, root::LiveGrants, shell::CommandRule};
use serde_json::json;

use super::session;
use crate::{
    approve::{TerminalApprover, UserPresence},
    draw::{DisplayOptions, ProgressDetail, ProgressPrinter},
    editor::ExternalEditor,
    exit::{CommandError, CommandExit},
    first_contact::{self, FirstQuestion},
    folder_trust::TrustLevel,
    holm_paths::HolmPaths,
    log::ActivityLog,
    model::{self, ResolvedModel},
    money::{self, CostCompleteness},
    prompt::{self, PromptParts},
    screen::TerminalOutput,
    session_fork::{ForkContinuation, ForkPoint},
    stop_signals::cancel_on_signal,
    stream::EventPrinter,
    tools,
    withheld_prompts::MachineOutput,
    work_watch::WorkWatch,
};
use agent_parts::{AgentParts, RunTools, confinement, shown_before};
pub(crate) use hosted_session::{ExtraTools, HostedSession};
pub(crate) use level_grants::PresentAuthority;
use prepared_run::{SessionStartParts, lost, missed};
use resolved_settings::{FlagScope, ResolvedSettings};
pub(crate) use run_sinks::RunSinks;
use session_authority::{PolicyCeiling, SessionAuthority};
use value_parsers::{at_least_one, not_empty};

pub(crate) use resolved_settings::{mode_frees, parsed, rules_of, warn_of};

/// Arguments of `holm run`.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    parts: PromptParts,
    /// Model, as provider/model [default: $HOLM_MODEL, else the settings]
    ///
    /// The key of the model comes from the environment or `holm keys`. `local/NAME` is a model on
    /// this machine. If neither $HOLM_MODEL nor the settings name a model, Holm uses the small
    /// local model if it is installed, else a scripted stand-in.
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    /// Stronger model that takes over when the work is not good enough; can be repeated, weakest
    /// first
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    step_up: Vec<String>,
    /// Kind of task, such as `review`. Holm records how well models do by kind, and uses these
    /// records to choose the first model for the next task of that kind
    #[arg(long, value_name = "LABEL", value_parser = not_empty, hide_short_help = true)]
    kind: Option<String>,
    /// File with the replies of a scripted model
    #[arg(long, value_name = "FILE", conflicts_with = "model", hide_short_help = true)]
    script: Option<PathBuf>,
    /// System prompt
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    system: Option<String>,
    /// Name of the session [default: a generated name]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Resume the session: finish the interrupted work, then run the prompt
    ///
    /// The session runs in the folder where it started. It keeps its model, mode, grants and
    /// budget; --mode, --grant and --budget replace the last three. Commands that were
    /// denied with --deny-command stay denied.
    #[arg(long, requires = "session")]
    resume: bool,
    /// Start a new session with the history of this one, which stays unchanged. With a prompt, the
    /// work in progress is dropped; without one, it is repeated
    #[arg(long, value_name = "ID", conflicts_with = "resume", hide_short_help = true)]
    fork: Option<String>,
    /// Record number, as in `holm session replay`: the last one that a fork keeps, or for
    /// `session edit` the prompt to edit [default: the last]
    #[arg(long, value_name = "RECORD", hide_short_help = true)]
    at: Option<u64>,
    /// Write the prompt in your editor ($GIT_EDITOR, $VISUAL or $EDITOR), starting with the text of
    /// -p
    #[arg(long, hide_short_help = true)]
    edit: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, hide_short_help = true)]
    output: OutputFormat,
    /// Same as --output json
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Do not report calls on standard error; show only warnings and errors. HOLM_QUIET=1 does the
    /// same
    #[arg(short, long, hide_short_help = true)]
    quiet: bool,
    /// File with a JSON Schema for the answer, which is then one JSON value. If the answer does not
    /// match, Holm asks the model again, at most twice
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    schema: Option<PathBuf>,
    /// Maximum cost of the session, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse, allow_negative_numbers = true)]
    budget: Option<NanoUsd>,
    /// Maximum model turns for each prompt of the session
    /// [default: no limit at a terminal or with --budget, else 200]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one, hide_short_help = true)]
    turns: Option<u64>,
    /// Permission for the agent, such as read:src/**; can be repeated
    #[arg(long, value_name = "GRANT")]
    grant: Vec<Grant>,
    /// When to ask about granted calls: plan, default, accept-edits or full
    ///
    /// `plan` only reads, `default` asks before every write and command, `accept-edits` asks only
    /// before commands, `full` never asks. [default: default]
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,
    /// What agents may do here without asking: ask, look, edit or jail
    ///
    /// `ask`: nothing. `look`: read files. `edit`: also write files. `jail`: also run commands, in
    /// the jail and without a network. [default: what `holm trust` says]
    #[arg(long, value_enum, value_name = "LEVEL", hide_possible_values = true)]
    trust: Option<TrustLevel>,
    /// Approve calls that need no more than this grant; can be repeated
    #[arg(long, value_name = "GRANT")]
    yes: Vec<Grant>,
    /// Which of Holm's own tools to use for files, commands and the web [default: all; few for a
    /// small local model]
    #[arg(long, value_enum, hide_short_help = true)]
    tools: Option<tools::BuiltinToolSet>,
    /// Run commands that start like this without asking, such as `git status`; can be repeated. A
    /// program that runs code from the workspace, such as `npm test`, then runs code that the model
    /// wrote
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    allow_command: Vec<CommandRule>,
    /// Refuse commands that start like this, such as `git push`; can be repeated. Only commands that
    /// a call spells out are checked, not what a program starts by itself
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    deny_command: Vec<CommandRule>,
    /// Trust this project's settings and AGENTS.md for this run without a review, for example in
    /// CI
    #[arg(long, hide_short_help = true)]
    trust_project: bool,
    /// Run commands without a jail: they can do everything that you can do
    #[arg(long, conflicts_with = "offline", hide_short_help = true)]
    unconfined: bool,
    /// Agent to run: a name from `holm agent list`, or a file
    ///
    /// The file is an agent.json of agents-exe.
    #[arg(long, value_name = "NAME", alias = "agent-file")]
    agent: Option<String>,
    /// Insert the prompt into this template from the settings
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    alias: Option<String>,
    /// Value of `{{name}}` in the template of --alias, as name=value; can be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "alias", value_parser = prompt::variable, hide_short_help = true)]
    var: Vec<(String, String)>,
    /// Further values from settings.
    #[arg(skip)]
    settled: ResolvedSettings,
    /// Where the session forks from another one.
    #[arg(skip)]
    branch: Option<ForkPoint>,
    /// The log that also receives events.
    #[arg(skip)]
    log: ActivityLog,
    #[command(flatten)]
    ways: model::ModelOptions,
}

impl RunArgs {
    pub(crate) fn granted(&self) -> GrantSet {
        self.grant.iter().cloned().collect()
    }

    /// For a session of this agent and this model, where they are named.
    pub(crate) fn of(mut self, agent: Option<String>, model: Option<String>) -> Self {
        self.agent = agent.or(self.agent);
        self.model = model.or(self.model);
        self
    }

    /// For a session of a server that goes on, and keeps what it has. The flags are those of every
    /// session.
    pub(crate) fn going_on(mut self) -> Self {
        self.resume = true;
        self.settled.flags = FlagScope::EverySession;
        self
    }

    /// For a session that a server resumes: with the folders that its commands had. `own` is its own
    /// budget, if another one applies in its journal.
    pub(crate) fn of_session(mut self, session: &str, own: Option<Budget>) -> Self {
        self.settled.session = Some(session.to_owned());
        self.settled.own_budget = own;
        self
    }

    /// The session that is resumed, by its name.
    fn resumed_session(&self) -> Option<&str> {
        self.settled.session.as_deref().or(self.session.as_deref().filter(|_| self.resume))
    }

    /// That costs no more than this.
    pub(crate) fn at_most(mut self, budget: Option<NanoUsd>) -> Self {
        self.budget = [self.budget, budget].into_iter().flatten().min();
        self
    }

    /// With this asked before anything else.
    pub(crate) fn asked(mut self, text: String) -> Self {
        self.parts.first(text);
        self
    }

    /// Refuses flags that have no meaning if a model is asked once, without tools
    /// and without a session.
    pub(crate) fn only_the_model(&self) -> Result<(), CommandError> {
        let given = [
            ("--prompt", !self.parts.is_empty()),
            ("--session", self.session.is_some()),
            ("--alias", self.alias.is_some()),
            ("--agent", self.agent.is_some()),
            ("--grant", !self.grant.is_empty()),
            ("--yes", !self.yes.is_empty()),
            ("--system", self.system.is_some()),
        ];
        let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let message = format!(
            "this skill asks a model without tools and keeps no session, so it does not support {flag}"
        );
        Err(CommandError::new(CommandExit::Usage, message).hint("give its values as arguments"))
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode.unwrap_or_default()
    }

    /// The widest mode of helpers. A resumed session without a mode flag keeps its own mode, which
    /// is not known yet; its helpers are limited to it when they start.
    fn helpers_mode(&self) -> Mode {
        if self.resume { self.mode.unwrap_or(Mode::Full) } else { self.mode() }
    }

    /// Refuses what would be passed over: these belong to a session from its beginning to its end.
    fn check(&self) -> Result<(), CommandError> {
        let given = [("--turns", self.turns.is_some()), ("--system", self.system.is_some())];
        let Some((flag, _)) = given.into_iter().find(|(_, given)| self.resume && *given) else {
            return Ok(());
        };
        let with = if self.branch.is_some() { "--fork" } else { "--resume" };
        let message = format!("{flag} cannot be used with {with}: a session keeps the value it started with");
        Err(CommandError::new(CommandExit::Usage, message).hint("leave it out, or start a new session"))
    }

    /// The changes to a resumed session: the given flags. `made` is the configuration of a new
    /// session. If an administrator sets a ceiling, the session's own authority is narrowed to it;
    /// only flags can widen it.
    fn changes(&self, made: &Config, run: &Run) -> ResumeChanges {
        let given = ResumeChanges {
            mode: self.mode.or_else(|| self.lowered_mode(run)),
            grants: self.resumed_grants(made, run),
            budget: self.resumed_budget(run),
            // A session that began elsewhere may have come with a laxer rule.
            mark_rule: Some(MarkRule::AskAfterAny),
        };
        match &self.settled.most {
            Some(most) => most.bind(given, &SessionAuthority::of(run)),
            None => given,
        }
    }

    /// Whether the user is asked what agents may do in the folder. Not if flags say it, nor for a
    /// session that keeps what it was given.
    pub(crate) fn first_question(&self) -> FirstQuestion {
        let is_said = self.trust.is_some()
            || self.mode.is_some()
            || self.unconfined
            || !(self.grant.is_empty() && self.yes.is_empty());
        if is_said || self.resume || self.fork.is_some() { FirstQuestion::Skip } else { FirstQuestion::Ask }
    }

    /// The script that answers in place of a model.
    pub(crate) fn script(&self) -> Option<&Path> {
        self.script.as_deref()
    }

    /// Whether commands run without a jail.
    pub(crate) fn is_unconfined(&self) -> bool {
        self.unconfined
    }

    /// The level that `--trust` gives in place of the folder's.
    pub(crate) fn trust(&self) -> Option<TrustLevel> {
        self.trust
    }

    /// The most that a session may cost.
    pub(crate) fn budget(&self) -> Option<NanoUsd> {
        self.budget
    }

    /// The model that answers.
    pub(crate) fn choose(&self) -> Result<ResolvedModel, CommandError> {
        let env = |name: &str| std::env::var(name).ok();
        let chosen = model::choose(self.model.as_deref(), self.script.as_deref(), &self.settled.reach, env);
        // Another one may have been named since.
        let said = self.settled.model.as_ref().filter(|said| Some(&said.value) == self.model.as_ref());
        chosen.map_err(|trouble| trouble.at(said.map(|said| &said.origin)))
    }

    /// The models that take over from this one.
    fn choose_stronger(&self, first: ResolvedModel) -> Result<(ResolvedModel, Vec<ModelSpec>), CommandError> {
        let said = self.settled.step_up.as_ref().filter(|said| said.value == self.step_up);
        let chosen = model::with_stronger(first, &self.step_up);
        chosen.map_err(|trouble| trouble.at(said.map(|said| &said.origin)))
    }

    /// Reads what is asked, or has it written in an editor; nothing where a session merely goes on.
    fn gather(&self, places: &HolmPaths, screen: &TerminalOutput) -> Result<Option<Prompt>, CommandError> {
        let tell = |note: &str| screen.note(&format!("holm: {note}"));
        let around = self.settled.around.as_ref();
        if self.edit {
            let begun = if self.parts.is_empty() {
                String::new()
            } else {
                fork_args::text_alone(&self.parts.gather(None, &places.work, tell)?)?
            };
            let written =
                ExternalEditor::find(|name| std::env::var(name).ok())?.edit(&places.data, &begun)?;
            return PromptParts::of(written).gather(around, &places.work, tell).map(Some);
        }
        if self.resume && self.parts.is_empty() && self.alias.is_none() {
            return Ok(None);
        }
        self.parts.gather(around, &places.work, tell).map(Some)
    }

    /// Whether the prompt comes from standard input, so that no question can be asked there.
    fn reads_stdin(&self) -> bool {
        self.parts.reads_stdin() && !(self.edit && self.parts.is_empty())
    }

    fn output(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.output }
    }

    /// How much of the progress is printed to standard error. Programs that read
    /// events have it already.
    fn progress(&self) -> ProgressDetail {
        let is_set = |value: std::ffi::OsString| !value.is_empty() && value != "0";
        let quiet = self.quiet || std::env::var_os(QUIET).is_some_and(is_set);
        match self.output() {
            _ if quiet => ProgressDetail::Silent,
            OutputFormat::Text | OutputFormat::Json | OutputFormat::StreamJson
                if TerminalOutput::notes_to_a_person() =>
            {
                ProgressDetail::StepByStep
            }
            OutputFormat::Text | OutputFormat::Json => ProgressDetail::CallByCall,
            OutputFormat::StreamJson => ProgressDetail::Silent,
        }
    }
}

/// Format of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// The answer
    Text,
    /// One JSON object at the end of the run
    Json,
    /// The session name, then one event per line as it happens
    StreamJson,
}

/// Silences progress, as `--quiet` does.
const QUIET: &str = "HOLM_QUIET";

/// Runs the command. With `--json` it prints JSON, also when it fails early.
pub(crate) async fn execute(args: RunArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let output = args.output();
    let ended = run(args, data).await;
    if let (Err(error), OutputFormat::Json) = (&ended, output) {
        let exit = error.downcast_ref::<CommandError>().map_or(CommandExit::Failed, |trouble| trouble.exit);
        let message = error.downcast_ref::<CommandError>().map(|trouble| trouble.parts().0.to_owned());
        let message = message.unwrap_or_else(|| format!("{error:#}"));
        print_early_failure(&message, exit);
    }
    ended
}

/// Tells a program that the run did not begin.
fn print_early_failure(message: &str, exit: CommandExit) {
    let summary = json!({ "session": null, "text": null, "error": message, "exit": exit.code() });
    TerminalOutput::default().line(&summary.to_string());
}

/// As [`execute`] does, for words that are no options of a run.
pub(crate) fn print_usage_error(words: &[String], error: &clap::Error) {
    let wants_json = words.iter().any(|word| word == "--json" || word == "--output=json")
        || words.windows(2).any(|pair| pair == ["--output", "json"]);
    if words.first().is_some_and(|name| name == "run") && wants_json && error.use_stderr() {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default();
        print_early_failure(first.strip_prefix("error: ").unwrap_or(first), CommandExit::Usage);
    }
}

async fn run(args: RunArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let screen = Arc::new(TerminalOutput::default());
    warn_of(&args.allow_command, &screen);
    let attended = TerminalOutput::can_ask() && !args.reads_stdin();
    let question = if attended { args.first_question() } else { FirstQuestion::Skip };
    let places = first_contact::at_folder(HolmPaths::find(data)?, question, &screen)?;
    let prepared = args.prepare(places, &screen).await?;
    let (args, output) = (&prepared.args, prepared.args.output());
    let schema = args.schema.as_deref().map(answer_schema::read).transpose()?;
    let asks = args.gather(&prepared.places, &screen)?;
    let asks = match &schema {
        Some(schema) => asks.map(|asks| schema.tell(asks)),
        None => asks,
    };
    let chosen = args.choose()?;
    asks.iter().try_for_each(|asks| chosen.takes().check(asks))?;
    let note = chosen.note;
    // The results of the scripted stand-in say nothing.
    let by_default = note.is_some() && chosen.card.name != model::DEMO;
    let shown = if by_default { shown_before(&prepared.store, &chosen.card.name).await } else { None };
    let attended = TerminalOutput::can_ask() && !(asks.is_some() && args.reads_stdin());
    let person = if attended { UserPresence::There } else { UserPresence::Away };
    let show = DisplayOptions {
        pieces: output == OutputFormat::Text && TerminalOutput::answers_to_a_person() && schema.is_none(),
        progress: args.progress(),
        spinner: TerminalOutput::can_draw_over(),
    };
    let drawing = ProgressPrinter::new(Arc::clone(&screen), show);
    let work_watch = WorkWatch::default();
    let yes = args.yes.iter().cloned().collect();
    let terminal = TerminalApprover::new(yes, person, Arc::clone(&screen)).drafting_in(&prepared.places.data);
    let terminal = terminal.of_run_with(args.granted()).confined_by(confinement(args));
    let start = SessionStartParts {
        chosen,
        terminal,
        sinks: sinks(output, &screen, &drawing, &work_watch),
        next: if asks.is_some() { ForkContinuation::AskedElse } else { ForkContinuation::GoesOn },
        lines: if output == OutputFormat::StreamJson { MachineOutput::Yes } else { MachineOutput::No },
    };
    let mut begun = prepared.begin(start, &screen).await?;
    // Not before something answers at all.
    if let Some(note) = note {
        screen.note(&format!("holm: {note}"));
    }
    let session = &mut begun.session;
    work_watch.begin(session.run().config());
    let ladder = session.run().started().config.ladder.as_ref().filter(|ladder| ladder.start > 0);
    if let Some(ladder) = ladder.filter(|_| !args.resume) {
        screen.note(&format!("holm: starting with a stronger model: {}", ladder.why));
    }
    shown.iter().for_each(|shown| screen.note(&format!("holm: {shown}")));
    tokio::spawn(cancel_on_signal(session.handle(), Arc::clone(&screen)));
    let asks = asks.map(|asks| begun.made.tools.prompt(asks, session.run()));
    let worked = worked(session, asks, args, begun.listening.as_ref()).await;
    let worked = match (worked, &schema) {
        (Ok(report), Some(schema)) => answer_schema::until_it_fits(schema, session, report).await,
        (worked, _) => worked,
    };
    session.unheard().iter().for_each(|words| screen.note(&lost(words)));
    let report = worked?;
    if let Some(listening) = begun.listening {
        listening.end().await;
    }
    let part = begun.session.run().unfinished_answer();
    let shortfall = AnswerShortfall {
        withheld: begun.withholding.reasons(),
        // A person who was there has said no, and knows it.
        all_refused: !attended && work_watch.is_all_refused(),
    };
    let ended = finish(&report, part, output, &screen, &drawing, &shortfall);
    // Only now, because the user waits for the answer: it stores what the next process needs.
    begun.session.close().await;
    ended
}

/// Why an answer does not mean that the task was done.
struct AnswerShortfall {
    /// Why hooks withheld what was asked.
    withheld: Vec<String>,
    /// Whether every call was refused.
    all_refused: bool,
}

/// Who watches a run: a user at the terminal, or a program that reads its output.
fn sinks(
    output: OutputFormat,
    screen: &Arc<TerminalOutput>,
    drawing: &ProgressPrinter,
    work_watch: &WorkWatch,
) -> RunSinks {
    let drawn: Arc<dyn EventSink> = Arc::new(drawing.clone());
    let lines = (output == OutputFormat::StreamJson).then(|| EventPrinter::new(Arc::clone(screen)));
    let lines = lines.map(|lines| -> Arc<dyn EventSink> { Arc::new(lines) });
    let watch: Arc<dyn EventSink> = Arc::new(work_watch.clone());
    let deltas: Arc<dyn DeltaSink> = Arc::new(drawing.clone());
    RunSinks { events: [drawn, watch].into_iter().chain(lines).collect(), deltas: Some(deltas) }
}

/// Assembles an agent without a user, for remote callers. The settings must already
/// be applied to `args`.
pub(crate) async fn unattended(
    args: &RunArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<AssembledAgent> {
    let drawing = ProgressPrinter::new(Arc::clone(screen), DisplayOptions::NOTHING);
    let sinks = RunSinks { events: vec![Arc::new(drawing)], deltas: None };
    seated(args, places, screen, UserPresence::Away, sinks).await
}

/// Assembles an agent for a user who gives it tasks. The settings must already
/// be applied to `args`.
pub(crate) async fn seated(
    args: &RunArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
    person: UserPresence,
    sinks: RunSinks,
) -> anyhow::Result<AssembledAgent> {
    seated_with(args, places, screen, person, sinks, places.store().await?).await
}

/// As [`seated`], with a store that is open already.
pub(crate) async fn seated_with(
    args: &RunArgs,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
    person: UserPresence,
    sinks: RunSinks,
    store: Store,
) -> anyhow::Result<AssembledAgent> {
    if args.session.is_some() || args.fork.is_some() {
        let message = "each request has its own session, so --session, --resume and --fork are not supported";
        return Err(CommandError::new(CommandExit::Usage, message).into());
    }
    if !args.parts.is_empty() || args.edit {
        let message = "clients send the prompts, so --prompt and --edit are not supported";
        return Err(CommandError::new(CommandExit::Usage, message).into());
    }
    let chosen = args.choose()?;
    if let Some(note) = &chosen.note {
        screen.note(&format!("holm: {note}"));
    }
    let terminal = TerminalApprover::new(args.yes.iter().cloned().collect(), person, Arc::clone(screen));
    let terminal = terminal.confined_by(confinement(args));
    let places = places.clone().within(args.ways.bounds());
    let parts = AgentParts::assemble(args, &places, store.clone(), chosen, terminal, screen).await?;
    let ((crew, secrets, hooks), live_grants) = (parts.parts(), parts.live_grants());
    let (agent, tools) = parts.agent(args, sinks)?;
    Ok(AssembledAgent { agent, tools, crew, secrets, hooks, live_grants, store })
}

/// An agent with its parts.
pub(crate) struct AssembledAgent {
    pub(crate) agent: Agent,
    pub(crate) tools: RunTools,
    pub(crate) crew: AgentLoader,
    pub(crate) secrets: SecretRedactor,
    pub(crate) hooks: HookSet,
    /// Takes grants that are given during the session.
    pub(crate) live_grants: LiveGrants,
    pub(crate) store: Store,
}

/// What a session that goes on is told to change.
pub(crate) fn taken_up(args: &RunArgs, made: &AssembledAgent, run: &Run) -> ResumeChanges {
    args.changes(made.agent.config(), run)
}

/// Opens the session that the arguments name, or a new one. `resumed` is called with the run
/// of a resumed one.
async fn open(agent: &Agent, args: &RunArgs, resumed: impl FnOnce(&Run)) -> anyhow::Result<Session> {
    let decide = |run: &Run| {
        resumed(run);
        args.changes(agent.config(), run)
    };
    let opened = match (&args.session, args.resume) {
        (Some(id), true) => agent.resume_deciding(id, decide).await,
        (Some(id), false) => agent.start_as(id).await,
        (None, _) => agent.start().await,
    };
    opened.map_err(|error| match &error {
        DriveError::Journal(JournalStorageError::Missing { run }) => session::no_such(run).into(),
        DriveError::Journal(JournalStorageError::Exists { run }) => {
            let message = format!("session `{run}` already exists");
            CommandError::new(CommandExit::Usage, message)
                .hint("add --resume to continue it, or choose another name")
                .into()
        }
        DriveError::Journal(JournalStorageError::BadName { .. }) => {
            CommandError::new(CommandExit::Usage, error.to_string()).into()
        }
        _ => anyhow::Error::new(error),
    })
}

/// The work, and what was said just as it ended.
async fn worked(
    session: &mut Session,
    asks: Option<Prompt>,
    args: &RunArgs,
    listening: Option<&holm_server::terminal::TerminalListener>,
) -> anyhow::Result<RunReport> {
    let mut report = work(session, asks, args).await?;
    while missed(listening, &report.ending) {
        report = session.catch_up().await?.unwrap_or(report);
    }
    Ok(report)
}

/// Finishes what was under way, then does what is asked.
async fn work(session: &mut Session, asks: Option<Prompt>, args: &RunArgs) -> anyhow::Result<RunReport> {
    let finished = if args.resume { session.go_on().await? } else { None };
    // A fork has dropped what was under way, so that something else can be asked.
    let goes_on = |ending: &Ending| args.branch.is_some() || matches!(ending, Ending::Answered { .. });
    match (asks, finished) {
        (Some(prompt), None) => Ok(session.prompt(prompt).await?),
        (Some(prompt), Some(report)) if goes_on(&report.ending) => Ok(session.prompt(prompt).await?),
        (_, Some(report)) => Ok(report),
        (None, None) => {
            let message = format!("nothing is running in session `{}`", session.id());
            Err(CommandError::new(CommandExit::Usage, message).hint("say what to do next with -p").into())
        }
    }
}

fn finish(
    report: &RunReport,
    part: &str,
    output: OutputFormat,
    screen: &TerminalOutput,
    drawing: &ProgressPrinter,
    shortfall: &AnswerShortfall,
) -> anyhow::Result<CommandExit> {
    let exit = match CommandExit::of(&report.ending) {
        // The model has not heard what was asked, or could do nothing of it.
        CommandExit::Done if !shortfall.withheld.is_empty() || shortfall.all_refused => CommandExit::NoAnswer,
        exit => exit,
    };
    match output {
        OutputFormat::Text => {
            screen.end_line();
            match report.text() {
                Ok(text) if drawing.has_written() || text.is_empty() => {}
                Ok(text) => screen.answer(text),
                Err(error) => {
                    if !part.is_empty() && !drawing.shows_pieces() {
                        screen.answer(part);
                    }
                    screen.note(&format!("error: {error}"));
                    if !part.is_empty() {
                        screen.note("holm: the answer on standard output is incomplete");
                    }
                }
            }
        }
        OutputFormat::Json => {
            screen.line(&summary(report, part, drawing.priced(), exit, shortfall)?.to_string());
        }
        OutputFormat::StreamJson => {}
    }
    if TerminalOutput::notes_to_a_person() && drawing.tells_progress() {
        let (input, out) = (report.usage.input, report.usage.output);
        let spent = drawing.priced().show(report.spent, report.usage);
        screen.note(&format!("holm: session {}, {input} tokens in, {out} out, {spent}", report.run));
    }
    Ok(exit)
}

/// What a program reads when the run has ended.
fn summary(
    report: &RunReport,
    part: &str,
    priced: CostCompleteness,
    exit: CommandExit,
    shortfall: &AnswerShortfall,
) -> anyhow::Result<serde_json::Value> {
    // Without a known price the cost is unknown, not zero.
    let spent = match priced {
        CostCompleteness::Whole => Some(report.spent.value()),
        CostCompleteness::InPart => Some(report.spent.value()).filter(|spent| *spent > 0),
    };
    let mut summary = json!({
        "session": report.run,
        "text": report.text().ok(),
        "ending": serde_json::to_value(&report.ending)?,
        "usage": serde_json::to_value(report.usage)?,
        "spent_nano_usd": spent,
        "price_known": priced == CostCompleteness::Whole,
        "exit": exit.code(),
    });
    if let Some(summary) = summary.as_object_mut() {
        if !shortfall.withheld.is_empty() {
            summary.insert("withheld".into(), shortfall.withheld.clone().into());
        }
        if shortfall.all_refused {
            summary.insert("all_calls_denied".into(), true.into());
        }
        if !part.is_empty() {
            summary.insert("partial_text".into(), part.into());
        }
    }
    Ok(summary)
}
