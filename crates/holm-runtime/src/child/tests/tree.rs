//! A tree of runs with faults, killed and cancelled at every boundary; what it must be is told by the journals alone.

use std::{collections::BTreeMap, sync::Arc};

use holm_grants::{GrantSet, Level, Mode};
use holm_kernel::{
    Block, Bound, ChildrenAtEnd, Ending, FailureClass, ModelResult, ModelSpec, NanoUsd, Price, Reply, Role,
    ToolOutput, Usage,
};

use super::{
    audit::faults,
    stage::{Crash, Fate, Process},
};
use crate::{
    Agent, FastClock, HelperAgent, HelperSet, JournalStore as _, MemoryJournalStore, Model, ToolInvocation,
    model_fn,
    testing::{calls_with, fails, says},
    tool_fn,
};

/// What one reply costs, and it is one token: a leaf's share is two of them.
const REPLY: u64 = 10_000;
const LEAF_SHARE: u64 = 2 * REPLY;

/// A run that delegates replies once to do so, once when the children it waits for are done, and
/// once for each of the others. A crash may take one more, and the reserved amounts must leave
/// something.
const OWN_REPLIES: u64 = 7;

/// What a reply uses: far more than the estimates of all calls that crashes lose.
const REPLY_TOKENS: u64 = 1_000_000;

fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).unwrap()
}

fn card(name: &str) -> ModelSpec {
    // A price for a million tokens, and every reply has one token of output.
    let price = Price { output: REPLY * 1_000_000, ..Price::default() };
    ModelSpec { price: Some(price), ..ModelSpec::named(name) }
}

fn paid(result: ModelResult) -> ModelResult {
    let usage = Usage { input: REPLY_TOKENS - 1, output: 1, ..Usage::default() };
    match result {
        ModelResult::Replied(reply) => ModelResult::Replied(Reply { usage, ..reply }),
        other => other,
    }
}

/// A model that says what `reply` makes of its task and of how often it has spoken.
fn model(reply: impl Fn(&str, usize) -> ModelResult + Send + Sync + 'static) -> Arc<dyn Model> {
    Arc::new(model_fn(move |ask| {
        let spoken = ask.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let task = ask.messages.iter().find_map(|message| match message.blocks.first() {
            Some(Block::Text(text)) if message.role == Role::User => Some(text.as_str()),
            _ => None,
        });
        let result = paid(reply(task.unwrap_or_default(), spoken));
        Box::pin(async move { result })
    }))
}

