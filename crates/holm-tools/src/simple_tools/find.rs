//! The `find` tool: finds a word in the text of files, or a file by its name. It is one tool for
//! both, because a small model that has two picks the wrong one.
//!
//! It searches nothing itself: `files/glob.rs` and `files/grep.rs` do.

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::{self as kernel, Outcome, ToolOutput};
use holm_runtime::{BoxFuture, Tool, ToolInvocation};

use super::simple_tool::declared;
use crate::files::{NO_MATCHING_FILE, NO_MATCHING_LINE};

/// Lines that are shown.
const LINES: u64 = 50;
/// The results of the inner tools if they find nothing.
const NOTHING: [&str; 2] = [NO_MATCHING_LINE, NO_MATCHING_FILE];

/// Searches the names and the texts of files.
pub(super) struct SimpleFindTool {
    declaration: kernel::ToolSpec,
    names: Arc<dyn Tool>,
    texts: Arc<dyn Tool>,
}

impl SimpleFindTool {
    /// By the tools that look through names and through texts.
    pub(super) fn by(names: &Arc<dyn Tool>, texts: &Arc<dyn Tool>) -> Self {
        let about = "Finds a word or a file: searches the names and the text of all files.";
        let declaration = declared("find", about, &[("text", true)], "read:**");
        Self { declaration, names: Arc::clone(names), texts: Arc::clone(texts) }
    }
}

impl Tool for SimpleFindTool {
    fn declaration(&self) -> &kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let given = Json::parse(&job.arguments).unwrap_or(Json::Null);
        let text = given.get("text").and_then(Json::as_str).unwrap_or_default().trim().to_owned();
        let pattern = Json::object([("pattern", Json::from(pattern(&text).as_str()))]);
        let line = Json::object([
            ("pattern", Json::from(text.trim_matches('*'))),
            ("literal", Json::Bool(true)),
            ("ignore_case", Json::Bool(true)),
            ("limit", Json::from(LINES)),
        ]);
        let names = self.names.run(job.clone().arguments(pattern.canonical()));
        let texts = self.texts.run(job.arguments(line.canonical()));
        Box::pin(async move {
            let (names, texts) = (names.await, texts.await);
            match (names.outcome, texts.outcome) {
                (Outcome::Succeeded, Outcome::Succeeded) => {
                    ToolOutput::text(shown(&text, &names.text, &texts.text))
                }
                (Outcome::Succeeded, _) => texts,
                _ => names,
            }
        })
    }
}

fn shown(text: &str, names: &str, lines: &str) -> String {
    let parts: Vec<String> = [("files of that name", names), ("lines with it", lines)]
        .iter()
        .filter(|(_, found)| !NOTHING.iter().any(|nothing| found.starts_with(nothing)))
        .map(|(what, found)| format!("{what}:\n{found}"))
        .collect();
    if parts.is_empty() { format!("`{text}` was not found") } else { parts.join("\n") }
}

/// The pattern for a name or a part of one. A name that already is a pattern stays as it is.
fn pattern(name: &str) -> String {
    let plain: String = name.chars().filter(|c| !"?[]{}!\\".contains(*c)).collect();
    match (plain.contains('/'), plain.contains('*')) {
        (true, _) => plain,
        (false, true) => format!("**/{plain}"),
        (false, false) => format!("**/*{plain}*"),
    }
}
