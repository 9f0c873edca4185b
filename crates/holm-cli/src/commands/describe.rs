//! `holm describe`: prints Holm's own description as a tool, so that other programs can call it.

use serde_json::json;

use crate::{exit::CommandExit, screen::TerminalOutput};

/// Arguments of `holm describe`.
#[derive(Debug, clap::Args)]
pub(crate) struct DescribeArgs {
    /// Tool name
    #[arg(long, default_value = "holm")]
    slug: String,
    /// Tool description
    #[arg(long, default_value = "Gives an agent a task in this folder and returns its answer.")]
    description: String,
}

/// Prints the description; the call that it describes is `holm run --prompt TEXT`.
pub(crate) fn execute(args: &DescribeArgs) -> CommandExit {
    let prompt = json!({
        "name": "prompt", "description": "What to do.", "type": "string", "backing_type": "string",
        "arity": "single", "mode": "dashdashspace",
    });
    let described = json!({
        "slug": args.slug, "description": args.description, "args": [prompt],
        "empty-result": { "tag": "AddMessage", "contents": "--no output--" },
    });
    TerminalOutput::default().line(&described.to_string());
    CommandExit::Done
}
