//! Local models: lists, tests, measures and removes them. Names and files are resolved in
//! `local.rs`, downloads are in `commands/model/pull.rs`, and inference is in `holm-local`. A test
//! passes only if the call of the model is valid by its schema.

use std::{fs, sync::Arc};

use clap::Subcommand;
use holm::{
    guards::{json::Json, schema::CompiledSchema},
    kernel::{
        Block, Message, MessageId, Messages, ModelCallId, ModelResult, ModelSpec, Offer, Purpose, Reply,
        Request, Role, ToolSpec, plain_text,
    },
    runtime::{CancellationToken, ModelConnection as _, ModelRequest, NullDeltaSink},
};
use holm_local::{LocalConnection, LocalModel};

use super::pull;
use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    local,
    screen::TerminalOutput,
};

/// Tokens of a reply whose speed is measured.
const MEASURED: u64 = 64;

/// How a run uses them; the flags are those of [`ModelOptions`](crate::model::ModelOptions).
pub(super) const HELP: &str = "\
    To use a local model: `holm run --model local/NAME`. Three flags of `holm run` apply to local models: \
    --no-adapter turns off the small model's adapter for choosing tools, --no-grammar turns off the grammar \
    that makes calls match the tools' schemas, and --calibrated chooses the tool whose name the prompt makes \
    most likely (slower).";

/// Subcommands of `holm model` for local models.
#[derive(Debug, Subcommand)]
pub(crate) enum LocalModelCommand {
    /// List the models on this machine
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Test a model with a question and a tool call that must be valid
    Test {
        /// Model name, such as local/smollm2, or local/ and a path
        #[arg(default_value = local::DEFAULT)]
        name: String,
    },
    /// Measure prompt processing and generation speed on this machine
    Bench {
        /// Model name
        #[arg(default_value = local::DEFAULT)]
        name: String,
    },
    /// Download and verify a model file; resumes an interrupted download
    Pull(pull::ModelPullArgs),
    /// Delete a model's file
    Rm {
        /// Model name
        name: String,
    },
}

pub(super) async fn execute(command: LocalModelCommand) -> anyhow::Result<CommandExit> {
    let screen = TerminalOutput::default();
    let env = |name: &str| std::env::var(name).ok();
    match command {
        LocalModelCommand::List { json } => {
            let found = local::folder(&env).map(|folder| local::list(&folder)).unwrap_or_default();
            if found.is_empty() && !json {
                screen.note(
                    "holm: no models on this machine; download the small one with `holm model pull smollm2`",
                );
            }
            for found in &found {
                screen.line(&if json { local::record(found).to_string() } else { local::describe(found) });
            }
            Ok(CommandExit::Done)
        }
        LocalModelCommand::Test { name } => tested(&name, &screen).await,
        LocalModelCommand::Bench { name } => measured(&name, &screen).await,
        LocalModelCommand::Pull(args) => pull::execute(&args, &screen).await,
        LocalModelCommand::Rm { name } => {
            let (path, _) = local::files(&name, &env)?;
            fs::remove_file(&path).map_err(|error| {
                CommandError::new(
                    CommandExit::Missing,
                    format!("{} cannot be removed: {error}", path.shown()),
                )
            })?;
            screen.line(&format!("removed {}", path.shown()));
            Ok(CommandExit::Done)
        }
    }
}

fn open(name: &str) -> Result<LocalModel, CommandError> {
    let settings = local::settings(name, &|name: &str| std::env::var(name).ok())?;
    LocalModel::open(settings).map_err(|error| local::refused(&error))
}

async fn tested(name: &str, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let model = open(name)?;
    let mut line = model.line();
    let reply = ask(&mut line, name, Vec::new(), "What is the capital of France?", 32).await?;
    screen.line(&format!("asked for the capital of France: {}", plain_text(&reply.blocks).trim()));
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let schema = Json::parse(schema)?;
    let tool = Arc::new(ToolSpec::new("read_file", "Reads a file.", schema.clone()));
    let reply = ask(&mut line, name, vec![tool], "Read the file notes.txt.", 64).await?;
    let called = reply.blocks.iter().find_map(Block::as_tool_call);
    let Some(call) = called else {
        screen.line(&format!("asked to read notes.txt, it said: {}", plain_text(&reply.blocks).trim()));
        return Ok(CommandExit::NoAnswer);
    };
    let valid = CompiledSchema::compile(&schema)
        .is_ok_and(|schema| Json::parse(&call.arguments).is_ok_and(|arguments| schema.is_valid(&arguments)));
    let judged = if valid { "valid" } else { "not valid" };
    screen.line(&format!("asked to read notes.txt, it called {} {} ({judged})", call.name, call.arguments));
    Ok(if valid { CommandExit::Done } else { CommandExit::NoAnswer })
}

async fn measured(name: &str, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let model = open(name)?;
    model.start().await.map_err(|error| local::refused(&error))?;
    let mut line = model.line();
    let long = "The sea was calm and the ships lay still in the harbour of the old town. ".repeat(24);
    ask(&mut line, name, Vec::new(), &format!("Go on with this story: {long}"), MEASURED).await?;
    let Some(tally) = line.tally() else { return Ok(CommandExit::NoAnswer) };
    let rate = |tokens: u64, micros: u64| tokens.saturating_mul(1_000_000) / micros.max(1);
    let read = rate(tally.input - tally.cached, tally.prompt_us);
    let written = rate(tally.output.saturating_sub(1), tally.reply_us);
    screen.line(&format!("reads {read} tokens/s ({} tokens)", tally.input - tally.cached));
    screen.line(&format!("writes {written} tokens/s ({} tokens)", tally.output));
    Ok(CommandExit::Done)
}

async fn ask(
    line: &mut LocalConnection,
    name: &str,
    tools: Vec<Arc<ToolSpec>>,
    text: &str,
    most: u64,
) -> anyhow::Result<Reply> {
    let request = Request {
        purpose: Purpose::Turn,
        model: Arc::new(ModelSpec::named(name)),
        system: "".into(),
        messages: Messages::Own(Vec::new()),
        tools: Arc::new(Offer { epoch: 0, tools }),
        max_output: Some(most),
        format: None,
    };
    let view = [Arc::new(Message::text(MessageId::new(1), Role::User, text))];
    let (deltas, stop) = (Arc::new(NullDeltaSink), CancellationToken::new());
    match line
        .call(ModelRequest {
            call: ModelCallId::new(1),
            request: &request,
            messages: &view,
            told: Arc::default(),
            deltas,
            stop,
        })
        .await
    {
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => Ok(reply),
        ModelResult::Failed(failure) => Err(CommandError::new(CommandExit::Provider, failure.message).into()),
    }
}
