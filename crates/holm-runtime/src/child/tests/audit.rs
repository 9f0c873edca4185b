//! Checks what must hold for a tree of runs, using only the journals.

use std::collections::{BTreeMap, BTreeSet};

use holm_kernel::{
    Author, Bound, ChildResult, ChildrenAtEnd, Effect, Ending, Event, Input, NanoUsd, Run, SpawnRequest,
    ToolCallId, Usage,
    journal::{self, JournalRecord},
};

/// One run as its journal tells it.
struct Told {
    run: Run,
    spawned: Vec<(ToolCallId, SpawnRequest)>,
    started: Vec<(ToolCallId, String)>,
    finished: BTreeMap<ToolCallId, u64>,
    results: BTreeMap<ToolCallId, u64>,
    /// Calls that were answered when their child was asked for, and how often the child's end was told.
    apart: BTreeMap<ToolCallId, u64>,
    /// Whether it ended by itself and so heard everybody.
    heard_all: bool,
    bills: BTreeMap<ToolCallId, (NanoUsd, Usage)>,
    most_held: NanoUsd,
    most_tokens: u64,
    /// The tokens of its largest model call, as reported or by estimate.
    largest_call: u64,
    /// The tokens that its children took beyond their shares.
    beyond_shares: u64,
}

/// Everything that is wrong with a tree that has come to its end.
pub(super) fn faults(root: &str, journals: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let replays: BTreeMap<&str, Told> = journals.iter().map(|(name, text)| (&**name, tell(text))).collect();
    let mut faults = Vec::new();
    let mut owned = BTreeSet::new();
    for (name, parent) in &replays {
        if !parent.run.is_idle() {
            faults.push(format!("{name} is still at work"));
        }
        let limit = parent.run.config().limits.budget.usd;
        if limit.is_some_and(|limit| parent.run.spent() > limit || parent.most_held > limit) {
            faults.push(format!("{name} spent or held more than {limit:?}"));
        }
        let limit = parent.run.config().limits.tokens;
        // `docs/budgets.md`: by one call, reported or estimated, and by what children took beyond their shares.
        let (used, beyond) = (parent.run.usage().total(), parent.beyond_shares);
        if limit.exceeded_by(used.saturating_sub(parent.largest_call + beyond)) {
            faults.push(format!("{name} used {used} tokens, more than one reply beyond {limit:?}"));
        }
        if limit.exceeded_by(parent.most_tokens.saturating_sub(beyond)) {
            faults.push(format!("{name} held {} tokens for its children, of {limit:?}", parent.most_tokens));
        }
        for (call, times) in parent.finished.iter().chain(&parent.results) {
            if *times != 1 {
                faults.push(format!("{name}: call {call} ended {times} times"));
            }
        }
        for (call, times) in &parent.apart {
            let deliveries = heard(&parent.run, *call);
            if *times != 1 || deliveries > 1 || (parent.heard_all && deliveries == 0) {
                faults.push(format!(
                    "{name}: child {call} ended {times} times and was heard {deliveries} times"
                ));
            }
        }
        for (call, child) in &parent.started {
            if !owned.insert(child.clone()) {
                faults.push(format!("{child} has two parents"));
            }
            // A child that was written down and never began had nothing to lose.
            let Some(child_told) = replays.get(&**child) else { continue };
            let mut requests = parent.spawned.iter().filter(|(spawn, _)| spawn == call);
            let Some((_, request)) = requests.next_back() else {
                faults.push(format!("nobody asked for {child}"));
                continue;
            };
            faults.extend(wider(child, parent, child_told, request));
            let took = (child_told.run.spent(), child_told.run.usage());
            if parent.bills.get(call).is_some_and(|bill| *bill != took) {
                faults.push(format!("{child} was not paid as it spent"));
            }
        }
    }
    let known = replays.keys().filter(|name| **name != root && !owned.contains(**name));
    faults.extend(known.map(|name| format!("{name} belongs to nobody")));
    faults
}

/// Where a child holds more than its parent.
fn wider(name: &str, parent: &Told, child: &Told, request: &SpawnRequest) -> Vec<String> {
    let (above, below) = (parent.run.config(), child.run.config());
    let mut faults = Vec::new();
    let mut hold = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{name} has a wider {what} than its parent"));
        }
    };
    hold(above.grants.contains_all(&below.grants), "grant");
    hold(request.grants.contains_all(&below.grants), "grant than asked");
    hold(below.mode <= above.mode, "mode");
    hold(below.depth == above.depth + 1, "depth");
    hold(below.limits.depth <= above.limits.depth, "depth limit");
    let within = |limit: Option<NanoUsd>| match (limit, below.limits.budget.usd) {
        (Some(limit), Some(own)) => own <= limit,
        (Some(_), None) => false,
        (None, _) => true,
    };
    hold(within(request.budget), "budget");
    hold(below.limits.tokens.at_most(request.tokens) == below.limits.tokens, "limit of tokens");
    let bounded = |bound: Bound| bound != Bound::Unbounded;
    hold(!bounded(above.limits.tokens) || bounded(below.limits.tokens), "limit of tokens than any");
    faults
}

