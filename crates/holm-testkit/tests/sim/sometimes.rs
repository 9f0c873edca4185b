//! Rare situations, counted: a simulation that never meets them proves nothing about them.

use std::collections::{BTreeMap, BTreeSet};

use holm_kernel::{
    Answer, AskReason, CallId, Effect, Ending, Event, FailureClass, Input, Limit, Messages, NextTry,
    Outcome as Came, PlanStep, Purpose, Queue, ToolOutput, Verdict,
};
use holm_testkit::{Mishap, Outcome, Rest, Step, What};

/// How often each situation was met.
pub(crate) type Counts = BTreeMap<&'static str, u64>;

/// Adds what one simulation met.
pub(crate) fn count(outcome: &Outcome, counts: &mut Counts) {
    for (name, met) in situations(outcome) {
        *counts.entry(name).or_default() += u64::from(met);
    }
}

fn situations(outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let mut all = about_models(outcome);
    all.extend(about_calls(outcome));
    all.extend(about_people(outcome));
    all.extend(about_crashes(outcome));
    all.extend(about_ends(outcome));
    all
}

fn about_models(outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let next = |is: fn(&NextTry) -> bool| {
        outcome.has(|event| matches!(event, Event::ModelFailed { next, .. } if is(next)))
    };
    let planned = |wanted: PlanStep| {
        outcome.has(|event| matches!(event, Event::ContextPlanned { step, .. } if *step == wanted))
    };
    let purpose = |wanted: Purpose| outcome.sent.iter().any(|sent| sent.request.purpose == wanted);
    let patched = |sent: &holm_testkit::Sent| {
        sent.request.purpose == Purpose::Turn && matches!(sent.request.messages, Messages::Own(_))
    };
    vec![
        ("a model call is tried again", next(|next| matches!(next, NextTry::Retry { .. }))),
        ("the fallback model is used", next(|next| matches!(next, NextTry::Fallback { .. }))),
        ("a stronger model takes over", outcome.has(|event| matches!(event, Event::SteppedUp { .. }))),
        ("no stronger model is left", outcome.has(|event| matches!(event, Event::LadderExhausted { .. }))),
        ("the view shrinks after an overflow", next(|next| matches!(next, NextTry::Compact))),
        ("a model call is given up", next(|next| matches!(next, NextTry::GiveUp))),
        (
            "a cut reply gets a larger cap",
            outcome.has(|event| matches!(event, Event::OutputCapRaised { from, to, .. } if to > from)),
        ),
        (
            "a cut reply is resumed",
            outcome.has(|event| matches!(event, Event::OutputCapRaised { from, to, .. } if to == from)),
        ),
        ("old results are elided", planned(PlanStep::Elided)),
        ("a summary is used", planned(PlanStep::Summarised)),
        ("a summary is discarded", planned(PlanStep::SummaryDiscarded)),
        ("old turns leave the view", planned(PlanStep::Dropped)),
        ("a model call is paid by estimate", outcome.run.usage().is_estimated()),
        ("a session that ends its hosts is given up", outcome.endings.iter().any(is_host_crash)),
        ("a skill is carried out", purpose(Purpose::Skill)),
        ("a hook patches a request", outcome.sent.iter().any(patched)),
        ("a hook fails", outcome.has(|event| matches!(event, Event::HookFailed { .. }))),
        (
            "the model is told that turns run out",
            outcome.has(|event| matches!(event, Event::LimitNear { .. })),
        ),
    ]
}

fn is_host_crash(ending: &Ending) -> bool {
    matches!(ending, Ending::Failed { class: FailureClass::HostCrash, .. })
}

