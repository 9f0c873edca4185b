//! Tools of a folder that ask the gate again at each call. Trust that is withdrawn ends with the
//! next call. It does not decide about trust (`trust_gate.rs`) and does not check a call's grants;
//! the kernel does.

use std::path::PathBuf;
use std::sync::Arc;

use holm_kernel::{Outcome, ToolOutput};
use holm_runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation};

use super::{ToolFileGate, ToolOffer};

/// The files from which a tool was made, and the gate that admitted them.
#[derive(Clone)]
pub(super) struct ToolAdmission {
    gate: Arc<dyn ToolFileGate>,
    files: Arc<[(PathBuf, [u8; 32])]>,
}

impl ToolAdmission {
    /// An admission by this gate for these files, each with the hash of its content.
    pub(super) fn new(gate: &Arc<dyn ToolFileGate>, files: Vec<(PathBuf, [u8; 32])>) -> Self {
        Self { gate: Arc::clone(gate), files: files.into() }
    }

    /// Whether all of them may be used now.
    pub(super) fn ask(&self) -> Result<(), String> {
        self.files.iter().try_for_each(|(path, sha256)| self.gate.admits(path, sha256))
    }

    /// Lets the tool be called only while this holds.
    pub(super) fn guard(&self, mut offer: ToolOffer) -> ToolOffer {
        offer.tool = Arc::new(GatedTool { tool: offer.tool, admission: self.clone() });
        offer
    }
}

/// A tool that asks its gate at each call.
struct GatedTool {
    tool: Arc<dyn Tool>,
    admission: ToolAdmission,
}

impl Tool for GatedTool {
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        self.tool.declaration()
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let (tool, admission) = (Arc::clone(&self.tool), self.admission.clone());
        Box::pin(async move {
            // A gate may read a file, and disks are not waited for on the async threads.
            let asked = tokio::task::spawn_blocking(move || admission.ask()).await;
            match asked.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(()) => tool.run(job).await,
                Err(why) => {
                    let text = format!("this tool can no longer be used: {why}");
                    ToolOutput { outcome: Outcome::Failed, ..ToolOutput::text(text) }
                }
            }
        })
    }

    fn reveal(&self) -> SecretReveal {
        self.tool.reveal()
    }
}
