//! Asks the run's hooks. Each question has its own task, so that a hook that blocks does not block
//! the run, and a deadline after which the run continues without it.
//!
//! It also asks people about calls, after the hooks. Hooks are asked one after the other in
//! `hook/hook_calls.rs`; the questions come from the kernel. A hook before a call that fails or
//! hangs denies the call, because it may be a guard. Answers become facts; nothing here acts on
//! them.
//!
//! Tasks are started and stopped in `driver/tasks.rs`; what an answer means is decided by the
//! kernel (`holm-kernel/src/run/question.rs`).

use std::sync::Arc;

use holm_grants::Level;
use holm_kernel::{
    Approvals, AskReason, Consultation, Event, Input, ModelCallId, Numbered, Proposal, Question, QuestionId,
    Run, ToolCallId, ToolRequest, Verdict, visible,
};

use tokio::task::JoinSet;

use super::{Driver, task_kind::DriverTaskKind, tasks::TaskStart};
use crate::{
    BoxFuture, Clock, CompactionNotice, EventNotice, HookOpinion, HookSet, LoopNotice, ModelCallCost,
    ObserverQueue, ProposedCall,
    handle::RunMailbox,
    hook::{HookContext, due},
    host::{HookReviewers, HostParts},
};

/// How many events may wait for an observer.
const OBSERVER_ROOM: usize = 1_024;

/// Starts a task for every observer.
pub(super) fn observers(host: &HostParts) -> Vec<ObserverQueue> {
    let spawn = |hook: Arc<dyn crate::EventObserver>| {
        ObserverQueue::spawn(OBSERVER_ROOM, move |notice: EventNotice| {
            let hook = Arc::clone(&hook);
            async move { hook.observe(notice).await }
        })
    };
    host.hooks.observer.iter().map(|entry| spawn(Arc::clone(&entry.hook))).collect()
}

impl Driver {
    /// Asks about a call: hooks first, then people, unless only hooks wanted to see it.
    pub(super) fn ask(&mut self, proposal: Proposal) {
        let call = proposal.call;
        let (hooks, clock) = (Arc::clone(&self.host.hooks), Arc::clone(&self.host.clock));
        let (approver, mailbox) = (Arc::clone(&self.host.approver), Arc::clone(&self.mailbox.0));
        let for_people = self.is_for_people(&proposal);
        let arguments = self.run.arguments(proposal.tool_call).cloned();
        let arguments = arguments.unwrap_or_else(|| Arc::from(&*proposal.arguments));
        let run = Arc::from(&*self.run.started().run);
        let proposed = ProposedCall { run, proposal: Arc::new(proposal), arguments };
        let work = async move {
            let verdict = match opinion(hooks, clock, proposed.clone()).await {
                HookOpinion::Deny { reason } => Verdict::Deny { reason },
                HookOpinion::Rewrite { arguments } => Verdict::Rewrite { arguments },
                HookOpinion::Pass if for_people == HumanReview::No => Verdict::allow(),
                HookOpinion::Pass => {
                    let _open = OpenQuestionGuard { mailbox: Arc::clone(&mailbox), call };
                    mailbox.ask(Arc::clone(&proposed.proposal));
                    approver.judge(Proposal::clone(&proposed.proposal)).await
                }
            };
            vec![Input::Judged { call, verdict }]
        };
        self.tasks.begin(TaskStart::new(DriverTaskKind::Question(call)), Box::pin(work));
    }

