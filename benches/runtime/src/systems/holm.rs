//! Holm's driver, as a program uses it: an agent, a session, a prompt.
//!
//! Beside what the kernel does for every call (see the loop benchmark), the driver searches every fact for secrets, runs
//! model and tool as tasks of their own with a deadline, and appends what follows from a fact before anything is done
//! about it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use holm_bench_kit::{
    Outcome,
    holm::{self, Variant},
    script,
};
use holm_grants::Level;
use holm_kernel::ToolOutput;
use holm_runtime::{Agent, Job, Journals, MemoryJournals, Session, tool_fn};
use tokio::runtime::Runtime;

use super::Scripted;
use crate::scratch;

/// Where a run is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Journaled {
    InMemory,
    /// In the store that all sessions of this process share. The tool only reads, so no append waits for the disk.
    InSqlite,
}

pub(super) struct Driven {
    runtime: Runtime,
    session: Session,
    calls: Arc<AtomicU64>,
    consumed: Arc<AtomicU64>,
}

impl Driven {
    pub(super) fn new(turns: u64, journaled: Journaled) -> Self {
        let model = Scripted::new(turns);
        let (calls, consumed) = (Arc::<AtomicU64>::default(), Arc::clone(&model.consumed));
        let agent = match journaled {
            Journaled::InMemory => agent(model, &calls, MemoryJournals::new()),
            Journaled::InSqlite => agent(model, &calls, scratch::store()),
        };
        let runtime = scratch::small_runtime();
        let session = runtime.block_on(agent.start()).expect("a run can be started");
        Self { runtime, session, calls, consumed }
    }
}

impl holm_bench_kit::Session for Driven {
    fn run(&mut self) -> Outcome {
        let report = self.runtime.block_on(self.session.prompt(script::PROMPT)).expect("it is journaled");
        let answer = report.into_text().expect("the script ends with an answer");
        Outcome { calls: self.calls.load(Relaxed), answer, consumed: self.consumed.load(Relaxed) }
    }
}

/// An agent with the echo tool; every call is counted.
pub fn agent(model: Scripted, calls: &Arc<AtomicU64>, journals: impl Journals + 'static) -> Agent {
    let declared = holm::tool(Variant::Judged).level(Level::ReadOnly);
    let calls = Arc::clone(calls);
    let echo = tool_fn(declared, move |job: Job| {
        let calls = Arc::clone(&calls);
        async move {
            calls.fetch_add(1, Relaxed);
            ToolOutput::text(script::echo(&job.arguments).expect("only valid arguments reach the tool"))
        }
    });
    Agent::builder(script::MODEL, model)
        .config(|config| *config = holm::config(Variant::Judged))
        .tool(echo)
        .journals(journals)
        .build()
        .expect("the agent is complete")
}
