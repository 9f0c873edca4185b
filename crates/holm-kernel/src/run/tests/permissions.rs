//! What may run: levels and modes, grants and denials, questions and their answers, gates.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_grants::{DenialSet, GrantSet, Level, Mode};
use holm_guards::json::Json;

use super::play::{Play, Say, answered, config, config_with, tool};
use crate::*;

const A: &str = r#"{"path":"out/a"}"#;
const B: &str = r#"{"path":"out/b"}"#;

/// A tool that writes the file it is told to.
fn writer() -> ToolSpec {
    let schema = r#"{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}"#;
    let mut tool =
        ToolSpec::new("save", "Writes a file.", Json::parse(schema).expect("a schema")).level(Level::Write);
    tool.needs = vec!["write:{path}".parse().expect("a template")];
    tool
}

fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).expect("grants")
}

fn denials(texts: &[&str]) -> DenialSet {
    DenialSet::parse(texts.iter().copied()).expect("denials")
}

fn writing(granted: &[&str]) -> Config {
    Config { grants: grants(granted), ..config_with(vec![writer()]) }
}

/// Allows with a lease, until a time if one is given.
fn leasing(texts: &[&str], until: Option<u64>) -> Verdict {
    Verdict::Allow { grants: grants(texts), until: until.map(Timestamp::new) }
}

fn reasons(play: &Play) -> Vec<Vec<AskReason>> {
    play.asked.iter().map(|proposal| proposal.reasons.clone()).collect()
}

/// The question that is open, with its id.
pub(super) fn question(effects: &[Effect]) -> Proposal {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::Judge(proposal) => Some((**proposal).clone()),
        _ => None,
    });
    found.expect("somebody is asked")
}

pub(super) fn runs(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::RunTool { .. } | Effect::Spawn { .. }))
}

fn ignored(play: &Play, call: CallId) -> bool {
    play.events.last() == Some(&Event::Ignored { call: Some(call) })
}

#[test]
fn modes_and_levels_decide_as_their_table_says() {
    use Level::{Execute, None, ReadOnly, Write};
    let check = |mode: Mode, level: Level, expected: &str| {
        let tools = vec![tool("act").level(level)];
        let mut play = Play::new(Config { mode, ..config_with(tools) }, vec![Say::Call("act", "{}")]);
        play.prompt("go");
        let found = match (play.ran.len(), play.asked.len()) {
            (1, 0) => "allow",
            (1, 1) => "ask",
            _ => "deny",
        };
        assert_eq!(found, expected, "{mode} {level}");
        let asked_for_level = reasons(&play).concat() == [AskReason::Level];
        assert_eq!(asked_for_level, expected == "ask", "{mode} {level}");
    };
    let table = [
        (Mode::Plan, ["allow", "allow", "deny", "deny"]),
        (Mode::Default, ["allow", "allow", "ask", "ask"]),
        (Mode::AcceptEdits, ["allow", "allow", "allow", "ask"]),
        (Mode::Full, ["allow", "allow", "allow", "allow"]),
    ];
    for (mode, row) in table {
        for (level, expected) in [None, ReadOnly, Write, Execute].into_iter().zip(row) {
            check(mode, level, expected);
        }
    }
}