/// Hands five tasks to a helper, three of them in the background, then answers as often as it is asked.
fn delegates(to: &'static str) -> Arc<dyn Model> {
    model(move |mine, spoken| match spoken {
        0 => calls_with((0..5).map(|n| {
            let apart = (1..4).contains(&n);
            (to, format!(r#"{{"background":{apart},"task":"{mine}.{n}"}}"#))
        })),
        _ => says(&format!("{mine} is done")),
    })
}

/// The third of five fails, the fourth spends all it has, the fifth uses a tool.
fn leaf() -> Agent {
    let client = model(|mine, spoken| match (mine.chars().last(), spoken) {
        (Some('2'), _) => fails(FailureClass::BadRequest, None),
        (Some('3'), _) => calls_with([("look", format!(r#"{{"n":{spoken}}}"#))]),
        (Some('4'), 0) => calls_with([("look", "{}".into())]),
        _ => says(&format!("{mine} was looked at")),
    });
    let declaration = crate::testing::declared("look").level(Level::ReadOnly);
    let look = tool_fn(declaration, |_: ToolInvocation| async { ToolOutput::text("a fine view") });
    Agent::builder(card("test/leaf"), client)
        .tool(look)
        .grants(grants(&["read:**", "write:**", "spawn:*"]))
        .mode(Mode::Full)
        .clock(FastClock::new(1_000))
        .build()
        .unwrap()
}

/// A tree with so many levels below its root.
fn tree(levels: u32, process: &Process) -> Agent {
    tree_with(levels, process, ChildrenAtEnd::Wait)
}

fn tree_with(levels: u32, process: &Process, at_end: ChildrenAtEnd) -> Agent {
    let names = ["leaf", "branch", "bough"];
    let asked = grants(&["read:src/**", "write:out/**", "spawn:leaf", "spawn:branch"]);
    let mut below = HelperAgent::new("leaf", "Looks.", leaf()).grants(grants(&["read:**"]));
    let mut share = LEAF_SHARE;
    below = below.reserve(NanoUsd::new(share)).reserve_tokens(share / REPLY * REPLY_TOKENS).background();
    for name in names.iter().take(usize::try_from(levels).unwrap()).skip(1) {
        share = 5 * share + OWN_REPLIES * REPLY;
        let to: &'static str = if *name == "branch" { "leaf" } else { "branch" };
        let agent = Agent::builder(card("test/branch"), delegates(to))
            .grants(asked.clone())
            .mode(Mode::Full)
            .clock(FastClock::new(1_000))
            .helpers(HelperSet::new().with(below).at_most(3).at_end(at_end))
            .build()
            .unwrap();
        below = HelperAgent::new(*name, "Divides.", agent).grants(asked.clone()).background();
        below = below.reserve(NanoUsd::new(share)).reserve_tokens(share / REPLY * REPLY_TOKENS);
    }
    let to: &'static str = names[usize::try_from(levels).unwrap() - 1];
    Agent::builder(card("test/root"), delegates(to))
        .grants(grants(&["read:src/a/**", "read:src/b", "spawn:leaf", "spawn:branch"]))
        .mode(Mode::AcceptEdits)
        .clock(FastClock::new(1_000))
        .config(|config| {
            let all = 5 * share + OWN_REPLIES * REPLY;
            config.limits.budget.usd = Some(NanoUsd::new(all));
            // Every reply uses the same, so both limits are reached together.
            config.limits.tokens = Bound::AtMost(all / REPLY * REPLY_TOKENS);
        })
        .journals(process.clone())
        .helpers(HelperSet::new().with(below).at_end(at_end))
        .build()
        .unwrap()
}

/// One process: its tasks die with it.
fn live(work: impl Future<Output = Option<Ending>>) -> Option<Ending> {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
}

async fn begin(levels: u32, process: &Process) -> Option<Ending> {
    let mut session = tree(levels, process).start_as("root").await.ok()?;
    process.watch(session.handle());
    session.prompt("t").await.ok().map(|report| report.ending)
}

async fn go_on(levels: u32, process: &Process) -> Option<Ending> {
    let mut session = tree(levels, process).resume("root").await.unwrap();
    let report = match session.go_on().await.unwrap() {
        Some(report) => report,
        None if session.run().view().is_empty() => session.prompt("t").await.unwrap(),
        None => return None,
    };
    Some(report.ending)
}

fn journals(kept: &MemoryJournalStore) -> BTreeMap<String, Vec<u8>> {
    let texts = async {
        let mut texts = BTreeMap::new();
        for run in kept.runs() {
            let text = kept.read(&run).await.unwrap();
            // Made and never written: it counts as not there.
            if !text.is_empty() {
                texts.insert(run, text);
            }
        }
        texts
    };
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(texts)
}

fn done() -> Option<Ending> {
    Some(Ending::Answered { text: "t is done".into() })
}

/// How many appends a whole life has; the tree is sound at its end.
fn whole_life(levels: u32, runs: usize) -> u64 {
    let kept = MemoryJournalStore::new();
    let process = Process::over(&kept, Fate::Lives);
    assert_eq!(live(begin(levels, &process)), done());
    let journals = journals(&kept);
    assert_eq!(faults("root", &journals), Vec::<String>::new());
    assert_eq!(journals.len(), runs);
    process.appends()
}

fn dies_and_goes_on(levels: u32, at: u64, how: Crash, runs: usize) {
    let kept = MemoryJournalStore::new();
    live(begin(levels, &Process::over(&kept, Fate::Dies(at, how))));
    let ending = live(go_on(levels, &Process::over(&kept, Fate::Lives)));
    let journals = journals(&kept);
    assert!(ending == done() || ending.is_none(), "{at} {how:?}: {ending:?}");
    assert_eq!(faults("root", &journals), Vec::<String>::new(), "{at} {how:?}");
    assert_eq!(journals.len(), runs, "{at} {how:?}: nothing is lost and nothing is done twice");
}

#[test]
fn a_tree_that_is_killed_at_any_append_goes_on_without_orphans_or_double_results() {
    let appends = whole_life(2, 31);
    // What was never written does not exist: the first append is the root's own beginning.
    let kinds = [Crash::Before, Crash::Within, Crash::After];
    for (at, how) in (2..=appends).step_by(stride(2)).zip(kinds.into_iter().cycle()) {
        dies_and_goes_on(2, at, how, 31);
    }
}

/// How far the boundaries lie apart at which a tree is killed or cancelled, unless `HOLM_TREE_STRIDE` says so: 1 takes every one of them.
fn stride(otherwise: usize) -> usize {
    let requested = std::env::var("HOLM_TREE_STRIDE").ok().and_then(|text| text.parse().ok());
    requested.filter(|stride| *stride > 0).unwrap_or(otherwise)
}

#[test]
fn so_does_one_of_three_levels_with_five_children_each() {
    let appends = whole_life(3, 156);
    let kinds = [Crash::Before, Crash::Within, Crash::After];
    for (at, how) in (2..=appends).step_by(stride(181)).zip(kinds.into_iter().cycle()) {
        dies_and_goes_on(3, at, how, 156);
    }
}

#[test]
fn three_levels_that_are_cancelled_and_killed_leave_nobody_at_work() {
    let appends = whole_life(3, 156);
    for (at, after) in (2..=appends).step_by(stride(181)).zip([1, 3, 8, u64::MAX / 2].into_iter().cycle()) {
        cancelled_and_dies(3, at, after);
    }
}

#[test]
fn a_tree_that_is_killed_again_and_again_comes_to_its_end() {
    let kept = MemoryJournalStore::new();
    live(begin(2, &Process::over(&kept, Fate::Dies(9, Crash::After))));
    for at in 5..40 {
        let process = Process::over(&kept, Fate::Dies(at, Crash::Within));
        live(async {
            let mut session = tree(2, &process).resume("root").await.ok()?;
            session.go_on().await.ok().flatten().map(|report| report.ending)
        });
    }
    live(go_on(2, &Process::over(&kept, Fate::Lives)));
    assert_eq!(faults("root", &journals(&kept)), Vec::<String>::new());
}

#[test]
fn a_cancel_at_any_append_leaves_nobody_at_work() {
    let appends = whole_life(2, 31);
    for at in (2..=appends).step_by(stride(3)) {
        let kept = MemoryJournalStore::new();
        let ending = live(begin(2, &Process::over(&kept, Fate::Cancelled(at))));
        assert!(ending == done() || matches!(ending, Some(Ending::Cancelled { .. })), "{at}: {ending:?}");
        assert_eq!(faults("root", &journals(&kept)), Vec::<String>::new(), "{at}");
    }
}

#[test]
fn a_cancel_and_a_crash_together_leave_nobody_at_work() {
    let appends = whole_life(2, 31);
    for (at, after) in (2..=appends).step_by(stride(7)).zip([1, 2, 4, 7, 11].into_iter().cycle()) {
        cancelled_and_dies(2, at, after);
    }
}

fn cancelled_and_dies(levels: u32, at: u64, after: u64) {
    let kept = MemoryJournalStore::new();
    live(begin(levels, &Process::over(&kept, Fate::CancelledAndDies(at, after))));
    live(go_on(levels, &Process::over(&kept, Fate::Lives)));
    assert_eq!(faults("root", &journals(&kept)), Vec::<String>::new(), "{at} and {after}");
}

#[test]
fn a_tree_that_does_not_wait_for_what_is_in_the_background_stops_it() {
    let kept = MemoryJournalStore::new();
    let process = Process::over(&kept, Fate::Lives);
    let ending = live(async {
        let agent = tree_with(2, &process, ChildrenAtEnd::Stop);
        agent.start_as("root").await.ok()?.prompt("t").await.ok().map(|report| report.ending)
    });
    assert_eq!(ending, done());
    assert_eq!(faults("root", &journals(&kept)), Vec::<String>::new());
}
