//! The turns of the naive kernel: what is said, what a model replies, what a limit ends.

use std::collections::{BTreeSet, VecDeque};

use holm_kernel::{
    Answer, BatchOrder, Block, CallId, Config, ConsultPoint, ConsultationId, Effect, Event, Failure,
    FailureClass, Input, Limit, Marks, ModelCallId, ModelResult, NanoUsd, NextTry, PlainAnswer, Queue, Reply,
    StopReason, Timestamp, ToolCall, ToolCallId, Usage,
};

use super::{
    Left,
    authority::Authority,
    call::{Call, Stage},
    due_work::{Due, How, about},
    money::Money,
};
use crate::{Step, sim::answered};

/// Why the naive kernel does not go on.
#[derive(Debug)]
pub(super) enum Halt {
    /// It does not know this part.
    Left(Left),
    /// What it was told cannot be.
    Differs(String),
}

pub(super) type Go = Result<(), Halt>;

/// The whole state: what was said, asked and answered, and nothing that could be worked out from it.
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) config: Config,
    pub(super) authority: Authority,
    pub(super) money: Money,
    pub(super) budget: Option<NanoUsd>,
    pub(super) now: Timestamp,
    pub(super) phase: Phase,
    group: Group,
    /// Tries of the model call under way.
    attempts: u64,
    /// Its raised cap.
    cap: Option<u64>,
    steering: VecDeque<Marks>,
    follow_ups: VecDeque<Marks>,
    pub(super) calls: Vec<Call>,
    pub(super) order: BatchOrder,
    /// Whether a call was refused unlooked at: then the reply cannot end the run.
    pub(super) dropped: bool,
    /// What the gate lets through; none while it is open.
    pub(super) gate: Option<BTreeSet<String>>,
    /// Every id that was ever given.
    pub(super) known: BTreeSet<CallId>,
    /// What follows from the fact that was taken last.
    pub(super) due: Vec<Due>,
}

/// What the run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Idle,
    /// Hooks were asked; the real kernel names the question.
    Asking {
        what: What,
        call: Option<ConsultationId>,
    },
    /// A model was called; the real kernel names the call.
    Calling(Option<ModelCallId>),
    Pausing {
        until: Timestamp,
    },
    Working,
}

/// What hooks are asked, beside what becomes of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Which tools are on offer.
    Gate,
    /// Which model is called.
    Choice,
    /// What the request shows.
    Patch,
    /// Whether there is more to do.
    Stop,
    /// What an answer in plain words means.
    Plain,
}

impl What {
    /// What is asked before a model call, in this order.
    const BEFORE_A_CALL: [Self; 3] = [Self::Gate, Self::Choice, Self::Patch];

    const fn point(self) -> ConsultPoint {
        match self {
            Self::Gate => ConsultPoint::Tools,
            Self::Choice => ConsultPoint::Model,
            Self::Patch => ConsultPoint::Context,
            Self::Stop => ConsultPoint::Stop,
            Self::Plain => ConsultPoint::PlainAnswer,
        }
    }
}

#[derive(Debug, Default)]
struct Group {
    started: Timestamp,
    turns: u64,
    model: usize,
    reminded: bool,
    cuts: u64,
    /// Hosts in a row that stopped during the same work.
    crashes: u64,
}

/// So many hosts may stop during the same work.
const MOST_CRASHES: u64 = 5;

