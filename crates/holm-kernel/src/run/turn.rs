//! Prepares and issues a model call, in fixed steps: limits, tool gate, choice of model, context
//! plan, changes by hooks, request.
//!
//! A step that needs a hook or a summary pauses the preparation and continues with the answer. The
//! reply is taken by `run/reply.rs`, a failure by `run/failure.rs`, and the view is shrunk by
//! `context/plan.rs`. Limits are checked again right before the call, because time or money may
//! have passed meanwhile. System prompt, tools and earlier messages must keep their bytes from turn
//! to turn, since providers cache a request by its beginning. Hooks may change content but never
//! separate a call from its result.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_grants::DenialSet;

use super::{
    Run,
    catalogue::RunCatalogue,
    state::{
        ConsultationSubject, KernelState, PendingConsultation, PendingModelCall, PreparationStep,
        RequestDraft, RunPhase,
    },
};
use crate::context::{CompactionStep, PlanDecision, estimate};
use crate::digest::SipHashKey;
use crate::{
    Answer, Block, ConsultPoint, Consultation, ConsultationId, Effect, Ending, Event, FailureClass, Family,
    Limit, Message, MessageId, Messages, ModelCallId, ModelResult, ModelSpec, Offer, Patch, PlainAnswer,
    PlanStep, Prompt, Protocol, Purpose, Question, Request, Role, StopReason, ToolCallId, plain_text,
    protocol,
};

/// The parts that all requests share, made once and reference-counted.
#[derive(Debug)]
pub(crate) struct SharedRequestParts {
    models: Vec<Arc<ModelSpec>>,
    names: Vec<Arc<str>>,
    current: usize,
    system: Arc<str>,
    offer: Arc<Offer>,
    /// Tokens of system prompt and tools.
    fixed: u64,
    /// Digest of system prompt and tools. A request's digest refers to it, so
    /// that drift is detected.
    fingerprint: u64,
    /// Makes the seals of envelopes, from the seed, which no tool sees.
    seals: SipHashKey,
    /// Makes idempotency keys, from the run's id.
    keys: SipHashKey,
    /// The denials that tools receive.
    denials: Arc<DenialSet>,
}

impl SharedRequestParts {
    pub(crate) fn new(state: &KernelState, catalogue: &RunCatalogue) -> Self {
        let config = &state.started.config;
        let mut shared = Self {
            models: config.models.iter().cloned().map(Arc::new).collect(),
            names: config.models.iter().map(|model| Arc::from(model.name.as_str())).collect(),
            current: usize::try_from(state.group.model).unwrap_or(usize::MAX),
            system: Arc::from(""),
            offer: Arc::default(),
            fixed: 0,
            fingerprint: 0,
            seals: SipHashKey::derived(b"holm envelope seal", &state.started.seed.to_le_bytes()),
            keys: SipHashKey::derived(b"holm idempotency key", state.started.run.as_bytes()),
            denials: Arc::new(config.denials.clone()),
        };
        shared.refresh(state, catalogue);
        shared
    }

    /// Rebuilds system prompt and offer when tools, gate or model change.
    pub(crate) fn refresh(&mut self, state: &KernelState, catalogue: &RunCatalogue) {
        let config = &state.started.config;
        self.current = usize::try_from(state.group.model).unwrap_or(usize::MAX);
        match config.protocol {
            Protocol::Native => {
                self.system = Arc::from(config.system.as_str());
                self.offer = catalogue.offer().clone();
            }
            Protocol::Text => {
                self.system = Arc::from(protocol::instructions(&config.system, catalogue.offer()));
                self.offer = Arc::new(Offer { epoch: catalogue.offer().epoch, tools: Vec::new() });
            }
        }
        let family = self.family();
        let tools = self.offer.tools.iter().map(|tool| {
            estimate::text(family, &tool.name)
                + estimate::text(family, &tool.description)
                + estimate::text(family, &tool.schema.canonical())
        });
        self.fixed = tools.fold(estimate::text(family, &self.system), u64::saturating_add);
        self.fingerprint = super::trace::fingerprint(&self.system, &self.offer.tools);
    }

