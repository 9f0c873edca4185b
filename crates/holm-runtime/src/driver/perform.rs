//! Performs the kernel's commands on this host: starts tasks for models, tools, checks and
//! children, and notifies watchers.
//!
//! It is called only after the records of a batch are stored (`driver/batch.rs`), and it never
//! waits: work that takes time gets a task (`driver/tasks.rs`). Whether a call may run was decided
//! by the kernel; the only checks here are that this host has the tool and can run it read-only.
//! Questions are in `driver/hooks.rs`. A watcher that panics misses an event and nothing else.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use holm_kernel::{
    CallAccess, CallId, CheckId, CheckRequest, CheckRuling, Effect, Input, ModelCallId, Numbered, PlanAccess,
    Purpose, Request, SpawnRequest, ToolCallId, ToolOutput, ToolRequest,
};

use super::{Driver, hooks::refusal, task_kind::DriverTaskKind, tasks::TaskStart};
use crate::{ChildLaunch, EventSink as _, HookSet, ModelRequest, ProgressReporter, ToolInvocation, child};

impl Driver {
    /// Performs the effects of the batch, whose lines are stored.
    pub(super) fn perform(&mut self) {
        self.tell_spent();
        let mut effects = std::mem::take(&mut self.batch.effects);
        for effect in effects.drain(..) {
            self.perform_one(effect);
        }
        self.batch.effects = effects;
        self.mailbox.0.note_waiting(&self.run);
    }

    fn perform_one(&mut self, effect: Effect) {
        match effect {
            // Every drain ends with one, and it is not part of the batch.
            Effect::Wait(_) => {}
            Effect::Finish(how) => self.ended = Some(*how),
            Effect::Emit(event) => self.tell(&event),
            Effect::Abort(call) => self.stop(call),
            Effect::CallModel { call, request } => {
                if matches!(request.purpose, Purpose::Turn | Purpose::Answer) {
                    self.ask_for_steering(call);
                }
                self.call_model(call, &request, DriverTaskKind::Model(call));
            }
            Effect::Summarise { call, request } => {
                self.call_model(call, &request, DriverTaskKind::Summary(call));
            }
            Effect::RunTool { call, request } => self.run_tool(call, &request),
            Effect::Judge(proposal) => self.ask(*proposal),
            Effect::Consult(consultation) => self.consult(*consultation),
            Effect::Check { call, request } => self.check(call, &request),
            Effect::Spawn { call, request } => self.spawn(call, request),
        }
    }

    /// Tells the sinks what the run has spent, if that has changed.
    fn tell_spent(&mut self) {
        let total = self.run.spent();
        if total == self.spent {
            return;
        }
        self.spent = total;
        for sink in &self.host.events {
            let _ = catch_unwind(AssertUnwindSafe(|| sink.spent(total)));
        }
    }

    /// Tells the watchers. If one panics, it misses this event and the run continues.
    fn tell(&mut self, event: &Numbered) {
        self.mailbox.0.hub.event(event);
        for observer in &self.observers {
            observer.event(event);
        }
        for sink in &self.host.events {
            let _ = catch_unwind(AssertUnwindSafe(|| sink.event(event)));
        }
        if let Some(notes) = &mut self.notes {
            notes.event(event);
        }
        self.remark_on(event);
    }

    fn stop(&mut self, call: CallId) {
        self.tasks.stop(call);
        self.mailbox.0.settle(call);
    }

    fn call_model(&mut self, call: ModelCallId, request: &Request, kind: DriverTaskKind) {
        let begun = TaskStart::new(kind);
        let offer = match request.purpose {
            Purpose::Turn | Purpose::Answer => self.run.offer(),
            Purpose::Skill | Purpose::Summary => &request.tools,
        };
        let ask = ModelRequest {
            call,
            request,
            messages: self.run.messages(request),
            told: Arc::clone(offer),
            deltas: Arc::clone(&self.host.deltas),
            stop: begun.stop.clone(),
        };
        let line = &mut self.line;
        let Ok(result) = catch_unwind(AssertUnwindSafe(|| line.call(ask))) else {
            self.tasks.say_broken(&begun);
            return;
        };
        let fact = async move { kind.model_fact(result.await).into_iter().collect() };
        self.tasks.begin_at_once(begun, Box::pin(fact));
    }

    fn run_tool(&mut self, call: ToolCallId, request: &ToolRequest) {
        let Some(tool) = self.host.tools.find(&request.tool).cloned() else {
            let result = ToolOutput::failed(format!("this host has no tool named {}", request.tool));
            return self.tasks.say(Input::ToolFinished { call, result });
        };
        // The run knows tools as its journal describes them; what a tool of this host can
        // do, it says itself.
        if request.access == CallAccess::ReadOnly && tool.declaration().in_plan != PlanAccess::ReadOnly {
            let result = ToolOutput::failed(format!("not run: {} cannot run read-only", request.tool));
            return self.tasks.say(Input::ToolFinished { call, result });
        }
        let begun = TaskStart::new(DriverTaskKind::Tool(call));
        let deltas = Arc::clone(&self.host.deltas);
        let hold = self.hold.clone();
        let progress = ProgressReporter::new(call.into(), deltas, self.host.secrets.clone());
        let job = ToolInvocation::new(call, request).stop(begun.stop.clone()).progress(progress);
        let threads = job.threads.clone().holding(hold.clone());
        let job = job.threads(threads);
        let looked = self.look_at(call, request, tool.declaration().level);
        let (output, secrets) = (self.containment.contain(tool, job), self.host.secrets.clone());
        // The tool's own code starts in its task, so it cannot block the run.
        let fact = async move {
            let _hold = hold;
            if let Some(looked) = looked
                && let Some(reason) = refusal(looked.await)
            {
                let mut fact = Input::ToolFinished { call, result: ToolOutput::failed(reason) };
                secrets.input(&mut fact);
                return vec![fact];
            }
            vec![Input::ToolFinished { call, result: output.await }]
        };
        self.tasks.begin(begun, Box::pin(fact));
    }

    fn check(&mut self, call: CheckId, request: &CheckRequest) {
        let Some(output) = self.run.checked_output(request.tool_call) else {
            let ruling = CheckRuling::Broken { reason: "the result no longer exists".into() };
            return self.tasks.say(Input::Checked { call, ruling });
        };
        let ruling = self.checker.check(request, output);
        let fact = async move { vec![Input::Checked { call, ruling: ruling.await }] };
        self.tasks.begin(TaskStart::new(DriverTaskKind::Check(call)), Box::pin(fact));
    }

    fn spawn(&mut self, call: ToolCallId, request: Box<SpawnRequest>) {
        let begun = TaskStart::new(DriverTaskKind::Child(call));
        let child = ChildLaunch {
            parent: self.run.started().run.clone(),
            call,
            request,
            stop: begun.stop.clone(),
            hooks: HookSet::clone(&self.host.hooks).inherited(),
            journals: Arc::clone(&self.host.journals),
            approver: Arc::clone(&self.host.approver),
            hook_wants: self.host.hook_wants,
            desk: Arc::clone(&self.mailbox.0),
        };
        let (spawner, hold) = (Arc::clone(&self.host.spawner), self.hold.clone());
        let fact = async move {
            let _hold = hold;
            vec![Input::ChildFinished { call, result: child::contain(spawner, child).await }]
        };
        self.tasks.begin(begun, Box::pin(fact));
    }
}
