//! The connection of one run to the local model: sends a prompt, and turns the pieces of the reply
//! into a model result. The worker is started in `mod.rs` and spoken to in `worker_link.rs`; the
//! prompt is built in `holm-local/src/prompt.rs`. Text that may be a call is held back until it is
//! clear whether it is one. Retries are decided by the kernel.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use holm_guards::{json::Json, skill};
use holm_kernel::{
    Block, CallId, Failure, FailureClass, Message, ModelResult, Offer, Purpose, Reply, Request, StopReason,
    ToolCall, Usage,
};
use holm_runtime::{BoxFuture, DeltaSink, ModelConnection, ModelRequest, ReplyDelta};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::{
    LocalModelInner,
    calibration::ToolCalibration,
    worker_link::{LocalCallEvent, WorkerLink},
};
use crate::{
    GenerationStats, GrammarConstraint, LocalError, ReplyGrammar,
    grammar::{ParsedCall, parse_call},
    prompt,
    wire::{
        GenerateTask, GenerationError, MAX_FRAME, NoToolThreshold, ReplyEnd, WorkerPrompt, WorkerRequest,
        WorkerTask,
    },
};

/// The beginning of a reply which says that no tool fits.
const NONE: &str = "None of my tools can do that.";
/// How long a worker may take to stop. One step is much shorter.
const STOPPING: Duration = Duration::from_secs(30);

/// A connection to a [`LocalModel`](crate::LocalModel) model. Its calls share a session, so that
/// only the new part of a prompt is computed.
#[derive(Debug)]
pub struct LocalConnection {
    shared: Arc<LocalModelInner>,
    session: u64,
    /// The worker that holds the session. It is notified when this connection closes.
    link: Arc<Mutex<Option<Arc<WorkerLink>>>>,
    tally: Arc<Mutex<Option<GenerationStats>>>,
    /// The grammars of the current offer, which rarely changes.
    grammars: Option<(u64, ReplyGrammar, ReplyGrammar)>,
}

impl LocalConnection {
    pub(super) fn new(shared: Arc<LocalModelInner>) -> Self {
        let session = shared.number();
        Self { shared, session, link: Arc::default(), tally: Arc::default(), grammars: None }
    }

    /// The cost of the last complete reply.
    #[must_use]
    pub fn tally(&self) -> Option<GenerationStats> {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&mut self, id: u64, request: &Request, offer: &Offer, view: &[Arc<Message>]) -> WorkerPrompt {
        let settings = &self.shared.settings;
        let most = request.max_output.or(request.model.max_output);
        let most = most.and_then(|most| u32::try_from(most).ok()).unwrap_or(settings.most);
        let (seed, stops, believed) =
            (settings.seed, settings.stops.clone(), settings.believe_none_from_milli);
        let (grammar, call) = match settings.constraint {
            GrammarConstraint::Grammar => self.grammar(request, offer, view),
            GrammarConstraint::Off => (None, None),
        };
        let doubt = believed.zip(call).map(|(believed_from_milli, instead)| NoToolThreshold {
            opening: NONE.into(),
            believed_from_milli,
            instead,
        });
        let temperature_milli = request.model.temperature_milli;
        let task = WorkerTask::Write(GenerateTask { grammar, doubt, most, temperature_milli, seed, stops });
        WorkerPrompt { id, session: self.session, said: prompt::messages(request, view), task }
    }

    /// The grammar of the reply, and the grammar of a call if one may be required.
    fn grammar(
        &mut self,
        request: &Request,
        offer: &Offer,
        view: &[Arc<Message>],
    ) -> (Option<ReplyGrammar>, Option<ReplyGrammar>) {
        if let Some(schema) = &request.format {
            return (Some(shape(request.purpose, schema, view)), None);
        }
        let Offer { epoch, tools } = offer;
        // In the last turn of a run no tool can be called.
        if tools.is_empty() || request.purpose == Purpose::Answer {
            return (None, None);
        }
        let (_, reply, call) = match self.grammars.take().filter(|(known, ..)| known == epoch) {
            Some(known) => self.grammars.insert(known),
            None => self.grammars.insert((*epoch, ReplyGrammar::reply(tools), ReplyGrammar::call(tools))),
        };
        (Some(reply.clone()), Some(call.clone()))
    }
}

/// The grammar of structured output. For a skill that copies, it admits only texts from the input.
fn shape(purpose: Purpose, schema: &Json, view: &[Arc<Message>]) -> ReplyGrammar {
    let task = view.first().filter(|_| purpose == Purpose::Skill).map(|message| message.plain_text());
    let Some(input) = task.as_deref().and_then(skill::copied_from) else {
        return ReplyGrammar::value(schema);
    };
    let sources: Vec<&str> =
        input.as_object().into_iter().flat_map(|members| members.values().filter_map(Json::as_str)).collect();
    ReplyGrammar::grounded(schema, &sources)
}