fn about_calls(outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let came = |wanted: Came| {
        outcome.has(|event| matches!(event, Event::CallFinished { outcome, .. } if *outcome == wanted))
    };
    let asked = |reason: AskReason| {
        any(outcome, |effect| matches!(effect, Effect::Judge(proposal) if proposal.reasons.contains(&reason)))
    };
    let at = |is: fn(&Input) -> bool, then: fn(&Event) -> bool| {
        outcome
            .steps
            .iter()
            .any(|step| is(&step.input) && step.events().any(|numbered| then(&numbered.event)))
    };
    let stopped = |event: &Event| matches!(event, Event::CallFinished { outcome: Came::Stopped, .. });
    vec![
        (
            "arguments are mended",
            outcome.has(|event| matches!(event, Event::CallProposed { fixes, .. } if !fixes.is_empty())),
        ),
        ("a call is refused", came(Came::Refused)),
        ("a call overruns its time", at(|input| matches!(input, Input::TimePassed), stopped)),
        (
            "a failed call stops its siblings",
            at(|input| matches!(input, Input::ToolFinished { .. }), stopped),
        ),
        (
            "a guard rejects a result",
            outcome.has(|event| matches!(event, Event::Ruled { rejected: true, .. })),
        ),
        ("an executable check is asked for", any(outcome, |effect| matches!(effect, Effect::Check { .. }))),
        ("a repeated call is refused", outcome.has(|event| matches!(event, Event::LoopSeen { .. }))),
        (
            "a child in the background answers",
            outcome.has(|event| matches!(event, Event::ChildFinished { outcome: Came::Succeeded, .. })),
        ),
        (
            "a child in the background is stopped",
            outcome.has(|event| matches!(event, Event::ChildFinished { outcome: Came::Stopped, .. })),
        ),
        ("a child is started", any(outcome, |effect| matches!(effect, Effect::Spawn { .. }))),
        ("something untrusted or private enters", outcome.has(|event| matches!(event, Event::Marked { .. }))),
        ("sending data out is asked after a mark", asked(AskReason::EgressAfterMark)),
        ("a missing grant is asked for", asked(AskReason::MissingGrant)),
        ("the mode asks", asked(AskReason::Level)),
        ("the model asks to leave plan mode", asked(AskReason::LeavesPlan)),
        (
            "the model enters plan mode",
            at(
                |input| matches!(input, Input::ModelFinished { .. }),
                |event| matches!(event, Event::ModeChanged { .. }),
            ),
        ),
        (
            "a person lets the model leave plan mode",
            at(
                |input| matches!(input, Input::Judged { .. }),
                |event| matches!(event, Event::ModeChanged { .. }),
            ),
        ),
        ("a tool is hidden by the gate", hidden(outcome)),
    ]
}

fn about_people(outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let judged = |is: fn(&Verdict) -> bool| {
        heard(outcome, |input| matches!(input, Input::Judged { verdict, .. } if is(verdict)))
    };
    let cancelled = |during: fn(&[Step]) -> bool| {
        let steps = outcome.steps.iter().enumerate();
        steps
            .filter(|(_, step)| matches!(step.input, Input::Cancelled { .. }))
            .any(|(at, _)| during(&outcome.steps[..at]))
    };
    vec![
        ("a call is approved", judged(|verdict| matches!(verdict, Verdict::Allow { .. }))),
        ("a call is denied by a person", judged(|verdict| matches!(verdict, Verdict::Deny { .. }))),
        ("a call is rewritten", judged(|verdict| matches!(verdict, Verdict::Rewrite { .. }))),
        ("a rewritten call is denied", rewritten_then_denied(outcome)),
        ("a verdict comes too late", late(outcome, |input| matches!(input, Input::Judged { .. }))),
        ("a lease has ended when the next question comes", lease_ended(outcome)),
        ("it is cancelled while somebody is asked", cancelled(|before| open(before, Opened::Judge))),
        ("it is cancelled while a tool runs", cancelled(|before| open(before, Opened::Tool))),
        ("it is cancelled while a model is called", cancelled(|before| open(before, Opened::Model))),
        (
            "steering waits",
            outcome.has(|event| matches!(event, Event::Queued { queue: Queue::Steering, .. })),
        ),
        ("steering is heard although the tools vote to end", steered_past_the_end(outcome)),
        ("a follow-up restarts a natural stop", followed_up(outcome)),
        (
            "a hook lets a finished run go on",
            heard(outcome, |input| matches!(input, Input::Consulted { answer: Answer::Continue(_), .. })),
        ),
        ("the mode changes while a call waits", changed_while_waiting(outcome)),
        ("a question is withdrawn and asked again", asked_again(outcome)),
        ("an answer brings grants to a question that showed fewer marks", gave_unknowing(outcome)),
    ]
}

