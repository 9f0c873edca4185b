use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{
    Block, Message, MessageId, ModelResult, Outcome, Reply, Role, StopReason, ToolCall, ToolOutput,
    ToolSpec as Declaration,
};
use holm_runtime::{
    Agent, BoxFuture, CancellationToken, FastClock, MemoryJournalStore, Tool as _, ToolGate as _,
    ToolInvocation, Toolbox, TypedToolAdapter, model_fn, tool_fn,
};

use super::*;
use crate::{
    catalogue::SchemaDisclosure,
    registry::{SourceRank, ToolOffer, ToolRegistry, ToolSource},
};

/// Answers with the first choice, and is not there for a free question.
#[derive(Default)]
struct Person(Mutex<Vec<String>>);

impl UserChannel for Person {
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        self.0.lock().unwrap().push(question.into());
        let answer = choices.first().cloned();
        Box::pin(async move { answer })
    }

    fn tell(&self, text: &str) {
        self.0.lock().unwrap().push(text.into());
    }
}

#[tokio::test]
async fn a_person_is_asked_and_told() {
    let person = Arc::new(Person::default());
    let ask = TypedToolAdapter::new(AskUserTool::of(Arc::clone(&person)));
    let answered = ask.run(ToolInvocation::alone(r#"{"question":"Which?","choices":["red","blue"]}"#)).await;
    assert_eq!(answered.text, "The user answers: red");
    let silent = ask.run(ToolInvocation::alone(r#"{"question":"Why?"}"#)).await;
    assert_eq!(silent.outcome, Outcome::Failed);
    let told = TypedToolAdapter::new(NotifyUserTool::of(Arc::clone(&person)))
        .run(ToolInvocation::alone(r#"{"text":"half done"}"#))
        .await;
    assert_eq!(told.text, "told");
    assert_eq!(*person.0.lock().unwrap(), ["Which?", "Why?", "half done"]);
}

#[tokio::test(start_paused = true)]
async fn a_sleep_passes_and_can_be_ended() {
    let sleep = TypedToolAdapter::new(SleepTool::default());
    assert_eq!(sleep.run(ToolInvocation::alone(r#"{"seconds":200}"#)).await.text, "200 s have passed");
    let stop = CancellationToken::new();
    let sleeping = sleep.run(ToolInvocation::alone(r#"{"seconds":200}"#).stop(stop.clone()));
    let waker = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.cancel();
    };
    let (woken, ()) = tokio::join!(sleeping, waker);
    assert_eq!((woken.outcome, woken.text.as_str()), (Outcome::Failed, "woken up early"));
}

#[tokio::test]
async fn a_list_is_what_was_said_last() {
    let todo = TodoTool::new();
    let tool = TypedToolAdapter::new(todo.clone());
    let list = r#"{"items":[{"text":"plan","progress":"completed"},{"text":"build","progress":"in_progress"},{"text":"rest","progress":"pending"}]}"#;
    assert_eq!(tool.run(ToolInvocation::alone(list)).await.text, "The list:\n[x] plan\n[~] build\n[ ] rest");
    assert_eq!(todo.items().len(), 3);
    let item = r#"{"text":"x","progress":"pending"}"#;
    let novel = format!(r#"{{"items":[{}]}}"#, vec![item; 51].join(","));
    assert_eq!(tool.run(ToolInvocation::alone(novel)).await.outcome, Outcome::Failed);
    let long = format!(r#"{{"items":[{{"text":"{}","progress":"pending"}}]}}"#, "ü".repeat(201));
    let refused = tool.run(ToolInvocation::alone(long)).await;
    assert_eq!(
        (refused.outcome, refused.text.contains("item 1 has more than 200 characters")),
        (Outcome::Failed, true)
    );
    assert_eq!(todo.items().len(), 3, "what was refused changes nothing");
}

#[tokio::test]
async fn a_list_with_the_most_items_is_kept_and_several_in_progress_are_only_advised_against() {
    let todo = TodoTool::new();
    let tool = TypedToolAdapter::new(todo.clone());
    let item = format!(r#"{{"text":"{}","progress":"in_progress"}}"#, "ü".repeat(200));
    let list = format!(r#"{{"items":[{}]}}"#, vec![item; 50].join(","));
    let kept = tool.run(ToolInvocation::alone(list)).await;
    assert_eq!((kept.outcome, todo.items().len()), (Outcome::Succeeded, 50));
    assert!(kept.text.ends_with("(50 items are in progress; one at a time is better)"), "{}", kept.text);
    let declared = tool.declaration();
    assert!(
        declared.level == holm_grants::Level::None && declared.retention == holm_kernel::Retention::Latest
    );
}

#[tokio::test]
async fn a_sleep_goes_by_the_clock_of_the_host() {
    let sleep = TypedToolAdapter::new(SleepTool::by(Arc::new(FastClock::new(10_000))));
    let began = std::time::Instant::now();
    assert_eq!(sleep.run(ToolInvocation::alone(r#"{"seconds":100}"#)).await.text, "100 s have passed");
    assert!(began.elapsed() < Duration::from_secs(50));
    assert!(sleep.declaration().timeout_ms.unwrap() > 300_000, "the kernel waits for the longest");
}

#[tokio::test]
async fn questions_wait_at_the_counter_until_they_are_answered_or_withdrawn() {
    let counter = UserMailbox::new();
    let ask = TypedToolAdapter::new(AskUserTool::of(Arc::new(counter.clone())));
    let asking = tokio::spawn(ask.run(ToolInvocation::alone(r#"{"question":"Which?","choices":["red"]}"#)));
    let MailboxMessage::Question(open) = counter.next().await else { panic!("a question") };
    assert_eq!((&*open.question, counter.open()), ("Which?", vec![open.clone()]));
    counter.answer(open.number, "red").unwrap();
    assert_eq!(asking.await.unwrap().text, "The user answers: red");
    assert_eq!(counter.answer(open.number, "blue"), Err(QuestionNotOpenError { number: open.number }));

    let stop = CancellationToken::new();
    let asking = tokio::spawn(ask.run(ToolInvocation::alone(r#"{"question":"Why?"}"#).stop(stop.clone())));
    let MailboxMessage::Question(open) = counter.next().await else { panic!("a question") };
    stop.cancel();
    assert_eq!(asking.await.unwrap().outcome, Outcome::Failed);
    assert!(counter.open().is_empty() && counter.answer(open.number, "x").is_err(), "it was withdrawn");

    let asking = tokio::spawn(ask.run(ToolInvocation::alone(r#"{"question":"Really?"}"#)));
    let MailboxMessage::Question(open) = counter.next().await else { panic!("a question") };
    counter.decline(open.number).unwrap();
    assert!(asking.await.unwrap().text.contains("the user did not answer"));
    counter.tell("half done");
    assert_eq!(counter.next().await, MailboxMessage::News("half done".into()));
}

#[tokio::test]
async fn a_counter_is_bounded_whatever_is_said() {
    let counter = UserMailbox::new();
    let mut waiting: Vec<_> = (0..64).map(|_| counter.ask("?", &[])).collect();
    assert_eq!(counter.ask("one more?", &[]).await, None);
    drop(waiting.pop());
    assert_eq!(counter.open().len(), 63);
    for n in 0..1_000 {
        counter.tell(&n.to_string());
    }
    drop(waiting);
    let (mut heard, mut last) = (0, String::new());
    while let Ok(said) = tokio::time::timeout(Duration::from_millis(50), counter.next()).await {
        heard += 1;
        let MailboxMessage::News(text) = said else { panic!("nobody waits for these") };
        last = text;
    }
    assert!(heard <= 128 && last == "999", "{heard} {last}");
}

fn many(count: usize) -> Toolbox {
    (0..count).fold(Toolbox::new(), |tools, n| {
        let schema =
            Json::parse(r#"{"type":"object","properties":{"deep_schema":{"type":"string"}}}"#).unwrap();
        let tool = Declaration::new(format!("tool_{n}"), format!("Does thing number {n}.\nMore."), schema);
        let text = format!("done {n}");
        tools.with(tool_fn(tool.level(Level::None), move |_: ToolInvocation| {
            let text = text.clone();
            async move { ToolOutput::text(text) }
        }))
    })
}

fn call(name: &str, arguments: &str) -> Block {
    let (name, arguments) = (name.to_owned(), arguments.to_owned());
    Block::ToolCall(ToolCall { id: "c".into(), name, arguments, replay: None })
}

/// Answers with these blocks in turn, and remembers which tools were on offer each time.
fn scripted(script: Vec<Block>, offers: Arc<Mutex<Vec<Vec<String>>>>) -> impl holm_runtime::Model + 'static {
    let turn = Mutex::new(script.into_iter());
    model_fn(move |ask| {
        let names = ask.request.tools.tools.iter().map(|tool| tool.name.clone()).collect();
        offers.lock().unwrap().push(names);
        let block = turn.lock().unwrap().next().unwrap_or(Block::Text("over".into()));
        let stop = if matches!(block, Block::Text(_)) { StopReason::default() } else { StopReason::ToolUse };
        Box::pin(async move { ModelResult::Replied(Reply { blocks: vec![block], stop, ..Reply::default() }) })
    })
}

#[tokio::test]
async fn tools_that_are_many_are_looked_up_and_the_list_of_requests_stays() {
    let offers = Arc::new(Mutex::new(Vec::new()));
    let script = vec![
        call("tool_57", "{}"),
        call(TOOL_SEARCH, r#"{"query":"select:tool_41,nothing"}"#),
        call(TOOL_SEARCH, r#"{"tool":"tool_41","arguments":{}}"#),
        call(TOOL_SEARCH, r#"{"query":"number 33"}"#),
        Block::Text("first".into()),
        Block::Text("second".into()),
    ];
    let lookup = ToolLookup::new(ToolDisplayPolicy::default().always(["tool_0"]));
    let journals = MemoryJournalStore::new();
    let builder =
        Agent::builder("test/one", scripted(script, Arc::clone(&offers))).journals(journals.clone());
    let agent = builder.tools(lookup.of(many(60))).hook(lookup).build().unwrap();
    let mut session = agent.start_as("lazy").await.unwrap();
    assert_eq!(session.prompt("go").await.unwrap().into_text().unwrap(), "first");
    let told = format!("{:?}", session.run().transcript());
    assert!(told.contains("done 41") && !told.contains("done 57"), "only what is on offer runs: {told}");
    assert!(told.contains("There is no nothing."), "{told}");
    drop(session);
    for name in ["tool_57", "tool_41", "tool_33"] {
        let announced = format!("\\n- {name}: \\\"Does thing number");
        assert_eq!(told.matches(&announced).count(), 1, "{name}: {told}");
    }
    // A host that takes over offers what the run had asked for.
    let mut session = agent.resume("lazy").await.unwrap();
    session.prompt("go on").await.unwrap();
    drop(session);
    let offers = offers.lock().unwrap().clone();
    assert_eq!(offers, vec![vec!["tool_search".to_owned(), "tool_0".into()]; 6], "also after a restart");
    let replayed = agent.replay("lazy").await.unwrap();
    assert!(replayed.run.is_idle(), "what was on offer is in the journal");
}

#[test]
fn few_tools_are_all_shown_and_the_list_of_many_is_bounded() {
    let lookup = ToolLookup::new(ToolDisplayPolicy::default());
    assert_eq!(lookup.of(many(40)).len(), 40);
    let tools = lookup.of(many(1_000));
    let search = tools.find(TOOL_SEARCH).unwrap().declaration().description.clone();
    assert!(
        search.contains("- tool_7: Does thing number 7.\n") && !search.contains("More."),
        "one line each"
    );
    assert!(
        search.ends_with("and 700 more that a search finds") && search.len() < 20_000,
        "{}",
        search.len()
    );
    assert!(!search.contains("deep_schema"), "no schema before it is asked for");
}

#[test]
fn a_source_with_many_tools_is_one_line_of_the_list() {
    let offer = |name: String| {
        let tool = Declaration::new(name, "Helps.", Json::object([("type", "object".into())]));
        ToolOffer::new(Arc::new(tool_fn(tool, |_: ToolInvocation| async { ToolOutput::text("done") })))
    };
    let registry = ToolRegistry::new();
    let source = |name: &str| ToolSource::new(SourceRank::User, name);
    let snapshot = registry.edit(|edit| {
        edit.set(source("api.openapi.json"), (0..100).map(|n| offer(format!("api_op{n}"))));
        edit.set(source("one.sh"), [offer("one".into())]);
    });
    let tools = ToolLookup::new(ToolDisplayPolicy::default()).of_snapshot(&snapshot);
    let search = &tools.find(TOOL_SEARCH).unwrap().declaration().description;
    assert!(search.ends_with("\n- one: Helps.\n- api_…: 100 tools that a search finds"), "{search}");
}

#[tokio::test]
async fn tools_of_a_registry_are_held_back_as_they_wish_and_the_gate_goes_along_with_changes() {
    let offers = |names: &[&str], lazy: &str| {
        let offer = |name: &&str| {
            let tool = Declaration::new(*name, "Helps.", Json::object([("type", "object".into())]));
            let tool = tool_fn(tool, |_: ToolInvocation| async { ToolOutput::text("done") });
            let disclosure = if *name == lazy { SchemaDisclosure::OnDemand } else { SchemaDisclosure::Full };
            ToolOffer::new(Arc::new(tool)).keywords([format!("about {name}")]).disclosure(disclosure)
        };
        names.iter().map(offer).collect::<Vec<_>>()
    };
    let (registry, source) = (ToolRegistry::new(), ToolSource::new(SourceRank::User, "here"));
    let lookup = ToolLookup::new(ToolDisplayPolicy { most: 3, ..ToolDisplayPolicy::default() });
    let look = |names: &[&str], lazy: &str| {
        let snapshot = registry.edit(|edit| edit.set(source.clone(), offers(names, lazy)));
        let tools = lookup.of_snapshot(&snapshot);
        tools.iter().map(|tool| tool.declaration().name.clone()).collect::<Vec<_>>()
    };
    let open = async |offered: &[String]| lookup.tools(offered).await;
    let few = look(&["a", "b"], "");
    assert_eq!((few.len(), open(&few).await), (2, None), "everything is shown");
    let lazy = look(&["a", "b"], "b");
    assert_eq!(open(&lazy).await.unwrap().into_iter().collect::<Vec<_>>(), ["a", TOOL_SEARCH]);
    let many = look(&["a", "b", "c", "d"], "");
    assert_eq!(open(&many).await.unwrap().into_iter().collect::<Vec<_>>(), [TOOL_SEARCH]);
    let view = [Arc::new(Message::new(
        MessageId::new(1),
        Role::Assistant,
        vec![call(TOOL_SEARCH, r#"{"query":"about c"}"#)],
    ))];
    let shown = lookup.tools_seeing(&many, &view).await.unwrap();
    assert!(shown.contains("c"), "found by its keyword: {shown:?}");
}
