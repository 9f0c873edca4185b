mod files;
mod following;
mod names;
mod pins;
mod waiting;
mod watching;

use std::path::Path;
use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::ToolOutput;
use holm_runtime::{BoxFuture, Tool, ToolInvocation, tool_fn};

use super::{PinStatus, RegistrySnapshot, ToolFile, ToolLoadError, ToolLoader, ToolOffer};

/// A tool that says something.
fn says(name: &str, text: &str) -> ToolOffer {
    let kind = if text.starts_with("flawed") { "nonsense" } else { "object" };
    let declared = holm_kernel::ToolSpec::new(name, "Says something.", Json::object([("type", kind.into())]));
    let text = text.to_owned();
    ToolOffer::new(Arc::new(tool_fn(declared, move |_| {
        let text = text.clone();
        async move { ToolOutput::text(text) }
    })))
}

/// Makes a tool of each `.say` file: it says what stands in the file. A file that begins with `bad` is refused, one that
/// begins with `flawed` becomes a tool that no run can use, over `panic` it breaks down, and one that was replaced says so.
struct Says;

impl ToolLoader for Says {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        path.extension().is_some_and(|ending| ending == "say")
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            let text = std::str::from_utf8(found.bytes).map_err(|_| ToolLoadError::refused("no text"))?;
            if text.starts_with("bad") {
                return Err(ToolLoadError::refused("it begins badly"));
            }
            assert!(!text.starts_with("panic"), "a loader that breaks down");
            let name = found.sidecar.and_then(|sidecar| sidecar.name.as_deref()).unwrap_or(found.name);
            let replaced = match found.standing {
                PinStatus::Confirmed => "",
                PinStatus::Replaced => " (replaced)",
            };
            Ok(vec![says(name, &format!("{text}{replaced}"))])
        })
    }
}

/// What the tool of a name says.
async fn said(snapshot: &RegistrySnapshot, name: &str) -> Option<String> {
    let tool: Arc<dyn Tool> = Arc::clone(snapshot.find(name)?);
    Some(tool.run(ToolInvocation::alone("{}")).await.text)
}

fn names(snapshot: &RegistrySnapshot) -> Vec<String> {
    snapshot.catalogue().names().map(ToOwned::to_owned).collect()
}

fn problems(snapshot: &RegistrySnapshot) -> Vec<String> {
    snapshot.problems().iter().map(|problem| problem.what.clone()).collect()
}