impl Kernel {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            authority: Authority::new(config),
            money: Money::default(),
            budget: config.limits.budget.usd,
            now: Timestamp::default(),
            phase: Phase::Idle,
            group: Group::default(),
            attempts: 0,
            cap: None,
            steering: VecDeque::new(),
            follow_ups: VecDeque::new(),
            calls: Vec::new(),
            order: config.batch,
            dropped: false,
            gate: None,
            known: BTreeSet::new(),
            due: Vec::new(),
            config: config.clone(),
        }
    }

    /// Takes one fact. Of what the real kernel made of it only names are read: ids, the time of a pause within its bounds,
    /// and the arguments of calls in their canonical form.
    pub(super) fn take(&mut self, step: &Step) -> Go {
        if step.at < self.now {
            return Err(Halt::Differs(format!("time runs back from {} to {}", self.now, step.at)));
        }
        self.now = step.at;
        self.due.clear();
        // Hooks are asked again after every crash, so what they say is no progress.
        if answered(&step.input).is_some() && !matches!(step.input, Input::Consulted { .. }) {
            self.group.crashes = 0;
        }
        match &step.input {
            // The last two answer what is never asked here, and so are late.
            Input::Started(_) | Input::Checked { .. } | Input::Summarised { .. } => Ok(()),
            Input::Consulted { call, answer } => self.consulted(*call, answer),
            Input::Resumed { .. } => self.resumed(),
            Input::Prompted(prompt) | Input::FollowedUp(prompt) => {
                if self.phase == Phase::Idle {
                    return self.start_group(prompt.marks);
                }
                self.follow_ups.push_back(prompt.marks);
                Ok(())
            }
            Input::Steered(prompt) => {
                if self.phase == Phase::Idle {
                    return self.start_group(prompt.marks);
                }
                self.steering.push_back(prompt.marks);
                Ok(())
            }
            Input::ModelFinished { call, result } => self.model_finished(step, *call, result),
            Input::Judged { call, verdict } => self.judged(step, *call, verdict),
            Input::Dispatched { call } => self.dispatched(*call),
            Input::ToolFinished { call, result } => self.tool_finished(*call, result),
            Input::ChildStarted { call, child } => self.child_started(*call, child),
            Input::ChildFinished { call, result } => self.child_finished(*call, result),
            Input::ToolsChanged(tools) => {
                self.authority.tools = tools.iter().cloned().map(std::sync::Arc::new).collect();
                self.look_again()
            }
            Input::ModeChanged(mode) => {
                self.authority.set_mode(*mode);
                self.look_again()
            }
            Input::GrantsChanged(grants) => {
                self.authority.set_grants(grants.clone());
                self.look_again()
            }
            Input::BudgetChanged(budget) => {
                self.budget = budget.usd;
                self.stop_uncovered()
            }
            Input::Narrowed(narrowing) => {
                narrowing.apply(&mut self.config);
                self.authority.mark(narrowing.marks);
                self.look_again()
            }
            Input::Cancelled { .. } => {
                self.drop_waiting();
                self.stop_everything(How::Cancelled);
                Ok(())
            }
            Input::TimePassed => self.time_passed(),
        }
    }

    /// Takes over the names that the real kernel gave to what both agree on.
    pub(super) fn adopt(&mut self, step: &Step) -> Go {
        for effect in &step.effects {
            match effect {
                Effect::CallModel { call, .. } => {
                    self.name((*call).into())?;
                    self.phase = Phase::Calling(Some(*call));
                    let model = self.config.models.get(self.group.model);
                    self.money.called(*call, model, tokens_of(step, *call));
                }
                Effect::Judge(proposal) => {
                    let place = self.calls.iter().position(|call| call.id == proposal.tool_call);
                    let Some(place) = place else { continue };
                    if self.calls[place].question.is_some() {
                        self.name(proposal.call.into())?;
                    } else if CallId::from(proposal.call) != proposal.tool_call {
                        return Err(Halt::Differs("a first question has another name than its call".into()));
                    }
                    self.calls[place].question = Some(proposal.call);
                }
                Effect::Consult(consultation) => {
                    self.adopt_question(consultation.call, about(&consultation.question))?;
                }
                Effect::RunTool { .. }
                | Effect::Spawn { .. }
                | Effect::Abort(_)
                | Effect::Check { .. }
                | Effect::Summarise { .. }
                | Effect::Emit(_)
                | Effect::Finish(_)
                | Effect::Wait(_) => {}
            }
        }
        Ok(())
    }

    /// A question keeps its name when it is asked once more after a crash, unless it is about a result.
    fn adopt_question(&mut self, question: ConsultationId, about: Option<ToolCallId>) -> Go {
        if let Some(id) = about {
            self.name(question.into())?;
            let reviewed = self.calls.iter_mut().find(|call| call.id == id);
            if let Some(Stage::Reviewing { consult, .. }) = reviewed.map(|call| &mut call.stage) {
                *consult = Some(question);
            }
            return Ok(());
        }
        let Phase::Asking { what, call } = self.phase else { return Ok(()) };
        match call {
            None => self.name(question.into())?,
            Some(call) if call == question => {}
            Some(_) => return Err(Halt::Differs("a question has another name than before the crash".into())),
        }
        self.phase = Phase::Asking { what, call: Some(question) };
        Ok(())
    }

    /// A name is given once.
    pub(super) fn name(&mut self, call: CallId) -> Go {
        if self.known.insert(call) {
            return Ok(());
        }
        Err(Halt::Differs(format!("the id {call} is given twice")))
    }

    /// When somebody has to wake the run.
    pub(super) fn wait(&self) -> Option<Timestamp> {
        let armed = match self.phase {
            Phase::Idle => return None,
            Phase::Asking { .. } | Phase::Calling(_) => None,
            Phase::Pausing { until } => Some(until),
            Phase::Working => self.calls.iter().filter_map(Call::deadline).min(),
        };
        let wall = self.config.limits.wall_ms.limit().map(|millis| self.group.started.plus(millis));
        wall.into_iter().chain(armed).min()
    }

    fn start_group(&mut self, marks: Marks) -> Go {
        self.group = Group { started: self.now, ..Group::default() };
        self.hear(marks);
        self.next_turn()
    }

    fn hear(&mut self, marks: Marks) {
        self.authority.mark(marks);
        self.due.push(Due::Heard);
    }

    pub(super) fn next_turn(&mut self) -> Go {
        while let Some(marks) = self.steering.pop_front() {
            self.hear(marks);
        }
        (self.attempts, self.cap) = (0, None);
        if let Some(how) = self.limit_reached() {
            self.unless_shares_return(how)?;
            self.end(how);
            return Ok(());
        }
        self.prepare(What::Gate)
    }

    pub(super) fn wants(&self, point: ConsultPoint) -> bool {
        self.config.consult.contains(&point)
    }

    /// Goes through what is asked before a model call, from here on.
    fn prepare(&mut self, from: What) -> Go {
        let is_next = |what: &What| *what >= from && self.wants(what.point());
        let Some(what) = What::BEFORE_A_CALL.into_iter().find(is_next) else { return self.call_model() };
        self.ask(what);
        Ok(())
    }

    fn ask(&mut self, what: What) {
        self.due.push(Due::Consult { point: what.point(), call: None });
        self.phase = Phase::Asking { what, call: None };
    }

    fn consulted(&mut self, question: ConsultationId, answer: &Answer) -> Go {
        let what = match self.phase {
            Phase::Asking { what, call: Some(call) } if call == question => what,
            Phase::Working => return self.reviewed(question, answer),
            Phase::Idle | Phase::Asking { .. } | Phase::Calling(_) | Phase::Pausing { .. } => return Ok(()),
        };
        match (what, answer) {
            (What::Gate, answer) => {
                self.gate = passes(answer);
                self.prepare(What::Choice)
            }
            (What::Choice, answer) => {
                if let Answer::Model(name) = answer {
                    let chosen = self.config.models.iter().position(|model| model.name == *name);
                    self.group.model = chosen.unwrap_or(self.group.model);
                }
                self.prepare(What::Patch)
            }
            (What::Patch, _) => self.call_model(),
            (What::Stop | What::Plain, Answer::Continue(prompt)) => {
                self.hear(prompt.marks);
                self.next_turn()
            }
            (What::Stop, _) => self.stop_unless_more(),
            (What::Plain, _) => self.plain_answer(),
        }
    }

    pub(super) fn call_model(&mut self) -> Go {
        if let Some(how) = self.limit_reached() {
            self.unless_shares_return(how)?;
            self.end(how);
            return Ok(());
        }
        let Some(model) = self.config.models.get(self.group.model) else {
            self.end(How::Failed { class: FailureClass::BadRequest, attempts: 0 });
            return Ok(());
        };
        if self.budget.is_some() && model.price.is_none() {
            self.end(How::Failed { class: FailureClass::BadRequest, attempts: 0 });
            return Ok(());
        }
        self.due.push(Due::Model { name: model.name.clone(), cap: self.cap.or(model.max_output) });
        self.phase = Phase::Calling(None);
        Ok(())
    }

    fn limit_reached(&self) -> Option<How> {
        let limits = &self.config.limits;
        let over = |limit, allowed: Option<u64>, used: u64| {
            let allowed = allowed.filter(|allowed| used >= *allowed)?;
            Some(How::OverLimit { limit, used, allowed })
        };
        let tokens = limits.tokens.limit();
        let none_left = self.money.tokens_left(tokens) == Some(0);
        over(Limit::Turns, limits.turns.limit(), self.group.turns)
            .or_else(|| {
                let used = self.money.used.total();
                tokens.filter(|_| none_left).map(|allowed| How::OverLimit {
                    limit: Limit::Tokens,
                    used,
                    allowed,
                })
            })
            .or_else(|| over(Limit::WallClock, limits.wall_ms.limit(), self.now.since(self.group.started)))
            .or_else(|| self.budget_reached())
    }

    /// How the run ends if the turn that was just counted was the last one and words could have ended the run.
    pub(super) fn last_turn_ended(&self) -> Option<How> {
        let (limits, policy) = (&self.config.limits, &self.config.policy);
        let allowed = limits.turns.limit()?;
        let needs_a_tool =
            !policy.terminal_tools.is_empty() || matches!(policy.plain_answer, PlainAnswer::RemindOnce(_));
        let used = self.group.turns;
        (used >= allowed && !needs_a_tool).then_some(How::OverLimit { limit: Limit::Turns, used, allowed })
    }

    pub(super) fn budget_reached(&self) -> Option<How> {
        let limit = self.budget?;
        let none_left = self.money.money_left(self.budget) == Some(NanoUsd::ZERO);
        none_left.then_some(How::OverBudget { spent: self.money.spent, limit })
    }

    /// Where only the shares of stopped children stand against a limit, the real kernel waits for them.
    pub(super) fn unless_shares_return(&self, how: How) -> Go {
        let short = match how {
            How::OverBudget { spent, limit } => spent < limit,
            How::OverLimit { limit: Limit::Tokens, used, allowed } => used < allowed,
            How::OverLimit { .. }
            | How::Answered
            | How::Refused
            | How::Rejected
            | How::Looping
            | How::Cancelled
            | How::Failed { .. } => false,
        };
        if short && self.money.awaits_bills(self.now) { Err(Halt::Left(Left::Shares)) } else { Ok(()) }
    }

    pub(super) fn end(&mut self, how: How) {
        self.phase = Phase::Idle;
        self.calls.clear();
        self.due.push(Due::End { how, spent: self.money.spent, tokens: self.money.used.total() });
    }

    /// The run would end by itself, unless somebody has more to say.
    pub(super) fn natural_stop(&mut self) -> Go {
        if self.wants(ConsultPoint::Stop) && self.steering.is_empty() && self.follow_ups.is_empty() {
            self.ask(What::Stop);
            return Ok(());
        }
        self.stop_unless_more()
    }

    fn stop_unless_more(&mut self) -> Go {
        if !self.steering.is_empty() {
            return self.next_turn();
        }
        if let Some(marks) = self.follow_ups.pop_front() {
            self.hear(marks);
            return self.next_turn();
        }
        self.end(How::Answered);
        Ok(())
    }

    fn model_finished(&mut self, step: &Step, call: ModelCallId, result: &ModelResult) -> Go {
        let usage = self.money.answered(call, result).unwrap_or_default();
        if self.phase != Phase::Calling(Some(call)) {
            return Ok(());
        }
        let failed = |class, usage| Failure { class, message: String::new(), retry_after_ms: None, usage };
        match result {
            ModelResult::Replied(reply) if says_nothing(reply) => {
                self.model_failed(step, &failed(FailureClass::Empty, reply.usage))
            }
            ModelResult::Replied(reply) => self.replied(step, reply, usage),
            ModelResult::Aborted(reply) => {
                self.model_failed(step, &failed(FailureClass::Network, reply.usage))
            }
            ModelResult::Failed(failure) => self.model_failed(step, failure),
        }
    }

    fn replied(&mut self, step: &Step, reply: &Reply, usage: Usage) -> Go {
        match reply.stop {
            StopReason::Refusal | StopReason::ContentFilter => {
                self.group.turns += 1;
                self.end(How::Refused);
                Ok(())
            }
            StopReason::MaxTokens => self.cut_short(usage),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence | StopReason::Other => {
                self.group.turns += 1;
                self.group.cuts = 0;
                let wanted: Vec<&ToolCall> = reply.blocks.iter().filter_map(Block::as_tool_call).collect();
                if !wanted.is_empty() {
                    return self.open(step, &wanted);
                }
                if self.wants(ConsultPoint::PlainAnswer) {
                    self.ask(What::Plain);
                    return Ok(());
                }
                self.plain_answer()
            }
        }
    }

    fn plain_answer(&mut self) -> Go {
        let reminds = matches!(self.config.policy.plain_answer, PlainAnswer::RemindOnce(_));
        if reminds && !self.group.reminded {
            self.group.reminded = true;
            return self.next_turn();
        }
        self.natural_stop()
    }

    fn cut_short(&mut self, usage: Usage) -> Go {
        let recovery = self.config.limits.max_tokens;
        let model = self.config.models.get(self.group.model);
        let cap = self.cap.or_else(|| model.and_then(|model| model.max_output));
        if self.group.cuts >= recovery.attempts {
            let (used, allowed) = (usage.output, cap.unwrap_or(usage.output));
            self.end(How::OverLimit { limit: Limit::OutputTokens, used, allowed });
            return Ok(());
        }
        if let Some(how) = self.limit_reached() {
            self.unless_shares_return(how)?;
            self.end(how);
            return Ok(());
        }
        self.group.cuts += 1;
        let twice = cap.map(|cap| cap.saturating_mul(2));
        let raised = twice.zip(recovery.ceiling).map(|(twice, ceiling)| twice.min(ceiling));
        if raised > cap {
            self.cap = raised;
            return self.call_model();
        }
        self.group.turns += 1;
        self.next_turn()
    }

    fn model_failed(&mut self, step: &Step, failure: &Failure) -> Go {
        if failure.class == FailureClass::ContextOverflow {
            return Err(Halt::Left(Left::Overflow));
        }
        self.attempts += 1;
        let policy = self.config.retry;
        let next_model = self.group.model + 1;
        let has_next = next_model < self.config.models.len();
        let in_vain = !failure.class.is_transient()
            || failure.retry_after_ms.is_some_and(|wait| wait > policy.patience_ms)
            || (failure.class == FailureClass::Overloaded && has_next)
            || self.attempts >= policy.attempts;
        let pause = (!in_vain).then(|| self.pause(step, failure.retry_after_ms));
        if let Some(until) = pause {
            self.due.push(Due::Pause { until });
        }
        if let Some(how) = self.limit_reached() {
            self.end(how);
            return Ok(());
        }
        if let Some(until) = pause {
            self.phase = Phase::Pausing { until };
            return Ok(());
        }
        if has_next {
            self.group.model = next_model;
            (self.attempts, self.cap) = (0, None);
            return self.prepare(What::Patch);
        }
        self.end(match failure.class {
            FailureClass::ContentFilter => How::Refused,
            class => How::Failed { class, attempts: self.attempts },
        });
        Ok(())
    }

    /// Until when a retry waits: the real kernel draws it, within bounds.
    fn pause(&self, step: &Step, asked: Option<u64>) -> Timestamp {
        let policy = self.config.retry;
        let mut longest = policy.base_ms;
        for _ in 1..self.attempts.min(64) {
            longest = longest.saturating_mul(2);
        }
        let longest = longest.min(policy.cap_ms);
        let off = longest.saturating_mul(policy.jitter_milli.min(1_000)) / 1_000;
        let asked = asked.unwrap_or(0);
        let (from, to) = (self.now.plus((longest - off).max(asked)), self.now.plus(longest.max(asked)));
        let drawn = step.events().find_map(|numbered| match &numbered.event {
            Event::ModelFailed { next: NextTry::Retry { at }, .. } => Some(*at),
            _ => None,
        });
        drawn.filter(|at| from <= *at && *at <= to).unwrap_or(to)
    }

    fn resumed(&mut self) -> Go {
        self.money.host_gone();
        let begins_again = match self.phase {
            Phase::Asking { .. } | Phase::Calling(_) => true,
            Phase::Working => self.any_begins_again(),
            Phase::Idle | Phase::Pausing { .. } => false,
        };
        self.group.crashes += u64::from(begins_again);
        if begins_again && self.group.crashes >= MOST_CRASHES {
            if self.phase == Phase::Working {
                self.abandon_calls();
            }
            self.end(How::Failed { class: FailureClass::HostCrash, attempts: self.group.crashes });
            return Ok(());
        }
        match self.phase {
            Phase::Idle | Phase::Pausing { .. } => Ok(()),
            Phase::Asking { what, .. } => {
                self.due.push(Due::Consult { point: what.point(), call: None });
                Ok(())
            }
            Phase::Calling(_) => self.call_model(),
            Phase::Working => self.resume_calls(),
        }
    }

    fn time_passed(&mut self) -> Go {
        if self.phase == Phase::Idle {
            return Ok(());
        }
        let used = self.now.since(self.group.started);
        if let Some(allowed) = self.config.limits.wall_ms.limit().filter(|allowed| used >= *allowed) {
            self.stop_everything(How::OverLimit { limit: Limit::WallClock, used, allowed });
            return Ok(());
        }
        match self.phase {
            Phase::Pausing { until } if self.now >= until => self.prepare(What::Patch),
            Phase::Working => self.stop_overdue(),
            Phase::Idle | Phase::Asking { .. } | Phase::Calling(_) | Phase::Pausing { .. } => Ok(()),
        }
    }

    /// A cancel drops what waits to be said, and says so.
    fn drop_waiting(&mut self) {
        for (queue, line) in [(Queue::Steering, &mut self.steering), (Queue::FollowUp, &mut self.follow_ups)]
        {
            if !line.is_empty() {
                self.due.push(Due::Dropped { queue, count: line.len() });
                line.clear();
            }
        }
    }

    /// Stops whatever is under way and ends the group.
    fn stop_everything(&mut self, how: How) {
        match self.phase {
            Phase::Idle => return,
            Phase::Asking { call, .. } => self.due.extend(call.map(|call| Due::Stop(call.into()))),
            Phase::Calling(call) => self.due.extend(call.map(|call| Due::Stop(call.into()))),
            Phase::Pausing { .. } => {}
            Phase::Working => (0..self.calls.len()).for_each(|place| self.stop(place)),
        }
        self.end(how);
    }

    /// Whether a call that was handed out is where a fact about it says.
    pub(super) fn place(&self, call: ToolCallId, stands: impl Fn(&Stage) -> bool) -> Option<usize> {
        self.calls.iter().position(|known| known.id == call && stands(&known.stage))
    }
}