    pub(crate) fn denials(&self) -> &Arc<DenialSet> {
        &self.denials
    }

    pub(crate) fn family(&self) -> Family {
        self.models.get(self.current).map_or(Family::Other, |model| model.family)
    }

    /// The seal of an envelope, from a number that no other envelope of the run has.
    pub(crate) fn seal(&self, number: u64) -> u64 {
        let [seal, _] = self.seals.hash(&[&number.to_le_bytes()]);
        seal
    }

    /// The idempotency key of a call.
    pub(crate) fn key(&self, call: ToolCallId, tool: &str, arguments: &str) -> crate::IdempotencyKey {
        crate::IdempotencyKey::new(self.keys.hash(&[
            &call.value().to_le_bytes(),
            tool.as_bytes(),
            arguments.as_bytes(),
        ]))
    }

    pub(crate) fn model(&self) -> Option<&Arc<ModelSpec>> {
        self.models.get(self.current)
    }

    pub(crate) fn model_name(&self) -> Arc<str> {
        self.names.get(self.current).cloned().unwrap_or_else(|| Arc::from(""))
    }
}

impl Run {
    /// A prompt starts a group, or is queued while one is under way.
    pub(super) fn prompted(&mut self, phase: RunPhase, prompt: Prompt) -> RunPhase {
        match phase {
            RunPhase::Idle => self.start_group(prompt),
            RunPhase::Consulting(_)
            | RunPhase::Calling(_)
            | RunPhase::Backoff { .. }
            | RunPhase::Summarising { .. }
            | RunPhase::Working(_)
            | RunPhase::Awaiting { .. } => self.queue_follow_up(phase, prompt),
        }
    }

    fn start_group(&mut self, prompt: Prompt) -> RunPhase {
        self.state.groups += 1;
        self.state.group = super::state::TurnGroup {
            started: self.state.now,
            model: self.first_model(),
            ..Default::default()
        };
        self.shared.refresh(&self.state, &self.catalogue);
        self.state.view.retarget(self.shared.family());
        self.state.loops = Default::default();
        self.emit(Event::GroupStarted { group: self.state.groups });
        self.say(prompt);
        self.state.view.mark_prompt();
        self.next_turn()
    }

    /// Adds a person's prompt, and sets its marks.
    pub(super) fn say(&mut self, prompt: Prompt) {
        self.mark(prompt.marks);
        self.add_message(Role::User, spoken(prompt.blocks));
    }

    /// A person gives a prompt during a group, so repeating earlier calls is not a loop.
    pub(super) fn hear(&mut self, prompt: Prompt) {
        self.state.loops.forget();
        self.say(prompt);
    }

    /// Continues with the next model call, after queued prompts.
    pub(super) fn next_turn(&mut self) -> RunPhase {
        if !self.state.arrived.is_empty() || !self.state.steering.is_empty() {
            self.part_answer();
        }
        self.hear_children();
        while let Some(prompt) = self.state.steering.pop_front() {
            self.hear(prompt);
        }
        if let Some(ending) = self.limit_reached() {
            return self.end_or_wait(ending);
        }
        self.warn_near_limit();
        self.advance_turn(PreparationStep::Gate, RequestDraft::default())
    }

    /// Checks the limits before more money is spent.
    pub(super) fn limit_reached(&self) -> Option<Ending> {
        let limits = &self.config().limits;
        let over = |limit, bound: crate::Bound, used: u64| {
            bound.limit().filter(|allowed| used >= *allowed).map(|allowed| Ending::OverLimit {
                limit,
                used,
                allowed,
            })
        };
        over(Limit::Turns, limits.turns, self.state.group.turns)
            .or_else(|| self.tokens_reached())
            .or_else(|| {
                over(Limit::WallClock, limits.wall_ms, self.state.now.since(self.state.group.started))
            })
            .or_else(|| self.budget_reached())
    }

