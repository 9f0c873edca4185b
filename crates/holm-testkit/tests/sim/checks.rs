//! The promises notice what they are for: a run keeps them, and the same run changed by hand does not.

use holm_kernel::{Effect, Event, FailureClass, Input, ModelCallId, Numbered, Outcome as Came, Seq};
use holm_testkit::{Ask, Interrupt, Line, Outcome, Script, Violation, What, Work, check};

use crate::setting::Setting;
use crate::strategy::Case;
use crate::{play, violations};

type Promise = fn(&Outcome) -> Vec<Violation>;

fn played(script: Script, seed: u64) -> Outcome {
    let case = Case { setting: Setting { budget: Some(50_000), ..Setting::default() }, script, seed };
    play(&case)
}

/// A sound run of this script breaks the promise once it was changed.
fn notices(promise: Promise, mut outcome: Outcome, change: impl Fn(&mut Outcome)) {
    assert_eq!(violations(&outcome), []);
    change(&mut outcome);
    assert_ne!(promise(&outcome), []);
}

/// Leaves out the effects that are named.
fn without(outcome: &mut Outcome, gone: impl Fn(&Effect) -> bool) {
    for step in &mut outcome.steps {
        step.effects.retain(|effect| !gone(effect));
    }
}

fn look(path: &str) -> Line {
    Line::calls("look", format!(r#"{{"path":"src/{path}.rs"}}"#))
}

#[test]
fn a_stop_that_is_not_said_is_noticed() {
    let interrupts = vec![Interrupt { after: 3, what: What::Cancels }];
    let script = Script { model: vec![look("a")], interrupts, ..Script::prompted("go") };
    notices(check::what_is_given_up_is_stopped, played(script, 5), |outcome| {
        without(outcome, |effect| matches!(effect, Effect::Abort(_)));
    });
}

#[test]
fn a_text_that_is_not_taken_back_is_noticed() {
    let script = Script { model: vec![Line::Fails(FailureClass::Network)], ..Script::prompted("go") };
    let takes_back =
        |effect: &Effect| matches!(effect, Effect::Emit(Numbered { event: Event::Withdrawn { .. }, .. }));
    notices(check::what_does_not_count_is_withdrawn, played(script, 5), |outcome| {
        without(outcome, takes_back);
    });
}

#[test]
fn an_answer_that_nobody_gave_is_noticed() {
    let script = Script { model: vec![look("a")], ..Script::prompted("go") };
    notices(check::answers_keep_their_calls, played(script, 5), |outcome| outcome.answered.clear());
}

#[test]
fn a_share_that_is_kept_is_noticed() {
    let script = Script { model: vec![Line::calls("ask_child", "{}")], ..Script::prompted("go") };
    notices(check::shares_come_back, played(script, 5), |outcome| {
        outcome.state = outcome.state.replacen(r#""reserved":0"#, r#""reserved":7"#, 1);
    });
}

#[test]
fn a_quota_that_is_overrun_is_noticed() {
    let scarce = Line::calls("scarce", r#"{"path":"src/c.rs"}"#);
    let script = Script { model: vec![look("a"), look("b"), scarce], ..Script::prompted("go") };
    notices(check::quotas_are_kept, played(script, 5), |outcome| {
        for effect in outcome.steps.iter_mut().flat_map(|step| &mut step.effects) {
            if let Effect::RunTool { request, .. } = effect {
                request.tool = "scarce".into();
            }
        }
    });
}

#[test]
fn a_circle_is_noticed() {
    let tools = ["one", "two", "three"].map(|text| Work::Gives(text.into())).into();
    let script = Script { model: vec![look("a"), look("a"), look("a")], tools, ..Script::prompted("go") };
    notices(check::repeats_are_refused, played(script, 5), |outcome| {
        for step in &mut outcome.steps {
            if let Input::ToolFinished { result, .. } = &mut step.input {
                result.text = "the same".into();
            }
        }
    });
}

#[test]
fn a_sibling_that_goes_on_is_noticed() {
    let asks = vec![Ask::new("fragile", "{}"), Ask::new("look", r#"{"path":"src/a.rs"}"#)];
    let script = Script {
        model: vec![Line::Calls(String::new(), asks)],
        tools: vec![Work::Fails("it broke".into())],
        ..Script::prompted("go")
    };
    let stopped = |event: &Event| matches!(event, Event::CallFinished { outcome: Came::Stopped, .. });
    // Which of the two is done first is for the seed to say.
    let mut outcomes = (0..64).map(|seed| played(script.clone(), seed));
    let outcome = outcomes.find(|outcome| outcome.has(stopped)).expect("a failure that comes first");
    notices(check::failures_stop_their_siblings, outcome, |outcome| {
        without(outcome, |effect| matches!(effect, Effect::Emit(numbered) if stopped(&numbered.event)));
    });
}

#[test]
fn a_tool_that_runs_before_its_dispatch_is_noticed() {
    let script = Script { model: vec![look("a")], ..Script::prompted("go") };
    notices(check::nothing_runs_twice_or_is_lost, played(script, 5), |outcome| {
        for ran in &mut outcome.ran {
            ran.seq = Seq::new(1);
        }
    });
}

#[test]
fn an_answer_under_another_call_is_noticed() {
    let script = Script { model: vec![look("a")], ..Script::prompted("go") };
    notices(check::answers_keep_their_calls, played(script, 5), |outcome| {
        let mut first: Option<ModelCallId> = None;
        for step in &mut outcome.steps {
            if let Input::ModelFinished { call, .. } = &mut step.input {
                *call = *first.get_or_insert(*call);
            }
        }
    });
}
