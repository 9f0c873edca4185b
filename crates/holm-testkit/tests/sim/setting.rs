//! Configurations to play in: small choices that print in one line, and the tools that all of them have.

use std::collections::BTreeSet;
use std::fmt;

use holm_grants::{DenialSet, GrantSet, Level, Mode, NeedTemplate};
use holm_guards::json::Json;
use holm_guards::plausibility::EmptyOutput;
use holm_guards::postcondition::{Postcondition, Rule};
use holm_guards::skill::extract;
use holm_kernel::{
    Approvals, Background, BatchOrder, Bound, Budget, ChildrenAtEnd, Config, ConsultPoint, Exemption,
    Inconclusive, Ladder, MarkRule, MaxTokensRecovery, ModelSpec, NanoUsd, Pace, PlainAnswer, PlanRole,
    Price, Protocol, Quota, Repeat, SummaryPolicy, ToolKind, ToolSpec, Vote, Yields,
};

/// Everything that differs from one simulated configuration to the next.
#[derive(Clone, PartialEq)]
pub(crate) struct Setting {
    pub(crate) mode: Mode,
    pub(crate) grants: Vec<&'static str>,
    pub(crate) denials: Vec<&'static str>,
    pub(crate) approvals: Approvals,
    pub(crate) mark_rule: MarkRule,
    pub(crate) order: BatchOrder,
    pub(crate) consult: BTreeSet<ConsultPoint>,
    pub(crate) protocol: Protocol,
    pub(crate) turns: u64,
    pub(crate) grace: u64,
    pub(crate) calls: u64,
    pub(crate) wall: Option<u64>,
    pub(crate) budget: Option<u64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) tries: u64,
    pub(crate) fallback: bool,
    pub(crate) ladder: bool,
    pub(crate) window: u64,
    pub(crate) summary: bool,
    pub(crate) ceiling: Option<u64>,
    pub(crate) remind: bool,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            mode: Mode::Full,
            grants: vec!["read:**", "write:**", "fetch:https://*"],
            denials: Vec::new(),
            approvals: Approvals::Ask,
            mark_rule: MarkRule::ShowOnly,
            order: BatchOrder::Parallel,
            consult: BTreeSet::new(),
            protocol: Protocol::Native,
            turns: 12,
            grace: 0,
            calls: 64,
            wall: None,
            budget: None,
            tokens: None,
            tries: 3,
            fallback: false,
            ladder: false,
            window: 128_000,
            summary: true,
            ceiling: None,
            remind: false,
        }
    }
}

impl Setting {
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::new(self.model("scripted/one", 1_000_000));
        if self.fallback {
            config.models.push(self.model("scripted/two", 3_000_000));
        }
        config.ladder = self.ladder.then(Ladder::default);
        // Varied with something that it has nothing to do with.
        config.children_at_end = if self.summary { ChildrenAtEnd::Wait } else { ChildrenAtEnd::Stop };
        config.name = "sim".into();
        config.tools = tools();
        config.mode = self.mode;
        config.grants = grants(&self.grants);
        config.denials = DenialSet::parse(self.denials.iter().copied()).expect("denials");
        config.workspace = Some("/work".parse().expect("a path"));
        config.approvals = self.approvals;
        config.mark_rule = self.mark_rule;
        config.batch = self.order;
        config.consult = self.consult.clone();
        config.protocol = self.protocol;
        config.limits.turns = Bound::AtMost(self.turns);
        config.limits.grace_turns = self.grace;
        config.limits.calls_per_turn = Bound::AtMost(self.calls);
        config.limits.wall_ms = self.wall.map_or(Bound::Unbounded, Bound::AtMost);
        config.limits.budget = Budget { usd: self.budget.map(NanoUsd::new) };
        config.limits.tokens = self.tokens.map_or(Bound::Unbounded, Bound::AtMost);
        config.limits.max_tokens = MaxTokensRecovery { attempts: 2, ceiling: self.ceiling };
        config.limits.result_chars = 2_000;
        config.limits.tool_ms = 5_000;
        config.retry.attempts = self.tries;
        config.context.keep_turns = 1;
        if !self.summary {
            config.context.summary = SummaryPolicy::Never;
        }
        config.policy.terminal_tools = ["finish".to_owned()].into();
        config.policy.inconclusive = Inconclusive { shorter_than: 40, ..Inconclusive::default() };
        if self.remind {
            config.policy.plain_answer = PlainAnswer::RemindOnce("Use `finish` to end.".into());
        }
        config
    }

    fn model(&self, name: &str, input: u64) -> ModelSpec {
        ModelSpec {
            window: Some(self.window),
            max_output: Some(50),
            price: Some(Price { input, output: 5_000_000, ..Price::default() }),
            ..ModelSpec::named(name)
        }
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, approvals, mark_rule, order, protocol, turns, grace, calls, .. } = self;
        write!(out, "setting   {mode} mode, {approvals:?}, {mark_rule:?}, {order:?}, {protocol:?}, ")?;
        write!(out, "grants {:?}, denials {:?}, hooks {:?}, ", self.grants, self.denials, self.consult)?;
        write!(
            out,
            "turns {turns}, grace {grace}, calls {calls}, wall {:?}, budget {:?}, tokens {:?}, ",
            self.wall, self.budget, self.tokens
        )?;
        write!(out, "tries {}, fallback {}, ladder {}, ", self.tries, self.fallback, self.ladder)?;
        write!(out, "window {}, ", self.window)?;
        writeln!(out, "summary {}, ceiling {:?}, remind {}", self.summary, self.ceiling, self.remind)
    }
}

