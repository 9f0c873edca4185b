//! The golden journal must replay, and the same script must give the same bytes everywhere.
//!
//! A change of the kernel's decisions breaks these tests, because existing journals no longer
//! replay. It then needs a new number of semantics, and the golden journal is written anew.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by failing"
)]

use std::process::Command;

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::{
    json::Json,
    postcondition::{Postcondition, Rule},
    skill::extract,
};
use holm_kernel::{
    Author, Block, Bound, Budget, Check, CheckRuling, ChildResult, Config, Effect, Ending, Failure,
    FailureClass, Input, Marks, ModelResult, ModelSpec, NanoUsd, Outcome, Price, Prompt, Reply, Run, Seq,
    Started, StopReason, Timestamp, ToolCall, ToolCallId, ToolKind, ToolOutput, ToolSpec, Usage, Verdict,
    Yields, journal,
};

const GOLDEN: &str = include_str!("golden.jsonl");

fn golden() -> Vec<journal::JournalRecord> {
    journal::decode_strict(GOLDEN.as_bytes()).expect("a sound journal")
}

/// Names a child process of these tests: it writes the journal and nothing else.
const PRINTER: &str = "the_printer_of_the_journal";

#[test]
fn the_golden_journal_replays() {
    let records = golden();
    let run = Run::replay(&records).expect("the same run");
    let lines: String = records.iter().map(journal::JournalRecord::line).collect();
    assert_eq!(lines, GOLDEN);
    assert!(run.is_idle() && run.marks().untrusted && run.started().is_known());
    let texts: Vec<String> = run.transcript().iter().map(|message| message.plain_text()).collect();
    assert_eq!(texts[0], "Look around.");
    assert_eq!(texts.last().unwrap(), "All done.");
}

#[test]
fn any_beginning_of_the_golden_journal_replays() {
    let records = golden();
    for record in &records {
        let past = journal::fork(&records, record.seq()).expect("a past");
        let run = Run::replay(past).expect("the same beginning");
        assert_eq!(run.receipt().seq, record.seq());
    }
}

#[test]
fn the_golden_journal_holds_every_kind_of_call() {
    let records = golden();
    let mut seen = [false; 7];
    let mut endings = Vec::new();
    journal::replay_with(&records, |_, effect| {
        let kind = match effect {
            Effect::CallModel { .. } => 0,
            Effect::RunTool { .. } => 1,
            Effect::Spawn { .. } => 2,
            Effect::Judge(_) => 3,
            Effect::Check { .. } => 4,
            Effect::Abort(_) => 5,
            Effect::Finish(ending) => {
                endings.push((**ending).clone());
                6
            }
            Effect::Consult(_) | Effect::Summarise { .. } | Effect::Emit(_) | Effect::Wait(_) => return,
        };
        seen[kind] = true;
    })
    .expect("the same run");
    assert_eq!(seen, [true; 7]);
    assert!(matches!(endings[0], Ending::Cancelled { .. }), "{endings:?}");
    assert_eq!(endings.last(), Some(&Ending::Answered { text: "All done.".into() }));
}

#[test]
fn the_golden_journal_holds_shares_and_marks_what_the_kernel_says() {
    let records = golden();
    let (mut shares, mut tokens) = (Vec::new(), Vec::new());
    let told = |_, effect: &Effect| {
        if let Effect::Spawn { request, .. } = effect {
            shares.extend(request.budget.map(NanoUsd::value));
            tokens.extend(request.tokens);
        }
    };
    let run = journal::replay_with(&records, told).expect("the same run");
    assert_eq!(tokens, [5_000; 4]);
    let notes = run.transcript().iter().filter(|message| message.author == Author::Kernel);
    assert_eq!(notes.count(), 1);
    assert!(matches!(shares[..], [1_000, 1_000, third, _] if third < 500), "{shares:?}");
}

