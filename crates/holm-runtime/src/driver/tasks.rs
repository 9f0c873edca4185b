//! The concurrent tasks of a run: model calls, tools, questions. Each ends with its facts, or with
//! a fact that says why there are none.
//!
//! It starts, stops and collects tasks and knows nothing about their content: `driver/perform.rs`
//! and `driver/hooks.rs` start them, `driver/task_kind.rs` words their failures. Stopped work may
//! still bring a bill, which must be paid, so it gets a moment. A run never waits without a limit
//! for a task that does not end.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Poll, Waker},
    time::Duration,
};

use holm_kernel::{CallId, Input, ModelResult, QuestionId, Reply, Timestamp};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::task_kind::DriverTaskKind;
use crate::BoxFuture;

/// How long a stopped tool or child may clean up before it is dropped. The run does
/// not wait for it.
const TIDY_UP: Duration = Duration::from_secs(5);

/// How long an aborted task may take to be dropped. A task that blocks its thread is only
/// dropped when it returns.
const DROP_TIME: Duration = Duration::from_secs(1);

/// The facts that a task ends with.
pub(crate) type TaskFacts = Vec<Input>;

/// The tasks of one run.
pub(super) struct RunTasks {
    set: JoinSet<TaskFacts>,
    under_way: Vec<RunningTask>,
    /// Facts that were not taken yet.
    ready: VecDeque<Input>,
    /// The bills of children that cleaned up after the run had stopped waiting for them.
    late: (UnboundedSender<Input>, UnboundedReceiver<Input>),
}

impl Default for RunTasks {
    fn default() -> Self {
        Self {
            set: JoinSet::new(),
            under_way: Vec::new(),
            ready: VecDeque::new(),
            late: mpsc::unbounded_channel(),
        }
    }
}

/// A running task and its purpose.
struct RunningTask {
    task: AbortHandle,
    kind: DriverTaskKind,
    stop: CancellationToken,
    /// When it counts as hung.
    due: Option<Timestamp>,
}

/// A task that is about to start.
pub(super) struct TaskStart {
    pub(super) kind: DriverTaskKind,
    pub(super) stop: CancellationToken,
    pub(super) due: Option<Timestamp>,
}

impl TaskStart {
    /// A task without a deadline.
    pub(super) fn new(kind: DriverTaskKind) -> Self {
        Self { kind, stop: CancellationToken::new(), due: None }
    }
}

impl RunTasks {
    /// Starts a task, so that blocking work in it does not block the run.
    pub(super) fn begin(&mut self, begun: TaskStart, work: BoxFuture<'static, TaskFacts>) {
        let TaskStart { kind, stop, due } = begun;
        let task = self.set.spawn(work);
        self.under_way.push(RunningTask { task, kind, stop, due });
    }