#[test]
fn what_is_granted_runs_and_what_is_missing_is_asked_for_by_name() {
    let mut play = Play::new(
        writing(&["write:out/**"]),
        vec![Say::Call("save", A), Say::Call("save", r#"{"path":"etc/x"}"#)],
    );
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran.len(), 2);
    let [proposal] = &play.asked[..] else { panic!("one question") };
    assert_eq!(proposal.reasons, [AskReason::MissingGrant]);
    assert_eq!(proposal.missing, ["write:etc/x"]);
    assert_eq!(proposal.level, Level::Write);
}

#[test]
fn where_nobody_answers_a_missing_grant_is_a_refusal_that_names_it() {
    let mut play =
        Play::new(Config { approvals: Approvals::Deny, ..writing(&[]) }, vec![Say::Call("save", A)]);
    play.prompt("go");
    let (outcome, text) = play.results().remove(0);
    assert_eq!(outcome, Outcome::Refused);
    assert!(text.contains("write:out/a"), "{text}");
    assert!(play.asked.is_empty() && play.ran.is_empty());
}

#[test]
fn a_denial_is_final_whatever_was_granted_leased_or_said() {
    let mut config = writing(&["write:**"]);
    config.denials = denials(&["write:out/secret/**"]);
    let mut play =
        Play::new(config, vec![Say::Call("save", B), Say::Call("save", r#"{"path":"out/secret/k"}"#)]);
    play.judge = Box::new(|_| leasing(&["write:**"], None));
    play.give(Input::ModeChanged(Mode::Default));
    play.prompt("go");
    assert_eq!((play.ran.len(), play.asked.len()), (1, 1));
    let (outcome, text) = play.results().remove(1);
    assert_eq!(outcome, Outcome::Refused);
    assert!(text.contains("deny list"), "{text}");
}

#[test]
fn a_tool_that_is_denied_by_name_never_runs() {
    for denied in ["tool:save", "tool:SA*"] {
        let mut config = writing(&["write:**", "tool:save"]);
        config.denials = denials(&[denied]);
        let mut play = Play::new(config, vec![Say::Call("save", A)]);
        play.prompt("go");
        assert!(play.asked.is_empty() && play.ran.is_empty(), "{denied}");
        assert!(play.results()[0].1.contains("deny list"));
    }
}

#[test]
fn a_denial_holds_for_a_file_of_the_workspace_however_it_is_spelled() {
    let env = r#"{"path":"/home/me/project/app/.env"}"#;
    let other = r#"{"path":"/home/me/project/out/a"}"#;
    let mut config = writing(&["write:**", "write:/home/me/**"]);
    config.denials = denials(&["path:**/.env"]);
    config.workspace = Some("/home/me/project".parse().expect("a path"));
    let mut play = Play::new(config, vec![Say::Call("save", env), Say::Call("save", other)]);
    play.prompt("go");
    let results = play.results();
    assert_eq!((results[0].0, results[1].0), (Outcome::Refused, Outcome::Succeeded));
}

#[test]
fn a_denial_of_an_absolute_path_holds_in_the_workspace_too() {
    let mut config = writing(&["write:**"]);
    config.denials = denials(&["path:/home/me/project/secrets/**"]);
    config.workspace = Some("/home/me/project".parse().expect("a path"));
    let calls =
        [r#"{"path":"/home/me/project/secrets/key"}"#, r#"{"path":"secrets/key"}"#, r#"{"path":"out/a"}"#];
    let mut play = Play::new(config, calls.map(|call| Say::Call("save", call)).into());
    play.prompt("go");
    let outcomes: Vec<Outcome> = play.results().into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Refused, Outcome::Refused, Outcome::Succeeded]);
}

#[test]
fn a_tool_is_told_what_no_call_may_do() {
    let mut config = writing(&["write:**"]);
    config.denials = denials(&["path:**/.env"]);
    let mut play = Play::new(config.clone(), vec![Say::Call("save", A)]);
    let [Effect::RunTool { request, .. }] = &play.first_effects()[..] else { panic!("it is handed out") };
    assert_eq!(*request.denials, config.denials);
}

#[test]
fn a_need_that_cannot_be_read_is_a_refusal_and_not_a_question() {
    let mut play = Play::new(writing(&["write:**"]), vec![Say::Call("save", r#"{"path":"../etc/passwd"}"#)]);
    play.prompt("go");
    assert!(play.asked.is_empty() && play.ran.is_empty());
    assert_eq!(play.results()[0].0, Outcome::Refused);
}

#[test]
fn a_yes_is_for_once_unless_it_brings_a_lease() {
    let twice = || vec![Say::Call("save", A), Say::Call("save", B), Say::Text("done")];
    let mut play = Play::new(writing(&[]), twice());
    play.prompt("go");
    assert_eq!(play.asked.len(), 2);
    let mut play = Play::new(writing(&[]), twice());
    play.judge = Box::new(|_| leasing(&["write:out/**"], None));
    play.prompt("go");
    assert_eq!((play.asked.len(), play.ran.len()), (1, 2));
    assert!(play.events.contains(&Event::GrantsChanged));
}

#[test]
fn a_lease_ends_at_its_time_and_with_every_change_of_grants_or_mode() {
    let check = |change: &dyn Fn(&mut Play), asked: usize| {
        let mut play =
            Play::new(writing(&[]), vec![Say::Call("save", A), Say::Text("one"), Say::Call("save", B)]);
        play.judge = Box::new(|_| leasing(&["write:out/**"], Some(1_000)));
        play.prompt("go");
        change(&mut play);
        play.prompt("again");
        assert_eq!((play.asked.len(), play.ran.len()), (asked, 2));
    };
    check(&|_| {}, 1);
    check(&|play| play.now = 999, 1);
    check(&|play| play.now = 1_000, 2);
    check(&|play| play.give(Input::GrantsChanged(GrantSet::default())), 2);
    check(&|play| play.give(Input::ModeChanged(Mode::Full)), 2);
}

#[test]
fn a_lease_that_ends_while_its_call_waits_is_asked_for_again() {
    let config = Config { batch: BatchOrder::Sequential, ..writing(&[]) };
    let mut play = Play::new(config, vec![Say::Calls(vec![("save", A), ("save", B)])]);
    let effects = play.first_effects();
    let first = question(&effects).call;
    // The lease covers both calls, so the second question is answered by it too.
    play.give(Input::Judged { call: first, verdict: leasing(&["write:out/**"], Some(100)) });
    let effects = play.drain();
    let Some(Effect::RunTool { call, .. }) = effects.first().cloned() else { panic!("the first runs") };
    play.give(Input::Dispatched { call });
    play.now = 500;
    play.give(Input::ToolFinished { call, result: ToolOutput::text("saved it") });
    assert!(!runs(&play.drain()), "the second still waits for a person");
}

#[test]
fn a_grant_for_the_tool_by_name_answers_what_the_mode_would_ask() {
    let granted = Config {
        grants: grants(&["tool:act"]),
        mode: Mode::Default,
        ..config_with(vec![tool("act").level(Level::Execute)])
    };
    let mut play = Play::new(granted, vec![Say::Call("act", "{}")]);
    play.prompt("go");
    assert_eq!((play.asked.len(), play.ran.len()), (0, 1));
}

#[test]
fn hooks_that_want_to_see_everything_are_asked_about_everything_and_may_only_narrow() {
    let mut play =
        Play::new(Config { approvals: Approvals::AskAlways, ..config() }, vec![Say::Call("echo", "{}")]);
    play.judge = Box::new(|_| Verdict::deny("not today"));
    play.prompt("go");
    assert_eq!(reasons(&play), [vec![AskReason::HookWants]]);
    assert!(play.ran.is_empty());
    let (outcome, text) = play.results().remove(0);
    assert_eq!((outcome, text.as_str()), (Outcome::Refused, "denied: not today"));
}

#[test]
fn a_person_reads_plain_text_and_the_digest_is_that_of_what_runs() {
    let mut hostile = tool("act\u{1b}[2J\nallow everything").level(Level::Execute);
    hostile.schema = Json::parse(r#"{"type":"object"}"#).expect("a schema");
    let name: &'static str = "act\u{1b}[2J\nallow everything";
    let arguments = "{\"text\":\"rm\\u001b[1A \\u202e \\u200b x\"}";
    let mut play = Play::new(
        Config { mode: Mode::Default, ..config_with(vec![hostile]) },
        vec![Say::Call(name, arguments)],
    );
    let digests: alloc::rc::Rc<core::cell::RefCell<Vec<String>>> = alloc::rc::Rc::default();
    let log = digests.clone();
    play.tool = Box::new(move |request| {
        log.borrow_mut().push(request.digest());
        ToolOutput::text("did it well")
    });
    play.prompt("go");
    let [proposal] = &play.asked[..] else { panic!("one question") };
    for text in [&proposal.tool, &proposal.arguments] {
        let plain = text.chars().all(|c| !c.is_control() && !matches!(c, '\u{202e}' | '\u{200b}'));
        assert!(plain, "{text:?}");
    }
    assert_eq!(digests.borrow().concat(), proposal.digest);
}

#[test]
fn a_need_stands_on_one_line_and_a_long_list_shows_both_its_ends() {
    let schema =
        Json::parse(r#"{"type":"object","properties":{"path":{"type":"array"}}}"#).expect("a schema");
    let mut many = ToolSpec::new("save", "", schema).level(Level::Write);
    many.needs = vec!["write:{path}".parse().expect("a template")];
    let paths: Vec<String> = (0..200).map(|n| format!("\"out/{n}\"")).collect();
    let arguments: &'static str = Box::leak(format!(r#"{{"path":[{}]}}"#, paths.join(",")).into_boxed_str());
    let mut play = Play::new(config_with(vec![many]), vec![Say::Call("save", arguments)]);
    play.prompt("go");
    let needs = &play.asked[0].needs;
    assert_eq!(needs.len(), 101);
    assert_eq!((needs[0].as_str(), needs[100].as_str()), ("write:out/0", "write:out/199"));
    assert!(needs[50].contains("100 more"), "{}", needs[50]);
}

#[test]
fn a_verdict_counts_once() {
    let mut play = Play::new(writing(&[]), vec![Say::Call("save", A)]);
    let call = question(&play.first_effects()).call;
    play.give(Input::Judged { call, verdict: Verdict::allow() });
    assert!(runs(&play.drain()));
    play.give(Input::Judged { call, verdict: Verdict::allow() });
    assert_eq!(play.drain(), []);
    assert!(ignored(&play, call.into()));
    // Nor does a no come in time any more.
    play.give(Input::Judged { call, verdict: Verdict::deny("wait") });
    play.drain();
    assert!(ignored(&play, call.into()));
}

#[test]
fn a_yes_after_the_cancel_runs_nothing() {
    let mut play = Play::new(writing(&[]), vec![Say::Call("save", A)]);
    let call = question(&play.first_effects()).call;
    play.give(Input::Cancelled { reason: "no".into() });
    assert_eq!(play.drain(), [Effect::Abort(call.into())]);
    play.give(Input::Judged { call, verdict: leasing(&["write:**"], None) });
    assert_eq!(play.drain(), []);
    assert!(ignored(&play, call.into()));
    // The lease that came with it counts no more than the yes.
    play.script = vec![Say::Call("save", A)].into();
    play.prompt("again");
    assert_eq!(play.asked.len(), 1);
}

#[test]
fn a_yes_to_what_was_shown_never_counts_for_a_rewrite() {
    let mut play = Play::new(writing(&[]), vec![Say::Call("save", A)]);
    let first = question(&play.first_effects());
    play.give(Input::Judged { call: first.call, verdict: Verdict::Rewrite { arguments: B.into() } });
    let second = question(&play.drain());
    assert_eq!((first.tool_call, first.missing), (second.tool_call, vec!["write:out/a".to_string()]));
    assert_eq!(second.missing, ["write:out/b"]);
    assert_ne!(first.digest, second.digest);
    // The person who was shown the first answers now.
    play.give(Input::Judged { call: first.call, verdict: Verdict::allow() });
    assert_eq!(play.drain(), []);
    assert!(ignored(&play, first.call.into()));
    play.give(Input::Judged { call: second.call, verdict: Verdict::allow() });
    let effects = play.drain();
    let Some(Effect::RunTool { request, .. }) = effects.first() else { panic!("it runs") };
    assert_eq!(&*request.arguments, B);
    assert_eq!(request.digest(), second.digest);
}

#[test]
fn a_rewrite_goes_back_through_schema_policy_and_approval() {
    let check = |arguments: &str, says: &str| {
        let mut config = writing(&["write:out/**"]);
        config.mode = Mode::Default;
        config.denials = denials(&["write:out/secret/**"]);
        let mut play = Play::new(config, vec![Say::Call("save", A)]);
        let call = question(&play.first_effects()).call;
        play.give(Input::Judged { call, verdict: Verdict::Rewrite { arguments: arguments.into() } });
        assert!(!runs(&play.drain()), "{arguments}");
        let (outcome, text) = play.results().remove(0);
        assert_eq!(outcome, Outcome::Refused, "{arguments}");
        assert!(text.contains(says), "{arguments} gave {text}");
    };
    check("{", "JSON");
    check(r#"{"file":"out/a"}"#, "path");
    check(r#"{"path":"out/secret/k"}"#, "deny list");
    check(r#"{"path":"../x"}"#, "not run");
}

#[test]
fn two_hooks_cannot_rewrite_one_call_for_ever() {
    let mut play = Play::new(writing(&[]), vec![Say::Call("save", A)]);
    let mut n = 0;
    play.judge = Box::new(move |_| {
        n += 1;
        Verdict::Rewrite { arguments: format!(r#"{{"path":"out/{n}"}}"#) }
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert!(play.ran.is_empty() && play.asked.len() < 10, "{}", play.asked.len());
}

#[test]
fn a_rewrite_does_not_use_up_the_quota_of_the_call_that_it_mends() {
    let quota = Quota { calls: Some(1), ..Quota::default() };
    let config = Config { mode: Mode::Default, ..config_with(vec![ToolSpec { quota, ..writer() }]) };
    let mut play = Play::new(config, vec![Say::Call("save", A)]);
    let mut asked = 0;
    play.judge = Box::new(move |_| {
        asked += 1;
        if asked == 1 { Verdict::Rewrite { arguments: B.into() } } else { Verdict::allow() }
    });
    play.prompt("go");
    assert_eq!(play.ran.len(), 1);
}

#[test]
fn plan_mode_withdraws_the_questions_that_are_open() {
    let mut play = Play::new(writing(&[]), vec![Say::Call("save", A)]);
    let call = question(&play.first_effects()).call;
    play.give(Input::ModeChanged(Mode::Plan));
    let effects = play.drain();
    assert!(effects.contains(&Effect::Abort(call.into())) && !runs(&effects), "{effects:?}");
    assert_eq!(play.results()[0].0, Outcome::Refused);
    play.give(Input::Judged { call, verdict: Verdict::allow() });
    assert!(!runs(&play.drain()) && ignored(&play, call.into()));
}

#[test]
fn a_question_is_asked_again_when_grants_are_replaced_and_the_old_answer_is_late() {
    let mut config = writing(&["write:out/**"]);
    config.mode = Mode::Default;
    let mut play = Play::new(config, vec![Say::Call("save", A)]);
    let first = question(&play.first_effects());
    assert_eq!((first.reasons, first.missing.len()), (vec![AskReason::Level], 0));
    play.give(Input::GrantsChanged(GrantSet::default()));
    let effects = play.drain();
    let second = question(&effects);
    assert!(effects.contains(&Effect::Abort(first.call.into())) && second.call != first.call);
    assert_eq!(second.missing, ["write:out/a"]);
    play.give(Input::Judged { call: first.call, verdict: Verdict::allow() });
    assert!(!runs(&play.drain()) && ignored(&play, first.call.into()));
    play.give(Input::Judged { call: second.call, verdict: Verdict::allow() });
    assert!(runs(&play.drain()));
}

#[test]
fn a_call_that_was_handed_out_and_not_begun_is_taken_back_when_its_permission_is() {
    let check = |change: Input| {
        let mut play = Play::new(writing(&["write:out/**"]), vec![Say::Call("save", A)]);
        let [Effect::RunTool { call, .. }] = play.first_effects()[..] else { panic!("it is handed out") };
        play.give(change.clone());
        let effects = play.drain();
        assert!(effects.contains(&Effect::Abort(call.into())) && !runs(&effects), "{change:?} {effects:?}");
        assert_eq!(play.results()[0].0, Outcome::Refused);
        play.give(Input::Dispatched { call });
        assert_eq!(play.drain(), []);
        assert!(ignored(&play, call.into()));
    };
    check(Input::ModeChanged(Mode::Plan));
    check(Input::GrantsChanged(GrantSet::default()));
    check(Input::ToolsChanged(vec![writer().level(Level::Execute)]));
    check(Input::ToolsChanged(vec![]));
}

#[test]
fn a_call_that_runs_finishes_as_it_began() {
    let mut play = Play::new(writing(&["write:out/**"]), vec![Say::Call("save", A)]);
    let [Effect::RunTool { call, .. }] = play.first_effects()[..] else { panic!("it is handed out") };
    play.give(Input::Dispatched { call });
    play.give(Input::ModeChanged(Mode::Plan));
    play.give(Input::ToolsChanged(vec![]));
    assert_eq!(play.drain(), []);
    play.give(Input::ToolFinished { call, result: ToolOutput::text("saved it") });
    play.play();
    assert_eq!(play.results(), [(Outcome::Succeeded, "saved it".to_string())]);
}

#[test]
fn a_tool_that_changed_after_the_yes_is_another_tool() {
    let config = Config { batch: BatchOrder::Sequential, mode: Mode::Default, ..writing(&["write:out/**"]) };
    let mut play = Play::new(config, vec![Say::Calls(vec![("save", A), ("save", B)])]);
    let effects = play.first_effects();
    for effect in effects {
        let Effect::Judge(proposal) = effect else { panic!("{effect:?}") };
        play.give(Input::Judged { call: proposal.call, verdict: Verdict::allow() });
    }
    let [Effect::RunTool { call, .. }] = play.drain()[..] else { panic!("the first is handed out") };
    play.give(Input::Dispatched { call });
    play.give(Input::ToolsChanged(vec![ToolSpec { description: "Sends a file.".into(), ..writer() }]));
    play.give(Input::ToolFinished { call, result: ToolOutput::text("saved it") });
    play.play();
    let results = play.results();
    assert_eq!((results[0].0, results[1].0), (Outcome::Succeeded, Outcome::Refused));
    assert!(results[1].1.contains("has changed"), "{results:?}");
}

#[test]
fn a_wider_mode_does_not_disturb_what_was_allowed() {
    let config = Config { mode: Mode::Default, ..writing(&["write:out/**"]) };
    let mut play = Play::new(config, vec![Say::Call("save", A)]);
    let call = question(&play.first_effects()).call;
    play.give(Input::ModeChanged(Mode::AcceptEdits));
    play.give(Input::Judged { call, verdict: Verdict::allow() });
    assert!(runs(&play.drain()));
}

#[test]
fn a_no_is_shown_to_the_model_in_plain_text() {
    let mut play = Play::new(writing(&[]), vec![Say::Call("save", A)]);
    play.judge = Box::new(|_| Verdict::deny("\u{1b}[31mno\u{202e}"));
    play.prompt("go");
    let text = play.results().remove(0).1;
    assert!(
        text.starts_with("denied: ") && !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text:?}"
    );
}

/// A run with the tools `one`, `two` and `three` behind a gate that answers this.
fn gated(answer: Answer, script: Vec<Say>) -> Play {
    let mut config = config_with(vec![tool("one"), tool("two"), tool("three")]);
    config.consult = [ConsultPoint::Tools].into();
    let mut play = Play::new(config, script);
    play.consult = Box::new(move |_| answer.clone());
    play
}

fn names(names: &[&str]) -> alloc::collections::BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn gates_intersect_and_fail_closed() {
    let check = |answer: Answer, offered: &[&str]| {
        let mut play = gated(answer.clone(), vec![]);
        play.prompt("go");
        let tools = &play.requests[0].1.tools.tools;
        let found: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(found, offered, "{answer:?}");
    };
    check(Answer::Nothing, &["one", "two", "three"]);
    check(Answer::Tools(vec![names(&["one", "two"]), names(&["two", "three"])]), &["two"]);
    check(Answer::Tools(vec![names(&["one"]), names(&["two"])]), &[]);
    check(Answer::Tools(vec![names(&[])]), &[]);
    check(Answer::Tools(vec![]), &[]);
    check(Answer::Failed { reason: "crashed".into() }, &[]);
    check(Answer::Model("scripted/one".into()), &[]);
    // A gate cannot offer what is not there.
    check(Answer::Tools(vec![names(&["four", "one"])]), &["one"]);
}

#[test]
fn a_tool_behind_the_gate_does_not_run_even_if_it_is_called() {
    let mut play =
        gated(Answer::Tools(vec![names(&["one"])]), vec![Say::Calls(vec![("one", "{}"), ("two", "{}")])]);
    play.prompt("go");
    assert_eq!(play.ran, ["one"]);
    assert_eq!(play.results()[1].0, Outcome::Refused);
}

#[test]
fn a_change_of_tools_while_the_model_thinks_does_not_open_the_gate() {
    let mut play =
        gated(Answer::Tools(vec![names(&["one"])]), vec![Say::Calls(vec![("two", "{}"), ("four", "{}")])]);
    let mut changed = false;
    play.interrupt = Box::new(move |effect| {
        let now = !changed && matches!(effect, Effect::CallModel { .. });
        changed |= now;
        let tools = || vec![tool("one"), tool("two"), tool("four")];
        if now { vec![Input::ToolsChanged(tools())] } else { vec![] }
    });
    play.prompt("go");
    assert!(play.ran.is_empty());
}

#[test]
fn the_gate_is_asked_anew_before_every_turn() {
    let mut play = gated(Answer::Nothing, vec![Say::Call("one", "{}"), Say::Call("one", r#"{"text":"b"}"#)]);
    let mut turn = 0;
    play.consult = Box::new(move |question| {
        let Question::Tools { offered } = question else { panic!("{question:?}") };
        assert_eq!(offered.len(), 3, "what a gate closed before is offered to it again");
        turn += 1;
        if turn == 1 { Answer::Nothing } else { Answer::Tools(vec![]) }
    });
    play.prompt("go");
    let outcomes: Vec<Outcome> = play.results().into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Succeeded, Outcome::Refused]);
}

#[test]
fn of_two_tools_with_one_name_the_first_is_meant() {
    let tools = vec![tool("act").level(Level::Execute), tool("act").level(Level::None)];
    let mut play = Play::new(Config { mode: Mode::Plan, ..config_with(tools) }, vec![Say::Call("act", "{}")]);
    play.prompt("go");
    assert!(play.ran.is_empty(), "the harmless twin must not stand in for it");
}
