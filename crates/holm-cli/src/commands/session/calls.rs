//! `holm session calls`: the tool calls of a session, numbered, with their arguments and outcomes.
//! `holm tool execute --again` takes a call by this number (`commands/tool.rs`). It only reads the
//! journal.

use holm::{
    kernel::{Block, Outcome, ToolCall, ToolResult, journal},
    store::Store,
};
use serde_json::json;

use super::records;
use crate::{
    exit::{CommandError, CommandExit},
    screen::TerminalOutput,
    session_name,
};

/// How much of the arguments and of a result stands on a line.
const SHOWN: usize = 160;

/// Arguments of `holm session calls`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionCallsArgs {
    /// Session name, a prefix of it, or `last`
    pub(super) id: String,
    /// Also print what each call returned
    #[arg(long)]
    results: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// A call of a session, with its result if there is one.
struct RecordedCall {
    call: ToolCall,
    result: Option<ToolResult>,
}

pub(super) async fn calls(
    store: &Store,
    screen: &TerminalOutput,
    args: &SessionCallsArgs,
) -> anyhow::Result<CommandExit> {
    let calls = recorded(store, &args.id).await?;
    if calls.is_empty() {
        screen.note("holm: this session has no tool calls");
    }
    for (number, RecordedCall { call, result }) in (1..).zip(&calls) {
        let outcome = result.as_ref().map(|result| result.outcome);
        let said = result.as_ref().filter(|_| args.results).map(|result| result.said().to_owned());
        if args.json {
            let object = json!({
                "number": number, "tool": call.name, "arguments": call.arguments, "outcome": outcome, "result": said,
            });
            screen.line(&object.to_string());
            continue;
        }
        let arguments = short(&call.arguments);
        screen.answer(&format!("{number:3}  {}  {}  {arguments}", call.name, outcome_in_words(outcome)));
        for line in said.iter().flat_map(|said| said.lines()) {
            screen.answer(&format!("     {line}"));
        }
    }
    Ok(CommandExit::Done)
}

/// The tool and the arguments of a recorded call, `SESSION:NUMBER`.
pub(in crate::commands) async fn find_call(store: &Store, which: &str) -> anyhow::Result<(String, String)> {
    let wrong = |message: String| CommandError::new(CommandExit::Usage, message);
    let parts =
        which.rsplit_once(':').and_then(|(session, number)| Some((session, number.parse::<usize>().ok()?)));
    let Some((session, number)) = parts.filter(|(_, number)| *number > 0) else {
        return Err(wrong(format!("`{which}` is not SESSION:NUMBER"))
            .hint("`holm session calls SESSION` numbers the calls")
            .into());
    };
    let session = session_name::resolve(store, session.to_owned()).await?;
    let calls = recorded(store, &session).await?;
    let count = calls.len();
    let found =
        calls.into_iter().nth(number - 1).map(|recorded| (recorded.call.name, recorded.call.arguments));
    Ok(found.ok_or_else(|| {
        CommandError::new(
            CommandExit::Missing,
            format!("the session `{session}` has {count} calls, not {number}"),
        )
    })?)
}

/// The calls of a session in their order, each with its result.
async fn recorded(store: &Store, id: &str) -> anyhow::Result<Vec<RecordedCall>> {
    let run = journal::replay(&records(store, id).await?)?;
    let blocks = || run.transcript().iter().flat_map(|message| &message.blocks);
    let results: Vec<&ToolResult> = blocks()
        .filter_map(|block| if let Block::ToolResult(result) = block { Some(result) } else { None })
        .collect();
    let of =
        |call: &ToolCall| results.iter().find(|result| result.call == call.id).map(|found| (*found).clone());
    let calls = blocks().filter_map(Block::as_tool_call);
    Ok(calls.map(|call| RecordedCall { result: of(call), call: call.clone() }).collect())
}

const fn outcome_in_words(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        None => "no result",
        Some(Outcome::Succeeded) => "succeeded",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::Refused) => "refused",
        Some(Outcome::Unknown) => "unknown",
        Some(Outcome::Stopped) => "stopped",
    }
}

/// A text on one line, cut.
fn short(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = flat.floor_char_boundary(SHOWN);
    if end < flat.len() { format!("{}…", flat.get(..end).unwrap_or_default()) } else { flat }
}