impl ModelConnection for LocalConnection {
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
        let id = self.shared.number();
        let begin = self.begin(id, ask.request, &ask.told, ask.messages);
        let calibration = ToolCalibration::of(&self.shared, &begin, ask.request, &ask.told);
        let offer = Arc::clone(&ask.request.tools);
        let as_they_come = offer.tools.is_empty() && calibration.is_none();
        let watch = LocalCallContext {
            id,
            call: ask.call.into(),
            offer,
            calls: if as_they_come { CallDisplay::AsTheyCome } else { CallDisplay::WhenWhole },
            name: ask.request.model.name.clone(),
            deltas: ask.deltas,
            stop: ask.stop,
        };
        let shared = Arc::clone(&self.shared);
        let (slot, tally) = (Arc::clone(&self.link), Arc::clone(&self.tally));
        Box::pin(async move {
            if watch.stop.is_cancelled() {
                return ModelResult::Aborted(Reply::default());
            }
            let link = match shared.link().await {
                Ok(link) => link,
                Err(error) => return failed(class(&error), &error.to_string()),
            };
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&link));
            let written = match watch.follow(&link, begin, calibration.as_ref()).await {
                Ok(written) => written,
                Err(result) => return *result,
            };
            shared.worked().await;
            *tally.lock().unwrap_or_else(PoisonError::into_inner) = Some(written.tally);
            watch.ended(written)
        })
    }
}

impl Drop for LocalConnection {
    fn drop(&mut self) {
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(link) = link {
            link.order(WorkerRequest::Forget { session: self.session });
        }
    }
}

/// One call, with the receiver of its deltas and its stop token.
pub(super) struct LocalCallContext {
    id: u64,
    call: CallId,
    offer: Arc<Offer>,
    calls: CallDisplay,
    name: String,
    deltas: Arc<dyn DeltaSink>,
    pub(super) stop: CancellationToken,
}

/// When text that begins like a call is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallDisplay {
    /// Immediately, piece by piece, like all text.
    AsTheyCome,
    /// Only when it is clear whether it becomes a call, and of which tool.
    WhenWhole,
}

/// A reply of the worker that is complete.
#[derive(Debug)]
pub(super) struct LocalReply {
    pub(super) text: String,
    pub(super) end: ReplyEnd,
    pub(super) tally: GenerationStats,
}

/// Cancels a call when its future is dropped.
pub(super) struct LocalCallGuard<'a>(pub(super) &'a WorkerLink, pub(super) u64);

impl Drop for LocalCallGuard<'_> {
    fn drop(&mut self) {
        self.0.ignore(self.1);
        self.0.order(WorkerRequest::Cancel { id: self.1 });
    }
}

impl LocalCallContext {
    /// Sends the prompt and receives the reply, or the reason why no reply came.
    async fn follow(
        &self,
        link: &WorkerLink,
        begin: WorkerPrompt,
        calibration: Option<&ToolCalibration>,
    ) -> Result<LocalReply, Box<ModelResult>> {
        let size: usize = begin.said.iter().map(|message| message.text.len()).sum();
        if size > MAX_FRAME / 8 {
            return over(FailureClass::ContextOverflow, "the prompt is too long for any context");
        }
        let written = self.written(link, begin).await?;
        match calibration {
            Some(calibration) => calibration.settle(self, link, written).await,
            None => Ok(written),
        }
    }

    /// Lets the worker write a reply.
    pub(super) async fn written(
        &self,
        link: &WorkerLink,
        begin: WorkerPrompt,
    ) -> Result<LocalReply, Box<ModelResult>> {
        let id = begin.id;
        let mut ear = link.listen(id);
        let _guard = LocalCallGuard(link, id);
        link.order(WorkerRequest::Begin(Box::new(begin)));
        let mut text = String::new();
        loop {
            let event = tokio::select! {
                () = self.stop.cancelled() => break,
                event = ear.recv() => event,
            };
            match event {
                Some(LocalCallEvent::Text(chunk)) => self.tell(&mut text, &chunk),
                Some(LocalCallEvent::Ended(end, tally)) => return Ok(LocalReply { text, end, tally }),
                Some(LocalCallEvent::Failed(fault)) => return Err(Box::new(fault_of(&fault))),
                Some(LocalCallEvent::Lost(reason)) => {
                    return over(FailureClass::Server, &LocalError::Crashed(reason).to_string());
                }
                Some(LocalCallEvent::Weighed(_)) => {
                    return over(
                        FailureClass::Server,
                        "the local model answered a request that was never \
                                                       sent",
                    );
                }
                None => return over(FailureClass::Server, "the local model's process ended"),
            }
        }
        link.order(WorkerRequest::Cancel { id });
        Err(Box::new(self.aborted(ear, text).await))
    }