#[test]
fn this_kernel_writes_the_golden_journal() {
    let written = script();
    for (number, (now, golden)) in written.lines().zip(GOLDEN.lines()).enumerate() {
        assert_eq!(now, golden, "record {number}");
    }
    assert_eq!(written.len(), GOLDEN.len());
}

#[test]
fn a_child_that_a_lowered_budget_no_longer_covers_is_stopped() {
    let written = script();
    let records = journal::decode_strict(written.as_bytes()).expect("a sound journal");
    let (mut spawned, mut aborted) = (Vec::new(), Vec::new());
    let told = |_, effect: &Effect| match effect {
        Effect::Spawn { call, .. } => spawned.push(*call),
        Effect::Abort(call) => aborted.push(*call),
        _ => {}
    };
    let run = journal::replay_with(&records, told).expect("the same run");
    assert!(run.is_idle());
    assert!(aborted.last().zip(spawned.last()).is_some_and(|(stopped, last)| stopped == last), "{spawned:?}");
    assert_eq!(run.transcript().last().map(|message| message.plain_text()), Some("All done.".into()));
}

#[test]
fn another_process_with_another_environment_writes_the_same_bytes() {
    let here = std::env::current_exe().expect("this test");
    let printed = |change: &dyn Fn(&mut Command)| {
        let mut command = Command::new(&here);
        command.args(["--ignored", "--exact", PRINTER, "--nocapture", "--test-threads=1"]);
        change(&mut command);
        let output = command.output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines()
            .filter(|line| line.starts_with("{\"v\":"))
            .flat_map(|line| [line, "\n"])
            .collect::<String>()
    };
    let plain = printed(&|_| {});
    assert_eq!(plain, script());
    let bare = printed(&|command| {
        command.env_clear().env("TZ", "Asia/Kolkata").env("LC_ALL", "tr_TR.UTF-8").current_dir("/");
    });
    assert_eq!(bare, plain);
}

#[test]
#[ignore = "writes the journal for the test above, and for a new golden file"]
fn the_printer_of_the_journal() {
    let text = script();
    std::io::Write::write_all(&mut std::io::stdout(), format!("\n{text}").as_bytes()).expect("written");
}