pub(crate) fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).expect("grants")
}

/// The names of all tools, as scripts use them.
pub(crate) const NAMES: [&str; 19] = [
    "look",
    "write",
    "put",
    "shell",
    "send",
    "page",
    "mail",
    "finish",
    "note",
    "ask_child",
    "checked",
    "extract",
    "poll",
    "fragile",
    "scarce",
    "enter_plan",
    "exit_plan",
    "leave_child",
    "children",
];

/// One tool of every kind.
pub(crate) fn tools() -> Vec<ToolSpec> {
    let child = ToolKind::Agent {
        grants: grants(&["read:src/**", "exec:sh"]),
        reserve: NanoUsd::new(200),
        tokens: 150,
    };
    let outside = Yields { untrusted: true, ..Yields::default() };
    let private = Yields { private: true, ..Yields::default() };
    let sends = Yields { egress: true, ..Yields::default() };
    let run = Rule::Executable { command: "verify".into(), arguments: Vec::new() };
    let checks = vec![Postcondition::new("verified", run)];
    let quota = Quota { calls: Some(1), ..Quota::default() };
    vec![
        ToolSpec { needs: needs("read:{path}"), ..tool("look", Level::ReadOnly) },
        ToolSpec { needs: needs("write:{path}"), timeout_ms: Some(100), ..tool("write", Level::Write) },
        ToolSpec { needs: needs("write:{path}"), repeat: Repeat::Idempotent, ..tool("put", Level::Write) },
        ToolSpec { pace: Pace::Exclusive, ..tool("shell", Level::Execute) },
        ToolSpec { needs: needs("fetch:{url}"), yields: sends, ..tool("send", Level::Execute) },
        ToolSpec { yields: outside, ..tool("page", Level::ReadOnly) },
        ToolSpec { yields: private, ..tool("mail", Level::ReadOnly) },
        tool("finish", Level::None),
        ToolSpec { vote: Vote::Advisory, empty: EmptyOutput::Allowed, ..tool("note", Level::None) },
        ToolSpec { kind: child.clone(), ..tool("ask_child", Level::Execute) },
        ToolSpec { postconditions: checks, ..tool("checked", Level::ReadOnly) },
        ToolSpec::skill(extract()),
        ToolSpec { exemption: Exemption::Polling, ..tool("poll", Level::ReadOnly) },
        // It only looks, so that others run beside it.
        ToolSpec { aborts_siblings: true, ..tool("fragile", Level::ReadOnly) },
        ToolSpec { quota, ..tool("scarce", Level::ReadOnly) },
        ToolSpec { kind: ToolKind::Plan(PlanRole::Enter), ..tool("enter_plan", Level::None) },
        ToolSpec { kind: ToolKind::Plan(PlanRole::Exit), ..tool("exit_plan", Level::None) },
        ToolSpec { kind: child, background: Background::Always, ..tool("leave_child", Level::Execute) },
        ToolSpec::children("children"),
    ]
}

fn tool(name: &str, level: Level) -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"url":{"type":"string"},
        "n":{"type":"integer"}},"additionalProperties":false}"#;
    ToolSpec::new(name, "A tool.", Json::parse(schema).expect("a schema")).level(level)
}

fn needs(template: &str) -> Vec<NeedTemplate> {
    vec![template.parse().expect("a template")]
}