    fn warn_near_limit(&mut self) {
        let limits = self.config().limits;
        let Some(allowed) = limits.turns.limit() else { return };
        let left = allowed.saturating_sub(self.state.group.turns);
        // A grace period as long as the whole run would only repeat the limit.
        if limits.grace_turns >= allowed || left > limits.grace_turns || self.state.group.warned_turns {
            return;
        }
        self.state.group.warned_turns = true;
        self.emit(Event::LimitNear { limit: Limit::Turns, left });
        let text = self.config().policy.wrap_up.as_deref().map_or_else(
            || {
                let turns = if left == 1 { "turn is" } else { "turns are" };
                alloc::format!(
                    "Only {left} more {turns} left, and you cannot call tools in the last one. Finish \
                    what is essential and give the final answer."
                )
            },
            |text| text.replace("{left}", &left.to_string()),
        );
        self.note(text);
    }

    /// Runs the steps that prepare a model call. A step that asks a hook pauses the
    /// preparation until the answer.
    pub(super) fn advance_turn(&mut self, from: PreparationStep, draft: RequestDraft) -> RunPhase {
        let mut step = from;
        loop {
            step = match step {
                PreparationStep::Gate => {
                    if self.wants(ConsultPoint::Tools) {
                        let offered = self.catalogue.usable();
                        return self.consult_turn(step, draft, Question::Tools { offered });
                    }
                    PreparationStep::Choose
                }
                PreparationStep::Choose => {
                    if self.wants(ConsultPoint::Model) {
                        let current = self.shared.model_name().as_ref().into();
                        return self.consult_turn(step, draft, Question::Model { current });
                    }
                    PreparationStep::Plan
                }
                PreparationStep::Plan => match self.plan_context(&draft) {
                    Some(upto) => return self.begin_summary(upto, draft),
                    // The announcement may not fit any more. The second time there is none.
                    None if self.pin_offer() => PreparationStep::Plan,
                    None => PreparationStep::Patch,
                },
                PreparationStep::Patch => {
                    if self.wants(ConsultPoint::Context) {
                        return self.consult_turn(step, draft, Question::Context);
                    }
                    PreparationStep::Call
                }
                PreparationStep::Call => return self.call_model(draft),
            };
        }
    }

    pub(super) fn wants(&self, point: ConsultPoint) -> bool {
        self.config().consult.contains(&point)
    }

    fn consult_turn(&mut self, step: PreparationStep, draft: RequestDraft, question: Question) -> RunPhase {
        self.consult(question, ConsultationSubject::Turn(step, draft))
    }

    pub(super) fn consult(&mut self, question: Question, about: ConsultationSubject) -> RunPhase {
        let call = ConsultationId::new(self.next_number());
        self.issue(Effect::Consult(Consultation { call, question }.into()));
        RunPhase::Consulting(PendingConsultation { call, about })
    }

    /// Takes an answer to a consultation; batches handle their own.
    pub(super) fn consulted(&mut self, phase: RunPhase, call: ConsultationId, answer: Answer) -> RunPhase {
        if self.in_background(call.into()).is_some() {
            return self.after_tool_consulted(phase, call, answer);
        }
        match phase {
            RunPhase::Consulting(consulting) if consulting.call == call => {
                self.answered(consulting.about, answer)
            }
            RunPhase::Working(_) => self.after_tool_consulted(phase, call, answer),
            other => self.ignore(other, call),
        }
    }

    fn answered(&mut self, about: ConsultationSubject, answer: Answer) -> RunPhase {
        if let Answer::Failed { reason } = &answer {
            self.emit(Event::HookFailed { reason: reason.clone() });
        }
        match about {
            ConsultationSubject::Turn(PreparationStep::Gate, draft) => {
                self.set_gate(answer);
                self.advance_turn(PreparationStep::Choose, draft)
            }
            ConsultationSubject::Turn(PreparationStep::Choose, draft) => {
                if let Answer::Model(name) = answer {
                    self.choose_model(&name);
                }
                self.advance_turn(PreparationStep::Plan, draft)
            }
            ConsultationSubject::Turn(
                PreparationStep::Plan | PreparationStep::Patch | PreparationStep::Call,
                mut draft,
            ) => {
                draft.patches = patches_of(answer);
                self.advance_turn(PreparationStep::Call, draft)
            }
            ConsultationSubject::Summary(upto, draft) => {
                let patches = patches_of(answer);
                self.ask_summary(upto, draft, &patches)
            }
            ConsultationSubject::Stop(ending) => match answer {
                Answer::Continue(prompt) => {
                    self.say(prompt);
                    self.next_turn()
                }
                _ => self.stop_unless_more(ending),
            },
            ConsultationSubject::PlainAnswer(text) => match answer {
                Answer::Continue(prompt) => {
                    self.say(prompt);
                    self.next_turn()
                }
                _ => self.plain_answer(text),
            },
        }
    }

