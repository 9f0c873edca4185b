use std::sync::{Arc, Mutex};

use holm_guards::postcondition::{Must, Postcondition, Rule};
use holm_kernel::{
    Budget, Config, Ending, Input, Ladder, ModelResult, ModelSpec, NanoUsd, OnRejection, Price, Role,
    StepCause, StepUp, TaskKind, Timestamp, journal,
};

use super::*;
use crate::{
    Agent, AgentBuilder, BoxFuture, JournalStore as _, MemoryJournalStore, RunReplay, ToolInvocation,
    model_fn,
    testing::{calls, calls_with, declared, says},
    tool_fn,
};

const KIND: &str = "copying";

fn score(tasks: u64, successes: u64) -> ModelScore {
    ModelScore { tasks, successes, ..ModelScore::default() }
}

fn standing(model: &str, score: ModelScore) -> ModelStanding {
    ModelStanding { model: model.into(), kind: TaskKind::new(KIND), score }
}

fn why(at: u64) -> TaskFailure {
    TaskFailure { at: Timestamp::new(at), cause: Some(StepCause::Rejected), reason: at.to_string(), to: None }
}

#[test]
fn a_task_begins_with_the_first_model_that_is_expected_to_do_it() {
    let models = ["small", "middle", "large"].map(ModelSpec::named);
    let check = |start: u64, known: &[(&str, u64, u64)], rung: u64| {
        let ladder = Ladder { start, ..Ladder::of_kind(KIND) };
        let standings: Vec<ModelStanding> =
            known.iter().map(|(name, tasks, good)| standing(name, score(*tasks, *good))).collect();
        let choice = first_rung(&ladder, &models, Budget::default(), &standings);
        assert_eq!(choice.rung, rung, "{known:?} from {start}");
        assert_eq!(choice.why.is_empty(), rung == start.min(2), "{choice:?}");
    };
    check(0, &[], 0);
    check(0, &[("small", 1, 1)], 0);
    check(0, &[("small", 1, 0)], 1);
    check(0, &[("small", 2, 1)], 0);
    check(0, &[("small", 3, 1)], 1);
    check(0, &[("small", 5, 3), ("middle", 9, 0)], 0);
    check(0, &[("small", 1, 0), ("middle", 1, 0)], 2);
    // There is no model above the last one, regardless of its score.
    check(0, &[("small", 1, 0), ("middle", 1, 0), ("large", 3, 0)], 2);
    // What the configuration says is the floor.
    check(1, &[("small", 9, 9)], 1);
    check(7, &[("large", 9, 0)], 2);
}

#[test]
fn a_model_without_a_price_is_passed_over_where_a_budget_holds() {
    let check = |priced: &[usize], start: u64, known: &[(&str, u64, u64)], rung: u64| {
        let mut models = ["small", "middle", "large"].map(ModelSpec::named);
        for index in priced {
            models[*index].price = Some(Price::default());
        }
        let ladder = Ladder { start, ..Ladder::of_kind(KIND) };
        let standings: Vec<ModelStanding> =
            known.iter().map(|(name, tasks, good)| standing(name, score(*tasks, *good))).collect();
        let choice = first_rung(&ladder, &models, Budget { usd: Some(NanoUsd::new(1)) }, &standings);
        assert_eq!(choice.rung, rung, "{priced:?}, {known:?} from {start}");
        assert_eq!(choice.why.is_empty(), rung == start, "{choice:?}");
    };
    check(&[0], 0, &[("small", 1, 0)], 0);
    check(&[0, 2], 0, &[("small", 1, 0)], 2);
    check(&[0, 1], 0, &[("small", 1, 0), ("middle", 1, 0)], 1);
    check(&[1], 0, &[], 1);
    check(&[], 0, &[("small", 1, 0)], 0);
}

#[tokio::test]
async fn a_kind_of_task_is_not_given_up_because_the_next_model_has_no_price() {
    let (ledger, journals) = (MemoryLedger::new(), MemoryJournalStore::new());
    let agent = two_models().ledger(ledger.clone()).journals(journals.clone()).config(|config| {
        config.models[0].price = Some(Price::default());
        config.limits.budget.usd = Some(NanoUsd::new(1_000));
    });
    let agent = agent.build().unwrap();
    for run in ["first", "second"] {
        let ending = agent.start_as(run).await.unwrap().prompt("copy").await.unwrap().ending;
        assert!(matches!(ending, Ending::Rejected { .. }), "{run}: {ending:?}");
    }
    let known = ledger.standings(None).await.unwrap();
    assert_eq!((known.len(), known[0].score.tasks), (1, 2), "{known:?}");
}

#[test]
fn experience_with_another_kind_of_task_does_not_count() {
    let models = ["small", "large"].map(ModelSpec::named);
    let known = [standing("small", score(4, 0))];
    assert_eq!(
        first_rung(&Ladder::of_kind("Copying!"), &models, Budget::default(), &known).rung,
        1,
        "one form, one kind"
    );
    assert_eq!(first_rung(&Ladder::of_kind("drawing"), &models, Budget::default(), &known).rung, 0);
}

