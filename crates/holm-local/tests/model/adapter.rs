use std::{path::Path, sync::Arc};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, ToolSpec};
use holm_local::{LocalError, LocalModel, ToolSelection};
use holm_runtime::Model as _;

use crate::ask::{ask, open, replied, request, settings, user};

fn training(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../training").join(name)
}

pub(crate) fn adapter_file() -> std::path::PathBuf {
    training("adapter/holm-tools-smollm2-135m.gguf")
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// The tools on offer, what is asked, and the right call.
type Episode = (Vec<Arc<ToolSpec>>, Vec<Arc<Message>>, Json);

/// First turns of the vectors that ask for a call.
fn calls() -> Vec<Episode> {
    let vectors = Json::parse(&std::fs::read_to_string(training("vectors.json")).unwrap()).unwrap();
    let first = |vector: &&Json| {
        let episode = vector.get("episode").unwrap();
        let plain = text(episode, "form") == "compact" && text(episode, "system").is_empty();
        plain
            && vector.get("turn").and_then(Json::as_u64) == Some(1)
            && text(vector, "reply").starts_with('{')
    };
    let one = |vector: &Json| {
        let episode = vector.get("episode").unwrap();
        let tools = episode.get("tools").and_then(Json::as_array).unwrap().iter().map(|tool| {
            Arc::new(ToolSpec::new(
                text(tool, "name"),
                text(tool, "description"),
                tool.get("parameters").unwrap().clone(),
            ))
        });
        let turn = &episode.get("turns").and_then(Json::as_array).unwrap()[0];
        (tools.collect(), vec![user(text(turn, "content"))], Json::parse(text(vector, "reply")).unwrap())
    };
    vectors.as_array().unwrap().iter().filter(first).map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_adapter_the_right_tool_is_called() {
    assert!(right(ToolSelection::Likeliest).await >= 7);
}

/// Names that were weighed wrongly, or not after the prompt, would be right by chance: in three or four.
#[tokio::test(flavor = "multi_thread")]
async fn with_the_adapter_the_right_tool_is_called_where_names_are_weighed_too() {
    assert!(right(ToolSelection::Calibrated).await >= 6);
}

/// How many of eight calls are of the right tool.
async fn right(choosing: ToolSelection) -> u32 {
    let model = open(settings().adapter(adapter_file()).choosing(choosing));
    let (mut right, mut tried) = (0, 0);
    for (tools, view, expect) in calls().into_iter().take(8) {
        let reply = replied(ask(&mut *model.open(), &request("", tools), &view).await);
        let called = reply.blocks.iter().find_map(Block::as_tool_call).map(|call| call.name.as_str());
        right += u32::from(called == Some(text(&expect, "tool")));
        tried += 1;
    }
    assert_eq!(tried, 8);
    right
}

#[test]
fn an_adapter_goes_with_no_other_model() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.gguf");
    let mut bytes = std::fs::read(crate::ask::file()).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&other, bytes).unwrap();
    let settings = holm_local::LocalModelSettings::new(other).adapter(adapter_file());
    assert!(matches!(LocalModel::open(settings), Err(LocalError::OtherBase { .. })));
}
