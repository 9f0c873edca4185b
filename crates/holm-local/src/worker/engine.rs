//! Decodes all requested replies together. Each step computes one batch in which every reply has a
//! share, so several sessions progress equally fast, and a cancellation waits for at most one step.
//!
//! What a prompt wants is in `prompt_tasks.rs`, and which sequence of the cache it gets in
//! `cache_sequences.rs`. Messages are read in `mod.rs`. The number of waiting prompts is bounded.

use std::{
    collections::VecDeque,
    sync::mpsc::{Receiver, TryRecvError},
};

use llama_cpp_2::{
    context::LlamaContext, llama_batch::LlamaBatch, model::LlamaModel, sampling::LlamaSampler,
    token::LlamaToken,
};
use llguidance::ParserFactory;

use super::{
    cache_sequences::{CacheEviction, CacheSequences, PromptPlacement},
    prompt_tasks::{ActivePrompt, PendingPrompt},
    send_message,
    tokens::ModelVocabulary,
};
use crate::wire::{GenerationError, GenerationStats, ReplyEnd, WorkerMessage, WorkerPrompt, WorkerRequest};

/// The number of tokens of one step. More would make long prompts a little
/// faster, and cancellation slower.
pub(super) const PIECE: u32 = 256;
/// The number of prompts that may wait for a sequence.
const MAX_WAITING: usize = 1024;

/// The loaded model and all prompts in progress.
pub(super) struct InferenceEngine<'m> {
    lexicon: ModelVocabulary<'m>,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    factory: ParserFactory,
    sequences: CacheSequences,
    window: usize,
    works: Vec<ActivePrompt>,
    /// The next prompt to start, already tokenised, because every step checks for it.
    first: Option<PendingPrompt>,
    waiting: VecDeque<Box<WorkerPrompt>>,
}

impl<'m> InferenceEngine<'m> {
    pub(super) fn new(
        model: &'m LlamaModel,
        context: LlamaContext<'m>,
        sequences: u32,
    ) -> Result<Self, String> {
        let words = LlamaSampler::llguidance_tok_env(model);
        let mut factory = ParserFactory::new_simple(&words).map_err(|error| error.to_string())?;
        factory.quiet();
        let window = usize::try_from(context.n_ctx()).unwrap_or_default();
        let count = usize::try_from(sequences).unwrap_or(1);
        Ok(Self {
            lexicon: ModelVocabulary::new(model),
            context,
            batch: LlamaBatch::new(usize::try_from(PIECE).unwrap_or(1), 1),
            factory,
            sequences: CacheSequences::new(count, window),
            window,
            works: Vec::new(),
            first: None,
            waiting: VecDeque::new(),
        })
    }

    /// Runs until the host closes the connection.
    pub(super) fn run(&mut self, orders: &Receiver<WorkerRequest>) {
        loop {
            let idle = self.works.is_empty() && self.first.is_none() && self.waiting.is_empty();
            let order =
                if idle { orders.recv().map_err(|_| TryRecvError::Disconnected) } else { orders.try_recv() };
            match order {
                Ok(order) => self.obey(order),
                Err(TryRecvError::Empty) => {
                    self.seat_waiting();
                    self.step();
                }
                Err(TryRecvError::Disconnected) => return,
            }
        }
    }

    fn obey(&mut self, order: WorkerRequest) {
        match order {
            // Only the first frame loads a model.
            WorkerRequest::Load(_) => {}
            WorkerRequest::Begin(begin) if self.waiting.len() >= MAX_WAITING => {
                fail(begin.id, GenerationError::Engine("too many replies are waiting".into()));
            }
            WorkerRequest::Begin(begin) => self.waiting.push_back(begin),
            WorkerRequest::Cancel { id } => self.cancel(id),
            WorkerRequest::Forget { session } => {
                if let Some(sequence) = self.sequences.forget(session) {
                    self.clear(sequence);
                }
            }
        }
    }

    fn cancel(&mut self, id: u64) {
        let waited = self.waiting.len() + usize::from(self.first.is_some());
        self.first.take_if(|plan| plan.id == id);
        self.waiting.retain(|begin| begin.id != id);
        if self.waiting.len() + usize::from(self.first.is_some()) < waited {
            send_message(&WorkerMessage::Ended {
                id,
                end: ReplyEnd::Cancelled,
                tally: GenerationStats::default(),
            });
        } else if let Some(at) = self.works.iter().position(|work| work.plan.id == id) {
            self.finish(at, ReplyEnd::Cancelled);
        }
    }

    /// Assigns sequences to waiting prompts, in order, as long as any are free.
    fn seat_waiting(&mut self) {
        while let Some(plan) = self.next_plan() {
            let Some(placed) = self.sequences.place(plan.session, plan.prompt()) else {
                self.first = Some(plan);
                return;
            };
            self.begin(plan, placed);
        }
    }

    /// The next prompt. A prompt that cannot be tokenised is refused.
    fn next_plan(&mut self) -> Option<PendingPrompt> {
        if self.first.is_some() {
            return self.first.take();
        }
        while let Some(begin) = self.waiting.pop_front() {
            match PendingPrompt::read(&begin, &self.lexicon, &self.factory, self.window) {
                Ok(plan) => return Some(plan),
                Err(fault) => fail(begin.id, fault),
            }
        }
        None
    }

