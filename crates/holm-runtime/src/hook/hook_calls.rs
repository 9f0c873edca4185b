//! Asks hooks one after the other, each with its deadline.
//!
//! It joins their answers: the first objection decides, gates are listed for the kernel to
//! intersect, results pass from hook to hook. A failing hook before a call denies the call; any
//! other failure becomes an answer that says so, and the kernel decides what it means. Tasks and
//! deadlines of whole questions are in `driver/hooks.rs`; what an answer changes is decided by the
//! kernel.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use holm_guards::json::Json;
use holm_kernel::{Answer, Input, Message, Question, Timestamp};

use super::{
    CompactionNotice, CompletedCall, GateVisibility, HookOpinion, HookReaction, HookSet, LoopNotice,
    ModelCallCost, ProposedCall, hooks::RegisteredHook,
};
use crate::Clock;

/// Added to the hooks' own deadlines before the task that asks them is given up: a hook that blocks
/// its thread does not notice its deadline.
const SLACK: Duration = Duration::from_secs(1);

/// The data that hooks see with a question.
pub(crate) struct HookContext {
    pub(crate) run: Arc<str>,
    /// The messages of the next request, for hooks that read them.
    pub(crate) view: Vec<Arc<Message>>,
    /// The arguments of the call that the question is about.
    pub(crate) arguments: Arc<str>,
}

impl HookSet {
    /// Asks about a call. The first hook that objects decides.
    pub(crate) async fn judge(&self, clock: &dyn Clock, call: &ProposedCall) -> HookOpinion {
        for entry in &self.before_call {
            match entry.within(clock, entry.hook.before_call(call)).await {
                Ok(HookOpinion::Pass) => {}
                Ok(HookOpinion::Rewrite { arguments }) if is_same(&arguments, &call.arguments) => {}
                Ok(opinion) => return opinion,
                Err(reason) => return HookOpinion::Deny { reason },
            }
        }
        HookOpinion::Pass
    }

    /// Answers a question of the kernel.
    pub(crate) async fn answer(&self, clock: &dyn Clock, question: Question, scene: HookContext) -> Answer {
        let HookContext { run, view, arguments } = scene;
        let answer = match question {
            Question::Context => self.patch(clock, &view).await,
            Question::Tools { offered } => self.gate(clock, &offered, &view).await,
            Question::Model { current } => self.choose(clock, &current).await,
            Question::AfterTool { tool_call, tool, output } => {
                self.review(clock, &CompletedCall { run, call: tool_call, tool, arguments }, output).await
            }
            Question::Stop => self.more(clock, &run).await,
            Question::PlainAnswer { .. } => Ok(Answer::Nothing),
        };
        answer.unwrap_or_else(|reason| Answer::Failed { reason })
    }

    async fn patch(&self, clock: &dyn Clock, view: &[Arc<Message>]) -> Result<Answer, String> {
        let mut patches = Vec::new();
        for entry in &self.context {
            patches.extend(entry.within(clock, entry.hook.context(view)).await?);
        }
        Ok(if patches.is_empty() { Answer::Nothing } else { Answer::Patch(patches) })
    }

    async fn gate(
        &self,
        clock: &dyn Clock,
        offered: &[String],
        view: &[Arc<Message>],
    ) -> Result<Answer, String> {
        if self.tool_gate.is_empty() {
            return Err("the run was started with a tool gate, and this host has none".into());
        }
        let mut sets = Vec::new();
        for entry in &self.tool_gate {
            sets.extend(entry.within(clock, entry.hook.tools_seeing(offered, view)).await?);
        }
        Ok(if sets.is_empty() { Answer::Nothing } else { Answer::Tools(sets) })
    }

    async fn choose(&self, clock: &dyn Clock, current: &str) -> Result<Answer, String> {
        for entry in &self.model_select {
            if let Some(name) = entry.within(clock, entry.hook.model(current)).await? {
                return Ok(Answer::Model(name));
            }
        }
        Ok(Answer::Nothing)
    }

    async fn review(
        &self,
        clock: &dyn Clock,
        call: &CompletedCall,
        output: holm_kernel::ToolOutput,
    ) -> Result<Answer, String> {
        let (mut output, mut answer) = (output, Answer::Nothing);
        for entry in &self.after_call {
            if let Some(changed) = entry.within(clock, entry.hook.after_call(call, &output)).await? {
                answer = Answer::Output(changed.clone());
                output = changed;
            }
        }
        Ok(answer)
    }

