//! In plan mode nothing that writes or executes leaves the kernel, and only a person ends plan
//! mode, with no wider mode than before. Random inputs test this.

use alloc::{collections::BTreeMap, string::String, vec, vec::Vec};

use holm_grants::{GrantSet, Level, Mode};
use proptest::prelude::*;

use super::plan::{enter, exit};
use super::play::{config_with, tool};
use crate::*;

/// The tools by name; an agent's own level may be harmless, then its child must be held.
const NAMES: [&str; 10] =
    ["look", "save", "act", "helper", "wild", "enter_plan", "exit_plan", "nothing", "beside", "run"];

#[derive(Debug, Clone)]
enum Op {
    Reply(Vec<u8>),
    Judge(u8, u8),
    Dispatch(u8),
    Finish(u8),
    Mode(u8),
    Grants,
    Tools,
    Steer,
    Prompt,
    Resume,
    Time,
    Cancel,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => prop::collection::vec(any::<u8>(), 0..4).prop_map(Op::Reply),
        4 => (any::<u8>(), any::<u8>()).prop_map(|(which, how)| Op::Judge(which, how)),
        4 => any::<u8>().prop_map(Op::Dispatch),
        4 => any::<u8>().prop_map(Op::Finish),
        1 => any::<u8>().prop_map(Op::Mode),
        1 => Just(Op::Grants),
        1 => Just(Op::Tools),
        1 => Just(Op::Steer),
        2 => Just(Op::Prompt),
        1 => Just(Op::Resume),
        1 => Just(Op::Time),
        1 => Just(Op::Cancel),
    ]
}

fn tools() -> Vec<ToolSpec> {
    let agent = |name: &str, level| {
        let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::ZERO, tokens: 0 };
        ToolSpec { kind, ..tool(name).level(level) }
    };
    vec![
        tool("look"),
        tool("save").level(Level::Write),
        tool("act").level(Level::Execute),
        ToolSpec { in_plan: PlanAccess::ReadOnly, ..tool("run").level(Level::Execute) },
        agent("helper", Level::ReadOnly),
        agent("wild", Level::Execute),
        ToolSpec { background: Background::Always, ..agent("beside", Level::ReadOnly) },
        enter(),
        exit(),
    ]
}

/// A host that does anything, and a watcher that trusts nothing.
struct Wild {
    run: Run,
    now: u64,
    open: Vec<Effect>,
    /// The mode from which the model entered plan mode.
    before: Option<Mode>,
    leaving: Vec<QuestionId>,
    /// Children that were not stopped, with the mode that they were given.
    children: BTreeMap<ToolCallId, Mode>,
    number: u64,
}

impl Wild {
    fn new(mode: Mode, approvals: Approvals) -> Self {
        let config = Config { mode, approvals, ..config_with(tools()) };
        let run = Run::start(Started::new("run-1", 7, config), Timestamp::new(0));
        Self {
            run,
            now: 0,
            open: Vec::new(),
            before: None,
            leaving: Vec::new(),
            children: BTreeMap::new(),
            number: 0,
        }
    }

    fn give(&mut self, input: Input) {
        let was = self.run.mode();
        let by_person = match &input {
            Input::ModeChanged(_) => true,
            Input::Judged { call, verdict: Verdict::Allow { .. } } => self.leaving.contains(call),
            _ => false,
        };
        let chosen = matches!(input, Input::ModeChanged(_));
        if let Input::ChildFinished { call, .. } = &input {
            self.children.remove(call);
        }
        self.now += 1;
        if self.run.handle(Timestamp::new(self.now), input).is_err() {
            return;
        }
        self.watch_mode(was, by_person, chosen);
        let mut effects = Vec::new();
        loop {
            match self.run.poll() {
                Effect::Wait(_) => break,
                effect => effects.push(effect),
            }
        }
        // What a call after it has taken back never begins.
        let is_aborted = |call: &ToolCallId| {
            effects.iter().any(|effect| matches!(effect, Effect::Abort(other) if other == call))
        };
        for effect in &effects {
            match effect {
                Effect::Abort(call) => {
                    self.children.retain(|child, _| call != child);
                }
                Effect::Judge(proposal) if proposal.reasons.contains(&AskReason::LeavesPlan) => {
                    self.leaving.push(proposal.call);
                }
                Effect::RunTool { .. } => self.watch(effect),
                Effect::Spawn { call, request } if !is_aborted(call) => {
                    self.children.insert(*call, request.mode);
                    self.watch(effect);
                }
                _ => {}
            }
        }
        self.open.extend(effects);
        let held = self.children.values().all(|mode| *mode == Mode::Plan);
        assert!(self.run.mode() != Mode::Plan || held, "in plan mode: {:?}", self.children);
    }

    fn watch_mode(&mut self, was: Mode, by_person: bool, chosen: bool) {
        let is = self.run.mode();
        if was == Mode::Plan && is != Mode::Plan {
            assert!(by_person, "only a person leads out of plan mode");
            assert!(chosen || self.before == Some(is), "out to {is}, before it was {:?}", self.before);
        }
        if chosen {
            self.before = None;
        } else if was != Mode::Plan && is == Mode::Plan {
            self.before = Some(was);
        }
    }

    fn watch(&self, effect: &Effect) {
        if self.run.mode() != Mode::Plan {
            return;
        }
        match effect {
            Effect::RunTool { request, .. } => {
                let is_read_only = request.access == CallAccess::ReadOnly;
                let may = &*request.tool == "look" || (&*request.tool == "run" && is_read_only);
                assert!(may, "in plan mode: {} with {:?}", request.tool, request.access);
            }
            Effect::Spawn { request, .. } => {
                assert!(matches!(&*request.tool, "helper" | "beside"), "in plan mode: {}", request.tool);
                assert_eq!(request.mode, Mode::Plan);
            }
            _ => {}
        }
    }