fn about_crashes(outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let resumed = |pair: &[Step]| pair.iter().all(|step| matches!(step.input, Input::Resumed { .. }));
    let faults = &outcome.script.faults;
    let snapshot = faults.iter().any(|fault| fault.mishap == Mishap::Snapshot);
    let unknown = |event: &Event| matches!(event, Event::CallFinished { outcome: Came::Unknown, .. });
    let again = |effect: &Effect| matches!(effect, Effect::RunTool { request, .. } if request.again);
    let resumes =
        |effect: &Effect| matches!(effect, Effect::Spawn { request, .. } if request.resume.is_some());
    let took_over = outcome.takeovers > 0;
    let befell = |is: fn(Mishap) -> bool| outcome.befell.iter().any(|fault| is(fault.mishap));
    vec![
        ("a host dies", took_over),
        ("a host dies while it recovers", outcome.steps.windows(2).any(resumed)),
        ("a run goes on from a snapshot", snapshot && took_over),
        ("an outcome is unknown", outcome.has(unknown)),
        ("a harmless call runs again", any(outcome, again)),
        ("a child goes on after a crash", any(outcome, resumes)),
        ("a tool that ran is found out of nothing but its dispatch", ran_and_unknown(outcome)),
        (
            "a tool's answer comes too late",
            late(outcome, |input| matches!(input, Input::ToolFinished { .. })),
        ),
        (
            "a model's answer comes too late",
            late(outcome, |input| matches!(input, Input::ModelFinished { .. })),
        ),
        ("a line is cut while it is written", befell(|mishap| matches!(mishap, Mishap::Torn(_)))),
        ("the disk is full", befell(|mishap| mishap == Mishap::DiskFull)),
        ("two answers change places", befell(|mishap| mishap == Mishap::Reordered)),
        ("a timer fires while a record is written", slow_and_woken(outcome)),
        ("a call overruns its time before it begins", overdue_before_it_began(outcome)),
        (
            "the clock is set back",
            outcome.script.interrupts.iter().any(|interrupt| matches!(interrupt.what, What::ClockBack(_))),
        ),
    ]
}

fn about_ends(outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let over = |wanted: Limit| {
        outcome
            .endings
            .iter()
            .any(|ending| matches!(ending, Ending::OverLimit { limit, .. } if *limit == wanted))
    };
    let ended = |is: fn(&Ending) -> bool| outcome.endings.iter().any(is);
    vec![
        ("it answers", ended(|ending| matches!(ending, Ending::Answered { .. }))),
        ("it is refused", ended(|ending| matches!(ending, Ending::Refused { .. }))),
        ("it is rejected", ended(|ending| matches!(ending, Ending::Rejected { .. }))),
        ("it loops until it is stopped", ended(|ending| matches!(ending, Ending::Looping { .. }))),
        ("it runs out of money", ended(|ending| matches!(ending, Ending::OverBudget { .. }))),
        ("it fails", ended(|ending| matches!(ending, Ending::Failed { .. }))),
        ("it is cancelled", ended(|ending| matches!(ending, Ending::Cancelled { .. }))),
        ("it runs out of turns", over(Limit::Turns)),
        ("it runs out of time", over(Limit::WallClock)),
        ("it runs out of output", over(Limit::OutputTokens)),
        ("it does not fit the window", over(Limit::ContextWindow)),
        ("it waits for a person", outcome.rest == Rest::AwaitsPerson),
    ]
}

/// In one record a question is stopped and its call is asked about again.
fn asked_again(outcome: &Outcome) -> bool {
    outcome.steps.iter().any(|step| {
        let stopped = step.effects.iter().any(|effect| matches!(effect, Effect::Abort(_)));
        let asks = |effect: &Effect| matches!(effect, Effect::Judge(proposal) if CallId::from(proposal.call) != proposal.tool_call);
        stopped && step.effects.iter().any(asks) && !matches!(step.input, Input::Resumed { .. })
    })
}

/// An answer that counts gives something, and a mark was set since its question was shown.
fn gave_unknowing(outcome: &Outcome) -> bool {
    let mut shown = BTreeMap::new();
    let mut marks = outcome.run.config().marks;
    outcome.steps.iter().any(|step| {
        let gives = match &step.input {
            Input::Judged { call, verdict: Verdict::Allow { grants, .. } } if !grants.is_empty() => {
                !ignored(step) && shown.get(call).is_some_and(|shown| *shown != marks)
            }
            _ => false,
        };
        for effect in &step.effects {
            match effect {
                Effect::Judge(proposal) => drop(shown.insert(proposal.call, proposal.marks)),
                Effect::Emit(numbered) => {
                    if let Event::Marked { marks: now } = numbered.event {
                        marks = now;
                    }
                }
                _ => {}
            }
        }
        gives
    })
}

fn any(outcome: &Outcome, is: impl Fn(&Effect) -> bool) -> bool {
    outcome.steps.iter().flat_map(|step| &step.effects).any(is)
}

fn ignored(step: &Step) -> bool {
    step.events().any(|numbered| matches!(numbered.event, Event::Ignored { .. }))
}

fn heard(outcome: &Outcome, is: impl Fn(&Input) -> bool) -> bool {
    outcome.steps.iter().any(|step| is(&step.input) && !ignored(step))
}

fn late(outcome: &Outcome, is: impl Fn(&Input) -> bool) -> bool {
    outcome.steps.iter().any(|step| is(&step.input) && ignored(step))
}

