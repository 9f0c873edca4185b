//! Scripts that once showed a fault, or could have: each by name, so that it is never met by chance alone.

use holm_grants::Mode;
use holm_kernel::{
    Answer, Approvals, BatchOrder, ConsultPoint, Effect, Ending, Event, Input, NanoUsd, Outcome as Came,
    ToolCallId,
};
use holm_testkit::{Ask, Fault, Interrupt, Line, Mishap, Outcome, Ruling, Script, Step, What, Work};

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

fn answered() -> [Ending; 1] {
    [Ending::Answered { text: "done".into() }]
}

fn came_to(outcome: &Outcome, wanted: Came) -> bool {
    outcome.has(|event| matches!(event, Event::CallFinished { outcome, .. } if *outcome == wanted))
}

/// A call that must not run twice. Record 2 hands it out, record 3 says that it runs, record 4 what came of it.
fn once(faults: Vec<Fault>) -> Script {
    Script { model: vec![Line::calls("shell", "{}")], faults, ..Script::prompted("go") }
}

#[test]
fn a_dispatch_whose_line_was_cut_anywhere_is_dropped_and_written_again() {
    let setting = Setting::default;
    let length = keeps_every_promise(setting(), once(Vec::new())).journal.lines().nth(3).map(str::len);
    for cut in 0..=length.expect("a record") as u64 {
        let outcome = keeps_every_promise(setting(), once(vec![at(3, Mishap::Torn(cut))]));
        assert_eq!(outcome.befell, [at(3, Mishap::Torn(cut))]);
        assert!(matches!(outcome.steps[3].input, Input::Resumed { .. }), "{:?}", outcome.steps[3].input);
        assert_eq!((ran(&outcome, "shell"), outcome.takeovers), (1, 1));
        assert_eq!(outcome.endings, answered());
    }
}

#[test]
fn a_line_that_is_cut_in_the_recovery_from_a_cut_line_is_dropped_too() {
    let faults = vec![at(3, Mishap::Torn(20)), at(3, Mishap::Torn(90)), at(4, Mishap::Torn(5))];
    let outcome = keeps_every_promise(Setting::default(), once(faults));
    assert_eq!((ran(&outcome, "shell"), outcome.takeovers), (1, 3));
    assert_eq!(outcome.endings, answered());
}

#[test]
fn a_tool_does_not_run_while_the_disk_is_too_full_to_say_so() {
    let outcome = keeps_every_promise(Setting::default(), once(vec![at(3, Mishap::DiskFull)]));
    assert!(matches!(outcome.steps[3].input, Input::Resumed { .. }), "{:?}", outcome.steps[3].input);
    assert_eq!(ran(&outcome, "shell"), 1);
    assert_eq!(outcome.endings, answered());
}

#[test]
fn a_result_that_a_full_disk_loses_is_unknown_and_its_call_is_not_made_again() {
    let outcome = keeps_every_promise(Setting::default(), once(vec![at(4, Mishap::DiskFull)]));
    assert_eq!(ran(&outcome, "shell"), 1);
    assert!(came_to(&outcome, Came::Unknown));
    assert_eq!(outcome.endings, answered());
}