fn tools() -> Vec<ToolSpec> {
    let schema = || Json::parse(r#"{"type":"object","properties":{"path":{"type":"string"}}}"#).unwrap();
    let read = ToolSpec {
        needs: vec!["read:{path=.}".parse().unwrap()],
        yields: Yields { untrusted: true, ..Yields::default() },
        ..ToolSpec::new("read", "Reads a file.", schema()).level(Level::ReadOnly)
    };
    let promise =
        Postcondition::new("it compiles", Rule::Executable { command: "check".into(), arguments: vec![] });
    let save = ToolSpec {
        needs: vec!["write:{path}".parse().unwrap()],
        postconditions: vec![promise],
        ..ToolSpec::new("save", "Writes a file.", schema()).level(Level::Write)
    };
    let kind = ToolKind::Agent {
        grants: GrantSet::parse(["read:src/**"]).unwrap(),
        reserve: NanoUsd::new(1_000),
        tokens: 5_000,
    };
    let helper = ToolSpec { kind, ..ToolSpec::new("helper", "Helps.", schema()).level(Level::None) };
    vec![read, save, helper, ToolSpec::skill(extract())]
}

fn started() -> Started {
    let mut config = Config::new(ModelSpec::named("scripted/golden"));
    config.name = "golden".into();
    config.system = "You are a careful \u{1f9ea} agent.".into();
    config.models[0].price = Some(Price { input: 1_000_000, output: 5_000_000, ..Price::default() });
    config.limits.budget.usd = Some(NanoUsd::new(1_000_000));
    config.tools = tools();
    config.limits.tokens = Bound::AtMost(100_000);
    // Before the fourth turn the kernel says something itself.
    config.limits.turns = Bound::AtMost(5);
    config.limits.grace_turns = 2;
    config.grants = GrantSet::parse(["read:**"]).unwrap();
    config.mode = Mode::Default;
    Started { version: "golden".into(), ..Started::new("run-golden", 0x5eed, config) }
}

/// A host in small: it performs what the run asks for, and answers from a script.
struct Host {
    run: Run,
    writer: journal::JournalWriter,
    text: String,
    now: u64,
    replies: std::vec::IntoIter<Vec<Block>>,
    checks: u64,
    questions: u64,
    models: u64,
    /// The child whose bill comes late.
    late: Option<ToolCallId>,
}

fn say(text: &str) -> Vec<Block> {
    vec![Block::Text(text.into())]
}

fn calls(calls: &[(&str, &str)]) -> Vec<Block> {
    let call = |(id, (name, arguments)): (usize, &(&str, &str))| {
        Block::ToolCall(ToolCall {
            id: format!("c{id}"),
            name: (*name).into(),
            arguments: (*arguments).into(),
            replay: None,
        })
    };
    calls.iter().enumerate().map(call).collect()
}

/// The journal that the golden file holds.
fn script() -> String {
    let replies = vec![
        calls(&[("read", r#"{"path":"src/a.rs"}"#), ("nosuch", "{}"), ("save", r#"{"path":7}"#)]),
        calls(&[("save", r#"{"path":"out/b.rs"}"#), ("helper", "{}")]),
        calls(&[("extract", r#"{"text":"Ask ann@holm.example.","target":"email"}"#)]),
        say(r#"{"email":["bob@holm.example"]}"#),
        say(r#"{"email":["ann@holm.example"]}"#),
        calls(&[("read", r#"{"path":"src/hangs.rs"}"#)]),
        say("All done."),
        calls(&[("helper", r#"{"path":"src/late.rs"}"#)]),
        calls(&[("helper", r#"{"path":"src/c.rs"}"#)]),
        say("All done."),
        calls(&[("helper", r#"{"path":"src/late-too.rs"}"#)]),
        say("All done."),
    ];
    let (run, writer, text) = journal::begin(started(), Timestamp::new(1_000)).expect("record 0");
    let mut host = Host {
        run,
        writer,
        text,
        now: 1_000,
        replies: replies.into_iter(),
        checks: 0,
        questions: 0,
        models: 0,
        late: None,
    };
    host.perform();
    host.hear(Input::Prompted(Prompt::text("Look around.")));
    host.hear(Input::Cancelled { reason: "the user pressed escape".into() });
    host.hear(Input::Resumed { host: "another host".into() });
    let marks = Marks { untrusted: false, private: true };
    host.hear(Input::Prompted(Prompt { marks, ..Prompt::text("Say that you are done.") }));
    host.hand_over();
    host.lower();
    host.text
}

impl Host {
    /// A child is stopped, another gets what is left beside its share, and the bill of the first comes last.
    fn hand_over(&mut self) {
        let limit = self.run.spent().plus(NanoUsd::new(1_500));
        self.hear(Input::BudgetChanged(Budget { usd: Some(limit) }));
        self.hear(Input::Prompted(Prompt::text("Hand it over.")));
        self.hear(Input::Cancelled { reason: "the user pressed escape".into() });
        self.hear(Input::Prompted(Prompt::text("Hand it to another.")));
        let call = self.late.expect("a child that was stopped");
        let result = ChildResult { spent: NanoUsd::new(990), ..ChildResult::default() };
        self.hear(Input::ChildFinished { call, result });
    }

    /// The budget is lowered while a child works, which stops the child; its bill comes after.
    fn lower(&mut self) {
        let within = |host: &Self, room: u64| Budget { usd: Some(host.run.spent().plus(NanoUsd::new(room))) };
        let budget = within(self, 1_500);
        self.hear(Input::BudgetChanged(budget));
        self.hear(Input::Prompted(Prompt::text("Hand it over again.")));
        let budget = within(self, 500);
        self.hear(Input::BudgetChanged(budget));
        let call = self.late.expect("a child that was stopped");
        let result = ChildResult { spent: NanoUsd::new(10), ..ChildResult::default() };
        self.hear(Input::ChildFinished { call, result });
    }

    fn give(&mut self, input: Input) {
        self.now += 7;
        let line =
            journal::step(&mut self.run, &mut self.writer, Timestamp::new(self.now), input).expect("a step");
        self.text += &line;
    }

    fn hear(&mut self, input: Input) {
        self.give(input);
        self.perform();
    }

    fn perform(&mut self) {
        loop {
            let next = match self.run.poll() {
                Effect::Wait(None) => return,
                Effect::Wait(Some(until)) => {
                    // The call that hangs is left to the person who cancels.
                    if self.text.contains("src/hangs.rs") {
                        return;
                    }
                    self.now = until.value();
                    Some(Input::TimePassed)
                }
                Effect::Emit(_) | Effect::Abort(_) | Effect::Finish(_) => None,
                Effect::CallModel { call, .. } => Some(Input::ModelFinished { call, result: self.reply() }),
                Effect::Summarise { call, .. } => Some(Input::Summarised { call, result: self.reply() }),
                Effect::RunTool { call, request } => {
                    self.give(Input::Dispatched { call });
                    if request.arguments.contains("hangs") {
                        continue;
                    }
                    let output = ToolOutput::text(format!(
                        "{} says </tool_output> to {}",
                        request.tool, request.arguments
                    ));
                    Some(Input::ToolFinished { call, result: output })
                }
                Effect::Spawn { call, request } if request.arguments.contains("late") => {
                    self.late = Some(call);
                    Some(Input::ChildStarted { call, child: format!("child of {}", request.key) })
                }
                Effect::Spawn { call, request } => {
                    self.give(Input::ChildStarted { call, child: format!("child of {}", request.key) });
                    let output =
                        ToolOutput { outcome: Outcome::Failed, ..ToolOutput::text("the child gave up") };
                    Some(Input::ChildFinished {
                        call,
                        result: ChildResult { output, spent: NanoUsd::new(10), ..ChildResult::default() },
                    })
                }
                Effect::Judge(proposal) => {
                    Some(Input::Judged { call: proposal.call, verdict: self.verdict() })
                }
                Effect::Consult(consultation) => panic!("{consultation:?}"),
                Effect::Check { call, request } => {
                    Some(Input::Checked { call, ruling: self.ruling(&request.check) })
                }
            };
            if let Some(input) = next {
                self.give(input);
            }
        }
    }

    /// The first call fails, so that a pause with its jitter is in the journal.
    fn reply(&mut self) -> ModelResult {
        self.models += 1;
        let usage = Usage { input: 40 + self.models, output: 9, ..Usage::default() };
        if self.models == 1 {
            let message = String::from("try again");
            return ModelResult::Failed(Failure {
                class: FailureClass::Overloaded,
                message,
                retry_after_ms: None,
                usage,
            });
        }
        let blocks = self.replies.next().expect("a reply");
        ModelResult::Replied(Reply { blocks, usage, stop: StopReason::EndTurn, model: None })
    }

    fn verdict(&mut self) -> Verdict {
        self.questions += 1;
        if self.questions == 1 {
            return Verdict::Rewrite { arguments: r#"{"path":"out/c.rs"}"#.into() };
        }
        Verdict::Allow {
            grants: GrantSet::parse(["write:out/**"]).unwrap(),
            until: Some(Timestamp::new(900_000)),
        }
    }

    fn ruling(&mut self, check: &Check) -> CheckRuling {
        self.checks += 1;
        assert!(matches!(check, Check::Postcondition(_)));
        if self.checks > 1 {
            return CheckRuling::Passed;
        }
        CheckRuling::Broken { reason: "no compiler here".into() }
    }
}

#[test]
fn a_golden_record_is_found_by_its_number() {
    let records = golden();
    assert!(records.iter().enumerate().all(|(index, record)| record.seq() == Seq::new(index as u64)));
    assert!(GOLDEN.len() < 100_000, "a small one: {}", GOLDEN.len());
}