fn hidden(outcome: &Outcome) -> bool {
    heard(outcome, |input| matches!(input, Input::Consulted { answer: Answer::Tools(_), .. }))
}

/// Some question, tool or model call that a host was asked for and has not reported on.
#[derive(Clone, Copy, PartialEq)]
enum Opened {
    Judge,
    Tool,
    Model,
}

fn open(steps: &[Step], what: Opened) -> bool {
    let mut count = 0_i64;
    for step in steps {
        count += match (&step.input, what) {
            (Input::Judged { .. }, Opened::Judge)
            | (Input::ToolFinished { .. }, Opened::Tool)
            | (Input::ModelFinished { .. }, Opened::Model) => -i64::from(!ignored(step)),
            (Input::Dispatched { .. }, Opened::Tool) => i64::from(!ignored(step)),
            _ => 0,
        };
        for effect in &step.effects {
            count += match (effect, what) {
                (Effect::Judge(_), Opened::Judge) | (Effect::CallModel { .. }, Opened::Model) => 1,
                (Effect::Finish(_), _) => -count,
                _ => 0,
            };
        }
    }
    count > 0
}

fn rewritten_then_denied(outcome: &Outcome) -> bool {
    let verdicts = outcome.steps.iter().filter(|step| !ignored(step)).filter_map(|step| match &step.input {
        Input::Judged { verdict, .. } => Some(verdict),
        _ => None,
    });
    let verdicts: Vec<&Verdict> = verdicts.collect();
    verdicts.windows(2).any(|pair| matches!(pair, [Verdict::Rewrite { .. }, Verdict::Deny { .. }]))
}

fn lease_ended(outcome: &Outcome) -> bool {
    let ends = outcome.steps.iter().filter(|step| !ignored(step)).find_map(|step| match &step.input {
        Input::Judged { verdict: Verdict::Allow { until, .. }, .. } => *until,
        _ => None,
    });
    let Some(end) = ends else { return false };
    let later = outcome.steps.iter().filter(|step| step.at >= end);
    later.flat_map(|step| &step.effects).any(|effect| matches!(effect, Effect::Judge(_)))
}

fn steered_past_the_end(outcome: &Outcome) -> bool {
    let votes = |result: &ToolOutput| result.terminate;
    outcome.steps.iter().any(|step| {
        let voted = matches!(&step.input, Input::ToolFinished { result, .. } if votes(result));
        let said = |event: &Event| matches!(event, Event::MessageAdded { message } if message.plain_text().starts_with("steer"));
        voted && step.events().any(|numbered| said(&numbered.event))
    })
}

fn followed_up(outcome: &Outcome) -> bool {
    outcome.steps.iter().any(|step| {
        let said = |event: &Event| matches!(event, Event::MessageAdded { message } if message.plain_text().starts_with("follow up"));
        let reply = matches!(step.input, Input::ModelFinished { .. } | Input::ToolFinished { .. });
        reply && step.events().any(|numbered| said(&numbered.event))
    })
}

fn changed_while_waiting(outcome: &Outcome) -> bool {
    let steps = outcome.steps.iter().enumerate();
    steps
        .filter(|(_, step)| matches!(step.input, Input::ModeChanged(_)))
        .any(|(at, _)| open(&outcome.steps[..at], Opened::Judge))
}

fn slow_and_woken(outcome: &Outcome) -> bool {
    let slow = outcome.befell.iter().filter(|fault| matches!(fault.mishap, Mishap::Slow(_)));
    slow.filter_map(|fault| outcome.steps.get(usize::try_from(fault.at).ok()? + 1))
        .any(|step| matches!(step.input, Input::TimePassed) && !step.effects.is_empty())
}

/// It was handed out, and its time was over before it was written down that it runs.
fn overdue_before_it_began(outcome: &Outcome) -> bool {
    let mut handed_out = BTreeSet::new();
    for step in &outcome.steps {
        if let Input::Dispatched { call } = step.input {
            handed_out.remove(&call.into());
        }
        for effect in &step.effects {
            match effect {
                Effect::RunTool { call, .. } => {
                    handed_out.insert(CallId::from(*call));
                }
                Effect::Abort(call)
                    if matches!(step.input, Input::TimePassed) && handed_out.contains(call) =>
                {
                    return true;
                }
                _ => {}
            }
        }
    }
    false
}

fn ran_and_unknown(outcome: &Outcome) -> bool {
    let unknown = |event: &Event, wanted| matches!(event, Event::CallFinished { call, outcome: Came::Unknown, .. } if *call == wanted);
    outcome.ran.iter().any(|ran| outcome.has(|event| unknown(event, ran.call)))
}
