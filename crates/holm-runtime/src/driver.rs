//! The loop: one fact in, one record appended, its effects performed.
//!
//! Async only where bytes move. What runs at the same time (a model call, several tools, a person who is asked) are
//! tasks, and each ends in exactly one fact; a task that panics ends in a fact that says so.

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use holm_kernel::{
    Answer, CallId, CheckRuling, ChildResult, Effect, Ending, Failure, FailureClass, Input, ModelResult,
    Prompt, Request, Run, Started, Timestamp, ToolOutput, ToolRequest, Usage, Verdict,
    journal::{self, JournalError, ReplayError, StepError, Writer},
};
use tokio::{
    sync::mpsc,
    task::{self, JoinSet},
};
use tokio_util::sync::CancellationToken;

use crate::{Ask, BoxFuture, Durability, Host, Job, JournalFailed, Line};

/// How many things people may say before the run has listened to the first; more have to wait.
const INBOX: usize = 64;

/// How long what was stopped may take to say what it had: a model's bill, a tool's last words. The run has ended by
/// then, so nobody waits for it for long.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs one prompt to its end: [`Driver::start`] and [`Driver::prompt`] in one.
///
/// # Errors
/// [`DriveError`], as there.
pub async fn drive(started: Started, prompt: Prompt, host: Host) -> Result<(Ending, Driver), DriveError> {
    let mut driver = Driver::start(started, host).await?;
    let ending = driver.prompt(prompt).await?;
    Ok((ending, driver))
}

/// One run and its host.
pub struct Driver {
    run: Run,
    writer: Writer,
    host: Host,
    line: Box<dyn Line>,
    tasks: JoinSet<Input>,
    under_way: Vec<UnderWay>,
    inbox: mpsc::Receiver<Input>,
    handle: Handle,
    health: Health,
}

impl Driver {
    /// Begins a run and writes record 0.
    ///
    /// # Errors
    /// [`DriveError`] if the configuration cannot be journaled or the journal cannot be written.
    pub async fn start(started: Started, mut host: Host) -> Result<Self, DriveError> {
        let (run, writer, line) = journal::begin(started, host.clock.now())?;
        host.journal.append(&line, Durability::Synced).await?;
        let mut driver = Self::new(run, writer, host);
        driver.drain().await?;
        Ok(driver)
    }

    /// Takes over a run from its journal, after a crash or from another host. `text` is the whole journal; the host's
    /// own journal must append behind it.
    ///
    /// The run stands where it stood: if it was at work, call [`go_on`](Self::go_on), otherwise prompt it.
    ///
    /// # Errors
    /// [`DriveError`] if the journal is damaged, decides differently here or cannot be written. A torn last line is
    /// an error too; whoever keeps the file cuts it first.
    pub async fn resume(text: &[u8], by: &str, host: Host) -> Result<Self, DriveError> {
        let records = journal::decode_strict(text)?;
        let run = journal::replay(&records)?;
        let head = records.last().map(journal::Record::head).ok_or(ReplayError::Empty)?;
        let mut driver = Self::new(run, Writer::after(head), host);
        driver.take(Input::Resumed { host: by.into() }).await?;
        Ok(driver)
    }