/// What the real kernel says of the size of a request; [`check`](crate::check) counts it again.
fn tokens_of(step: &Step, wanted: ModelCallId) -> u64 {
    let said = step.events().find_map(|numbered| match &numbered.event {
        Event::ModelCalled { call, tokens, .. } if *call == wanted => Some(*tokens),
        _ => None,
    });
    said.unwrap_or_default()
}

/// What a gate's answer lets through; one that does not answer properly is closed.
fn passes(answer: &Answer) -> Option<BTreeSet<String>> {
    match answer {
        Answer::Nothing => None,
        Answer::Tools(sets) => {
            let all = |name: &&String| sets.iter().all(|set| set.contains(*name));
            Some(sets.iter().flatten().filter(all).cloned().collect())
        }
        Answer::Patch(_)
        | Answer::Model(_)
        | Answer::Output(_)
        | Answer::Continue(_)
        | Answer::Failed { .. } => Some(BTreeSet::new()),
    }
}

/// A reply with nothing to act on counts as a failure, unless it was refused or cut.
fn says_nothing(reply: &Reply) -> bool {
    let wordless =
        matches!(reply.stop, StopReason::Refusal | StopReason::ContentFilter | StopReason::MaxTokens);
    let says = |block: &Block| match block {
        Block::Text(text) => !text.trim().is_empty(),
        Block::ToolCall(_) | Block::Image(_) | Block::File(_) => true,
        Block::Thinking(_) | Block::ToolResult(_) | Block::Custom(_) => false,
    };
    !wordless && !reply.blocks.iter().any(says)
}
