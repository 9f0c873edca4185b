//! The journal of whole runs: the same facts give the same run, byte for byte, from any record on.

use alloc::{boxed::Box, collections::BTreeMap, string::String, vec, vec::Vec};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::postcondition::{Postcondition, Rule};
use holm_guards::skill::extract;

use super::play::{Play, Say, config, config_with, echo, failure, tool};
use crate::journal::{self, JournalRecord, JournalWriter, ReplayError, Snapshot};
use crate::*;

/// The run anew, folded from its facts alone.
pub(super) fn refold(play: &Play) -> Run {
    let records = journal::decode_strict(written(play).as_bytes()).expect("a sound journal");
    Run::replay(&records).expect("the same run")
}

/// The journal of a play.
pub(super) fn written(play: &Play) -> String {
    let (mut run, mut writer, mut text) =
        journal::begin(play.began.clone(), Timestamp::new(0)).expect("record 0");
    drain(&mut run);
    for (now, input) in &play.log {
        text += &journal::step(&mut run, &mut writer, Timestamp::new(*now), input.clone()).expect("a step");
        drain(&mut run);
    }
    text
}

/// What a run says after an input.
fn drain(run: &mut Run) -> Vec<Effect> {
    let mut effects = Vec::new();
    loop {
        let effect = run.poll();
        let waits = matches!(effect, Effect::Wait(_));
        effects.push(effect);
        if waits {
            return effects;
        }
    }
}

fn records(play: &Play) -> Vec<JournalRecord> {
    journal::decode_strict(written(play).as_bytes()).expect("a sound journal")
}

/// Runs that between them go through every state a call can be in.
pub(super) fn plays() -> Vec<(&'static str, Play)> {
    vec![
        ("batches", batches()),
        ("questions", questions()),
        ("checks and hooks", checks()),
        ("skills and children", skills()),
        ("children in the background", super::background::whole_life()),
        ("failures", failures()),
        ("changes", changes()),
        ("another host", narrowed()),
        ("text", text()),
        ("long", long()),
    ]
}