    /// Collects what was still on its way. The worker also reports the cost of the call.
    async fn aborted(&self, mut ear: UnboundedReceiver<LocalCallEvent>, mut text: String) -> ModelResult {
        let rest = async {
            while let Some(event) = ear.recv().await {
                match event {
                    LocalCallEvent::Text(chunk) => self.tell(&mut text, &chunk),
                    LocalCallEvent::Ended(_, tally) => return Some(tally),
                    LocalCallEvent::Weighed(_) | LocalCallEvent::Failed(_) | LocalCallEvent::Lost(_) => {
                        return None;
                    }
                }
            }
            None
        };
        let tally = tokio::time::timeout(STOPPING, rest).await.ok().flatten();
        let (usage, model) = (usage(tally.unwrap_or_default()), Some(self.name.clone()));
        let mut reply = Reply { usage, model, ..Reply::default() };
        if !text.is_empty() {
            reply.blocks.push(Block::Text(text));
        }
        ModelResult::Aborted(reply)
    }

    /// Adds a piece of text, and shows it unless it may be a call.
    fn tell(&self, text: &mut String, chunk: &str) {
        let offset = text.len() as u64;
        text.push_str(chunk);
        if !self.holds(text) {
            self.deltas.delta(self.call, ReplyDelta::Text { offset, text: chunk });
        }
    }

    /// Whether a text is still held back.
    fn holds(&self, text: &str) -> bool {
        self.calls == CallDisplay::WhenWhole && text.trim_start().starts_with('{')
    }

    fn ended(&self, LocalReply { text, end, tally }: LocalReply) -> ModelResult {
        let usage = usage(tally);
        if self.offer.tools.is_empty() && self.holds(&text) {
            self.deltas.delta(self.call, ReplyDelta::Text { offset: 0, text: &text });
        }
        let call = if self.offer.tools.is_empty() { None } else { parse_call(&text, &self.offer.tools) };
        let (block, stop) = match (call, end) {
            (Some(call), _) => (self.called(call), StopReason::ToolUse),
            (None, ReplyEnd::Full) => (Block::Text(text), StopReason::MaxTokens),
            (None, ReplyEnd::Stopped) => (Block::Text(text), StopReason::StopSequence),
            (None, ReplyEnd::Done | ReplyEnd::Cancelled) => (Block::Text(text), StopReason::EndTurn),
        };
        if matches!(&block, Block::Text(text) if text.trim().is_empty()) {
            let failure = Failure {
                class: FailureClass::Empty,
                message: "the local model gave no answer".into(),
                retry_after_ms: None,
                usage,
            };
            return ModelResult::Failed(failure);
        }
        self.deltas.delta(self.call, ReplyDelta::Usage(usage));
        ModelResult::Replied(Reply { blocks: vec![block], usage, stop, model: Some(self.name.clone()) })
    }

    fn called(&self, ParsedCall { name, arguments }: ParsedCall) -> Block {
        let id = format!("local-{}", self.id);
        self.deltas.delta(self.call, ReplyDelta::ToolCallStarted { index: 0, id: &id, name: &name });
        self.deltas.delta(self.call, ReplyDelta::ToolArguments { index: 0, offset: 0, text: &arguments });
        Block::ToolCall(ToolCall { id, name, arguments, replay: None })
    }
}

/// The cost of a reply in the form of the kernel.
pub(super) fn usage(tally: GenerationStats) -> Usage {
    Usage { input: tally.input, output: tally.output, cached: tally.cached, ..Usage::default() }
}

fn fault_of(fault: &GenerationError) -> ModelResult {
    match fault {
        GenerationError::Overflow { tokens, context } => {
            let message = format!("the prompt has {tokens} tokens and the context {context}");
            failed(FailureClass::ContextOverflow, &message)
        }
        GenerationError::Grammar(reason) => {
            failed(FailureClass::BadRequest, &format!("the grammar cannot be used: {reason}"))
        }
        GenerationError::Engine(reason) => {
            failed(FailureClass::Server, &format!("llama.cpp failed: {reason}"))
        }
    }
}

/// A crashed worker may work next time. A problem with the files or the machine stays.
fn class(error: &LocalError) -> FailureClass {
    match error {
        LocalError::Crashed(_) => FailureClass::Server,
        LocalError::File { .. }
        | LocalError::OtherBase { .. }
        | LocalError::Processor(_)
        | LocalError::Jail(_)
        | LocalError::Refused(_) => FailureClass::BadRequest,
    }
}

/// A failure of this class, with its message.
fn over<T>(class: FailureClass, message: &str) -> Result<T, Box<ModelResult>> {
    Err(Box::new(failed(class, message)))
}

fn failed(class: FailureClass, message: &str) -> ModelResult {
    let failure = Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() };
    ModelResult::Failed(failure)
}