#[test]
fn two_answers_that_change_places_are_each_heard_for_their_own_call() {
    // Both only look, so they run side by side.
    let asks = vec![Ask::new("look", r#"{"path":"src/a.rs"}"#), Ask::new("page", r#"{"path":"src/b.rs"}"#)];
    let script = Script { model: vec![Line::Calls(String::new(), asks)], ..Script::prompted("go") };
    let heard = |faults: Vec<Fault>| {
        let outcome = keeps_every_promise(Setting::default(), Script { faults, ..script.clone() });
        assert_eq!((ran(&outcome, "look"), ran(&outcome, "page")), (1, 1));
        let calls = outcome.steps.iter().filter_map(|step| match step.input {
            Input::ToolFinished { call, .. } => Some(call),
            _ => None,
        });
        calls.collect::<Vec<ToolCallId>>()
    };
    let mut before = heard(Vec::new());
    // Record 4 says that the second of them runs: both wait then.
    let after = heard(vec![at(4, Mishap::Reordered)]);
    before.reverse();
    assert_eq!((before.len(), after), (2, before));
}

#[test]
fn a_call_whose_time_is_over_when_its_record_is_written_at_last_never_begins() {
    let script = Script {
        model: vec![Line::calls("look", r#"{"path":"src/a.rs"}"#)],
        // Tools have five seconds.
        faults: vec![at(2, Mishap::Slow(6_000))],
        ..Script::prompted("go")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    assert!(matches!(outcome.steps[3].input, Input::TimePassed), "{:?}", outcome.steps[3].input);
    assert_eq!(ran(&outcome, "look"), 0);
    assert!(came_to(&outcome, Came::Refused));
    assert_eq!(outcome.endings, answered());
}

#[test]
fn a_plan_that_is_approved_while_an_earlier_call_runs_is_left_when_its_turn_comes() {
    let two = vec![Ask::new("finish", "{}"), Ask::new("exit_plan", "{}")];
    let script = Script {
        model: vec![Line::calls("enter_plan", "{}"), Line::Calls(String::new(), two)],
        people: vec![Ruling::Allows],
        // Record 4 dispatches `finish`; the yes is there before it is done.
        faults: vec![at(4, Mishap::Late(4_000))],
        ..Script::prompted("go")
    };
    let setting = Setting { order: BatchOrder::Sequential, ..Setting::default() };
    let outcome = keeps_every_promise(setting, script);
    let left = |step: &&Step| {
        step.events().any(|numbered| matches!(numbered.event, Event::ModeChanged { mode: Mode::Full }))
    };
    let inputs: Vec<&Input> = outcome.steps.iter().filter(left).map(|step| &step.input).collect();
    assert!(matches!(inputs[..], [Input::ToolFinished { .. }]), "{inputs:?}");
}

#[test]
fn a_run_whose_time_for_bills_passes_while_nobody_drives_it_ends_all_the_same() {
    let script = Script {
        prompts: vec!["go".into(), "and on".into()],
        model: vec![Line::Cut("a".into(), vec![]), Line::calls("leave_child", r#"{"path":"src/a.rs"}"#)],
        // Record 5 begins the child, whose answer is lost; the first group ends without it, and the second has nothing but what was
        // set aside for it. Record 8 says that the time for its bill is over, and the host dies over it.
        faults: vec![at(5, Mishap::Lost), at(8, Mishap::CrashBefore)],
        ..Script::prompted("go")
    };
    let setting = Setting {
        budget: Some(501),
        approvals: holm_kernel::Approvals::AskAlways,
        summary: false,
        ..Setting::default()
    };
    let outcome = keeps_every_promise(setting, script);
    assert!(matches!(outcome.steps[8].input, Input::Resumed { .. }), "{:?}", outcome.steps[8].input);
    assert!(matches!(outcome.endings[..], [_, Ending::OverBudget { .. }]), "{:?}", outcome.endings);
}

/// What was set aside for the children that were asked for.
fn spawned(outcome: &Outcome) -> Vec<u64> {
    let effects = outcome.steps.iter().flat_map(|step| &step.effects);
    let shares = effects.filter_map(|effect| match effect {
        Effect::Spawn { request, .. } => Some(request.budget.map_or(0, NanoUsd::value)),
        _ => None,
    });
    shares.collect()
}

fn extracts(count: usize) -> Line {
    let ask = Ask::new("extract", r#"{"target":"email","text":"Write to a@b.example."}"#);
    Line::Calls(String::new(), vec![ask; count])
}

#[test]
fn a_child_that_had_not_begun_does_not_begin_when_a_lost_call_has_used_the_budget_up() {
    let two = vec![Ask::new("look", r#"{"path":"src/a.rs"}"#), Ask::new("leave_child", "{}")];
    let script = Script {
        model: vec![Line::Calls(String::new(), two)],
        // Record 4 asks for the child and calls the model; neither begins.
        faults: vec![at(4, Mishap::CrashAfter)],
        ..Script::prompted("prompt 0")
    };
    let setting = Setting { budget: Some(351), order: BatchOrder::Sequential, ..Setting::default() };
    let outcome = keeps_every_promise(setting, script);
    assert_eq!(spawned(&outcome).len(), 1, "once, before the crash");
    assert_eq!(outcome.sent.len(), 2, "the call that was lost used the budget up");
    assert!(matches!(outcome.endings[..], [Ending::OverBudget { .. }]), "{:?}", outcome.endings);
}

#[test]
fn a_child_that_had_not_begun_does_not_begin_when_a_lost_call_has_used_the_tokens_up() {
    let script = Script {
        model: vec![Line::Stops, Line::calls("leave_child", "{}")],
        faults: vec![at(5, Mishap::Torn(0))],
        ..Script::prompted("prompt 0")
    };
    let setting = Setting { tokens: Some(371), tries: 2, ..Setting::default() };
    let outcome = keeps_every_promise(setting, script);
    assert_eq!(spawned(&outcome).len(), 1, "once, before the crash");
    assert!(matches!(outcome.endings[..], [Ending::OverLimit { .. }]), "{:?}", outcome.endings);
}

#[test]
fn a_child_that_had_not_begun_takes_its_share_again_after_each_crash() {
    let mut asks = vec![Ask::new("extract", r#"{"target":"email","text":"Write to a@b.example."}"#)];
    asks.extend([Ask::new("ask_child", "{}"), Ask::new("leave_child", "{}")]);
    let script = Script {
        model: vec![Line::Calls(String::new(), asks)],
        faults: (2..5).map(|record| at(record, Mishap::CrashAfter)).collect(),
        ..Script::prompted("prompt 0")
    };
    let mut smaller = 0;
    for budget in (400..2_000).step_by(50) {
        let setting = Setting { budget: Some(budget), ..Setting::default() };
        let outcome = keeps_every_promise(setting, script.clone());
        smaller += spawned(&outcome).iter().skip(2).filter(|share| **share < 200).count();
    }
    assert!(smaller > 0, "some budgets leave less than a share after a crash");
}

#[test]
fn the_second_try_of_a_skill_waits_for_another_when_a_limit_was_set_late() {
    let script = Script {
        // What the model says to skills is no JSON.
        model: vec![extracts(2)],
        interrupts: after(2, What::Budget(Some(100_000))),
        ..Script::prompted("prompt 0")
    };
    let outcome = keeps_every_promise(Setting::default(), script);
    assert_eq!(outcome.sent.len(), 6, "a turn, two tries of each skill, and the last turn");
}

#[test]
fn a_limit_that_is_set_after_a_cut_record_holds_for_second_tries() {
    let first = vec![
        Ask::new("send", r#"{"url":"https://api.example.com/0"}"#),
        Ask::new("page", r#"{"path":"src/0.rs"}"#),
    ];
    let ask = Ask::new("extract", r#"{"target":"email","text":"Write to a@b.example."}"#);
    let second = vec![ask.clone(), Ask::new("page", r#"{"path":"src/a.rs"}"#), ask];
    let script = Script {
        model: vec![Line::Calls(String::new(), first), Line::Calls(String::new(), second)],
        interrupts: after(9, What::Budget(Some(451))),
        faults: vec![at(3, Mishap::Torn(0))],
        ..Script::prompted("prompt 0")
    };
    let setting = Setting { approvals: Approvals::Deny, turns: 3, tries: 1, ..Setting::default() };
    keeps_every_promise(setting, script);
}
