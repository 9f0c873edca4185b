use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use holm_grants::{Level, Mode};
use holm_kernel::{Approvals, Block, Message, ModelResult, Patch, Prompt, Role, ToolOutput};

use super::*;
use crate::{
    Agent, AgentBuilder, BoxFuture, EventNotice, FastClock, MemoryJournalStore, ToolInvocation, model_fn,
    testing::{calls, declared, plays, says},
    tool_fn,
};

/// An agent with one tool that counts its calls, and a clock that makes deadlines short.
struct Stage {
    ran: Arc<AtomicU64>,
    journals: MemoryJournalStore,
    clock: FastClock,
}

impl Stage {
    fn new() -> Self {
        Self { ran: Arc::default(), journals: MemoryJournalStore::new(), clock: FastClock::new(1) }
    }

    /// One where deadlines pass a thousand times as fast: for hooks that hang, because on a busy machine any hook may miss
    /// such a deadline.
    fn fast() -> Self {
        Self { clock: FastClock::new(1_000), ..Self::new() }
    }

    fn agent(&self, script: impl IntoIterator<Item = ModelResult>) -> AgentBuilder {
        let ran = Arc::clone(&self.ran);
        let tool = tool_fn(declared("look"), move |job: ToolInvocation| {
            ran.fetch_add(1, Ordering::Relaxed);
            async move { ToolOutput::text(format!("looked with {}", job.arguments)) }
        });
        Agent::builder("test/one", plays(script))
            .tool(tool)
            .mode(Mode::Full)
            .journals(self.journals.clone())
            .clock(self.clock)
    }

    /// Runs it; gives the last answer, how often the tool ran, and the journal.
    async fn run(&self, agent: AgentBuilder) -> (String, u64, String) {
        let report = agent.build().unwrap().run("go").await.unwrap();
        let text = crate::JournalStore::read(&self.journals, &report.run).await.unwrap();
        let text = String::from_utf8(text).unwrap();
        (report.text().unwrap().into(), self.ran.load(Ordering::Relaxed), text)
    }
}

/// Hangs, or panics, wherever it is asked.
#[derive(Clone, Copy)]
enum Bad {
    Hangs,
    Panics,
}

impl Bad {
    fn answer<'a, T: Send + 'a>(self) -> BoxFuture<'a, T> {
        Box::pin(async move {
            match self {
                Self::Hangs => std::future::pending().await,
                Self::Panics => panic!("on purpose"),
            }
        })
    }
}

impl BeforeCallHook for Bad {
    fn before_call<'a>(&'a self, _: &'a ProposedCall) -> BoxFuture<'a, HookOpinion> {
        self.answer()
    }
}

impl AfterCallHook for Bad {
    fn after_call<'a>(
        &'a self,
        _: &'a CompletedCall,
        _: &'a ToolOutput,
    ) -> BoxFuture<'a, Option<ToolOutput>> {
        self.answer()
    }
}

impl ContextHook for Bad {
    fn context<'a>(&'a self, _: &'a [Arc<Message>]) -> BoxFuture<'a, Vec<Patch>> {
        self.answer()
    }
}

impl SteeringSource for Bad {
    fn steering(&self) -> BoxFuture<'_, Vec<Prompt>> {
        self.answer()
    }
}

impl FollowUpSource for Bad {
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>> {
        self.answer()
    }
}

impl ToolGate for Bad {
    fn tools<'a>(&'a self, _: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        self.answer()
    }
}

impl ModelSelector for Bad {
    fn model<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<String>> {
        self.answer()
    }
}

impl UsageHook for Bad {
    fn on_usage<'a>(&'a self, _: &'a ModelCallCost) -> BoxFuture<'a, HookReaction> {
        self.answer()
    }
}