    fn new(run: Run, writer: Writer, host: Host) -> Self {
        let (sender, inbox) = mpsc::channel(INBOX);
        let line = host.model.open();
        let handle = Handle { sender };
        let (tasks, under_way) = (JoinSet::new(), Vec::new());
        Self { run, writer, host, line, tasks, under_way, inbox, handle, health: Health::Sound }
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// A way to speak to the run while it works; clones may go to other tasks.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Asks for something and works until the turn group ends.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written: the run is dropped, and its journal is all that counts.
    pub async fn prompt(&mut self, prompt: Prompt) -> Result<Ending, DriveError> {
        self.take(Input::Prompted(prompt)).await?;
        self.go_on().await
    }

    /// Works until the turn group ends.
    ///
    /// # Errors
    /// As [`prompt`](Self::prompt).
    pub async fn go_on(&mut self) -> Result<Ending, DriveError> {
        loop {
            let (ending, until) = self.drain().await?;
            if let Some(ending) = ending {
                self.last_words().await?;
                return Ok(ending);
            }
            let fact = self.next_fact(until).await;
            self.take(fact).await?;
        }
    }

    /// Handles one fact and appends its record; nothing is done about it yet.
    async fn take(&mut self, fact: Input) -> Result<(), DriveError> {
        if self.health == Health::Lost {
            return Err(DriveError::Lost);
        }
        let durability = match fact {
            Input::Dispatched { .. } => Durability::Synced,
            _ => Durability::Written,
        };
        let line = journal::step(&mut self.run, &mut self.writer, self.host.clock.now(), fact)?;
        if let Err(failed) = self.host.journal.append(&line, durability).await {
            self.health = Health::Lost;
            self.tasks.abort_all();
            return Err(failed.into());
        }
        Ok(())
    }

    /// Performs everything that is lined up. Gives the ending, if one came, and the time to wait for.
    async fn drain(&mut self) -> Result<(Option<Ending>, Option<Timestamp>), DriveError> {
        let mut ending = None;
        loop {
            match self.run.poll() {
                Effect::Wait(until) => return Ok((ending, until)),
                Effect::Finish(how) => ending = Some(*how),
                Effect::Emit(event) => self.host.events.event(&event),
                Effect::Abort(call) => self.stop(call),
                Effect::CallModel { call, request } => self.call_model(call, &request, Kind::Model),
                Effect::Summarise { call, request } => self.call_model(call, &request, Kind::Summary),
                Effect::RunTool { call, request } => {
                    self.take(Input::Dispatched { call }).await?;
                    self.run_tool(call, &request);
                }
                Effect::Judge(proposal) => {
                    let call = proposal.call;
                    let verdict = self.host.approver.judge(*proposal);
                    let fact = async move { Input::Judged { call, verdict: verdict.await } };
                    self.begin(call, Kind::Question, CancellationToken::new(), Box::pin(fact));
                }
                Effect::Consult(consultation) => {
                    let answer = Answer::Failed { reason: "this host has no hooks".into() };
                    self.answer(consultation.call, Input::Consulted { call: consultation.call, answer });
                }
                Effect::Check { call, .. } => {
                    let ruling = CheckRuling::Broken { reason: "this host runs no checks".into() };
                    self.answer(call, Input::Checked { call, ruling });
                }
                Effect::Spawn { call, .. } => {
                    let output = ToolOutput::failed("this host starts no child runs");
                    let result = ChildResult { output, ..ChildResult::default() };
                    self.answer(call, Input::ChildFinished { call, result });
                }
            }
        }
    }

    fn call_model(&mut self, call: CallId, request: &Request, kind: Kind) {
        let stop = CancellationToken::new();
        let ask = Ask {
            call,
            request,
            messages: self.run.messages(request),
            deltas: Arc::clone(&self.host.deltas),
            stop: stop.clone(),
        };
        let result = self.line.call(ask);
        let fact = async move { kind.model_fact(call, result.await) };
        self.begin(call, kind, stop, Box::pin(fact));
    }

    fn run_tool(&mut self, call: CallId, request: &ToolRequest) {
        let stop = CancellationToken::new();
        let job = Job::new(call, request).stop(stop.clone());
        let Some(tool) = self.host.tools.find(&request.tool) else {
            let result = ToolOutput::failed(format!("this host has no tool named {}", request.tool));
            return self.answer(call, Input::ToolFinished { call, result });
        };
        let output = tool.run(job);
        let fact = async move { Input::ToolFinished { call, result: output.await } };
        self.begin(call, Kind::Tool, stop, Box::pin(fact));
    }

    /// An answer that is known at once; it still arrives as a fact of its own.
    fn answer(&mut self, call: CallId, fact: Input) {
        self.begin(call, Kind::Question, CancellationToken::new(), Box::pin(async { fact }));
    }

    fn begin(&mut self, call: CallId, kind: Kind, stop: CancellationToken, fact: BoxFuture<'static, Input>) {
        let task = self.tasks.spawn(fact).id();
        self.under_way.push(UnderWay { task, call, kind, stop });
    }

    fn stop(&mut self, call: CallId) {
        for task in self.under_way.iter().filter(|task| task.call == call) {
            task.stop.cancel();
        }
    }

    /// The next thing that happens: somebody speaks, a task ends, or the time has come.
    async fn next_fact(&mut self, until: Option<Timestamp>) -> Input {
        let sleep = until.map(|at| self.host.clock.sleep_until(at));
        let sleep = async move {
            match sleep {
                Some(sleep) => sleep.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(said) = self.inbox.recv() => said,
            Some(ended) = self.tasks.join_next_with_id() => ended_task(&mut self.under_way, ended),
            () = sleep => Input::TimePassed,
        }
    }

    /// Hears what the stopped tasks still have to say, because a stopped model call has a bill too.
    async fn last_words(&mut self) -> Result<(), DriveError> {
        let patience = tokio::time::sleep(LAST_WORDS);
        tokio::pin!(patience);
        loop {
            let ended = tokio::select! {
                ended = self.tasks.join_next_with_id() => ended,
                () = &mut patience => None,
            };
            let Some(ended) = ended else { break };
            let fact = ended_task(&mut self.under_way, ended);
            self.take(fact).await?;
            self.drain().await?;
        }
        self.tasks.abort_all();
        self.tasks.detach_all();
        self.under_way.clear();
        Ok(())
    }
}

/// Speaks to a run from outside.
#[derive(Debug, Clone)]
pub struct Handle {
    sender: mpsc::Sender<Input>,
}

impl Handle {
    /// Says something that enters before the next model call.
    pub async fn steer(&self, prompt: Prompt) {
        self.tell(Input::Steered(prompt)).await;
    }

    /// Says what to do once the run would stop by itself.
    pub async fn follow_up(&self, prompt: Prompt) {
        self.tell(Input::FollowedUp(prompt)).await;
    }

    /// Stops the run.
    pub async fn cancel(&self, reason: impl Into<String>) {
        self.tell(Input::Cancelled { reason: reason.into() }).await;
    }

    /// Tells any other fact that comes from people: another mode, other grants, another budget.
    pub async fn tell(&self, fact: Input) {
        // Nobody listens any more: then there is nothing left to be told.
        let _ = self.sender.send(fact).await;
    }
}

/// A run cannot be driven on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriveError {
    /// A fact was refused by the kernel.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A record could not be written.
    #[error(transparent)]
    Journal(#[from] JournalFailed),
    /// A journal is damaged.
    #[error(transparent)]
    Damaged(#[from] JournalError),
    /// A journal cannot be folded.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A record could not be written earlier, so this run is not to be trusted.
    #[error("the run was lost when its journal could not be written; resume it from the journal")]
    Lost,
}

/// Whether the run in memory is the one in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    Sound,
    Lost,
}

/// A task and what it is for.
struct UnderWay {
    task: task::Id,
    call: CallId,
    kind: Kind,
    stop: CancellationToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Model,
    Summary,
    Tool,
    Question,
}

impl Kind {
    fn model_fact(self, call: CallId, result: ModelResult) -> Input {
        match self {
            Self::Summary => Input::Summarised { call, result },
            Self::Model | Self::Tool | Self::Question => Input::ModelFinished { call, result },
        }
    }

    /// What is said of a task that panicked.
    fn broken(self, call: CallId) -> Input {
        match self {
            Self::Model | Self::Summary => {
                let message = "the model's transport panicked".into();
                let usage = Usage::default();
                let failure = Failure { class: FailureClass::Server, message, retry_after_ms: None, usage };
                self.model_fact(call, ModelResult::Failed(failure))
            }
            Self::Tool => Input::ToolFinished { call, result: ToolOutput::failed("the tool panicked") },
            Self::Question => Input::Judged { call, verdict: Verdict::deny("the approver panicked") },
        }
    }
}

fn ended_task(under_way: &mut Vec<UnderWay>, ended: Result<(task::Id, Input), task::JoinError>) -> Input {
    let id = match &ended {
        Ok((id, _)) => *id,
        Err(error) => error.id(),
    };
    let place = under_way.iter().position(|task| task.task == id);
    let task = place.map(|place| under_way.swap_remove(place));
    match (ended, task) {
        (Ok((_, fact)), _) => fact,
        (Err(_), Some(task)) => task.kind.broken(task.call),
        // Every task is written down when it begins; time passing is always a fact.
        (Err(_), None) => Input::TimePassed,
    }
}