    async fn more(&self, clock: &dyn Clock, run: &str) -> Result<Answer, String> {
        for entry in &self.follow_up {
            if let Some(prompt) = entry.within(clock, entry.hook.follow_up_of(run)).await? {
                return Ok(Answer::Continue(prompt));
            }
        }
        Ok(Answer::Nothing)
    }

    /// The prompts of the steering sources. One that fails is skipped, and does
    /// not affect the others.
    pub(crate) async fn steer(&self, clock: &dyn Clock) -> Vec<Input> {
        let mut inputs = Vec::new();
        for entry in &self.steering {
            let prompts = entry.within(clock, entry.hook.steering()).await.unwrap_or_default();
            inputs.extend(prompts.into_iter().map(Input::Steered));
        }
        inputs
    }

    /// The reactions of hooks to the usage of a call.
    pub(crate) async fn usage(&self, clock: &dyn Clock, spent: &ModelCallCost) -> Vec<Input> {
        let mut inputs = Vec::new();
        for entry in &self.on_usage {
            inputs.extend(entry.reaction(clock, entry.hook.on_usage(spent)).await);
        }
        inputs
    }

    /// The reactions of hooks to a loop.
    pub(crate) async fn looped(&self, clock: &dyn Clock, looped: &LoopNotice) -> Vec<Input> {
        let mut inputs = Vec::new();
        for entry in &self.on_loop {
            inputs.extend(entry.reaction(clock, entry.hook.on_loop(looped)).await);
        }
        inputs
    }

    /// The reactions of hooks to a smaller view.
    pub(crate) async fn compacted(&self, clock: &dyn Clock, compacted: &CompactionNotice) -> Vec<Input> {
        let mut inputs = Vec::new();
        for entry in &self.on_compaction {
            inputs.extend(entry.reaction(clock, entry.hook.on_compaction(compacted)).await);
        }
        inputs
    }
}

impl HookSet {
    /// Whether any of these hooks reads the messages of the next request for this question.
    pub(crate) fn looks_at_view(&self, question: &Question) -> bool {
        match question {
            Question::Context => true,
            Question::Tools { .. } => {
                self.tool_gate.iter().any(|entry| entry.hook.sight() == GateVisibility::View)
            }
            Question::Model { .. }
            | Question::AfterTool { .. }
            | Question::Stop
            | Question::PlainAnswer { .. } => false,
        }
    }
}

/// When a task that asks these hooks counts as hung.
pub(crate) fn due<H: ?Sized>(clock: &dyn Clock, entries: &[RegisteredHook<H>]) -> Timestamp {
    let total = entries.iter().map(|entry| entry.deadline).fold(SLACK, Duration::saturating_add);
    after(clock, total)
}

impl<H: ?Sized> RegisteredHook<H> {
    /// The answer of a hook within its deadline, or its failure.
    async fn within<T>(&self, clock: &dyn Clock, call: impl Future<Output = T>) -> Result<T, String> {
        let mut call = pin!(call);
        let contained = poll_fn(|context| {
            // State that the hook left half changed is its own, and the hook is not asked again
            // about this.
            match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
                Ok(Poll::Ready(answer)) => Poll::Ready(Some(answer)),
                Ok(Poll::Pending) => Poll::Pending,
                Err(_) => Poll::Ready(None),
            }
        });
        let late = clock.sleep_until(after(clock, self.deadline));
        let answer = tokio::select! {
            biased;
            answer = contained => answer,
            () = late => {
                return Err(format!("the hook {} took longer than {:?}", self.name, self.deadline));
            }
        };
        answer.ok_or_else(|| format!("the hook {} panicked", self.name))
    }

    async fn reaction(&self, clock: &dyn Clock, call: impl Future<Output = HookReaction>) -> Option<Input> {
        match self.within(clock, call).await.unwrap_or_default() {
            HookReaction::GoOn => None,
            HookReaction::Steer(prompt) => Some(Input::Steered(prompt)),
            HookReaction::Cancel(reason) => Some(Input::Cancelled { reason }),
        }
    }
}

fn after(clock: &dyn Clock, span: Duration) -> Timestamp {
    clock.now().plus(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}

/// A hook that rewrites to the same arguments does not object; otherwise it would be asked forever.
fn is_same(new: &str, old: &str) -> bool {
    new == old || Json::parse(new).is_ok_and(|new| new.canonical() == old)
}