    /// Gates intersect and fail closed: an answer without tool names means no tools.
    fn set_gate(&mut self, answer: Answer) {
        let gate = match answer {
            Answer::Nothing => None,
            Answer::Tools(sets) => Some(
                sets.into_iter()
                    .reduce(|mut left, right| {
                        left.retain(|name| right.contains(name));
                        left
                    })
                    .unwrap_or_default(),
            ),
            _ => Some(BTreeSet::new()),
        };
        self.catalogue.set_gate(gate);
        self.shared.refresh(&self.state, &self.catalogue);
    }

    fn choose_model(&mut self, name: &str) {
        if let Some(index) = self.config().models.iter().position(|model| model.name == name) {
            self.use_model(index as u64);
        }
    }

    /// Switches to another configured model.
    pub(super) fn use_model(&mut self, index: u64) {
        self.state.group.model = index;
        self.shared.refresh(&self.state, &self.catalogue);
        self.state.view.retarget(self.shared.family());
    }

    /// Fits the view into the window; returns `Some` if a summary must be requested first.
    fn plan_context(&mut self, draft: &RequestDraft) -> Option<MessageId> {
        let window = self.window();
        let room = self.output_cap(draft).unwrap_or(0);
        let fixed = self.shared.fixed.saturating_add(room);
        let started = self.state.started.clone();
        let plan = self.state.view.plan(&started.config.context, window, fixed, self.shared.family());
        self.emit_planned(plan.steps);
        match plan.next {
            // This is only an estimate: the provider decides, and its refusal is handled.
            PlanDecision::Send | PlanDecision::TooLong => None,
            PlanDecision::Summarise { upto } => Some(upto),
        }
    }

    /// Reports the steps of a plan. The model may fetch again what it no longer sees; that
    /// is not a loop.
    pub(super) fn emit_planned(&mut self, steps: Vec<CompactionStep>) {
        if !steps.is_empty() {
            self.state.loops.left_view();
        }
        for CompactionStep { step, before, after } in steps {
            self.emit(Event::ContextPlanned { step, before, after });
        }
    }

    pub(super) fn window(&self) -> u64 {
        let default = self.config().context.default_window;
        self.shared.model().and_then(|model| model.window).unwrap_or(default)
    }

    fn output_cap(&self, draft: &RequestDraft) -> Option<u64> {
        draft.cap.or_else(|| self.shared.model().and_then(|model| model.max_output))
    }

    /// Hooks first say which messages may be shown: a summary must not reveal what was withheld.
    fn begin_summary(&mut self, upto: MessageId, draft: RequestDraft) -> RunPhase {
        if self.wants(ConsultPoint::Context) {
            return self.consult(Question::Context, ConsultationSubject::Summary(upto, draft));
        }
        self.ask_summary(upto, draft, &[])
    }

