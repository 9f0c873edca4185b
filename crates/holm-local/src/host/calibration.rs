//! Chooses the tool of a call by how much the request raises the likelihood of its name
//! ([`ToolSelection::Calibrated`]). The model decides whether to call, and writes the call. Then every
//! name is scored, and if another one wins, the call is written again under a grammar that allows
//! only that tool. A finished reply is never lost: if the scoring fails, the reply stays as it was
//! written.
//!
//! The arithmetic is in `priors.rs`, the scoring in `worker/likelihood.rs`, and calls without
//! calibration are in `local_connection.rs`. The worker is not trusted: it must return one number
//! for each name.

use std::{
    slice,
    sync::{Arc, PoisonError},
};

use holm_kernel::{ModelResult, Offer, Reply, Request, ToolSpec};

use super::{
    LocalModelInner,
    local_connection::{LocalCallContext, LocalCallGuard, LocalReply, usage},
    priors::{CONTENT_FREE, PriorKey, mean, most_gained},
    worker_link::{LocalCallEvent, WorkerLink},
};
use crate::{
    GrammarConstraint, ReplyGrammar, ToolSelection,
    grammar::{OPENING, begun, spelled},
    prompt::{LocalMessage, PromptRole},
    wire::{GenerateTask, GenerationStats, ReplyEnd, ScoreTask, WorkerPrompt, WorkerRequest, WorkerTask},
};

/// One prompt whose call may change to another tool than the model wrote first.
pub(super) struct ToolCalibration {
    shared: Arc<LocalModelInner>,
    session: u64,
    said: Vec<LocalMessage>,
    write: GenerateTask,
    told: Arc<Offer>,
}

impl ToolCalibration {
    /// Prepares the calibration. Returns `None` if it is turned off, or if there
    /// is only one choice.
    pub(super) fn of(
        shared: &Arc<LocalModelInner>,
        begin: &WorkerPrompt,
        request: &Request,
        offer: &Arc<Offer>,
    ) -> Option<Self> {
        let wanted = match (shared.settings.choosing, shared.settings.constraint) {
            (ToolSelection::Calibrated, GrammarConstraint::Grammar) => {
                request.format.is_none() && offer.tools.len() > 1
            }
            (ToolSelection::Likeliest, _) | (_, GrammarConstraint::Off) => false,
        };
        match &begin.task {
            WorkerTask::Write(write) if wanted => Some(Self {
                shared: Arc::clone(shared),
                session: begin.session,
                said: begin.said.clone(),
                write: write.clone(),
                told: Arc::clone(offer),
            }),
            WorkerTask::Write(_) | WorkerTask::Weigh(_) => None,
        }
    }

    /// Returns the reply with the tool that gains most: the written one, or another.
    pub(super) async fn settle(
        &self,
        watch: &LocalCallContext,
        link: &WorkerLink,
        written: LocalReply,
    ) -> Result<LocalReply, Box<ModelResult>> {
        let Some(called) = begun(&written.text, &self.told.tools) else { return Ok(written) };
        let best = self.best(watch, link, called).await.filter(|best| *best != called);
        let Some(tool) = best.and_then(|best| self.told.tools.get(best)) else { return Ok(written) };
        match watch.written(link, self.again(tool)).await.map_err(|result| *result) {
            Ok(again) => Ok(chosen(written, again)),
            // The usage of the first reply counts too.
            Err(ModelResult::Aborted(reply)) => {
                Err(Box::new(ModelResult::Aborted(both(written.tally, reply))))
            }
            Err(ModelResult::Replied(_) | ModelResult::Failed(_)) => Ok(written),
        }
    }

    /// The same prompt, for a call of this tool and nothing else.
    fn again(&self, tool: &Arc<ToolSpec>) -> WorkerPrompt {
        let grammar = Some(ReplyGrammar::call(slice::from_ref(tool)));
        let write = GenerateTask { grammar, doubt: None, ..self.write.clone() };
        let (id, messages) = (self.shared.number(), self.said.clone());
        WorkerPrompt { id, session: self.session, said: messages, task: WorkerTask::Write(write) }
    }

