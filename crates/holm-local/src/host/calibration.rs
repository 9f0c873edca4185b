//! Chooses the tool of a call by how much the request raises the likelihood of its name
//! ([`Choosing::Calibrated`]). The model decides whether to call, and writes the call. Then every
//! name is scored, and if another one wins, the call is written again under a grammar that allows
//! only that tool. A finished reply is never lost: if the scoring fails, the reply stays as it was
//! written.

use std::{
    slice,
    sync::{Arc, PoisonError},
};

use holm_kernel::{ModelResult, Offer, Reply, Request, Tool};

use super::{
    Shared,
    line::{Guard, Watch, Written, usage},
    link::{Heard, Link},
    priors::{CONTENT_FREE, Catalogue, mean, most_gained},
};
use crate::{
    Choosing, Constraint, Grammar,
    grammar::{OPENING, begun, spelled},
    prompt::{Said, Speaker},
    wire::{Begin, End, Tally, Task, ToWorker, Weigh, Write},
};

/// One prompt whose call may change to another tool than the model wrote first.
pub(super) struct Calibration {
    shared: Arc<Shared>,
    session: u64,
    said: Vec<Said>,
    write: Write,
    told: Arc<Offer>,
}

impl Calibration {
    /// Prepares the calibration. Returns `None` if it is turned off, or if there
    /// is only one choice.
    pub(super) fn of(
        shared: &Arc<Shared>,
        begin: &Begin,
        request: &Request,
        told: &Arc<Offer>,
    ) -> Option<Self> {
        let wanted = match (shared.settings.choosing, shared.settings.constraint) {
            (Choosing::Calibrated, Constraint::Grammar) => request.format.is_none() && told.tools.len() > 1,
            (Choosing::Likeliest, _) | (_, Constraint::Off) => false,
        };
        match &begin.task {
            Task::Write(write) if wanted => Some(Self {
                shared: Arc::clone(shared),
                session: begin.session,
                said: begin.said.clone(),
                write: write.clone(),
                told: Arc::clone(told),
            }),
            Task::Write(_) | Task::Weigh(_) => None,
        }
    }

    /// Returns the reply with the tool that gains most: the written one, or another.
    pub(super) async fn settle(
        &self,
        watch: &Watch,
        link: &Link,
        written: Written,
    ) -> Result<Written, Box<ModelResult>> {
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
    fn again(&self, tool: &Arc<Tool>) -> Begin {
        let grammar = Some(Grammar::call(slice::from_ref(tool)));
        let write = Write { grammar, doubt: None, ..self.write.clone() };
        let (id, said) = (self.shared.number(), self.said.clone());
        Begin { id, session: self.session, said, task: Task::Write(write) }
    }

    async fn best(&self, watch: &Watch, link: &Link, called: usize) -> Option<usize> {
        let priors = self.priors(watch, link).await?;
        let likely = self.weighed(watch, link, self.session, self.said.clone()).await?;
        Some(most_gained(&likely, &priors, called))
    }

    /// The scores of the names without a request, measured once for each catalogue.
    async fn priors(&self, watch: &Watch, link: &Link) -> Option<Arc<[f64]>> {
        let catalogue = self.catalogue();
        let known = self.shared.priors.lock().unwrap_or_else(PoisonError::into_inner).get(&catalogue);
        if known.is_some() {
            return known;
        }
        // This uses a separate session, so that the cache of the current one stays. It copies the
        // beginning, which is most of the prompt.
        let session = self.shared.number();
        let rows = self.unasked(watch, link, session).await;
        link.order(ToWorker::Forget { session });
        let priors: Arc<[f64]> = mean(&rows?).into();
        let mut kept = self.shared.priors.lock().unwrap_or_else(PoisonError::into_inner);
        kept.keep(catalogue, Arc::clone(&priors));
        Some(priors)
    }

    fn catalogue(&self) -> Catalogue {
        let names = self.told.tools.iter().map(|tool| tool.name.clone()).collect();
        Catalogue { system: self.system().map(|said| said.text.clone()).unwrap_or_default(), names }
    }

    fn system(&self) -> Option<&Said> {
        self.said.first().filter(|said| said.by == Speaker::System)
    }

    /// The scores of the names after each request that asks for nothing.
    async fn unasked(&self, watch: &Watch, link: &Link, session: u64) -> Option<Vec<Vec<f64>>> {
        let mut rows = Vec::with_capacity(CONTENT_FREE.len());
        for nothing in CONTENT_FREE {
            let mut said: Vec<Said> = self.system().cloned().into_iter().collect();
            said.push(Said { by: Speaker::User, text: nothing.into() });
            rows.push(self.weighed(watch, link, session, said).await?);
        }
        Some(rows)
    }

    /// The scores of the names after a prompt. The prompt is sent once for all names.
    async fn weighed(&self, watch: &Watch, link: &Link, session: u64, said: Vec<Said>) -> Option<Vec<f64>> {
        let texts: Vec<String> = self.told.tools.iter().map(|tool| spelled(&tool.name)).collect();
        let (id, names) = (self.shared.number(), texts.len());
        let mut ear = link.listen(id);
        let _guard = Guard(link, id);
        let task = Task::Weigh(Weigh { opening: OPENING.into(), texts });
        link.order(ToWorker::Begin(Box::new(Begin { id, session, said, task })));
        let heard = tokio::select! {
            () = watch.stop.cancelled() => None,
            heard = ear.recv() => heard,
        };
        match heard? {
            // The worker is not trusted: it must return one number for each name.
            Heard::Weighed(likely) => Some(likely).filter(|likely| likely.len() == names),
            Heard::Text(_) | Heard::Ended(..) | Heard::Failed(_) | Heard::Lost(_) => None,
        }
    }
}

/// The rewritten call with the usage of both replies. Returns the first call if the second
/// one was cut off.
fn chosen(first: Written, again: Written) -> Written {
    let tally = first.tally.and(again.tally);
    let kept = if again.end == End::Full { first } else { again };
    Written { tally, ..kept }
}

/// A reply that was stopped, with the usage of the previous one added.
fn both(first: Tally, mut reply: Reply) -> Reply {
    let again = Tally { output: reply.usage.output, ..Tally::default() };
    reply.usage = usage(first.and(again));
    reply
}

#[cfg(test)]
mod tests;
