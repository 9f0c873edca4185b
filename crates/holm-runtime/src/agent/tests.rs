use std::sync::{Arc, Mutex};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Budget, Config, Ending, Event, FailureClass, Input, MarkRule, ModelResult, ModelSpec, NanoUsd,
    RecordReceipt, Seq, Started, Timestamp, ToolOutput, ToolSpec,
    journal::{self, ReplayError},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::*;
use crate::{
    Durability, EventNotice, FnTool, JournalStorageError, JournalStore as _, JsonLinesFolder,
    MemoryJournalStore, fork_journal,
    testing::{calls_with, plays, says, thinks},
    tool_fn,
};

fn calls(name: &str, arguments: &str) -> ModelResult {
    calls_with([(name, arguments.into())])
}

fn reads(name: &str) -> FnTool<impl Fn(crate::ToolInvocation) -> std::future::Ready<ToolOutput>> {
    let schema = Json::object([("type", "object".into())]);
    let declaration = ToolSpec::new(name, "Reads.", schema).level(Level::ReadOnly);
    tool_fn(declaration, |_| std::future::ready(ToolOutput::text("read")))
}

#[tokio::test]
async fn a_prompt_is_answered_and_the_report_says_what_it_took() {
    let agent = Agent::builder("test/one", plays([says("hello")])).name("greeter").build().unwrap();
    let report = agent.run("hi").await.unwrap();
    assert_eq!(report.text().unwrap(), "hello");
    assert!(check_run_name(&report.run).is_ok());
    assert_eq!(agent.config().name, "greeter");
}

#[test]
fn two_tools_of_one_name_are_an_error_and_not_a_surprise() {
    let built = Agent::builder("test/one", plays([])).tool(reads("look")).tool(reads("look")).build();
    assert_eq!(built.unwrap_err(), twice("look"));
    let both = Agent::builder("test/one", plays([]))
        .tools(crate::Toolbox::new().with(reads("look")))
        .tool(reads("look"));
    assert_eq!(both.build().unwrap_err(), twice("look"));
}

#[test]
fn a_tool_with_a_name_that_a_run_answers_itself_is_an_error() {
    let build = |name: &'static str| Agent::builder("test/one", plays([])).tool(reads(name)).build();
    let reserved = |name: &str| BuildError::Tools(crate::ToolboxError::Reserved { name: name.into() });
    for name in holm_kernel::OWN_NAMES.iter().copied().filter(|name| *name != holm_kernel::FINDER) {
        assert_eq!(build(name).unwrap_err(), reserved(name));
        let child = Agent::builder("test/child", plays([])).build().unwrap();
        let helpers = crate::HelperSet::new().with(crate::HelperAgent::new(name, "Helps.", child));
        let helped = Agent::builder("test/one", plays([])).helpers(helpers).build();
        assert_eq!(helped.unwrap_err(), reserved(name));
    }
    assert!(build(holm_kernel::FINDER).is_ok(), "whoever has many tools may find them in its own way");
}

fn twice(name: &str) -> BuildError {
    BuildError::Tools(crate::ToolboxError::Duplicate { name: name.into() })
}