/// A run that a host with narrower terms takes over, one term after the other.
fn narrowed() -> Play {
    let price = Some(Price { input: 1_000_000, output: 1_000_000, ..Price::default() });
    let mut config = config_with(vec![echo()]);
    config.models[0].price = price;
    config.limits.budget.usd = Some(NanoUsd::new(100_000));
    config.workspace = "/work".parse().ok();
    config.mark_rule = MarkRule::ShowOnly;
    let limits = Limits { turns: Bound::AtMost(7), ..Limits::default() };
    let none = Narrowing::default;
    let terms = [
        Narrowing { mark_rule: Some(MarkRule::AskAfterAny), ..none() },
        Narrowing { marks: Marks { untrusted: true, ..Marks::default() }, ..none() },
        Narrowing { limits: Some(limits), ..none() },
        Narrowing { retry: Some(RetryPolicy { attempts: 1, ..RetryPolicy::default() }), ..none() },
        Narrowing { aliases: Some(Vec::new()), ..none() },
        Narrowing { drops_workspace: true, ..none() },
        Narrowing { prices: Some([("scripted/one".into(), Price::default())].into()), ..none() },
        Narrowing { prices: Some(BTreeMap::new()), ..none() },
    ];
    let mut play = Play::new(config, Vec::new());
    for narrowing in terms {
        play.script.extend([Say::Call("echo", r#"{"text":"a"}"#), Say::Text("done")]);
        play.prompt("go");
        play.give(Input::Narrowed(Box::new(narrowing)));
    }
    play.prompt("and now");
    play
}

fn batches() -> Play {
    let tools =
        vec![echo(), ToolSpec { yields: Yields { untrusted: true, ..Yields::default() }, ..tool("read") }];
    let calls =
        vec![("echo", r#"{"text":"a"}"#), ("read", "{}"), ("nosuch", "{}"), ("echo", r#"{"wrong":1}"#)];
    let mut play = Play::new(config_with(tools), vec![Say::Calls(calls), Say::Call("echo", "{}")]);
    play.prompt("go");
    play.prompt("again");
    play
}

fn questions() -> Play {
    let mut save = tool("save").level(Level::Write);
    save.needs = vec!["write:{text}".parse().expect("a template")];
    let config = Config { mode: Mode::Default, ..config_with(vec![save, tool("act").level(Level::Execute)]) };
    let calls = vec![("save", r#"{"text":"out/a"}"#), ("act", "{}"), ("act", r#"{"text":"b"}"#)];
    let mut play = Play::new(config, vec![Say::Calls(calls), Say::Call("save", r#"{"text":"out/b"}"#)]);
    let mut asked = 0;
    play.judge = Box::new(move |_| {
        asked += 1;
        match asked {
            1 => Verdict::Rewrite { arguments: r#"{"text":"out/c"}"#.into() },
            2 => Verdict::deny("no"),
            _ => Verdict::Allow { grants: GrantSet::parse(["write:out/**"]).expect("grants"), until: None },
        }
    });
    play.prompt("go");
    play
}

fn checks() -> Play {
    let promise =
        Postcondition::new("holds", Rule::Executable { command: "verify".into(), arguments: vec![] });
    let mut config = config_with(vec![ToolSpec { postconditions: vec![promise], ..echo() }]);
    config.consult = [
        ConsultPoint::AfterTool,
        ConsultPoint::Tools,
        ConsultPoint::Model,
        ConsultPoint::Context,
        ConsultPoint::Stop,
    ]
    .into();
    let mut play = Play::new(config, vec![Say::Call("echo", "{}"), Say::Call("echo", r#"{"text":"b"}"#)]);
    let mut checked = 0;
    play.check = Box::new(move |_| {
        checked += 1;
        if checked == 1 { CheckRuling::Failed { reason: "not yet".into() } } else { CheckRuling::Passed }
    });
    play.prompt("go");
    play
}

fn skills() -> Play {
    let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::new(5), tokens: 0 };
    let tools = vec![ToolSpec::skill(extract()), ToolSpec { kind, ..tool("helper") }];
    let arguments = r#"{"target":"email","text":"Write to ann@holm.example."}"#;
    let script = vec![
        Say::Calls(vec![("extract", arguments), ("helper", "{}")]),
        Say::Text("no idea"),
        Say::Text(r#"{"email":["ann@holm.example"]}"#),
    ];
    let mut play = Play::new(config_with(tools), script);
    play.prompt("go");
    play
}

fn failures() -> Play {
    let mut config = config();
    config.models.push(ModelSpec::named("scripted/two"));
    let script = vec![failure(FailureClass::Server), failure(FailureClass::Auth), Say::Call("echo", "{}")];
    let mut play = Play::new(config, script);
    play.hang = Box::new(|effect| matches!(effect, Effect::RunTool { .. }));
    play.prompt("go");
    play
}

fn changes() -> Play {
    let mut play = Play::new(config(), vec![Say::Call("echo", "{}"), Say::Call("echo", r#"{"text":"b"}"#)]);
    let mut facts = vec![
        Input::BudgetChanged(Budget { usd: None }),
        Input::GrantsChanged(GrantSet::default()),
        Input::ToolsChanged(vec![echo(), tool("more")]),
        Input::ModeChanged(Mode::AcceptEdits),
        Input::Steered(Prompt::text("steer")),
        Input::FollowedUp(Prompt::text("follow")),
        Input::TimePassed,
        Input::Resumed { host: "another".into() },
    ]
    .into_iter();
    play.interrupt = Box::new(move |effect| match effect {
        Effect::RunTool { .. } | Effect::CallModel { .. } => facts.next().into_iter().collect(),
        _ => Vec::new(),
    });
    play.give(Input::Prompted(Prompt::text("go")));
    // A host that hears `Resumed` forgets what it was told before; this one answers late, and that is ignored.
    play.play();
    play.give(Input::Cancelled { reason: "enough".into() });
    play.play();
    play
}

fn text() -> Play {
    let script =
        vec![Say::Text(r#"{"tool":"echo","text":"hi"}"#), Say::Text("I will look."), Say::Text("It is 4.")];
    let mut play = Play::new(Config { protocol: Protocol::Text, ..config() }, script);
    play.prompt("go");
    play
}

fn long() -> Play {
    let mut config = config();
    config.models[0].window = Some(2_000);
    config.context.keep_turns = 1;
    let mut play = Play::new(config, vec![]);
    for n in 0..9 {
        play.prompt(&alloc::format!("question {n}: {}", "words and more words ".repeat(60)));
    }
    play
}

#[test]
fn the_same_script_gives_the_same_bytes() {
    for ((name, first), (_, second)) in plays().into_iter().zip(plays()) {
        assert!(first.log.len() > 3, "{name}");
        assert_eq!(written(&first), written(&second), "{name}");
    }
}

#[test]
fn a_replay_says_again_what_the_run_said_byte_for_byte() {
    for (name, play) in plays() {
        let (mut run, _, _) = journal::begin(play.began.clone(), Timestamp::new(0)).expect("record 0");
        let mut live = drain(&mut run);
        for (now, input) in &play.log {
            run.handle(Timestamp::new(*now), input.clone()).expect("a fact");
            live.extend(drain(&mut run));
        }
        let mut replayed = Vec::new();
        let again = journal::replay_with(&records(&play), |_, effect| replayed.push(effect.clone()))
            .expect("the same run");
        assert_eq!(bytes(&live), bytes(&replayed), "{name}");
        assert_eq!(again.freeze().expect("state"), run.freeze().expect("state"), "{name}");
        assert_eq!(again.transcript(), play.run.transcript(), "{name}");
    }
}

fn bytes(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(|effect| serde_json::to_string(effect).expect("an effect")).collect()
}

#[test]
fn a_snapshot_at_any_record_and_the_tail_are_the_whole() {
    for (name, play) in plays() {
        let records = records(&play);
        let whole = Run::replay(&records).expect("the run");
        let (whole, brief) = (whole.freeze(), whole.freeze_without_transcript());
        let (whole, brief) = (whole.expect("state"), brief.expect("state"));
        for at in 0..records.len() {
            let run = Run::replay(&records[..=at]).expect("a beginning");
            let snapshot = Snapshot::without_transcript(&run, records[at].head()).expect("a snapshot");
            let snapshot = Snapshot::decode(snapshot.encode().as_bytes()).expect("the same snapshot");
            let resumed = journal::resume_from(&snapshot, &records[at + 1..]).expect("the tail");
            assert_eq!(resumed.freeze_without_transcript().expect("state"), brief, "{name} at record {at}");
            let snapshot = Snapshot::take(&run, records[at].head()).expect("a snapshot");
            let snapshot = Snapshot::decode(snapshot.encode().as_bytes()).expect("the same snapshot");
            let resumed = journal::resume_from(&snapshot, &records[at + 1..]).expect("the tail");
            assert_eq!(resumed.freeze().expect("state"), whole, "{name} at record {at}");
        }
    }
}

#[test]
fn a_fork_at_any_record_goes_its_own_way_from_the_same_past() {
    for (name, play) in plays() {
        let records = records(&play);
        for at in 0..records.len() {
            let past = journal::fork(&records, Seq::new(at as u64)).expect("a past");
            let mut run = Run::replay(past).expect("the past");
            let mut writer = JournalWriter::after(past[at].head());
            let cancel = Input::Cancelled { reason: "another way".into() };
            let now = run.receipt().at;
            let line = journal::step(&mut run, &mut writer, now, cancel).expect("a step");
            let mut text: String = past.iter().map(JournalRecord::line).collect();
            text += &line;
            let forked = journal::decode_strict(text.as_bytes()).expect("a sound journal");
            let again = Run::replay(&forked).expect("the fork");
            drain(&mut run);
            assert!(again.is_idle(), "{name} at record {at}");
            assert_eq!(again.freeze().expect("state"), run.freeze().expect("state"), "{name} at record {at}");
        }
    }
}

#[test]
fn a_journal_that_says_something_else_diverges_at_that_record() {
    let play = batches();
    let honest = records(&play);
    // A program that can write the file can rebuild the chain, but the effects of the record then
    // no longer match.
    let tampered = |seq: usize, input: &Input| {
        let mut writer = JournalWriter::new();
        let mut text = String::new();
        for (index, record) in honest.iter().enumerate() {
            let payload = if index == seq {
                journal::payload(input).expect("a payload")
            } else {
                record.payload().clone()
            };
            let receipt = RecordReceipt { seq: record.seq(), at: record.at(), effects: record.effects() };
            text += &writer.append(receipt, &payload).expect("a line");
        }
        let records = journal::decode_strict(text.as_bytes()).expect("a chain that holds");
        Run::replay(&records).map(|_| ()).expect_err("another run")
    };
    let finished =
        play.log.iter().position(|(_, input)| matches!(input, Input::ToolFinished { .. })).expect("a result");
    let (_, Input::ToolFinished { call, .. }) = &play.log[finished] else { panic!("a result") };
    let forged = Input::ToolFinished { call: *call, result: ToolOutput::failed("forged") };
    let error = tampered(finished + 1, &forged);
    assert!(
        matches!(error, ReplayError::Diverged { seq, .. } if seq == Seq::new(finished as u64 + 1)),
        "{error:?}"
    );
    let error = tampered(1, &Input::Prompted(Prompt::text("something else")));
    assert!(matches!(error, ReplayError::Diverged { seq, .. } if seq == Seq::new(1)), "{error:?}");
}

#[test]
fn a_request_with_another_system_prompt_or_other_tools_is_another_effect() {
    let receipt = |change: &dyn Fn(&mut Config)| {
        let mut config = config();
        change(&mut config);
        let mut run = Run::start(Started::new("run-1", 7, config), Timestamp::new(0));
        run.handle(Timestamp::new(1), Input::Prompted(Prompt::text("go"))).expect("a prompt").effects
    };
    let plain = receipt(&|_| {});
    assert_eq!(plain, receipt(&|_| {}));
    assert_ne!(plain, receipt(&|config| config.system = "Be brief.".into()));
    assert_ne!(plain, receipt(&|config| config.tools[0].description = "Says it again and again.".into()));
}

#[test]
fn a_misuse_leaves_no_trace() {
    let mut play = Play::new(config(), vec![Say::Call("echo", "{}")]);
    play.first_effects();
    let before = (play.run.receipt(), play.run.freeze().expect("state"));
    let misuses = [
        Input::Judged { call: QuestionId::new(99), verdict: Verdict::allow() },
        Input::ToolFinished { call: ToolCallId::new(99), result: ToolOutput::text("x") },
        // Not dispatched yet: a result now would describe a call that no record mentions.
        Input::ToolFinished { call: ToolCallId::new(1), result: ToolOutput::text("x") },
        Input::Started(Box::new(play.began.clone())),
    ];
    for input in misuses {
        assert!(play.run.handle(Timestamp::new(5), input.clone()).is_err(), "{input:?}");
        assert_eq!((play.run.receipt(), play.run.freeze().expect("state")), before, "{input:?}");
    }
}

#[test]
fn late_and_doubled_facts_are_recorded_and_change_nothing() {
    for (name, play) in plays() {
        let mut run = refold(&play);
        let idle = run.is_idle();
        let (transcript, spent) = (run.transcript().to_vec(), (run.spent(), run.usage(), run.marks()));
        for (_, input) in &play.log {
            let about_a_call = matches!(
                input,
                Input::Judged { .. }
                    | Input::Dispatched { .. }
                    | Input::ToolFinished { .. }
                    | Input::ModelFinished { .. }
                    | Input::Checked { .. }
                    | Input::Consulted { .. }
                    | Input::ChildStarted { .. }
                    | Input::ChildFinished { .. }
                    | Input::Summarised { .. }
            );
            if !about_a_call {
                continue;
            }
            let now = run.receipt().at;
            run.handle(now, input.clone()).expect("a late fact is no misuse");
            for effect in drain(&mut run) {
                let harmless = matches!(&effect, Effect::Wait(_))
                    || matches!(&effect, Effect::Emit(numbered) if matches!(numbered.event, Event::Ignored { .. }));
                assert!(harmless, "{name}: {effect:?}");
            }
        }
        assert_eq!((run.is_idle(), run.transcript()), (idle, &transcript[..]), "{name}");
        assert_eq!((run.spent(), run.usage(), run.marks()), spent, "{name}");
    }
}

#[test]
fn time_never_runs_backwards() {
    let mut play = Play::new(config(), vec![]);
    play.now = 5_000;
    play.prompt("go");
    play.now = 10;
    play.prompt("again");
    assert_eq!(play.run.receipt().at, Timestamp::new(5_000));
    assert_eq!(refold(&play).receipt().at, Timestamp::new(5_000));
    assert!(written(&play).contains("\"at\":5000"));
}
