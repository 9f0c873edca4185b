//! What holds for every transcript, hostile sizes included.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    sync::Arc,
    vec,
    vec::Vec,
};

use proptest::prelude::*;

use super::teller::{Teller, block_text, result};
use crate::context::{PlanDecision, estimate, token_thresholds::TokenThresholds, view::ContextView};
use crate::{Block, ContextPolicy, Family, Message, MessageId, PlanStep, Role, SummaryPolicy};

#[derive(Debug, Clone)]
enum Move {
    Prompt(usize),
    Correct(usize),
    Order(usize),
    Note,
    Answer(usize),
    Work(Vec<usize>),
    WorkApart(Vec<usize>),
    /// A call that is steered before its result is in.
    Interrupted(usize),
    Plan(u64, u64),
    Summarise(usize),
    Overflow,
    /// The provider counted this many thousandths of the estimate.
    Count(u64),
    Switch(Family),
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0_usize..300, 6 => 200_usize..3_000, 1 => 3_000_usize..60_000]
}

fn family() -> impl Strategy<Value = Family> {
    prop_oneof![Just(Family::OpenAi), Just(Family::Anthropic), Just(Family::Other)]
}

fn a_move() -> impl Strategy<Value = Move> {
    let sizes = || prop::collection::vec(size(), 1..5);
    let window = prop_oneof![Just(0_u64), 1_u64..500, 500_u64..8_000, 8_000_u64..60_000, Just(u64::MAX)];
    prop_oneof![
        2 => size().prop_map(Move::Prompt),
        1 => size().prop_map(Move::Correct),
        1 => (0_usize..300).prop_map(Move::Order),
        1 => Just(Move::Note),
        3 => size().prop_map(Move::Answer),
        5 => sizes().prop_map(Move::Work),
        3 => sizes().prop_map(Move::WorkApart),
        1 => size().prop_map(Move::Interrupted),
        8 => (window, 0_u64..5_000).prop_map(|(window, fixed)| Move::Plan(window, fixed)),
        2 => (0_usize..5_000).prop_map(Move::Summarise),
        1 => Just(Move::Overflow),
        1 => (0_u64..3_000).prop_map(Move::Count),
        1 => family().prop_map(Move::Switch),
    ]
}

fn a_policy() -> impl Strategy<Value = ContextPolicy> {
    let summary = prop_oneof![Just(SummaryPolicy::Never), Just(SummaryPolicy::default())];
    let most = prop_oneof![2 => Just(None), 1 => (0_u64..60).prop_map(Some)];
    let verbatim = prop_oneof![Just(0_u64), 0_u64..4_000];
    (0_u64..1_200, 0_u64..1_200, 0_u64..6, most, summary, verbatim).prop_map(
        |(trigger_milli, target_milli, keep_turns, max_messages, summary, verbatim_tokens)| ContextPolicy {
            trigger_milli,
            target_milli,
            keep_turns,
            max_messages,
            summary,
            verbatim_tokens,
            ..ContextPolicy::default()
        },
    )
}

/// A teller with what the checks need to remember.
struct World {
    teller: Teller,
    policy: ContextPolicy,
    summaries: u64,
    asked: Option<MessageId>,
    prompt: Option<String>,
    /// No message before this one may be shown whole any more by right: results were clipped, or a provider refused.
    touched: usize,
    shown: (u64, Vec<Arc<Message>>),
}

impl World {
    fn new(policy: ContextPolicy) -> Self {
        Self {
            teller: Teller::default(),
            policy,
            summaries: 0,
            asked: None,
            prompt: None,
            touched: 0,
            shown: (0, Vec::new()),
        }
    }