    fn ask_summary(&mut self, upto: MessageId, draft: RequestDraft, patches: &[Patch]) -> RunPhase {
        if let Some(ending) = self.limit_reached() {
            return self.end_or_wait(ending);
        }
        let Some(model) = self.shared.model().cloned() else { return self.no_model() };
        if self.is_unpriced() {
            // This reports why the run cannot continue.
            return self.call_model(draft);
        }
        let id = MessageId::new(self.state.next_message);
        let messages = self.state.view.summary_request(&self.config().context, upto, id);
        // Additions of hooks belong to the turn and not to the past.
        let shown = patches.iter().filter(|patch| !matches!(patch, Patch::Append(_)));
        let messages = patched(&messages, shown);
        let call = ModelCallId::new(self.next_number());
        let tokens = estimate::messages(self.shared.family(), &messages).saturating_add(self.shared.fixed);
        self.hold_call(tokens);
        let request = Request {
            purpose: Purpose::Summary,
            model,
            // The same prefix as any other turn, so that the provider's prompt cache also serves
            // this request.
            system: self.shared.system.clone(),
            messages: Messages::Own(messages),
            tools: self.shared.offer.clone(),
            max_output: None,
            format: None,
        };
        self.digest.u64(self.shared.fingerprint);
        self.issue(Effect::Summarise { call, request });
        RunPhase::Summarising { call, upto, draft, tokens }
    }

    /// A summary counts against the budget like any other call; one that does
    /// not help is discarded.
    pub(super) fn summarised(
        &mut self,
        phase: RunPhase,
        call: ModelCallId,
        mut result: ModelResult,
    ) -> RunPhase {
        if self.pays_late(call, &result) {
            return self.ignore(phase, call);
        }
        let (upto, draft, tokens) = match phase {
            RunPhase::Summarising { call: waiting, upto, draft, tokens } if waiting == call => {
                (upto, draft, tokens)
            }
            other => return self.ignore(other, call),
        };
        self.fill_in(tokens, &mut result);
        let text = match result {
            ModelResult::Replied(reply) => {
                let cost = self.account(reply.usage);
                self.emit(Event::replied(call, &reply, cost));
                if is_whole(reply.stop) { plain_text(&reply.blocks) } else { String::new() }
            }
            ModelResult::Aborted(reply) => {
                self.account(reply.usage);
                String::new()
            }
            ModelResult::Failed(failure) => {
                self.account(failure.usage);
                String::new()
            }
        };
        let before = self.state.view.tokens();
        let id = MessageId::new(self.state.next_message);
        let step = match self.state.view.apply_summary(upto, &crate::envelope::defused(&text), id) {
            Ok(_) => {
                self.state.next_message += 1;
                self.state.loops.left_view();
                PlanStep::Summarised
            }
            Err(_) => PlanStep::SummaryDiscarded,
        };
        self.emit(Event::ContextPlanned { step, before, after: self.state.view.tokens() });
        if let Some(ending) = self.limit_reached() {
            return self.end_or_wait(ending);
        }
        self.advance_turn(PreparationStep::Plan, draft)
    }

    pub(super) fn call_model(&mut self, draft: RequestDraft) -> RunPhase {
        // A pause, a hook or a takeover may lie between the last check of the limits and this call.
        if let Some(ending) = self.limit_reached() {
            return self.end_or_wait(ending);
        }
        let Some(model) = self.shared.model().cloned() else { return self.no_model() };
        if self.is_unpriced() {
            return self.finish(Ending::Failed {
                class: FailureClass::BadRequest,
                message: alloc::format!(
                    "a budget is set, but the price of {} is unknown; set its price or remove the budget",
                    model.name
                ),
                attempts: 0,
            });
        }
        let call = ModelCallId::new(self.next_number());
        let tokens = self.request_tokens(&draft.patches);
        let messages = self.request_messages(&draft.patches);
        let count = match &messages {
            Messages::View { count, .. } => *count,
            Messages::Own(messages) => messages.len() as u64,
        };
        let request = Request {
            purpose: self.turn_purpose(),
            model,
            system: self.shared.system.clone(),
            messages,
            tools: self.shared.offer.clone(),
            max_output: self.output_cap(&draft),
            format: None,
        };
        self.emit(Event::ModelCalled {
            call,
            turn: self.state.group.turns + 1,
            model: self.shared.model_name(),
            messages: count,
            tokens,
        });
        self.hold_call(tokens);
        self.digest.u64(self.shared.fingerprint);
        self.issue(Effect::CallModel { call, request });
        RunPhase::Calling(PendingModelCall { call, draft, tokens })
    }