#[test]
fn one_task_in_sixteen_gives_the_first_rung_another_chance() {
    let models = ["small", "large"].map(ModelSpec::named);
    let begins = |large: u64| {
        let known = [standing("small", score(1, 0)), standing("large", score(large, large))];
        first_rung(&Ladder::of_kind(KIND), &models, Budget::default(), &known).rung
    };
    let low: Vec<u64> = (0..40).filter(|large| begins(*large) == 0).collect();
    assert_eq!(low, [14, 30]);
}

#[test]
fn of_the_reasons_the_latest_are_kept_whatever_order_they_come_in() {
    let mut sum = ModelScore::default();
    for at in [3, 1, 9, 2, 8, 7, 12, 4, 6, 5] {
        sum.add(&ModelScore { whys: vec![why(at)], ..ModelScore::default() });
    }
    let kept: Vec<u64> = sum.whys.iter().map(|failure| failure.at.value()).collect();
    assert_eq!(kept, [3, 4, 5, 6, 7, 8, 9, 12]);
    assert_eq!(kept.len(), MOST_WHYS);
}

#[tokio::test]
async fn the_same_group_counts_once() {
    let ledger = MemoryLedger::new();
    let shown = [standing("small", score(1, 1))];
    for (run, group) in [("a", 1), ("a", 1), ("a", 2), ("b", 1)] {
        ledger.note(run, group, &shown).await.unwrap();
    }
    let kind = TaskKind::new(KIND);
    let known = ledger.standings(Some(&kind)).await.unwrap();
    assert_eq!(known, [standing("small", score(3, 3))]);
    assert_eq!(ledger.standings(Some(&TaskKind::default())).await.unwrap(), []);
    assert_eq!(ledger.standings(None).await.unwrap(), known);
}