    fn make(&mut self, a_move: &Move) {
        let text = |size: &usize| "some words, ".chars().cycle().take(*size).collect::<String>();
        let teller = &mut self.teller;
        match a_move {
            Move::Prompt(size) => {
                self.prompt = Some(text(size));
                teller.prompt(&text(size));
            }
            Move::Correct(size) => teller.say(Role::User, vec![Block::Text(text(size))]),
            Move::Order(size) => teller.say(Role::System, vec![Block::Text(text(size))]),
            Move::Note => teller.say(Role::Custom, Vec::new()),
            Move::Answer(size) => teller.answer(&text(size)),
            Move::Work(sizes) => {
                teller.work(sizes);
                teller.keep_facts(sizes);
            }
            Move::WorkApart(sizes) => teller.work_apart(sizes),
            Move::Interrupted(size) => {
                let ids = teller.call(2);
                teller.say(Role::Tool, vec![result(&ids[0], *size)]);
                teller.say(Role::User, vec![Block::Text("wait".into())]);
                teller.say(Role::Tool, vec![result(&ids[1], *size)]);
            }
            Move::Plan(window, fixed) => self.plan(*window, *fixed),
            Move::Summarise(size) => self.summarise(*size),
            Move::Overflow => self.overflow(),
            Move::Count(milli) => {
                let estimated = self.teller.view.tokens() + 1_000;
                self.teller.view.learn_count(estimated, estimated * milli / 1_000);
            }
            Move::Switch(family) => {
                self.teller.family = *family;
                self.teller.view.retarget(*family);
            }
        }
    }

    fn plan(&mut self, window: u64, fixed: u64) {
        let tight = self.is_tight(window, fixed);
        let plan = self.teller.view.plan(&self.policy, window, fixed, self.teller.family);
        let shrinks = !plan.steps.is_empty() || matches!(plan.next, PlanDecision::Summarise { .. });
        if tight && shrinks {
            self.touched = self.touched.max(self.last_turn());
        }
        if plan.steps.iter().any(|planned| planned.step == PlanStep::Clipped) {
            self.touched = self.teller.history.len();
        }
        self.asked = if let PlanDecision::Summarise { upto } = plan.next { Some(upto) } else { None };
        let before = self.teller.view.clone();
        let again = self.teller.view.plan(&self.policy, window, fixed, self.teller.family);
        assert_eq!((again.next, again.steps), (plan.next, vec![]), "a second plan changes nothing");
        assert_eq!(json(&self.teller.view), json(&before));
    }

    /// Whether the kept turns and what always stays take more than half of the target: then a plan
    /// may keep fewer turns.
    fn is_tight(&self, window: u64, fixed: u64) -> bool {
        let mut view = self.teller.view.clone();
        view.retarget(self.teller.family);
        let window = if window == 0 { self.policy.default_window } else { window };
        let room = TokenThresholds::new(&self.policy, view.estimated_window(window), fixed, view.ceiling);
        view.age(view.keep_start(self.policy.keep_turns));
        view.tokens() - view.old.tokens > room.target / 2
    }

    /// Where the last turn begins, which a plan never shortens.
    fn last_turn(&self) -> usize {
        let view = &self.teller.view;
        let start = usize::try_from(view.keep_start(1)).unwrap();
        view.messages().get(start).map_or(0, |message| usize::try_from(message.id.value()).unwrap())
    }

    fn summarise(&mut self, size: usize) {
        let Some(upto) = self.asked.take() else { return };
        let id = MessageId::new(1_000_000 + self.summaries);
        self.summaries += 1;
        let request = self.teller.view.summary_request(&self.policy, upto, id);
        check_pairs(&request);
        let before = self.teller.view.tokens();
        if let Ok((from, to)) = self.teller.view.apply_summary(upto, &"x".repeat(size), id) {
            assert_eq!((from, to), (before, self.teller.view.tokens()));
            assert!(to < from);
        } else {
            assert_eq!(self.teller.view.tokens(), before);
        }
    }

    fn overflow(&mut self) {
        self.touched = self.teller.history.len();
        let before = self.teller.view.tokens();
        let steps = self.teller.view.shrink_after_overflow(&self.policy);
        let after = self.teller.view.tokens();
        assert!(after <= before && steps.is_empty() == (after == before), "{before} {after} {steps:?}");
        if after > before - before / 4 {
            let more = self.teller.view.clone().shrink_after_overflow(&self.policy);
            assert_eq!(more, [], "what could go has gone");
        }
    }

    fn check(&mut self) {
        self.check_sums();
        self.check_order();
        check_pairs(self.teller.view.messages());
        self.check_kept();
        self.check_epoch();
    }

    fn check_sums(&self) {
        let view = &self.teller.view;
        let tokens: u64 =
            view.messages().iter().map(|message| estimate::tokens(self.teller.family, message)).sum();
        assert_eq!(view.tokens(), tokens, "the running sum is the sum");
        let mut counted = view.clone();
        counted.recount_old();
        assert_eq!(counted.old, view.old, "the sum of what is old is right");
        let done = usize::try_from(view.elided).unwrap();
        assert!(
            view.measures[..done].iter().all(|measure| measure.elidable == 0),
            "no result was passed over"
        );
    }

