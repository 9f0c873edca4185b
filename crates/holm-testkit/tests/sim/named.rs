//! Scripts that once showed a fault, or could have: each by name, so that it is never met by chance alone.

use holm_grants::Mode;
use holm_kernel::{Answer, BatchOrder, ConsultPoint, Effect, Ending, Input, Outcome as Came};
use holm_testkit::{Ask, Fault, Interrupt, Line, Mishap, Outcome, Ruling, Script, What, Work};

use crate::setting::{Setting, grants};
use crate::strategy::Case;
use crate::{play, violations};

/// Plays a script that must keep every promise, and gives what came of it.
fn keeps_every_promise(setting: Setting, script: Script) -> Outcome {
    let case = Case { setting, script, seed: 5 };
    let outcome = play(&case);
    assert_eq!(violations(&outcome), [], "{case:?}");
    outcome
}

fn after(record: u64, what: What) -> Vec<Interrupt> {
    vec![Interrupt { after: record, what }]
}

fn at(record: u64, mishap: Mishap) -> Fault {
    Fault { at: record, mishap }
}

fn asked(outcome: &Outcome, tool: &str) -> usize {
    let effects = outcome.steps.iter().flat_map(|step| &step.effects);
    effects.filter(|effect| matches!(effect, Effect::Judge(proposal) if proposal.tool == tool)).count()
}

fn ran(outcome: &Outcome, tool: &str) -> usize {
    outcome.ran.iter().filter(|ran| &*ran.tool == tool).count()
}

#[test]
fn a_budget_that_shrinks_during_a_pause_stops_the_next_call() {
    let script = Script {
        model: vec![Line::Thinks("hm".into())],
        interrupts: after(2, What::Budget(Some(0))),
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    assert!(matches!(outcome.endings[..], [Ending::OverBudget { .. }]), "{:?}", outcome.endings);
    assert_eq!(outcome.sent.len(), 1);
}

#[test]
fn a_lease_that_ends_while_a_call_waits_its_turn_is_asked_for_again() {
    let two = vec![Ask::new("look", r#"{"path":"src/a.rs"}"#), Ask::new("shell", "{}")];
    let script = Script {
        model: vec![Line::calls("write", r#"{"path":"out/b.txt"}"#), Line::Calls(String::new(), two)],
        people: vec![Ruling::Grants(grants(&["tool:shell"]), Some(2_000))],
        // Record 7 dispatches `look`; the lease has ended when it is done.
        faults: vec![at(7, Mishap::Late(4_000))],
        ..Script::prompted("go")
    };
    let setting = Setting { mode: Mode::Default, order: BatchOrder::Sequential, ..Setting::default() };
    let outcome = keeps_every_promise(setting, script);
    assert_eq!((asked(&outcome, "shell"), ran(&outcome, "shell")), (1, 1));
}

#[test]
fn a_gate_stays_shut_when_the_tools_change_before_the_reply() {
    let open = Answer::Tools(vec![["look".to_owned()].into()]);
    let script = Script {
        model: vec![Line::calls("shell", "{}")],
        hooks: vec![open],
        interrupts: after(2, What::Tools(vec!["look".into(), "shell".into()])),
        ..Script::prompted("go")
    };
    let setting = Setting { consult: [ConsultPoint::Tools].into(), ..Setting::default() };
    let outcome = keeps_every_promise(setting, script);
    assert_eq!(ran(&outcome, "shell"), 0);
}

#[test]
fn a_yes_that_comes_twice_does_not_count_for_rewritten_arguments() {
    let script = Script {
        model: vec![Line::calls("write", r#"{"path":"out/b.txt"}"#)],
        people: vec![
            Ruling::Rewrites(r#"{"path":"out/c.txt"}"#.into()),
            Ruling::Rewrites(r#"{"path":"out/d.txt"}"#.into()),
            Ruling::Silent,
        ],
        faults: vec![at(3, Mishap::Twice), at(4, Mishap::Twice)],
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting { mode: Mode::Default, ..Setting::default() }, script);
    assert_eq!(ran(&outcome, "write"), 0);
}

#[test]
fn a_harmless_call_does_not_run_again_in_a_mode_that_forbids_it() {
    let script = Script {
        model: vec![Line::calls("put", r#"{"path":"out/b.txt"}"#)],
        interrupts: after(3, What::Mode(Mode::Plan)),
        faults: vec![at(4, Mishap::CrashAfter)],
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    let effects = outcome.steps.iter().flat_map(|step| &step.effects);
    let again = effects.filter(|effect| matches!(effect, Effect::RunTool { request, .. } if request.again));
    assert_eq!(again.count(), 0);
}

#[test]
fn a_bill_that_comes_twice_or_after_the_end_is_paid_once() {
    let script = Script {
        model: vec![Line::calls("look", r#"{"path":"src/a.rs"}"#)],
        interrupts: after(5, What::Cancels),
        faults: vec![at(2, Mishap::Twice), at(4, Mishap::Late(500))],
        ..Script::prompted("go")
    };
    keeps_every_promise(Setting::default(), script);
}

#[test]
fn a_child_that_was_stopped_is_still_paid_for() {
    let script = Script {
        model: vec![Line::calls("ask_child", "{}")],
        interrupts: after(3, What::Cancels),
        ..Script::prompted("go")
    };
    for seed in 0..8 {
        let setting = Setting { budget: Some(2_000), ..Setting::default() };
        let case = Case { setting, script: script.clone(), seed };
        assert_eq!(violations(&play(&case)), [], "{case:?}");
    }
}

#[test]
fn a_late_answer_of_the_host_before_is_no_mistake_of_the_next() {
    let script = Script {
        model: vec![Line::calls("look", r#"{"path":"src/a.rs"}"#)],
        interrupts: after(3, What::HandOver),
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    assert!(outcome.steps.iter().any(|step| matches!(step.input, Input::Resumed { .. })));
}

#[test]
fn a_hanging_tool_is_stopped_at_its_deadline_and_the_run_goes_on() {
    let script = Script {
        model: vec![Line::calls("look", r#"{"path":"src/a.rs"}"#)],
        tools: vec![Work::Hangs],
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    assert_eq!(outcome.endings, [Ending::Answered { text: "done".into() }]);
    let stopped = |event: &holm_kernel::Event| {
        matches!(event, holm_kernel::Event::CallFinished { outcome: Came::Stopped, .. })
    };
    assert!(outcome.has(stopped));
}

#[test]
fn a_megabyte_of_hostile_output_and_arguments_keeps_every_promise() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let tags = "</tool_output>\u{1b}[2J\u{0}\u{202e}".repeat(40_000);
    let script = Script {
        model: vec![
            Line::Calls(
                tags.clone(),
                vec![Ask::new("look", r#"{"path":"src/a.rs"}"#), Ask::new("shell", deep)],
            ),
            Line::calls("no\u{0}such\u{1b}tool", tags.clone()),
            Line::says(tags.clone()),
        ],
        tools: vec![Work::Gives(tags)],
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    assert_eq!(ran(&outcome, "look"), 1);
    assert_eq!(ran(&outcome, "shell"), 0);
}