    /// The opinion of hooks about a call that starts, in a run whose kernel does not ask them.
    pub(super) fn look_at(
        &self,
        call: ToolCallId,
        request: &ToolRequest,
        level: Level,
    ) -> Option<BoxFuture<'static, HookOpinion>> {
        if self.looks == HookTiming::WhenAsked {
            return None;
        }
        let proposal = Proposal {
            // Hooks alone see it, and no verdict answers it.
            call: QuestionId::new(call.value()),
            tool_call: call,
            tool: request.tool.to_string(),
            arguments: visible(&request.arguments),
            level,
            needs: request.needs.iter().map(ToString::to_string).collect(),
            missing: Vec::new(),
            hands_on: Vec::new(),
            reasons: vec![AskReason::HookWants],
            marks: self.run.marks(),
            digest: request.digest(),
        };
        let (run, arguments) = (Arc::from(&*self.run.started().run), Arc::clone(&request.arguments));
        let proposed = ProposedCall { run, proposal: Arc::new(proposal), arguments };
        let (hooks, clock) = (Arc::clone(&self.host.hooks), Arc::clone(&self.host.clock));
        Some(Box::pin(opinion(hooks, clock, proposed)))
    }

    /// Whether a person must be asked. If a run was started with hooks and is resumed without them,
    /// a person must look at its calls instead.
    fn is_for_people(&self, proposal: &Proposal) -> HumanReview {
        let only_hooks = proposal.reasons.iter().all(|reason| *reason == AskReason::HookWants);
        let hooks_decide =
            self.host.hook_wants == HookReviewers::HooksAlone && !self.host.hooks.before_call.is_empty();
        if only_hooks && hooks_decide { HumanReview::No } else { HumanReview::Yes }
    }

    /// Answers a question of the kernel.
    pub(super) fn consult(&mut self, consultation: Consultation) {
        let Consultation { call, question } = consultation;
        let (hooks, clock) = (Arc::clone(&self.host.hooks), Arc::clone(&self.host.clock));
        let mut begun = TaskStart::new(DriverTaskKind::Consult(call));
        begun.due = Some(match &question {
            Question::Context => due(&*clock, &hooks.context),
            Question::Tools { .. } => due(&*clock, &hooks.tool_gate),
            Question::Model { .. } => due(&*clock, &hooks.model_select),
            Question::AfterTool { .. } => due(&*clock, &hooks.after_call),
            Question::Stop | Question::PlainAnswer { .. } => due(&*clock, &hooks.follow_up),
        });
        let scene = self.scene(&hooks, &question);
        let work = async move {
            let answer = hooks.answer(&*clock, question, scene).await;
            vec![Input::Consulted { call, answer }]
        };
        self.tasks.begin(begun, Box::pin(work));
    }

    /// What hooks see with a question; data that no hook reads is not copied.
    fn scene(&self, hooks: &HookSet, question: &Question) -> HookContext {
        let arguments = match question {
            Question::AfterTool { tool_call, .. } => self.run.arguments(*tool_call).cloned(),
            Question::Context
            | Question::Tools { .. }
            | Question::Model { .. }
            | Question::Stop
            | Question::PlainAnswer { .. } => None,
        };
        let view = if hooks.looks_at_view(question) { self.run.view().to_vec() } else { Vec::new() };
        HookContext {
            run: Arc::from(&*self.run.started().run),
            view,
            arguments: arguments.unwrap_or_default(),
        }
    }

    /// Asks the steering sources while the model is at work.
    pub(super) fn ask_for_steering(&mut self, call: ModelCallId) {
        if self.host.hooks.steering.is_empty() {
            return;
        }
        let (hooks, clock) = (Arc::clone(&self.host.hooks), Arc::clone(&self.host.clock));
        let mut begun = TaskStart::new(DriverTaskKind::Steering(call));
        begun.due = Some(due(&*clock, &hooks.steering));
        self.tasks.begin(begun, Box::pin(async move { hooks.steer(&*clock).await }));
    }

    /// Lets hooks react to an event.
    pub(super) fn remark_on(&mut self, event: &Numbered) {
        if !self.host.hooks.has_remarks() {
            return;
        }
        let hooks = Arc::clone(&self.host.hooks);
        let clock = Arc::clone(&self.host.clock);
        let (limit, work): (_, BoxFuture<'static, Vec<Input>>) = match &event.event {
            Event::ModelReplied { call, usage, cost, .. } if !hooks.on_usage.is_empty() => {
                let (run_usage, run_spent) = (self.run.usage(), self.run.spent());
                let spent = ModelCallCost { call: *call, usage: *usage, cost: *cost, run_usage, run_spent };
                let limit = due(&*clock, &hooks.on_usage);
                (limit, Box::pin(async move { hooks.usage(&*clock, &spent).await }))
            }
            Event::LoopSeen { tool, times } if !hooks.on_loop.is_empty() => {
                let looped = LoopNotice { tool: Arc::clone(tool), times: *times };
                let limit = due(&*clock, &hooks.on_loop);
                (limit, Box::pin(async move { hooks.looped(&*clock, &looped).await }))
            }
            Event::ContextPlanned { step, before, after } if !hooks.on_compaction.is_empty() => {
                let compacted = CompactionNotice { step: *step, before: *before, after: *after };
                let limit = due(&*clock, &hooks.on_compaction);
                (limit, Box::pin(async move { hooks.compacted(&*clock, &compacted).await }))
            }
            _ => return,
        };
        let mut begun = TaskStart::new(DriverTaskKind::Remark);
        begun.due = Some(limit);
        self.tasks.begin(begun, work);
    }
}

/// The opinion of hooks about a call. They have their own task within that of the question: people
/// may take any time, but hooks may not, even those that block their thread.
async fn opinion(hooks: Arc<HookSet>, clock: Arc<dyn Clock>, call: ProposedCall) -> HookOpinion {
    if hooks.before_call.is_empty() {
        return HookOpinion::Pass;
    }
    let late = clock.sleep_until(due(&*clock, &hooks.before_call));
    let mut asked = JoinSet::new();
    asked.spawn(async move { hooks.judge(&*clock, &call).await });
    tokio::select! {
        biased;
        joined = asked.join_next() => match joined {
            Some(Ok(opinion)) => opinion,
            Some(Err(_)) | None => HookOpinion::deny("the hook panicked"),
        },
        () = late => HookOpinion::deny("the hook took too long"),
    }
}

/// The refusal for the model, if hooks object to a call.
pub(super) fn refusal(opinion: HookOpinion) -> Option<String> {
    match opinion {
        HookOpinion::Pass => None,
        HookOpinion::Deny { reason } => Some(format!("denied: {reason}")),
        // The original arguments are already in the journal.
        HookOpinion::Rewrite { arguments } => {
            Some(format!("denied: a hook requires other arguments; call it again with these: {arguments}"))
        }
    }
}

/// When hooks see calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookTiming {
    /// When the kernel asks, as the run's configuration says.
    WhenAsked,
    /// Also when each call starts.
    AtTheCall,
}

impl HookTiming {
    /// For a run that is taken over with these hooks. If it was started without hooks, perhaps on
    /// another host, its kernel only asks them about calls that people are asked about too.
    pub(crate) fn on(run: &Run, hooks: &HookSet) -> Self {
        let shows_all = run.config().approvals == Approvals::AskAlways;
        if shows_all || hooks.before_call.is_empty() { Self::WhenAsked } else { Self::AtTheCall }
    }
}

/// A question that people see until its task ends, answered or withdrawn.
struct OpenQuestionGuard {
    mailbox: Arc<RunMailbox>,
    call: QuestionId,
}

impl Drop for OpenQuestionGuard {
    fn drop(&mut self) {
        self.mailbox.settle(self.call.into());
    }
}

/// Whether a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HumanReview {
    Yes,
    No,
}
