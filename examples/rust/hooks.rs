//! Code of your own inside the loop: one type that is several hooks, and plain functions that are one each.

#![expect(clippy::print_stdout, reason = "an example speaks to the terminal")]

use std::{
    error::Error,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use holm::{
    kernel::{Block, ModelResult, Reply, StopReason, ToolCall, Usage},
    prelude::*,
    runtime::{
        AfterCallHook, BeforeCallHook, BoxFuture, CompletedCall, EventNotice, Hook, HookOpinion,
        HookReaction, HookSet, ModelCallCost, ProposedCall,
    },
};

/// Sends mail.
#[tool(level = execute)]
fn send_mail(
    /// Who gets it.
    to: String,
    /// What it says.
    text: String,
) -> String {
    format!("to {to}: {text} (server password: hunter2)")
}

/// Keeps mail inside the house, and passwords out of the transcript.
#[derive(Default)]
struct House {
    denied: AtomicU64,
}

impl BeforeCallHook for House {
    fn before_call<'a>(&'a self, call: &'a ProposedCall) -> BoxFuture<'a, HookOpinion> {
        Box::pin(async move {
            if call.arguments.contains("@house.example") {
                return HookOpinion::Pass;
            }
            self.denied.fetch_add(1, Ordering::Relaxed);
            HookOpinion::deny("mail stays inside the house")
        })
    }
}

impl AfterCallHook for House {
    fn after_call<'a>(
        &'a self,
        _: &'a CompletedCall,
        output: &'a ToolOutput,
    ) -> BoxFuture<'a, Option<ToolOutput>> {
        let text = output.text.replace("hunter2", "(removed)");
        let changed = (text != output.text).then(|| ToolOutput { text, ..output.clone() });
        Box::pin(async { changed })
    }
}

impl Hook for House {
    fn join(self: Arc<Self>, hooks: HookSet) -> HookSet {
        hooks.before_call(Arc::clone(&self)).after_call(self)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = ScriptedModel::new([
        calls("a", r#"{"to":"eve@elsewhere.example","text":"the plans"}"#),
        calls("b", r#"{"to":"bob@house.example","text":"the plans"}"#),
        says("Sent to Bob."),
        says("It is noted."),
    ]);
    let house = Arc::new(House::default());
    let tokens = Arc::new(Mutex::new(Vec::new()));
    let (meter, seen) = (Arc::clone(&tokens), Arc::new(AtomicU64::new(0)));
    let watch = Arc::clone(&seen);
    let once = AtomicU64::new(0);
    let hooks = HookSet::new()
        .hook(Shared(Arc::clone(&house)))
        .on_usage(move |spent: &ModelCallCost| {
            if let Ok(mut meter) = meter.lock() {
                meter.push(spent.usage.output);
            }
            HookReaction::GoOn
        })
        .follow_up(move || {
            let first = once.fetch_add(1, Ordering::Relaxed) == 0;
            first.then(|| Prompt::text("Write it into the log."))
        })
        .observer(move |notice: EventNotice| {
            if let EventNotice::Event(_) = notice {
                watch.fetch_add(1, Ordering::Relaxed);
            }
        });
    let agent =
        Agent::builder("scripted/one", model).tool(send_mail).mode(Mode::Full).hooks(hooks).build()?;

    let mut session = agent.start().await?;
    let report = session.prompt("Send the plans to everybody.").await?;
    println!("{}", report.text()?);
    let transcript = format!("{:?}", session.run().transcript());

    assert_eq!(report.text()?, "It is noted.", "the follow-up had the last word");
    assert_eq!(house.denied.load(Ordering::Relaxed), 1);
    assert!(transcript.contains("mail stays inside the house"));
    assert!(transcript.contains("(removed)") && !transcript.contains("hunter2"));
    assert_eq!(tokens.lock().map_err(|error| error.to_string())?.as_slice(), [7, 7, 3, 3]);
    Ok(())
}

/// The house, and somebody who asks it afterwards.
struct Shared(Arc<House>);

impl Hook for Shared {
    fn join(self: Arc<Self>, hooks: HookSet) -> HookSet {
        Arc::clone(&self.0).join(hooks)
    }
}

fn says(text: &str) -> ModelResult {
    let usage = Usage { input: 10, output: 3, ..Usage::default() };
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], usage, ..Reply::default() })
}

fn calls(id: &str, arguments: &str) -> ModelResult {
    let (id, name, arguments) = (id.into(), "send_mail".into(), arguments.into());
    let usage = Usage { input: 10, output: 7, ..Usage::default() };
    let blocks = vec![Block::ToolCall(ToolCall { id, name, arguments, replay: None })];
    ModelResult::Replied(Reply { blocks, usage, stop: StopReason::ToolUse, model: None })
}