    /// Starts a prompt that has a sequence.
    fn begin(
        &mut self,
        plan: PendingPrompt,
        PromptPlacement { sequence, kept, copied_from }: PromptPlacement,
    ) {
        if let Some(from) = copied_from {
            self.clear(sequence);
            let end = u32::try_from(kept).ok();
            if self.context.copy_kv_cache_seq(wide(from), wide(sequence), Some(0), end).is_err() {
                self.sequences.empty(sequence);
            }
        } else {
            self.cut(sequence, kept);
        }
        let cached = self.sequences.get(sequence).len();
        self.works.push(plan.seated(sequence, cached));
    }

    /// Removes everything after this many tokens of a sequence from the cache.
    fn cut(&mut self, sequence: usize, kept: usize) {
        if self.context.kv_cache_seq_rm(wide(sequence), u32::try_from(kept).ok(), None).is_err() {
            // Some architectures do not keep single positions, so everything is computed again.
            self.clear(sequence);
            self.sequences.empty(sequence);
        }
    }

    /// Continues with the next text after the same prompt. Returns whether there is one.
    fn turn(&mut self, at: usize) -> bool {
        let Some(work) = self.works.get_mut(at) else { return false };
        if !work.plan.turn() {
            return false;
        }
        let (sequence, kept) = (work.sequence, self.sequences.turn(work.sequence, work.plan.prompt()));
        self.cut(sequence, kept);
        true
    }

    /// Computes one batch for all prompts.
    fn step(&mut self) {
        if self.works.is_empty() {
            return;
        }
        self.fill();
        if self.batch.n_tokens() == 0 {
            return;
        }
        if let Err(error) = self.context.decode(&mut self.batch) {
            let reason = error.to_string();
            while !self.works.is_empty() {
                let work = self.works.swap_remove(0);
                self.clear(work.sequence);
                self.sequences.empty(work.sequence);
                self.sequences.release(work.sequence);
                fail(work.plan.id, GenerationError::Engine(reason.clone()));
            }
            return;
        }
        let mut at = 0;
        while let Some(work) = self.works.get_mut(at) {
            let asked = std::mem::take(&mut work.asked);
            let ended = asked.into_iter().find_map(|(position, index)| {
                work.advance(position, self.context.get_logits_ith(index), &self.lexicon, self.window)
            });
            match ended {
                None => at += 1,
                Some(Ok(ReplyEnd::Done)) if self.turn(at) => at += 1,
                Some(Ok(end)) => self.finish(at, end),
                Some(Err(fault)) => {
                    let work = self.works.swap_remove(at);
                    self.sequences.release(work.sequence);
                    fail(work.plan.id, fault);
                }
            }
        }
    }

    /// Fills the batch: first one token for each reply in progress, then equal
    /// shares of the prompts.
    fn fill(&mut self) {
        self.batch.clear();
        for work in &mut self.works {
            work.added = false;
        }
        let pending = |works: &[ActivePrompt], sequences: &CacheSequences, at: usize| {
            works
                .get(at)
                .filter(|work| !work.paused)
                .map_or(0, |work| work.plan.goal.len().saturating_sub(sequences.get(work.sequence).len()))
        };
        let mut left = usize::try_from(PIECE).unwrap_or(1);
        for at in 0..self.works.len() {
            if left > 0 && pending(&self.works, &self.sequences, at) == 1 {
                left -= self.add(at, 1);
            }
        }
        let long: Vec<usize> =
            (0..self.works.len()).filter(|at| pending(&self.works, &self.sequences, *at) > 1).collect();
        for (number, at) in long.iter().enumerate() {
            let share = left / (long.len() - number);
            let wanted = pending(&self.works, &self.sequences, *at).min(share);
            if wanted > 0 {
                left -= self.add(*at, wanted);
            }
        }
        // If one batch cannot hold all prompts, the order rotates, so that each of them comes first
        // in turn.
        if left == 0 && self.works.len() > 1 {
            self.works.rotate_left(1);
        }
    }

    /// Adds some tokens of a prompt after making room for them. Returns how many were added.
    fn add(&mut self, at: usize, count: usize) -> usize {
        while let Some(leaving) = self.sequences.make_room(count) {
            let (CacheEviction::Idle(sequence) | CacheEviction::Working(sequence)) = leaving;
            if let Some(work) = self.works.iter_mut().find(|work| work.sequence == sequence) {
                // Tokens in the batch must stay in the cache.
                if work.added {
                    return 0;
                }
                work.paused = true;
            }
            self.clear(sequence);
            self.sequences.empty(sequence);
        }
        let Some(work) = self.works.get_mut(at).filter(|work| !work.paused) else { return 0 };
        let held = self.sequences.get(work.sequence).len();
        let Some(tokens) = work.plan.goal.get(held..held + count) else { return 0 };
        for (index, token) in (held..).zip(tokens) {
            let wanted = work.plan.wants(index);
            if wanted {
                work.asked.push((index, self.batch.n_tokens()));
            }
            let cache_position = wide(index);
            if self.batch.add(LlamaToken(*token), cache_position, &[wide(work.sequence)], wanted).is_err() {
                return 0;
            }
        }
        work.added = true;
        self.sequences.grow(work.sequence, tokens);
        count
    }

    fn finish(&mut self, at: usize, end: ReplyEnd) {
        let work = self.works.swap_remove(at);
        self.sequences.release(work.sequence);
        for other in &mut self.works {
            other.paused = false;
        }
        work.close(end);
    }

    fn clear(&mut self, sequence: usize) {
        // This fails only for positions that do not exist.
        let _ = self.context.clear_kv_cache_seq(u32::try_from(sequence).ok(), None, None);
    }
}

fn fail(id: u64, fault: GenerationError) {
    send_message(&WorkerMessage::Failed { id, fault });
}

/// Sequences and positions are far below the limit of this type.
fn wide(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