#[tokio::test]
async fn hooks_that_hang_or_panic_are_contained_and_what_guards_nothing_goes_on() {
    for bad in [Bad::Hangs, Bad::Panics] {
        let hooks = [
            HookSet::new().after_call(bad),
            HookSet::new().context(bad),
            HookSet::new().steering(bad),
            HookSet::new().follow_up(bad),
            HookSet::new().model_select(bad),
            HookSet::new().on_usage(bad),
        ];
        for hooks in hooks {
            let stage = Stage::fast();
            let shown = format!("{hooks:?}");
            let (text, ran, _) = stage.run(stage.agent([calls(&["look"]), says("seen")]).hooks(hooks)).await;
            assert_eq!((text.as_str(), ran), ("seen", 1), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_function_that_panics_does_not_silence_the_next_one() {
    let breaks = |_: &ModelCallCost| -> HookReaction { panic!("on purpose") };
    let stops = |_: &ModelCallCost| HookReaction::Cancel("enough was spent".into());
    let stage = Stage::new();
    let agent = stage.agent([calls(&["look"]), says("not seen")]).on_usage(breaks).on_usage(stops);
    let report = agent.build().unwrap().run("go").await.unwrap();
    assert!(matches!(report.ending, holm_kernel::Ending::Cancelled { .. }), "{report:?}");
}

#[tokio::test]
async fn a_gate_that_hangs_or_panics_is_closed() {
    for (bad, expected) in [(Bad::Hangs, "took "), (Bad::Panics, "panicked")] {
        let stage = Stage::fast();
        let agent = stage.agent([calls(&["look"]), says("not seen")]).before_call(bad);
        let (text, ran, journal) = stage.run(agent).await;
        assert_eq!((text.as_str(), ran), ("not seen", 0));
        assert!(journal.contains(expected), "{journal}");

        let stage = Stage::fast();
        let agent = stage.agent([calls(&["look"]), says("not seen")]).tool_gate(bad);
        let (text, ran, journal) = stage.run(agent).await;
        assert_eq!((text.as_str(), ran), ("not seen", 0));
        assert!(journal.contains(expected), "{journal}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hook_that_blocks_its_thread_does_not_block_the_run() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let blocks = move |_: &str| {
        // Until the run is over, which it must be first.
        let _ = held.lock().unwrap().recv();
        None
    };
    let hooks = HookSet::new().model_select(blocks).deadline(Duration::from_secs(10));
    let stage = Stage::fast();
    let (text, _, journal) = stage.run(stage.agent([says("hello")]).hooks(hooks)).await;
    drop(release);
    assert_eq!(text, "hello");
    assert!(journal.contains("took too long"), "{journal}");
}

#[tokio::test]
async fn before_a_call_hooks_see_everything_and_can_only_narrow() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let judge = move |call: &ProposedCall| {
        log.lock().unwrap().push(call.arguments.to_string());
        match &*call.arguments {
            r#"{"n":0}"# => HookOpinion::deny("not that one"),
            r#"{"n":1}"# => HookOpinion::Rewrite { arguments: r#"{"n":7}"#.into() },
            _ => HookOpinion::Pass,
        }
    };
    let stage = Stage::new();
    let agent = stage.agent([calls(&["look", "look", "look"]), says("seen")]).before_call(judge);
    let (_, ran, journal) = stage.run(agent).await;
    assert_eq!(ran, 2);
    assert!(journal.contains("not that one") && journal.contains("looked with {\\\"n\\\":7}"), "{journal}");
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    assert_eq!(seen, [r#"{"n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":7}"#]);
}

#[tokio::test]
async fn a_run_that_began_without_hooks_does_not_go_past_those_of_whoever_takes_it_over() {
    let says_no = |_: &ProposedCall| HookOpinion::deny("not here");
    let other = |_: &ProposedCall| HookOpinion::Rewrite { arguments: r#"{"n":7}"#.into() };
    let passes = |_: &ProposedCall| HookOpinion::Pass;
    let stage = Stage::new();
    let plain = |script: Vec<ModelResult>| stage.agent(script);
    for (name, expect, ran) in
        [("a", "denied: not here", 0), ("b", "call it again with these", 0), ("c", "", 1)]
    {
        let mut begun = plain(vec![says("hello")]).build().unwrap().start_as(name).await.unwrap();
        begun.prompt("hi").await.unwrap();
        drop(begun);
        let agent = plain(vec![calls(&["look"]), says("end")]);
        let agent = match name {
            "a" => agent.before_call(says_no),
            "b" => agent.before_call(other),
            _ => agent.before_call(passes),
        };
        let mut session = agent.build().unwrap().resume(name).await.unwrap();
        assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "end");
        assert_eq!(stage.ran.load(Ordering::Relaxed), ran, "{name}");
        let text = crate::JournalStore::read(&stage.journals, name).await.unwrap();
        assert!(String::from_utf8(text).unwrap().contains(expect), "{name}");
    }
}

#[tokio::test]
async fn a_hook_that_always_writes_the_same_is_asked_once_more_and_not_for_ever() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let rewrite = move |_: &ProposedCall| {
        count.fetch_add(1, Ordering::Relaxed);
        HookOpinion::Rewrite { arguments: r#"{ "n" : 9 }"#.into() }
    };
    let stage = Stage::new();
    let (_, ran, _) = stage.run(stage.agent([calls(&["look"])]).before_call(rewrite)).await;
    assert_eq!((ran, asked.load(Ordering::Relaxed)), (1, 2));
}

#[tokio::test]
async fn hooks_pass_and_people_are_still_asked_where_the_mode_asks() {
    let stage = Stage::new();
    for approvals in [Approvals::Ask, Approvals::Deny] {
        // No person is there, so a call that needs a person's approval is denied; a call that only
        // the hook wants to see runs.
        let agent = stage
            .agent([calls(&["look"]), calls(&["act"]), says("end")])
            .tool(tool_fn(declared("act").level(Level::Execute), |_: ToolInvocation| async {
                ToolOutput::text("acted")
            }))
            .mode(Mode::Default)
            .approvals(approvals)
            .before_call(|_: &ProposedCall| HookOpinion::Pass);
        let (_, ran, journal) = stage.run(agent).await;
        assert!(ran >= 1 && journal.contains("no user is present"), "{approvals:?}: {journal}");
        assert!(!journal.contains("\"acted\""));
    }
}

#[tokio::test]
async fn results_are_changed_in_turn() {
    let stage = Stage::new();
    let agent = stage
        .agent([calls(&["look"]), says("seen")])
        .after_call(|_: &CompletedCall, output: &ToolOutput| {
            Some(ToolOutput::text(format!("({})", output.text)))
        })
        .after_call(|call: &CompletedCall, output: &ToolOutput| {
            Some(ToolOutput::text(format!("{}: {}", call.tool, output.text)))
        });
    let (_, _, journal) = stage.run(agent).await;
    assert!(journal.contains("look: (looked with"), "{journal}");
}

#[tokio::test]
async fn a_request_shows_what_the_hook_says_and_the_transcript_stays() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&shown);
    let client = model_fn(move |ask| {
        log.lock().unwrap().push(ask.messages.iter().map(|message| message.plain_text()).collect::<Vec<_>>());
        Box::pin(async { says("hello") })
    });
    let agent = Agent::builder("test/one", client)
        .context(|messages: &[Arc<Message>]| {
            assert!(messages.iter().all(|message| message.role == Role::User));
            vec![Patch::Append(vec![Block::Text("it is Tuesday".into())])]
        })
        .build()
        .unwrap();
    let mut session = agent.start().await.unwrap();
    session.prompt("go").await.unwrap();
    assert_eq!(*shown.lock().unwrap(), [vec!["go".to_string(), "it is Tuesday".into()]]);
    assert_eq!(session.run().transcript().len(), 2);
}

#[tokio::test]
async fn steering_is_heard_before_the_next_call_and_follow_ups_before_the_end() {
    let stage = Stage::new();
    let (steered, followed) = (AtomicU64::new(0), AtomicU64::new(0));
    let agent = stage
        .agent([calls(&["look"]), says("first"), says("second"), says("third")])
        .steering(move || match steered.fetch_add(1, Ordering::Relaxed) {
            0 => vec![Prompt::text("look left")],
            _ => Vec::new(),
        })
        .follow_up(move || match followed.fetch_add(1, Ordering::Relaxed) {
            0 => Some(Prompt::text("and now?")),
            _ => None,
        });
    let (text, _, journal) = stage.run(agent).await;
    assert_eq!(text, "second");
    assert!(journal.contains("look left") && journal.contains("and now?"), "{journal}");
}

#[tokio::test]
async fn gates_intersect_and_models_are_chosen() {
    let stage = Stage::new();
    let only = |name: &'static str| move |_: &[String]| Some(BTreeSet::from([name.to_string()]));
    let agent = stage
        .agent([calls(&["look"]), says("not seen")])
        .fallback("test/two")
        .tool_gate(only("look"))
        .tool_gate(only("other"))
        .model_select(|current: &str| (current == "test/one").then(|| "test/two".to_string()));
    let (text, ran, journal) = stage.run(agent).await;
    assert_eq!((text.as_str(), ran), ("not seen", 0));
    assert!(journal.contains(r#"{"model":"test/two"}"#), "{journal}");
}

#[tokio::test]
async fn a_hook_may_stop_a_run_that_costs_too_much_and_hears_of_the_last_call_too() {
    let stage = Stage::new();
    let agent = stage
        .agent([calls(&["look"]), says("never")])
        .on_usage(|_: &ModelCallCost| HookReaction::Cancel("too dear".into()))
        .build()
        .unwrap();
    let report = agent.run("go").await.unwrap();
    assert_eq!(report.ending, holm_kernel::Ending::Cancelled { reason: "too dear".into() });

    let call_count = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&call_count);
    let agent = stage.agent([calls(&["look"]), says("end")]).on_usage(move |_: &ModelCallCost| {
        count.fetch_add(1, Ordering::Relaxed);
        HookReaction::GoOn
    });
    stage.run(agent).await;
    assert_eq!(call_count.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_hook_votes_to_end_the_run_with_a_result_that_says_otherwise_the_same() {
    let stage = Stage::new();
    let agent = stage.agent([calls(&["look"]), says("never")]).after_call(
        |_: &CompletedCall, output: &ToolOutput| Some(ToolOutput { terminate: true, ..output.clone() }),
    );
    let (_, ran, journal) = stage.run(agent).await;
    assert_eq!(ran, 1);
    assert!(journal.contains("looked with") && !journal.contains("never"), "{journal}");
}

#[tokio::test]
async fn an_observer_sees_everything_and_cannot_slow_the_run() {
    let seen = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&seen);
    let stage = Stage::new();
    let agent = stage
        .agent([calls(&["look"]), says("seen")])
        .observer(move |notice: EventNotice| {
            assert!(matches!(notice, EventNotice::Event(_)));
            count.fetch_add(1, Ordering::Relaxed);
        })
        .observer(|_: EventNotice| panic!("on purpose"));
    let mut session = agent.build().unwrap().start().await.unwrap();
    session.prompt("go").await.unwrap();
    session.close().await;
    assert!(seen.load(Ordering::Relaxed) > 8);
}

#[test]
fn children_get_the_hooks_that_are_for_them() {
    let own = HookSet::new().before_call(|_: &ProposedCall| HookOpinion::Pass);
    let both = own.clone().with(HookSet::new().observer(|_: EventNotice| {}).inherit());
    assert!(own.inherited().points().is_empty());
    let inherited = both.inherited();
    assert_eq!((inherited.before_call.len(), inherited.observer.len()), (0, 1));
}

#[tokio::test]
async fn a_run_that_had_hooks_is_not_driven_on_without_anybody_looking() {
    let stage = Stage::new();
    let with = stage
        .agent([says("one")])
        .before_call(|_: &ProposedCall| HookOpinion::Pass)
        .tool_gate(|_: &[String]| None)
        .build()
        .unwrap();
    let mut session = with.start_as("chat").await.unwrap();
    session.prompt("first").await.unwrap();
    drop(session);
    let without = stage.agent([calls(&["look"]), says("two")]).build().unwrap();
    let mut session = without.resume("chat").await.unwrap();
    session.prompt("second").await.unwrap();
    assert_eq!(stage.ran.load(Ordering::Relaxed), 0, "the gate is closed where there is none");
}