    fn pick(&self, which: u8, is: fn(&Effect) -> bool) -> Option<Effect> {
        let fitting: Vec<&Effect> = self.open.iter().filter(|effect| is(effect)).collect();
        fitting.get(usize::from(which) % fitting.len().max(1)).map(|effect| (*effect).clone())
    }

    fn reply(&mut self, calls: &[u8]) {
        let Some(Effect::CallModel { call, .. }) =
            self.pick(u8::MAX, |effect| matches!(effect, Effect::CallModel { .. }))
        else {
            return;
        };
        self.open.retain(|effect| !matches!(effect, Effect::CallModel { .. }));
        let mut blocks = vec![Block::Text("so".into())];
        for chosen in calls {
            self.number += 1;
            let name = NAMES[usize::from(*chosen) % NAMES.len()];
            let arguments = match name {
                "exit_plan" => alloc::format!(r#"{{"plan":"{}"}}"#, self.number),
                "enter_plan" => String::from("{}"),
                _ => alloc::format!(r#"{{"text":"{}"}}"#, self.number),
            };
            let id = alloc::format!("c{}", self.number);
            blocks.push(Block::ToolCall(ToolCall { id, name: name.into(), arguments, replay: None }));
        }
        let reply = Reply { blocks, ..Reply::default() };
        self.give(Input::ModelFinished { call, result: ModelResult::Replied(reply) });
    }

    fn judge(&mut self, which: u8, how: u8) {
        let Some(Effect::Judge(proposal)) = self.pick(which, |effect| matches!(effect, Effect::Judge(_)))
        else {
            return;
        };
        let everything = ["tool:save", "tool:act", "tool:exit_plan"];
        let verdict = match how % 4 {
            0 => Verdict::deny("no"),
            1 => Verdict::Allow { grants: GrantSet::parse(everything).expect("grants"), until: None },
            2 => Verdict::Rewrite { arguments: String::from(r#"{"plan":"mine","text":"mine"}"#) },
            _ => Verdict::allow(),
        };
        self.give(Input::Judged { call: proposal.call, verdict });
    }

    fn finish(&mut self, which: u8) {
        let under_way = |effect: &Effect| matches!(effect, Effect::RunTool { .. } | Effect::Spawn { .. });
        match self.pick(which, under_way) {
            Some(Effect::RunTool { call, .. }) => {
                self.give(Input::ToolFinished { call, result: ToolOutput::text("a fine result") });
            }
            Some(Effect::Spawn { call, .. }) => {
                let output = ToolOutput::text("a fine child");
                self.give(Input::ChildFinished {
                    call,
                    result: ChildResult { output, ..Default::default() },
                });
            }
            _ => {}
        }
    }

    fn perform(&mut self, op: &Op) {
        match op {
            Op::Reply(calls) => self.reply(calls),
            Op::Judge(which, how) => self.judge(*which, *how),
            Op::Dispatch(which) => {
                let picked = self.pick(*which, |effect| matches!(effect, Effect::RunTool { .. }));
                if let Some(Effect::RunTool { call, .. }) = picked {
                    self.give(Input::Dispatched { call });
                }
            }
            Op::Finish(which) => self.finish(*which),
            Op::Mode(which) => self.give(Input::ModeChanged(Mode::ALL[usize::from(*which) % 4])),
            Op::Grants => {
                let grants = GrantSet::parse(["tool:save", "tool:exit_plan"]).expect("grants");
                self.give(Input::GrantsChanged(grants));
            }
            Op::Tools => self.give(Input::ToolsChanged(tools())),
            Op::Steer => self.give(Input::Steered(Prompt::text("hurry"))),
            Op::Prompt => self.give(Input::Prompted(Prompt::text("go"))),
            Op::Resume => self.give(Input::Resumed { host: String::from("other") }),
            Op::Time => {
                self.now += 1_000_000;
                self.give(Input::TimePassed);
            }
            Op::Cancel => self.give(Input::Cancelled { reason: String::from("enough") }),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_plan_mode_nothing_that_changes_the_world_leaves_the_kernel(
        mode in 0_usize..4,
        always in any::<bool>(),
        ops in prop::collection::vec(op(), 1..80),
    ) {
        let approvals = if always { Approvals::AskAlways } else { Approvals::Ask };
        let mut wild = Wild::new(Mode::ALL[mode], approvals);
        wild.give(Input::Prompted(Prompt::text("go")));
        for op in &ops {
            wild.perform(op);
        }
    }
}

#[test]
fn the_wild_host_does_reach_what_it_watches_for() {
    let mut wild = Wild::new(Mode::Full, Approvals::Ask);
    let mut ran = 0;
    wild.give(Input::Prompted(Prompt::text("go")));
    // Writes, enters, is refused, leaves by a person's yes, writes again.
    for op in [
        Op::Reply(vec![1]),
        Op::Dispatch(0),
        Op::Finish(0),
        Op::Reply(vec![5]),
        Op::Reply(vec![1, 2, 4]),
        Op::Reply(vec![6]),
        Op::Judge(0, 3),
        Op::Reply(vec![2]),
    ] {
        wild.perform(&op);
        ran = wild.open.iter().filter(|effect| matches!(effect, Effect::RunTool { .. })).count();
    }
    assert_eq!((ran, wild.run.mode()), (2, Mode::Full));
}
