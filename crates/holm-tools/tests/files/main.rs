//! What only other processes can show of the file tools: that a killed one leaves whole files behind, and that all of it
//! works, and fails as it should, without root's powers.
//!
//!     cargo test -p holm-tools --test files
//!
//! The program is its own harness, because libtest cannot start itself as something else.

#![expect(clippy::print_stdout, reason = "it is its own harness")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that meets the unexpected should stop")]

mod killed;
mod nobody;

use std::{env, path::Path, process::ExitCode, sync::Arc};

use holm_grants::{CallNeed, Grant};
use holm_kernel::{IdempotencyKey, ToolOutput};
use holm_runtime::{Tool, ToolInvocation};
use holm_tools::{
    files::{self, FileToolContext},
    root::WorkspaceRoot,
    undo::UndoStore,
};
use serde_json::Value;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["writer", folder] => killed::write_for_ever(Path::new(folder)),
        ["nobody", folder] => nobody::cases(Path::new(folder)),
        // The user asks for one test by name, and no test here has that name.
        [name, ..] if !name.starts_with('-') && !"files".contains(name) => return ExitCode::SUCCESS,
        _ => {
            killed::old_or_new();
            nobody::without_root();
        }
    }
    println!("test files ... ok");
    ExitCode::SUCCESS
}

/// The tools of a folder with `work` and `undo` in it.
fn tools(folder: &Path) -> Vec<Arc<dyn Tool>> {
    let root = WorkspaceRoot::open(&folder.join("work")).unwrap();
    files::tools(FileToolContext::new(root).undo(UndoStore::open(folder.join("undo")).unwrap()).unwrap())
}

/// Calls a tool with everything granted.
fn call(tools: &[Arc<dyn Tool>], name: &str, key: IdempotencyKey, arguments: &Value) -> ToolOutput {
    let tool = tools.iter().find(|tool| tool.declaration().name == name).unwrap();
    let mut job = ToolInvocation::alone(arguments.to_string());
    job.key = key;
    job.needs = ["read:**", "write:**"].map(|need| CallNeed::Grant(need.parse::<Grant>().unwrap())).into();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(tool.run(job))
}
