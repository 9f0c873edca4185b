//! Runs that learn of changed tools.

use std::sync::Arc;
use std::time::Duration;

use holm_kernel::{Block, ModelResult, Reply, StopReason, ToolCall};
use holm_runtime::{Agent, BoxFuture, model_fn};
use tokio::sync::Notify;

use super::super::{SourceRank, ToolRegistry, ToolSource, keep_current};
use super::says;

/// Calls a tool that is not there yet once it has appeared, then says what came back.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_under_way_calls_a_tool_that_came_while_it_worked() {
    let registry = ToolRegistry::new();
    let source = ToolSource::new(SourceRank::User, "x");
    let began = registry.edit(|edit| edit.set(source.clone(), [says("old", "old")]));
    let seen = Arc::new(Notify::new());
    let model = {
        let seen = Arc::clone(&seen);
        model_fn(move |ask| {
            let has_new = ask.request.tools.tools.iter().any(|tool| tool.name == "new");
            let turn = ask.messages.len();
            let seen = Arc::clone(&seen);
            let reply: BoxFuture<'static, ModelResult> = Box::pin(async move {
                if turn == 1 {
                    seen.notify_one();
                    // Long enough for the change to arrive; the run hears it before it asks again.
                    tokio::time::sleep(Duration::from_secs(2)).await;
                    return call("old");
                }
                if has_new && turn == 3 {
                    call("new")
                } else {
                    says_text(if has_new { "found" } else { "missing" })
                }
            });
            reply
        })
    };
    let agent = Agent::builder("example/one", model)
        .tools(began.toolbox())
        .mode(holm_grants::Mode::Full)
        .build()
        .unwrap();
    let mut session = agent.start().await.unwrap();
    let _following =
        keep_current(&registry, &began, session.handle(), super::super::RegistrySnapshot::toolbox);
    let changing = {
        let registry = registry.clone();
        tokio::spawn(async move {
            seen.notified().await;
            registry.edit(|edit| edit.set(source, [says("old", "old"), says("new", "new")]));
        })
    };
    let report = session.prompt("go").await.unwrap();
    changing.await.unwrap();
    assert_eq!(report.text().unwrap(), "found");
}

fn call(name: &str) -> ModelResult {
    let call =
        ToolCall { id: format!("call-{name}"), name: name.into(), arguments: "{}".into(), replay: None };
    let blocks = vec![Block::ToolCall(call)];
    ModelResult::Replied(Reply { blocks, stop: StopReason::ToolUse, ..Reply::default() })
}

fn says_text(text: &str) -> ModelResult {
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() })
}