    fn check_order(&self) {
        let shown: Vec<u64> = self.teller.view.messages().iter().map(|message| message.id.value()).collect();
        let told: Vec<u64> = shown.iter().copied().filter(|id| *id < 1_000_000).collect();
        assert!(told.is_sorted_by(|a, b| a < b), "in the order of the transcript: {shown:?}");
        assert!(shown.len() - told.len() <= 1, "one summary at the most");
    }

    fn check_kept(&self) {
        let view = &self.teller.view;
        let first = self.teller.history.iter().find(|message| message.role == Role::User);
        assert!(first.is_none_or(|task| view.messages().contains(task)), "the task is in view");
        let shown: Vec<String> =
            view.messages().iter().flat_map(|message| message.blocks.iter().map(block_text)).collect();
        assert!(self.prompt.as_ref().is_none_or(|prompt| shown.contains(prompt)), "the prompt is in view");
        for order in self.teller.history.iter().filter(|message| message.role == Role::System) {
            assert!(view.messages().contains(order), "standing orders are in view");
        }
        for message in self.last_turns() {
            let there = view.messages().iter().any(|shown| Arc::ptr_eq(shown, message));
            assert!(there, "the last turns are whole: {:?}", message.id);
        }
    }

    /// A little less than the last turns, so that it does not depend on where exactly a turn begins.
    fn last_turns(&self) -> &[Arc<Message>] {
        let history = &self.teller.history;
        let keep = usize::try_from(self.policy.keep_turns).unwrap().max(1) - 1;
        let replies = history.iter().enumerate().rev().filter(|(_, message)| message.role == Role::Assistant);
        let start = replies.take(keep).last().map_or(history.len(), |(at, _)| at).max(self.touched);
        let tail = history.get(start..).unwrap_or_default();
        if tail.iter().any(|message| message.role == Role::Custom) { &[] } else { tail }
    }

    fn check_epoch(&mut self) {
        let view = &self.teller.view;
        let (epoch, before) = &self.shown;
        if view.epoch() == *epoch {
            let grown = before.iter().zip(view.messages()).all(|(old, new)| Arc::ptr_eq(old, new));
            assert!(grown && view.messages().len() >= before.len(), "the view only grew");
        }
        self.shown = (view.epoch(), view.messages().to_vec());
    }
}

/// Every result has its call before it, and every call its result, but for those of the last reply.
fn check_pairs(messages: &[Arc<Message>]) {
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let last = messages.iter().rposition(|message| message.role == Role::Assistant);
    for (at, message) in messages.iter().enumerate() {
        for block in &message.blocks {
            match block {
                Block::ToolCall(call) => {
                    assert!(seen.insert(call.id.as_str()), "no call twice");
                    open.insert(&call.id, at);
                }
                Block::ToolResult(result) => {
                    assert!(open.remove(result.call.as_str()).is_some(), "{} has no call", result.call);
                }
                Block::Text(_) | Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {
                }
            }
        }
    }
    assert!(open.values().all(|at| Some(*at) == last), "calls without result: {open:?}");
}

fn json(view: &ContextView) -> String {
    serde_json::to_string(view).unwrap()
}

/// Counting the whole view anew after each move is slow in a debug build; more cases by `PROPTEST_CASES`.
fn fewer(divisor: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: (usual.cases / divisor).max(1), ..usual }
}

proptest! {
    #![proptest_config(fewer(4))]

    #[test]
    fn a_view_keeps_its_promises_whatever_happens(
        policy in a_policy(),
        moves in prop::collection::vec(a_move(), 1..60),
    ) {
        let mut world = World::new(policy);
        for a_move in &moves {
            world.make(a_move);
            world.check();
        }
    }
}

proptest! {
    #![proptest_config(fewer(8))]

    #[test]
    fn a_view_read_back_goes_on_in_the_same_way(
        policy in a_policy(),
        moves in prop::collection::vec(a_move(), 1..30),
    ) {
        let mut world = World::new(policy.clone());
        let mut twin = World::new(policy);
        for a_move in &moves {
            world.make(a_move);
            twin.make(a_move);
            twin.teller.view = serde_json::from_str(&json(&twin.teller.view)).unwrap();
            prop_assert_eq!(json(&world.teller.view), json(&twin.teller.view));
        }
    }
}