/// Two models: the small one asks for what the guard does not accept, the large one for what it does. Both answer once a
/// result was believed.
fn two_models() -> AgentBuilder {
    let client = model_fn(|ask| {
        let small = ask.request.model.name == "test/small";
        let tries = ask.messages.iter().filter(|message| message.role == Role::Tool).count();
        let believed = ask
            .messages
            .last()
            .is_some_and(|message| format!("{:?}", message.blocks).contains("seven files"));
        let next = if believed {
            says("done")
        } else {
            let argument = if small { "nothing" } else { "seven" };
            calls_with([("copy", format!(r#"{{"what":"{argument} {tries}"}}"#))])
        };
        Box::pin(async move { next })
    });
    let promise = Rule::Pattern { regex: "copied$".into(), must: Must::Match };
    let mut copy = declared("copy");
    copy.postconditions.push(Postcondition::new("something was copied", promise));
    let tool = tool_fn(copy, |job: ToolInvocation| async move {
        let worked = job.arguments.contains("seven");
        holm_kernel::ToolOutput::text(if worked { "seven files were copied" } else { "nothing to see here" })
    });
    Agent::builder("test/small", client).fallback("test/large").tool(tool).ladder(Ladder::of_kind(KIND))
}

fn config_of(text: &[u8]) -> Config {
    let records = journal::decode_strict(text).unwrap();
    match records[0].payload().input().unwrap() {
        Input::Started(started) => started.config,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_weak_model_is_stepped_up_and_the_next_similar_task_begins_higher() {
    let (ledger, journals) = (MemoryLedger::new(), MemoryJournalStore::new());
    let agent = two_models().ledger(ledger.clone()).journals(journals.clone()).build().unwrap();
    agent.start_as("first").await.unwrap().prompt("copy").await.unwrap().text().unwrap();

    let known = ledger.standings(None).await.unwrap();
    let [large, small] = &known[..] else { panic!("{known:?}") };
    let numbers = |score: &ModelScore| (score.tasks, score.successes, score.rejections, score.step_ups);
    assert_eq!((large.model.as_str(), numbers(&large.score)), ("test/large", (1, 1, 0, 0)));
    assert_eq!((small.model.as_str(), numbers(&small.score)), ("test/small", (1, 0, 2, 1)));
    let [failure] = &small.score.whys[..] else { panic!("{small:?}") };
    assert_eq!((failure.cause, failure.to.as_deref()), (Some(StepCause::Rejected), Some("test/large")));
    assert!(failure.reason.contains("something was copied"), "{failure:?}");

    agent.start_as("second").await.unwrap().prompt("copy").await.unwrap().text().unwrap();
    let ladder = config_of(&journals.read("second").await.unwrap()).ladder.unwrap();
    assert_eq!(ladder.start, 1);
    assert_eq!(ladder.why, "test/small brought 0 of 1 tasks of the kind copying to an answer");
    let known = ledger.standings(None).await.unwrap();
    assert_eq!((known[0].score.tasks, known[1].score.tasks), (2, 1), "the small one was not asked");
}

#[tokio::test]
async fn a_journal_tells_the_ledger_the_same_as_the_run_did() {
    let (ledger, journals) = (MemoryLedger::new(), MemoryJournalStore::new());
    let agent = two_models().ledger(ledger.clone()).journals(journals.clone()).build().unwrap();
    let mut session = agent.start_as("one").await.unwrap();
    session.prompt("copy").await.unwrap();
    session.prompt("copy more").await.unwrap();
    let RunReplay { run, events } = agent.replay("one").await.unwrap();
    let mut scorer = RunScorer::new(run.config());
    let shown: Vec<GroupScores> = events.iter().filter_map(|event| scorer.event(event)).collect();
    assert_eq!(shown.iter().map(|shown| shown.group).collect::<Vec<_>>(), [1, 2]);
    let again = ModelStanding::sum(shown.into_iter().flat_map(|shown| shown.standings));
    assert_eq!(again, ledger.standings(None).await.unwrap());
}

#[tokio::test]
async fn invalid_calls_and_endings_are_counted_for_what_they_say() {
    let shown = |script: Vec<ModelResult>| async {
        let script = Mutex::new(script.into_iter());
        let client = model_fn(move |_| {
            let next = script.lock().unwrap().next().unwrap_or_else(|| says("done"));
            Box::pin(async move { next })
        });
        let ledger = MemoryLedger::new();
        let agent = Agent::builder("test/one", client).ledger(ledger.clone()).build().unwrap();
        let ending = agent.run("go").await.unwrap().ending;
        (ending, ledger.standings(None).await.unwrap().remove(0))
    };
    let (_, known) = shown(vec![calls(&["nothing", "none"]), says("done")]).await;
    assert_eq!((known.kind.as_str(), known.score.invalid_calls, known.score.calls), ("general", 2, 2));
    assert_eq!((known.score.tasks, known.score.successes), (1, 1));
    // The same call to a tool that is not there, again and again.
    let (ending, known) = shown((0..9).map(|_| calls(&["nothing"])).collect()).await;
    assert!(matches!(ending, Ending::Looping { .. }), "{ending:?}");
    assert_eq!((known.score.tasks, known.score.successes, known.score.whys.len()), (1, 0, 1));
}

/// A ledger that is of no use.
struct Broken(Arc<Mutex<u64>>);

impl ModelLedger for Broken {
    fn note<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: &'a [ModelStanding],
    ) -> BoxFuture<'a, Result<(), LedgerError>> {
        *self.0.lock().unwrap() += 1;
        Box::pin(async { Err(LedgerError { reason: "no room".into() }) })
    }

    fn standings<'a>(
        &'a self,
        _: Option<&'a TaskKind>,
    ) -> BoxFuture<'a, Result<Vec<ModelStanding>, LedgerError>> {
        Box::pin(async { Err(LedgerError { reason: "torn pages".into() }) })
    }
}

#[tokio::test]
async fn a_ledger_that_fails_stops_no_run_and_the_journal_says_so() {
    let (notes, journals) = (Arc::new(Mutex::new(0)), MemoryJournalStore::new());
    let agent = two_models().ledger(Broken(Arc::clone(&notes))).journals(journals.clone()).build().unwrap();
    assert!(agent.start_as("one").await.unwrap().prompt("copy").await.unwrap().text().is_ok());
    assert_eq!(*notes.lock().unwrap(), 1);
    let ladder = config_of(&journals.read("one").await.unwrap()).ladder.unwrap();
    assert!(ladder.start == 0 && ladder.why.contains("torn pages"), "{ladder:?}");
}

#[test]
fn a_rung_that_is_no_model_of_the_agent_is_found_when_the_agent_is_made() {
    let ladder = Ladder { rungs: vec!["test/small".into(), "test/larg".into()], ..Ladder::default() };
    let failed = two_models().ladder(ladder).build().unwrap_err();
    assert!(failed.to_string().contains("`test/larg`"), "{failed}");
}

#[tokio::test]
async fn a_ladder_that_leaves_rejections_alone_ends_with_a_failed_task() {
    let ledger = MemoryLedger::new();
    let step_up = StepUp { rejection: OnRejection::Never, ..StepUp::default() };
    let ladder = Ladder { step_up, ..Ladder::of_kind(KIND) };
    let agent = two_models().ladder(ladder).ledger(ledger.clone()).build().unwrap();
    assert!(matches!(agent.run("copy").await.unwrap().ending, Ending::Rejected { .. }));
    let known = ledger.standings(None).await.unwrap();
    assert_eq!((known[0].score.tasks, known[0].score.successes, known[0].score.step_ups), (1, 0, 0));
    assert_eq!(known[0].score.whys[0].cause, Some(StepCause::Rejected));
}