#[test]
fn a_tool_that_no_model_could_call_is_an_error() {
    let schema = Json::parse(r#"{"type":"object","properties":{"a":{"pattern":"("}}}"#).unwrap();
    let tool =
        tool_fn(ToolSpec::new("bad", "Breaks.", schema), |_| std::future::ready(ToolOutput::text("never")));
    let error = Agent::builder("test/one", plays([])).tool(tool).build().unwrap_err();
    assert!(
        matches!(&error, BuildError::Tools(crate::ToolboxError::Flawed { name, .. }) if name == "bad"),
        "{error}"
    );
}

#[tokio::test]
async fn a_session_goes_on_after_its_process_is_gone() {
    let journals = MemoryJournalStore::new();
    let first = Agent::builder("test/one", plays([says("one")])).journals(journals.clone()).build().unwrap();
    let mut session = first.start_as("chat").await.unwrap();
    assert_eq!(session.prompt("first").await.unwrap().text().unwrap(), "one");
    let second = Agent::builder("test/one", plays([says("two")])).journals(journals.clone()).build().unwrap();
    let busy = second.resume("chat").await.unwrap_err();
    assert!(matches!(busy, DriveError::Journal(JournalStorageError::Busy { .. })), "{busy}");
    drop(session);
    let mut session = second.resume("chat").await.unwrap();
    assert_eq!(session.go_on().await.unwrap(), None, "nothing was under way");
    assert_eq!(session.prompt("second").await.unwrap().text().unwrap(), "two");
    assert_eq!(session.run().transcript().len(), 4);
    let taken = second.start_as("chat").await.unwrap_err();
    assert_eq!(taken, DriveError::Journal(JournalStorageError::Exists { run: "chat".into() }));
}

#[tokio::test]
async fn a_session_that_ends_its_host_five_times_is_given_up_and_goes_on_with_the_next_prompt() {
    let (called, mut calls) = tokio::sync::mpsc::unbounded_channel();
    let hangs = crate::model_fn(move |_| {
        let _ = called.send(());
        Box::pin(std::future::pending())
    });
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", Arc::new(hangs)).journals(journals.clone()).build().unwrap();
    let mut session = agent.start_as("chat").await.unwrap();
    tokio::select! {
        report = session.prompt("go") => panic!("{report:?}"),
        _ = calls.recv() => drop(session),
    }
    for _ in 0..4 {
        let mut session = agent.resume("chat").await.unwrap();
        tokio::select! {
            report = session.go_on() => panic!("{report:?}"),
            _ = calls.recv() => {}
        }
    }
    let report = agent.resume("chat").await.unwrap().go_on().await.unwrap().unwrap();
    assert!(
        matches!(report.ending, Ending::Failed { class: FailureClass::HostCrash, attempts: 5, .. }),
        "{report:?}"
    );
    assert!(report.text().unwrap_err().to_string().contains("send another prompt"), "{report:?}");
    assert!(report.usage.estimated > 0 && report.usage.estimated == report.usage.total(), "{report:?}");
    let calm = Agent::builder("test/one", plays([says("back")])).journals(journals.clone()).build().unwrap();
    let mut session = calm.resume("chat").await.unwrap();
    assert_eq!(session.go_on().await.unwrap(), None);
    assert_eq!(session.prompt("again").await.unwrap().text().unwrap(), "back");
}

/// A tool that changes something, and says how often it ran.
fn writes(
    runs: &Arc<Mutex<u32>>,
) -> FnTool<impl Fn(crate::ToolInvocation) -> std::future::Ready<ToolOutput> + use<>> {
    let schema = Json::object([("type", "object".into())]);
    let runs = Arc::clone(runs);
    tool_fn(ToolSpec::new("put", "Writes.", schema).level(Level::Write), move |_| {
        *runs.lock().unwrap() += 1;
        std::future::ready(ToolOutput::text("written"))
    })
}

#[tokio::test]
async fn what_is_changed_as_a_run_is_taken_over_holds_from_its_first_call() {
    let check = async |changes: ResumeChanges, mode: Mode, expect: u32| {
        let (journals, runs) = (MemoryJournalStore::new(), Arc::new(Mutex::new(0)));
        let agent = |acts: Vec<ModelResult>| {
            let builder = Agent::builder("test/one", plays(acts)).tool(writes(&runs));
            builder.mode(Mode::Full).journals(journals.clone()).build().unwrap()
        };
        drop(agent(Vec::new()).start_as("chat").await.unwrap());
        let second = agent(vec![calls("put", "{}"), says("done")]);
        let mut session = second.resume_with("chat", changes).await.unwrap();
        assert_eq!(session.run().mode(), mode);
        assert_eq!(session.prompt("write").await.unwrap().text().unwrap(), "done");
        assert_eq!(*runs.lock().unwrap(), expect);
        second.replay("chat").await.unwrap();
    };
    check(ResumeChanges::default(), Mode::Full, 1).await;
    check(ResumeChanges { mode: Some(Mode::Plan), ..ResumeChanges::default() }, Mode::Plan, 0).await;
}

#[tokio::test]
async fn a_budget_that_is_spent_already_lets_a_run_that_is_taken_over_do_nothing() {
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", plays([says("never")])).journals(journals).build().unwrap();
    drop(agent.start_as("chat").await.unwrap());
    let budget = Some(Budget { usd: Some(NanoUsd::ZERO) });
    let changes = ResumeChanges { budget, grants: Some(GrantSet::default()), ..ResumeChanges::default() };
    let mut session = agent.resume_with("chat", changes).await.unwrap();
    let report = session.prompt("hi").await.unwrap();
    assert!(!matches!(report.ending, Ending::Answered { .. }), "{report:?}");
}

#[tokio::test]
async fn a_run_is_told_again_with_the_same_events() {
    let journals = MemoryJournalStore::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let agent = Agent::builder("test/one", plays([calls("look", "{}"), says("seen")]))
        .tool(reads("look"))
        .journals(journals)
        .events(move |event: &holm_kernel::Numbered| sink.lock().unwrap().push(event.clone()))
        .build()
        .unwrap();
    let report = agent.run("look").await.unwrap();
    let replayed = agent.replay(&report.run).await.unwrap();
    assert_eq!(replayed.events, *seen.lock().unwrap());
    assert_eq!(replayed.run.transcript().len(), 4);
}

#[tokio::test]
async fn a_fork_is_another_run_with_the_same_past() {
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", plays([says("one"), says("left"), says("right")]))
        .journals(journals.clone())
        .build()
        .unwrap();
    let mut session = agent.start_as("trunk").await.unwrap();
    session.prompt("first").await.unwrap();
    let at = session.run().receipt().seq;
    session.prompt("go left").await.unwrap();
    // The old run is still held: a fork only reads it.
    let mut fork = agent.fork("trunk", at, "branch").await.unwrap();
    assert_eq!(fork.id(), "branch");
    assert_eq!(fork.prompt("go right").await.unwrap().text().unwrap(), "right");
    assert_eq!(fork.run().transcript().len(), 4);
    drop(fork);
    assert_eq!(agent.resume("branch").await.unwrap().run().transcript().len(), 4);
    let missing = agent.fork("trunk", Seq::new(999), "other").await.unwrap_err();
    assert!(matches!(missing, DriveError::Fork(_)), "{missing}");
}

#[tokio::test]
async fn a_fork_in_the_midst_of_work_can_drop_it() {
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", plays([calls("look", "{}"), says("seen"), says("other")]))
        .tool(reads("look"))
        .journals(journals.clone())
        .build()
        .unwrap();
    drop(agent.start_as("trunk").await.unwrap().prompt("look").await.unwrap());
    let text = journals.read("trunk").await.unwrap();
    let records = journal::decode_strict(&text).unwrap();
    for at in 1..records.len() as u64 - 1 {
        let kept = fork_journal(&text, Seq::new(at), "b", PendingWork::Kept).unwrap();
        let dropped = fork_journal(&text, Seq::new(at), "b", PendingWork::Dropped).unwrap();
        assert!(
            dropped.starts_with(&kept) && dropped.len() > kept.len(),
            "record {at}: something was under way"
        );
        journal::replay(&journal::decode_strict(dropped.as_bytes()).unwrap()).unwrap();
    }
    let last = Seq::new(records.len() as u64 - 1);
    let forked = |under_way| fork_journal(&text, last, "b", under_way).unwrap();
    assert_eq!(forked(PendingWork::Kept), forked(PendingWork::Dropped), "nothing is under way at the end");
}

#[test]
fn a_journal_that_another_kernel_continued_is_forked_before_the_record_that_diverges() {
    let config = Config::new(ModelSpec::named("test/one"));
    let started = Started::new("trunk", 7, config);
    let (mut run, mut writer, mut lines) = journal::begin(started, Timestamp::new(1)).unwrap();
    let now = Timestamp::new(2);
    lines += &journal::step(&mut run, &mut writer, now, Input::Prompted("go".into())).unwrap();
    // As a kernel with other rules would have written it.
    let receipt = RecordReceipt { seq: Seq::new(2), at: now, effects: 0xfeed };
    let payload = journal::payload(&Input::Cancelled { reason: "enough".into() }).unwrap();
    lines += &writer.append(receipt, &payload).unwrap();
    let error = fork_journal(lines.as_bytes(), Seq::new(2), "b", PendingWork::Kept).unwrap_err();
    assert!(matches!(error, DriveError::Replay(ReplayError::Diverged { .. })), "{error}");
    let forked = fork_journal(lines.as_bytes(), Seq::new(1), "b", PendingWork::Kept).unwrap();
    let run = journal::replay(&journal::decode_strict(forked.as_bytes()).unwrap()).unwrap();
    assert_eq!(run.transcript()[0].plain_text(), "go");
}

#[test]
fn what_an_import_narrowed_holds_for_a_fork_at_any_record() {
    let grants =
        |text: &str| -> GrantSet { [text.parse::<holm_grants::Grant>().unwrap()].into_iter().collect() };
    let mut config = Config::new(ModelSpec::named("test/one"));
    (config.mode, config.grants) = (Mode::Full, grants("write:**"));
    let (mut run, mut writer, mut lines) =
        journal::begin(Started::new("trunk", 7, config), Timestamp::new(1)).unwrap();
    let marks = holm_kernel::Marks { untrusted: true, private: false };
    let narrowing = holm_kernel::Narrowing { marks, ..holm_kernel::Narrowing::default() };
    let own = grants("read:**");
    let facts = [
        Input::Prompted("go".into()),
        Input::Cancelled { reason: "enough".into() },
        Input::Narrowed(Box::new(narrowing)),
        Input::GrantsChanged(GrantSet::default()),
        Input::ModeChanged(Mode::default()),
        Input::GrantsChanged(own.clone()),
    ];
    for fact in facts {
        while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
        lines += &journal::step(&mut run, &mut writer, Timestamp::new(2), fact).unwrap();
    }
    for at in 0..=6 {
        let forked = fork_journal(lines.as_bytes(), Seq::new(at), "b", PendingWork::Kept).unwrap();
        let run = journal::replay(&journal::decode_strict(forked.as_bytes()).unwrap()).unwrap();
        assert_eq!((run.mode(), run.marks().untrusted), (Mode::default(), true), "record {at}");
        // What was given here, after the import, is the fork's where it has that record.
        assert_eq!(run.grants(), &if at < 6 { GrantSet::default() } else { own.clone() }, "record {at}");
    }
}

#[tokio::test]
async fn a_run_that_is_resumed_follows_the_stricter_rule_and_is_told_so_once() {
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", plays([])).journals(journals.clone()).build().unwrap();
    let lax = Config { mark_rule: MarkRule::AskAfterBoth, ..agent.config().clone() };
    let (_, _, lines) = journal::begin(Started::new("edge", 7, lax), Timestamp::new(1)).unwrap();
    journals.create("edge").await.unwrap().append(&lines, Durability::Synced).await.unwrap();
    let strict = || ResumeChanges { mark_rule: Some(MarkRule::AskAfterAny), ..ResumeChanges::default() };
    for _ in 0..2 {
        let session = agent.resume_with("edge", strict()).await.unwrap();
        assert_eq!(session.run().config().mark_rule, MarkRule::AskAfterAny);
    }
    let text = String::from_utf8(journals.read("edge").await.unwrap()).unwrap();
    assert_eq!(text.matches(r#"{"narrowed":"#).count(), 1);
}

#[tokio::test]
async fn a_journal_that_was_renamed_is_not_taken_for_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Agent::builder("test/one", plays([]))
        .journals(JsonLinesFolder::new(folder.path()).unwrap())
        .build()
        .unwrap();
    drop(agent.start_as("old").await.unwrap());
    std::fs::rename(folder.path().join("old.jsonl"), folder.path().join("new.jsonl")).unwrap();
    let error = agent.resume("new").await.unwrap_err();
    assert_eq!(error, DriveError::OtherRun { wanted: "new".into(), found: "old".into() });
    let bad = agent.resume("../old").await.unwrap_err();
    assert!(matches!(bad, DriveError::Journal(JournalStorageError::BadName { .. })), "{bad}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Place {
    name: String,
    people: u32,
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_sent_back_and_mended() {
    let wrong = calls("give_answer", r#"{"name":"Basel","people":"many"}"#);
    let right = calls("give_answer", r#"{"name":"Basel","people":177000}"#);
    let agent = Agent::builder("test/one", plays([wrong, right])).build().unwrap();
    let place: Place = agent.run_typed("Where?").await.unwrap();
    assert_eq!(place, Place { name: "Basel".into(), people: 177_000 });
}

#[tokio::test]
async fn a_value_that_is_no_object_is_wrapped_in_one() {
    let agent =
        Agent::builder("test/one", plays([calls("give_answer", r#"{"value":["a","b"]}"#)])).build().unwrap();
    let names: Vec<String> = agent.run_typed("Which?").await.unwrap();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test]
async fn a_model_that_only_talks_may_still_give_the_value_and_is_never_guessed_at() {
    let written = says("```json\n{\"name\":\"Bern\",\"people\":134000}\n```");
    let agent = Agent::builder("test/one", plays([says("It is Bern."), written])).build().unwrap();
    let place: Place = agent.run_typed("Where?").await.unwrap();
    assert_eq!(place.name, "Bern");
    let agent = Agent::builder("test/one", plays([says("Bern."), says("Bern!")])).build().unwrap();
    let error = agent.run_typed::<Place>("Where?").await.unwrap_err();
    assert!(matches!(error, TypedAnswerError::NotAValue { .. }), "{error}");
}

#[tokio::test]
async fn a_watcher_sees_the_run_through_a_handle() {
    let agent = Agent::builder("test/one", plays([says("hello")])).build().unwrap();
    let mut session = agent.start().await.unwrap();
    let mut events = session.handle().events();
    session.prompt("hi").await.unwrap();
    drop(session);
    let mut last = None;
    while let Some(notice) = events.next().await {
        let EventNotice::Event(event) = notice else { panic!("nothing is missed: {notice:?}") };
        last = Some(event);
    }
    let Some(Event::GroupEnded { ending, .. }) = last.map(|last| last.event.clone()) else {
        panic!("no end")
    };
    assert_eq!(*ending, Ending::Answered { text: "hello".into() });
}

#[test]
fn a_program_without_a_runtime_waits_for_the_answer() {
    let agent = Agent::builder("test/one", plays([says("hello")])).build().unwrap();
    assert_eq!(agent.run_blocking("hi").unwrap().text().unwrap(), "hello");
}

#[tokio::test]
async fn a_thread_of_a_runtime_is_never_held_up() {
    let agent = Agent::builder("test/one", plays([])).build().unwrap();
    assert_eq!(agent.run_blocking("hi"), Err(BlockingError::InsideRuntime));
}

#[test]
fn agents_and_sessions_can_move_between_threads() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Session>();
    is_send::<Agent>();
    is_sync::<Agent>();
}

/// The name of a run that owes a place and was killed while its model thought.
async fn owing(journals: &MemoryJournalStore) -> String {
    let agent = Agent::builder("test/one", thinks()).journals(journals.clone()).build().unwrap();
    let begun = async {
        loop {
            for run in journals.runs() {
                let text = journals.read(&run).await.unwrap();
                if String::from_utf8(text).unwrap().contains(r#""prompted""#) {
                    return run;
                }
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        place = agent.run_typed::<Place>("Where?") => panic!("it thinks for ever: {place:?}"),
        run = begun => run,
    }
}

#[tokio::test]
async fn a_run_that_owes_a_value_still_can_give_it_after_a_crash() {
    let wrong = calls("give_answer", r#"{"name":"Basel","people":"many"}"#);
    let right = || calls("give_answer", r#"{"name":"Basel","people":177000}"#);
    let journals = MemoryJournalStore::new();
    let run = owing(&journals).await;
    let agent = Agent::builder("test/one", plays([wrong, right()])).journals(journals.clone());
    let agent = agent.build().unwrap();
    let (place, report): (Place, _) = agent.resume_typed(&run).await.unwrap();
    assert_eq!(place, Place { name: "Basel".into(), people: 177_000 });
    // Replayed, it asks no model.
    let (again, told): (Place, _) = agent.resume_typed(&run).await.unwrap();
    assert_eq!((again, told.usage), (place, report.usage));
}

#[tokio::test]
async fn so_does_one_that_is_resumed_by_somebody_who_does_not_know_the_type() {
    let journals = MemoryJournalStore::new();
    let run = owing(&journals).await;
    let words = says("It is Basel.");
    let value = calls("give_answer", r#"{"name":"Basel","people":177000}"#);
    let agent = Agent::builder("test/one", plays([words, value])).journals(journals.clone());
    let agent = agent.build().unwrap();
    let mut session = agent.resume(&run).await.unwrap();
    let report = session.go_on().await.unwrap().unwrap();
    let place: Place = serde_json::from_str(report.text().unwrap()).unwrap();
    assert_eq!(place.people, 177_000);
}

#[tokio::test]
async fn a_run_that_was_never_asked_has_no_value_to_give() {
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", plays([])).journals(journals.clone()).build().unwrap();
    drop(agent.start_as("quiet").await.unwrap());
    assert_eq!(agent.resume_typed::<Place>("quiet").await.unwrap_err(), TypedAnswerError::NotAsked);
}
