//! Nothing that was said is lost, and every call is answered.

use std::collections::BTreeSet;

use holm_kernel::{Answer, Block, ConsultPoint, ConsultationId, Effect, Event, Input, Message, Role};

use crate::{Outcome, Rest, Step, Violation};

/// What was said stands in the transcript once, still waits, or was dropped by a cancel; the transcript only grows.
pub fn no_message_is_lost(outcome: &Outcome) -> Vec<Violation> {
    let promise = "what was said is kept, once";
    let mut found = Vec::new();
    let added: Vec<&Message> = outcome
        .events()
        .filter_map(|numbered| match &numbered.event {
            Event::MessageAdded { message } => Some(&**message),
            _ => None,
        })
        .collect();
    let transcript: Vec<&Message> = outcome.run.transcript().iter().map(|message| &**message).collect();
    if added != transcript {
        found.push(Violation::new(
            promise,
            None,
            "the transcript is not the list of messages that were added",
        ));
    }
    if !transcript.is_sorted_by(|a, b| a.id < b.id) {
        found.push(Violation::new(promise, None, "message ids do not rise"));
    }
    let state = &outcome.state;
    let waiting = state.get(state.find(r#""steering":"#).unwrap_or(0)..).unwrap_or_default();
    let waiting = waiting.get(..waiting.find(r#""usage":"#).unwrap_or(0)).unwrap_or_default();
    let asked = asked(outcome);
    for (step, blocks) in outcome.steps.iter().filter_map(|step| said(step, &asked)) {
        let times = |messages: &[&Message]| {
            messages.iter().filter(|message| message.role == Role::User && message.blocks == *blocks).count()
        };
        let queued = serde_json::to_string(blocks).is_ok_and(|text| waiting.contains(&text));
        match (times(&transcript), queued, is_dropped(outcome, blocks)) {
            (1, false, false) | (0, true, false) | (0, false, true) => {}
            (times, _, dropped) => {
                let message =
                    format!("{blocks:?} stands there {times} times, waiting {queued}, dropped {dropped}");
                found.push(Violation::new(promise, step.seq, message));
            }
        }
    }
    found
}

/// Whether a cancel is said to have dropped it; nothing else may.
fn is_dropped(outcome: &Outcome, blocks: &[Block]) -> bool {
    let cancels = outcome.steps.iter().filter(|step| matches!(step.input, Input::Cancelled { .. }));
    cancels.flat_map(Step::events).any(|numbered| match &numbered.event {
        Event::QueueDropped { prompts, .. } => prompts.iter().any(|prompt| prompt.blocks == blocks),
        _ => false,
    })
}

/// Consultations at which an answer may be a message.
fn asked(outcome: &Outcome) -> BTreeSet<ConsultationId> {
    let effects = outcome.steps.iter().flat_map(|step| &step.effects);
    let calls = effects.filter_map(|effect| match effect {
        Effect::Consult(consultation) => match consultation.question.point() {
            ConsultPoint::Stop | ConsultPoint::PlainAnswer => Some(consultation.call),
            ConsultPoint::Context | ConsultPoint::Tools | ConsultPoint::Model | ConsultPoint::AfterTool => {
                None
            }
        },
        _ => None,
    });
    calls.collect()
}

/// What a person or hook said with a fact; scripts say nothing twice, so it can be found again.
fn said<'a>(step: &'a Step, asked: &BTreeSet<ConsultationId>) -> Option<(&'a Step, &'a [Block])> {
    let ignored = || step.events().any(|numbered| matches!(numbered.event, Event::Ignored { .. }));
    match &step.input {
        Input::Prompted(prompt) | Input::Steered(prompt) | Input::FollowedUp(prompt) => {
            Some((step, &prompt.blocks))
        }
        Input::Consulted { call, answer: Answer::Continue(prompt) } if asked.contains(call) && !ignored() => {
            Some((step, &prompt.blocks))
        }
        _ => None,
    }
}

/// Every call in the transcript has one result with its id, in the next message; only a run that waits may owe some.
pub fn every_call_is_answered(outcome: &Outcome) -> Vec<Violation> {
    let promise = "every call is answered once, right after it";
    let mut found = Vec::new();
    let transcript: Vec<&Message> = outcome.run.transcript().iter().map(|message| &**message).collect();
    if let Some(fault) = unpaired(&transcript, outcome.rest != Rest::Idle) {
        found.push(Violation::new(promise, None, fault));
    }
    let mut proposed = BTreeSet::new();
    let mut finished = BTreeSet::new();
    for numbered in outcome.events() {
        match &numbered.event {
            Event::CallProposed { call, .. } => {
                proposed.insert(*call);
            }
            Event::CallFinished { call, .. } if !finished.insert(*call) => {
                found.push(Violation::new(
                    promise,
                    numbered.id.record,
                    format!("call {call} finished twice"),
                ));
            }
            Event::GroupEnded { last, .. } => {
                let upto = transcript.iter().take_while(|message| Some(message.id) <= *last);
                let upto: Vec<&Message> = upto.copied().collect();
                if let Some(fault) = unpaired(&upto, false) {
                    found.push(Violation::new(promise, numbered.id.record, fault));
                }
            }
            _ => {}
        }
    }
    if outcome.rest == Rest::Idle
        && let Some(open) = proposed.difference(&finished).next()
    {
        found.push(Violation::new(promise, None, format!("call {open} was proposed and never finished")));
    }
    found
}

/// What is wrong with the pairing of calls and results, if anything.
pub(super) fn unpaired(messages: &[&Message], may_owe: bool) -> Option<String> {
    let mut index = 0;
    while let Some(message) = messages.get(index) {
        index += 1;
        let calls: Vec<&str> = message.tool_calls().map(|call| call.id.as_str()).collect();
        if message.role == Role::Tool {
            return Some(format!("message {} answers nothing", message.id));
        }
        if calls.is_empty() {
            continue;
        }
        let Some(next) = messages.get(index) else {
            return (!may_owe).then(|| format!("the calls of message {} are not answered", message.id));
        };
        let results: Vec<&str> = next.blocks.iter().filter_map(result_of).collect();
        if next.role != Role::Tool || results != calls {
            return Some(format!("message {} asks {calls:?} and gets {results:?}", message.id));
        }
        if calls.iter().collect::<BTreeSet<_>>().len() != calls.len() {
            return Some(format!("message {} uses an id twice", message.id));
        }
        index += 1;
    }
    None
}

fn result_of(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult(result) => Some(&result.call),
        _ => None,
    }
}