    async fn best(&self, watch: &LocalCallContext, link: &WorkerLink, called: usize) -> Option<usize> {
        let priors = self.priors(watch, link).await?;
        let likely = self.weighed(watch, link, self.session, self.said.clone()).await?;
        Some(most_gained(&likely, &priors, called))
    }

    /// The scores of the names without a request, measured once for each catalogue.
    async fn priors(&self, watch: &LocalCallContext, link: &WorkerLink) -> Option<Arc<[f64]>> {
        let catalogue = self.catalogue();
        let known = self.shared.priors.lock().unwrap_or_else(PoisonError::into_inner).get(&catalogue);
        if known.is_some() {
            return known;
        }
        // This uses a separate session, so that the cache of the current one stays. It copies the
        // beginning, which is most of the prompt.
        let session = self.shared.number();
        let rows = self.unasked(watch, link, session).await;
        link.order(WorkerRequest::Forget { session });
        let priors: Arc<[f64]> = mean(&rows?).into();
        let mut kept = self.shared.priors.lock().unwrap_or_else(PoisonError::into_inner);
        kept.keep(catalogue, Arc::clone(&priors));
        Some(priors)
    }

    fn catalogue(&self) -> PriorKey {
        let names = self.told.tools.iter().map(|tool| tool.name.clone()).collect();
        PriorKey { system: self.system().map(|message| message.text.clone()).unwrap_or_default(), names }
    }

    fn system(&self) -> Option<&LocalMessage> {
        self.said.first().filter(|message| message.by == PromptRole::System)
    }

    /// The scores of the names after each request that asks for nothing.
    async fn unasked(
        &self,
        watch: &LocalCallContext,
        link: &WorkerLink,
        session: u64,
    ) -> Option<Vec<Vec<f64>>> {
        let mut rows = Vec::with_capacity(CONTENT_FREE.len());
        for nothing in CONTENT_FREE {
            let mut messages: Vec<LocalMessage> = self.system().cloned().into_iter().collect();
            messages.push(LocalMessage { by: PromptRole::User, text: nothing.into() });
            rows.push(self.weighed(watch, link, session, messages).await?);
        }
        Some(rows)
    }

    /// The scores of the names after a prompt. The prompt is sent once for all names.
    async fn weighed(
        &self,
        watch: &LocalCallContext,
        link: &WorkerLink,
        session: u64,
        messages: Vec<LocalMessage>,
    ) -> Option<Vec<f64>> {
        let texts: Vec<String> = self.told.tools.iter().map(|tool| spelled(&tool.name)).collect();
        let (id, names) = (self.shared.number(), texts.len());
        let mut ear = link.listen(id);
        let _guard = LocalCallGuard(link, id);
        let task = WorkerTask::Weigh(ScoreTask { opening: OPENING.into(), texts });
        link.order(WorkerRequest::Begin(Box::new(WorkerPrompt { id, session, said: messages, task })));
        let event = tokio::select! {
            () = watch.stop.cancelled() => None,
            event = ear.recv() => event,
        };
        match event? {
            // The worker is not trusted: it must return one number for each name.
            LocalCallEvent::Weighed(likely) => Some(likely).filter(|likely| likely.len() == names),
            LocalCallEvent::Text(_)
            | LocalCallEvent::Ended(..)
            | LocalCallEvent::Failed(_)
            | LocalCallEvent::Lost(_) => None,
        }
    }
}

/// The rewritten call with the usage of both replies. Returns the first call if the second
/// one was cut off.
fn chosen(first: LocalReply, again: LocalReply) -> LocalReply {
    let tally = first.tally.and(again.tally);
    let kept = if again.end == ReplyEnd::Full { first } else { again };
    LocalReply { tally, ..kept }
}

/// A reply that was stopped, with the usage of the previous one added.
fn both(first: GenerationStats, mut reply: Reply) -> Reply {
    let again = GenerationStats { output: reply.usage.output, ..GenerationStats::default() };
    reply.usage = usage(first.and(again));
    reply
}

#[cfg(test)]
mod tests;
