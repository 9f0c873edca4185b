//! The `sleep` tool, which waits, by a clock that the host gives. The time is bounded: a run that
//! must wait longer should end and be prompted later, for example by a job of the server
//! (`holm-server/src/jobs/`). A cancel ends the sleep at once.

use std::sync::Arc;

use holm_grants::Level;
use holm_kernel::{Exemption, ToolOutput, ToolSpec};
use holm_runtime::{Clock, SystemClock, ToolInvocation, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

/// The longest sleep, in seconds: a run that waits for more than this should end and be prompted later.
const LONGEST: u64 = 300;

/// How much longer the kernel waits for a sleep than it lasts.
const SLACK_MS: u64 = 10_000;

/// The tool with which a model waits: `TypedToolAdapter::new(SleepTool::default())`.
#[derive(Clone)]
pub struct SleepTool {
    clock: Arc<dyn Clock>,
}

impl SleepTool {
    /// Waits by this clock, which should be that of the host.
    pub fn by(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }
}

impl Default for SleepTool {
    /// By the machine's clock.
    fn default() -> Self {
        Self::by(Arc::new(SystemClock::new()))
    }
}

/// How long to wait.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SleepArguments {
    /// Seconds, from 1 to 300.
    #[schemars(range(min = 1, max = 300))]
    seconds: u64,
}

impl TypedTool for SleepTool {
    type Arguments = SleepArguments;
    type Output = ToolOutput;

    fn declare(&self) -> ToolSpec {
        let tool =
            Self::named("sleep", "Waits for some seconds, for example until something else has finished.")
                .level(Level::None);
        let timeout_ms = Some(LONGEST * 1_000 + SLACK_MS);
        ToolSpec { timeout_ms, exemption: Exemption::Polling, ..tool }
    }

    async fn call(self: Arc<Self>, span: SleepArguments, job: ToolInvocation) -> ToolOutput {
        let seconds = span.seconds.min(LONGEST);
        let until = self.clock.now().plus(seconds * 1_000);
        tokio::select! {
            biased;
            () = job.stop.cancelled() => ToolOutput::failed("woken up early"),
            () = self.clock.sleep_until(until) => ToolOutput::text(format!("{seconds} s have passed")),
        }
    }
}