fn tell(text: &[u8]) -> Told {
    let records = journal::decode_strict(text).unwrap();
    let (mut spawned, mut results, mut apart) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let (mut last_spawn, mut answered, mut largest_call) = (None, false, 0);
    let run = journal::replay_with(&records, |seq, effect| match effect {
        Effect::Spawn { call, request } => {
            last_spawn = Some((seq, *call));
            spawned.push((*call, (**request).clone()));
        }
        Effect::Emit(event) => match &event.event {
            Event::CallFinished { call, .. } => {
                *results.entry(*call).or_default() += 1;
                if last_spawn == Some((seq, *call)) {
                    apart.entry(*call).or_default();
                }
            }
            Event::ChildFinished { call, .. } => *apart.entry(*call).or_default() += 1,
            // A lost call costs the estimate of its request.
            Event::ModelCalled { tokens, .. } => largest_call = largest_call.max(*tokens),
            Event::ModelReplied { usage, .. } => largest_call = largest_call.max(usage.total()),
            _ => {}
        },
        Effect::Finish(ending) => answered = matches!(**ending, Ending::Answered { .. }),
        _ => {}
    });
    let run = run.unwrap();
    let heard_all = answered && run.config().children_at_end == ChildrenAtEnd::Wait;
    let (mut started, mut finished, mut bills) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for record in &records {
        match input(record) {
            Input::ChildStarted { call, child } if !started.contains(&(call, child.clone())) => {
                started.push((call, child));
            }
            Input::ChildFinished { call, result } => {
                *finished.entry(call).or_default() += 1;
                bills.insert(call, (result.spent, result.usage));
            }
            _ => {}
        }
    }
    let (most_held, most_tokens) = (most_money(&records), most_tokens(&records));
    let beyond_shares = beyond_shares(&spawned, &bills);
    Told {
        run,
        spawned,
        started,
        finished,
        results,
        apart,
        heard_all,
        bills,
        most_held,
        most_tokens,
        largest_call,
        beyond_shares,
    }
}

/// The tokens that children took beyond what was set aside for them last.
fn beyond_shares(
    spawned: &[(ToolCallId, SpawnRequest)],
    bills: &BTreeMap<ToolCallId, (NanoUsd, Usage)>,
) -> u64 {
    let beyond = |(call, (_, usage)): (&ToolCallId, &(NanoUsd, Usage))| {
        let request = spawned.iter().rev().find(|(spawn, _)| spawn == call);
        let share = request.and_then(|(_, request)| request.tokens);
        share.map_or(0, |share| usage.total().saturating_sub(share))
    };
    bills.iter().map(beyond).sum()
}

/// How often the model was told what came of a child in the background.
fn heard(run: &Run, child: ToolCallId) -> usize {
    let number = format!("(child {child})");
    let messages = run.transcript().iter().filter(|message| message.author == Author::Kernel);
    let is_report = |text: &String| text.starts_with("The background helper ") && text.contains(&number);
    messages.map(|message| message.plain_text()).filter(is_report).count()
}

/// The most money that was set aside for children and spent by them at any time.
fn most_money(records: &[JournalRecord]) -> NanoUsd {
    let share = |request: &SpawnRequest| request.budget.map(NanoUsd::value);
    NanoUsd::new(most_held(records, share, |result| result.spent.value()))
}

/// The same in tokens.
fn most_tokens(records: &[JournalRecord]) -> u64 {
    most_held(records, |request| request.tokens, |result| result.usage.total())
}

fn most_held(
    records: &[JournalRecord],
    share: impl Fn(&SpawnRequest) -> Option<u64>,
    bill: impl Fn(&ChildResult) -> u64,
) -> u64 {
    let (mut open, mut most, mut spent): (BTreeMap<ToolCallId, u64>, _, _) = (BTreeMap::new(), 0, 0);
    let (mut began, mut settled) = (BTreeMap::new(), BTreeMap::new());
    for record in records {
        match input(record) {
            Input::ChildStarted { call, .. } => {
                began.insert(call, record.seq());
            }
            Input::ChildFinished { call, result } => {
                settled.insert(record.seq(), (call, bill(&result)));
            }
            _ => {}
        }
    }
    let _ = journal::replay_with(records, |seq, effect| {
        if let Some((call, bill)) = settled.get(&seq)
            && open.remove(call).is_some()
        {
            spent += *bill;
        }
        match effect {
            Effect::Spawn { call, request } => {
                open.insert(*call, share(request).unwrap_or_default());
            }
            // One that was stopped and had begun may have spent its share until its bill is there.
            Effect::Abort(call) => {
                let child = ToolCallId::new(call.value());
                if began.get(&child).is_none_or(|began| *began > seq) {
                    open.remove(&child);
                }
            }
            _ => {}
        }
        most = most.max(spent + open.values().sum::<u64>());
    });
    most
}

fn input(record: &JournalRecord) -> Input {
    record.payload().input().unwrap()
}