    /// As [`begin`](Self::begin), for work that is often ready at once: it is polled once before
    /// it gets a task.
    pub(super) fn begin_at_once(&mut self, begun: TaskStart, mut work: BoxFuture<'static, TaskFacts>) {
        // A task polls its future again when it starts, so nothing waits for this waker.
        let mut context = Context::from_waker(Waker::noop());
        match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(&mut context))) {
            Ok(Poll::Ready(facts)) => self.ready.extend(facts),
            Ok(Poll::Pending) => self.begin(begun, work),
            Err(_) => self.ready.extend(begun.kind.broken("panicked")),
        }
    }

    /// Adds a fact that is already known.
    pub(super) fn say(&mut self, fact: Input) {
        self.ready.push_back(fact);
    }

    /// Adds the failure of work that never started.
    pub(super) fn say_broken(&mut self, begun: &TaskStart) {
        self.ready.extend(begun.kind.broken("panicked"));
    }

    /// Tells the work under this id that its answer is no longer needed. A question
    /// is dropped at once.
    pub(super) fn stop(&mut self, call: CallId) {
        for task in self.under_way.iter().filter(|task| task.kind.call() == Some(call)) {
            task.stop.cancel();
        }
        self.forget(|task| match task.kind {
            DriverTaskKind::Question(question) => call == question,
            DriverTaskKind::Consult(consultation) => call == consultation,
            _ => false,
        });
    }

    /// Drops a question that was answered elsewhere.
    pub(super) fn forget_question(&mut self, question: QuestionId) {
        self.forget(|task| task.kind == DriverTaskKind::Question(question));
    }

    fn forget(&mut self, mut which: impl FnMut(&RunningTask) -> bool) {
        self.under_way.retain(|task| {
            let goes = which(task);
            if goes {
                task.task.abort();
            }
            !goes
        });
    }

    /// The oldest fact that may be taken now.
    pub(super) fn next_ready(&mut self) -> Option<Input> {
        if self.under_way.iter().all(|task| !matches!(task.kind, DriverTaskKind::Steering(_))) {
            return self.ready.pop_front();
        }
        let held = |fact: &Input| matches!(fact, Input::ModelFinished { .. });
        let index = self.ready.iter().position(|fact| !held(fact))?;
        self.ready.remove(index)
    }

    /// Waits until a task ends; at least one must be under way.
    pub(super) async fn wait(&mut self) {
        tokio::select! {
            biased;
            Some(ended) = self.set.join_next_with_id() => self.ended(ended),
            Some(bill) = self.late.1.recv() => self.ready.push_back(bill),
        }
    }

    fn ended(&mut self, ended: Result<(Id, TaskFacts), JoinError>) {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let index = self.under_way.iter().position(|task| task.task.id() == id);
        // A forgotten task has no result.
        let Some(task) = index.map(|index| self.under_way.swap_remove(index)) else { return };
        match ended {
            Ok((_, facts)) => self.ready.extend(facts),
            Err(_) => self.ready.extend(task.kind.broken("panicked")),
        }
    }

    /// When the first task counts as hung.
    pub(super) fn due(&self) -> Option<Timestamp> {
        self.under_way.iter().filter_map(|task| task.due).min()
    }

    /// Gives up tasks that took too long, and adds their failures.
    pub(super) fn expire(&mut self, now: Timestamp) {
        let (ready, due) = (&mut self.ready, |task: &RunningTask| task.due.is_some_and(|due| due <= now));
        self.under_way.retain(|task| {
            let late = due(task);
            if late {
                task.stop.cancel();
                task.task.abort();
                ready.extend(task.kind.broken("took too long"));
            }
            !late
        });
    }

    /// Whether a stopped task may still bring a bill, or hooks still react to one.
    pub(super) fn awaits_a_bill(&self) -> bool {
        self.under_way.iter().any(|task| task.kind.is_waited_for()) || !self.ready.is_empty()
    }

    /// A bill that has arrived; other facts are useless to a run that has ended.
    pub(super) fn next_bill(&mut self) -> Option<Input> {
        while let Some(fact) = self.ready.pop_front() {
            match fact {
                Input::ModelFinished { .. } | Input::Summarised { .. } | Input::ChildFinished { .. } => {
                    return Some(fact);
                }
                _ => {}
            }
        }
        None
    }

    /// A bill that arrived after the run had ended.
    pub(super) fn late_bill(&mut self) -> Option<Input> {
        self.late.1.try_recv().ok()
    }

    /// Whether a stopped child has not reported its usage yet.
    pub(super) fn awaits_a_child(&self) -> bool {
        self.under_way.iter().any(|task| matches!(task.kind, DriverTaskKind::Child(_)))
    }

    /// Ends the model calls that ignored their cancellation. Each returns that its usage is
    /// unknown, so it is paid by estimate.
    pub(super) fn end_models(&mut self) -> Vec<Input> {
        let bill = |task: &RunningTask| task.kind.model_fact(ModelResult::Aborted(Reply::default()));
        let bills = self.under_way.iter().filter_map(bill).collect();
        self.forget(|task| matches!(task.kind, DriverTaskKind::Model(_) | DriverTaskKind::Summary(_)));
        bills
    }

    /// Releases all tasks: stopped ones may clean up for a while without delaying the run.
    pub(super) fn leave(&mut self) {
        self.ready.clear();
        for task in self.under_way.drain(..) {
            task.stop.cancel();
            if !task.kind.tidies_up() {
                task.task.abort();
            }
        }
        if self.set.is_empty() {
            return;
        }
        let mut set = std::mem::take(&mut self.set);
        let late = self.late.0.clone();
        tokio::spawn(async move {
            let all = async {
                while let Some(ended) = set.join_next().await {
                    let facts = ended.unwrap_or_default().into_iter();
                    for bill in facts.filter(|fact| matches!(fact, Input::ChildFinished { .. })) {
                        // If the run is gone, it reads the bill from the child's journal when it is
                        // resumed.
                        let _ = late.send(bill);
                    }
                }
            };
            let _ = tokio::time::timeout(TIDY_UP, all).await;
        });
    }

    /// Stops everything at once: the run can no longer be trusted.
    pub(super) fn abort(&mut self) {
        self.ready.clear();
        self.set.abort_all();
        // A thread cannot be aborted, so a blocking tool is asked to stop. A child is not: its run
        // is resumed later.
        for task in self.under_way.drain(..).filter(|task| matches!(task.kind, DriverTaskKind::Tool(_))) {
            task.stop.cancel();
        }
    }
    /// Stops everything and waits until it has ended, because another process may then resume the
    /// run. Tools get [`TIDY_UP`] to end their processes, then their futures are dropped.
    pub(super) async fn end(&mut self) {
        self.ready.clear();
        for task in self.under_way.drain(..) {
            task.stop.cancel();
            if !task.kind.tidies_up() {
                task.task.abort();
            }
        }
        let _ = tokio::time::timeout(TIDY_UP, self.drained()).await;
        self.set.abort_all();
        let _ = tokio::time::timeout(DROP_TIME, self.drained()).await;
    }

    async fn drained(&mut self) {
        while self.set.join_next().await.is_some() {}
    }
}
