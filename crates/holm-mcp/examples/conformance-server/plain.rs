//! What Holm's own tools answer.

use std::sync::Arc;
use std::time::Duration;

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{Block, Media, Source, ToolOutput, ToolSpec};
use holm_runtime::{ProgressUpdate, ToolInvocation, Toolbox, tool_fn};
use holm_tools::registry::{SourceRank, ToolOffer, ToolRegistry, ToolSource};

/// A picture of one red point.
pub(crate) const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const SOUND: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// The tool whose call changes the list of tools.
pub(crate) const TRIGGER: &str = "test_trigger_tool_change";

pub(crate) fn registry() -> ToolRegistry {
    let registry = ToolRegistry::new();
    let offers: Vec<ToolOffer> = tools().iter().map(|tool| ToolOffer::new(Arc::clone(tool))).collect();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::BuiltIn, "suite"), offers));
    registry
}

/// Makes the registry another one.
pub(crate) fn change(registry: &ToolRegistry) {
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::User, "nothing"), []));
}

fn tools() -> Toolbox {
    let word = Json::object([("type", Json::from("string")), ("x-mcp-header", Json::from("Value"))]);
    let headed = Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object([("value", word)])),
        ("required", Json::Array(vec![Json::from("value")])),
    ]);
    Toolbox::new()
        .with(tool_fn(
            ToolSpec { schema: headed, ..declare("test_custom_header", "Says it again.") },
            |job: ToolInvocation| async move { ToolOutput::text(&*job.arguments) },
        ))
        .with(tool_fn(declare(TRIGGER, "Changes the tools."), |_| async { ToolOutput::text("changed") }))
        .with(tool_fn(declare("test_simple_text", "Says one sentence."), |_| async {
            ToolOutput::text("This is a simple text response for testing.")
        }))
        .with(tool_fn(declare("test_image_content", "Shows a picture."), |_| async {
            part(Block::Image(media("image/png", PICTURE)))
        }))
        .with(tool_fn(declare("test_audio_content", "Plays a sound."), |_| async {
            part(Block::File(media("audio/wav", SOUND)))
        }))
        .with(tool_fn(declare("test_error_handling", "Fails."), |_| async {
            ToolOutput::failed("This tool intentionally returns an error for testing")
        }))
        .with(tool_fn(declare("test_tool_with_progress", "Says how far it is."), progress))
}

async fn progress(job: ToolInvocation) -> ToolOutput {
    for done in [0, 50, 100] {
        job.progress.say(ProgressUpdate::of(done, 100, format!("{done} of 100")));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ToolOutput::text("all of it")
}

fn declare(name: &str, description: &str) -> ToolSpec {
    ToolSpec::new(name, description, Json::object([("type", Json::from("object"))])).level(Level::None)
}

fn part(block: Block) -> ToolOutput {
    ToolOutput { parts: vec![block], ..ToolOutput::default() }
}

fn media(kind: &str, data: &str) -> Media {
    Media { media_type: kind.into(), source: Source::Base64(data.into()), name: None }
}
