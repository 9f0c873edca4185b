//! The tools as a model calls them.

mod attacks;
mod codex_scenarios;
mod edits;
mod near_misses;
mod patches;
mod paths;
mod reads;
mod searches;
mod threads;

use std::sync::Arc;

use holm_grants::{CallNeed, Grant};
use holm_kernel::{Outcome, ToolOutput};
use holm_runtime::{Tool, ToolInvocation};
use serde_json::Value;
use tempfile::TempDir;

use super::{FileToolContext, tools};
use crate::{root::WorkspaceRoot, undo::UndoStore};

/// A folder, its tools, and everything granted unless a test says otherwise.
struct Bench {
    folder: TempDir,
    tools: Vec<Arc<dyn Tool>>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let root = WorkspaceRoot::open(&folder.path().join("work")).unwrap();
        let undo = UndoStore::open(folder.path().join("undo")).unwrap();
        let tools = tools(FileToolContext::new(root).undo(undo).unwrap());
        Self { folder, tools }
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.work().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.work().join(path)).unwrap()
    }

    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn undo(&self) -> UndoStore {
        UndoStore::open(self.folder.path().join("undo")).unwrap()
    }

    async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        call(&self.tools, tool, job(&arguments, &["read:**", "write:**"])).await
    }

    #[track_caller]
    fn check_text(&self, path: &str, expect: &str) {
        assert_eq!(self.text(path), expect);
    }
}

fn job(arguments: &Value, needs: &[&str]) -> ToolInvocation {
    let mut job = ToolInvocation::alone(arguments.to_string());
    job.needs = needs.iter().map(|need| CallNeed::Grant(need.parse::<Grant>().unwrap())).collect();
    job
}

async fn call(tools: &[Arc<dyn Tool>], tool: &str, job: ToolInvocation) -> ToolOutput {
    let tool = tools.iter().find(|candidate| candidate.declaration().name == tool).unwrap();
    tool.run(job).await
}

#[track_caller]
fn succeeds(output: &ToolOutput, expect: &str) {
    assert_eq!(output.outcome, Outcome::Succeeded, "{}", output.text);
    assert!(output.text.contains(expect), "{expect:?} is not in {}", output.text);
}

#[track_caller]
fn fails(output: &ToolOutput, expect: &str) {
    assert_eq!(output.outcome, Outcome::Failed, "{}", output.text);
    assert!(output.text.contains(expect), "{expect:?} is not in {}", output.text);
}