    /// On the last turn the model has to answer. Not where only a tool can end the run: there
    /// an answer ends nothing.
    fn turn_purpose(&self) -> Purpose {
        if self.must_answer(self.state.group.turns.saturating_add(1)) {
            Purpose::Answer
        } else {
            Purpose::Turn
        }
    }

    /// Whether the reply that was just counted came from a request of purpose
    /// [`Purpose::Answer`], which offered no tools.
    pub(super) fn was_last_turn(&self) -> bool {
        self.must_answer(self.state.group.turns)
    }

    fn must_answer(&self, turn: u64) -> bool {
        let policy = &self.config().policy;
        let words_end = policy.terminal_tools.is_empty() && policy.plain_answer == PlainAnswer::Ends;
        words_end && self.config().limits.turns.limit().is_some_and(|allowed| turn >= allowed)
    }

    /// A price that is not known cannot be held against a budget.
    pub(super) fn is_unpriced(&self) -> bool {
        self.state.budget.usd.is_some() && self.shared.model().is_some_and(|model| model.price.is_none())
    }

    /// Estimates a request: system prompt, tools, the view, and additions of hooks. Messages that
    /// hooks hide or replace still count, so that the cost of a turn stays flat.
    fn request_tokens(&self, patches: &[Patch]) -> u64 {
        let written = patches.iter().map(|patch| match patch {
            Patch::Replace { blocks, .. } | Patch::Append(blocks) => {
                estimate::message(self.shared.family(), blocks)
            }
            Patch::Hide(_) => 0,
        });
        let shown = self.state.view.tokens().saturating_add(self.shared.fixed);
        written.fold(shown, u64::saturating_add)
    }

    fn request_messages(&self, patches: &[Patch]) -> Messages {
        let view = &self.state.view;
        if patches.is_empty() {
            return Messages::View { epoch: view.epoch(), count: view.messages().len() as u64 };
        }
        Messages::Own(patched(view.messages(), patches.iter()))
    }

    fn no_model(&mut self) -> RunPhase {
        self.finish(Ending::Failed {
            class: FailureClass::BadRequest,
            message: String::from("no model is configured; add one to `models`"),
            attempts: 0,
        })
    }
}

fn patches_of(answer: Answer) -> Vec<Patch> {
    match answer {
        Answer::Patch(patches) => patches,
        _ => Vec::new(),
    }
}

/// A patched copy of the view. Calls and results stay: a hook may change content,
/// but not the pairing.
fn patched<'a>(view: &[Arc<Message>], patches: impl Iterator<Item = &'a Patch>) -> Vec<Arc<Message>> {
    let mut messages: Vec<Arc<Message>> = view.to_vec();
    for patch in patches {
        match patch {
            Patch::Hide(id) => messages.retain(|message| message.id != *id || is_paired(message)),
            Patch::Replace { id, blocks } => {
                for message in messages.iter_mut().filter(|message| message.id == *id && !is_paired(message))
                {
                    let blocks = spoken(blocks.clone());
                    *message = Arc::new(Message::new(*id, message.role, blocks));
                }
            }
            Patch::Append(blocks) => {
                let id = MessageId::new(u64::MAX);
                messages.push(Arc::new(Message::new(id, Role::User, spoken(blocks.clone()))));
            }
        }
    }
    messages
}

/// Whether a reply is complete. Half a summary, a refusal or a call must not replace the past.
const fn is_whole(stop: StopReason) -> bool {
    match stop {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::Other => true,
        StopReason::ToolUse | StopReason::MaxTokens | StopReason::Refusal | StopReason::ContentFilter => {
            false
        }
    }
}

/// Removes blocks that a person or a hook may not write: only a model makes calls, and only
/// the kernel answers them.
fn spoken(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.retain(|block| !matches!(block, Block::ToolCall(_) | Block::ToolResult(_)));
    blocks
}

fn is_paired(message: &Message) -> bool {
    message.blocks.iter().any(|block| matches!(block, Block::ToolCall(_) | Block::ToolResult(_)))
}
