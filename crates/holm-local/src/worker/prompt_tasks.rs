//! The state of one prompt: a reply that is being written, or texts that are scored one after the
//! other.
//!
//! The batches are computed in `engine.rs`. Tokens are chosen in `token_sampler.rs` and scored in
//! `likelihood.rs`. At least one position of the context must be left for a reply; a longer prompt
//! is a typed failure.

use std::{collections::VecDeque, time::Instant};

use llguidance::ParserFactory;

use super::{
    likelihood::TextLikelihood,
    send_message,
    stop_filter::{FilterOutput, StopSequenceFilter},
    token_sampler::{TokenChoice, TokenSampler, TokenVocabulary as _},
    tokens::ModelVocabulary,
};
use crate::wire::{
    GenerateTask, GenerationError, GenerationStats, ReplyEnd, ScoreTask, WorkerMessage, WorkerPrompt,
    WorkerTask,
};

/// A tokenised prompt and its task. It has no sequence yet.
pub(super) struct PendingPrompt {
    pub(super) id: u64,
    pub(super) session: u64,
    /// All tokens that must be in the cache: the prompt, followed by the reply so far or
    /// the text to score.
    pub(super) goal: Vec<i32>,
    /// The number of tokens before the reply, or before the text to score.
    prompt: usize,
    doing: PromptTask,
    began: Instant,
}

/// A prompt that has a sequence.
pub(super) struct ActivePrompt {
    pub(super) plan: PendingPrompt,
    pub(super) sequence: usize,
    /// How many of its tokens were already cached.
    cached: usize,
    first: Option<Instant>,
    /// It was evicted from the cache, and waits until another prompt is done.
    pub(super) paused: bool,
    /// Some of its tokens are in the batch.
    pub(super) added: bool,
    /// Positions after which the logits are needed, each with its index in the batch.
    pub(super) asked: Vec<(usize, i32)>,
}

/// The task of a prompt.
enum PromptTask {
    Writing(Box<ReplyGeneration>),
    Weighing(TextScoring),
}

/// A reply in progress.
struct ReplyGeneration {
    chooser: TokenSampler,
    speech: StopSequenceFilter,
    most: usize,
}

/// Texts to score, all after the same prompt.
struct TextScoring {
    scale: TextLikelihood,
    /// The texts that follow the current one.
    next: VecDeque<ScoringText>,
    /// The scores of the previous texts.
    likely: Vec<f64>,
    /// The tokens that may follow each text.
    closing: Vec<u32>,
    /// The number of tokens before all texts.
    before: usize,
}

/// A text to score, as tokens.
struct ScoringText {
    /// The text together with the beginning of the reply, tokenised as one, as the
    /// model would write it.
    tokens: Vec<i32>,
    /// The number of tokens that belong to the beginning alone. A token across the boundary counts
    /// as part of the text.
    opening: usize,
}

impl PendingPrompt {
    /// Tokenises a prompt and its task.
    pub(super) fn read(
        begin: &WorkerPrompt,
        lexicon: &ModelVocabulary<'_>,
        factory: &ParserFactory,
        window: usize,
    ) -> Result<Self, GenerationError> {
        let began = Instant::now();
        let mut goal = lexicon.prompt(&begin.said);
        let overflow =
            |tokens: usize| GenerationError::Overflow { tokens: tokens as u64, context: window as u64 };
        let (id, session) = (begin.id, begin.session);
        match &begin.task {
            // At least one position must be left for the reply.
            WorkerTask::Write(_) if goal.is_empty() || goal.len() >= window => Err(overflow(goal.len())),
            WorkerTask::Write(write) => {
                let doing = PromptTask::Writing(Box::new(ReplyGeneration::new(write, factory)?));
                Ok(Self { id, session, prompt: goal.len(), goal, doing, began })
            }
            WorkerTask::Weigh(weigh) => {
                let before = goal.len();
                let mut next = texts(weigh, lexicon);
                let longest = before + next.iter().map(|text| text.tokens.len()).max().unwrap_or(0);
                if before == 0 || longest >= window {
                    return Err(overflow(longest));
                }
                let first = next
                    .pop_front()
                    .ok_or_else(|| GenerationError::Engine("there is nothing to score".into()))?;
                let closing = lexicon.quotes().to_vec();
                let scale = first.onto(&closing);
                let prompt = before + first.opening;
                goal.extend(first.tokens);
                let doing =
                    PromptTask::Weighing(TextScoring { scale, next, likely: Vec::new(), closing, before });
                Ok(Self { id, session, goal, prompt, doing, began })
            }
        }
    }

    /// Starts on a sequence that already holds this many tokens of it.
    pub(super) fn seated(self, sequence: usize, cached: usize) -> ActivePrompt {
        ActivePrompt {
            plan: self,
            sequence,
            cached,
            first: None,
            paused: false,
            added: false,
            asked: Vec::new(),
        }
    }

    /// The tokens before the reply, or before the text to score.
    pub(super) fn prompt(&self) -> &[i32] {
        self.goal.get(..self.prompt).unwrap_or_default()
    }

    /// Whether the logits after this position are needed.
    pub(super) fn wants(&self, position: usize) -> bool {
        match &self.doing {
            PromptTask::Writing(_) => position + 1 == self.goal.len(),
            PromptTask::Weighing(_) => position + 1 >= self.prompt,
        }
    }

    /// Continues with the next text after the same prompt, once one is scored. Returns
    /// whether there is one.
    pub(super) fn turn(&mut self) -> bool {
        let PromptTask::Weighing(weighing) = &mut self.doing else { return false };
        weighing.likely.push(weighing.scale.likely());
        let Some(text) = weighing.next.pop_front() else { return false };
        weighing.scale = text.onto(&weighing.closing);
        self.prompt = weighing.before + text.opening;
        self.goal.truncate(weighing.before);
        self.goal.extend(text.tokens);
        true
    }
}

/// The texts to score, as tokens.
fn texts(ScoreTask { opening, texts }: &ScoreTask, lexicon: &ModelVocabulary<'_>) -> VecDeque<ScoringText> {
    let alone = lexicon.words(opening);
    let text = |text: &String| {
        let tokens = lexicon.words(&format!("{opening}{text}"));
        let opening = alone.iter().zip(&tokens).take_while(|(a, b)| a == b).count();
        ScoringText { tokens, opening }
    };
    texts.iter().map(text).collect()
}

impl ScoringText {
    /// The text with nothing scored yet.
    fn onto(&self, closing: &[u32]) -> TextLikelihood {
        let text = self.tokens.iter().skip(self.opening);
        let text = text.map(|token| u32::try_from(*token).unwrap_or(u32::MAX)).collect();
        TextLikelihood::new(text, closing.to_vec())
    }
}

impl ActivePrompt {
    /// Adds the logits after a position. Returns why the task ended, if it ended.
    pub(super) fn advance(
        &mut self,
        position: usize,
        logits: &[f32],
        lexicon: &ModelVocabulary<'_>,
        window: usize,
    ) -> Option<Result<ReplyEnd, GenerationError>> {
        let plan = &mut self.plan;
        let writing = match &mut plan.doing {
            PromptTask::Writing(writing) => writing,
            PromptTask::Weighing(TextScoring { scale, .. }) => {
                scale.look((position + 1).saturating_sub(plan.prompt), logits);
                return scale.is_done().then_some(Ok(ReplyEnd::Done));
            }
        };
        self.first.get_or_insert_with(Instant::now);
        let token = match writing.chooser.choose(logits, lexicon) {
            Ok(TokenChoice::Token(token)) => token,
            Ok(TokenChoice::End) => return Some(Ok(ReplyEnd::Done)),
            Err(fault) => return Some(Err(fault)),
        };
        plan.goal.push(i32::try_from(token).unwrap_or_default());
        let (text, stopped) = match writing.speech.push(&lexicon.piece(token)) {
            FilterOutput::More(text) => (text, false),
            FilterOutput::Last(text) => (text, true),
        };
        if !text.is_empty() {
            send_message(&WorkerMessage::Text { id: plan.id, text });
        }
        if stopped {
            return Some(Ok(ReplyEnd::Stopped));
        }
        if writing.chooser.is_whole() {
            return Some(Ok(ReplyEnd::Done));
        }
        let full = plan.goal.len() - plan.prompt >= writing.most || plan.goal.len() >= window;
        full.then_some(Ok(ReplyEnd::Full))
    }

    /// Sends the final message.
    pub(super) fn close(mut self, end: ReplyEnd) {
        let (id, tally) = (self.plan.id, self.tally());
        match &mut self.plan.doing {
            PromptTask::Writing(writing) => {
                let text = writing.speech.rest();
                if end != ReplyEnd::Stopped && !text.is_empty() {
                    send_message(&WorkerMessage::Text { id, text });
                }
            }
            PromptTask::Weighing(weighing) if end == ReplyEnd::Done => {
                return send_message(&WorkerMessage::Weighed {
                    id,
                    likely: std::mem::take(&mut weighing.likely),
                });
            }
            // The task was cancelled.
            PromptTask::Weighing(_) => {}
        }
        send_message(&WorkerMessage::Ended { id, end, tally });
    }

    fn tally(&self) -> GenerationStats {
        let now = Instant::now();
        let first = self.first.unwrap_or(now);
        let micros = |from: Instant, to: Instant| u64::try_from((to - from).as_micros()).unwrap_or(u64::MAX);
        GenerationStats {
            input: self.plan.prompt as u64,
            cached: self.cached as u64,
            output: (self.plan.goal.len() - self.plan.prompt) as u64,
            prompt_us: micros(self.plan.began, first),
            reply_us: micros(first, now),
        }
    }
}

impl ReplyGeneration {
    fn new(write: &GenerateTask, factory: &ParserFactory) -> Result<Self, GenerationError> {
        Ok(Self {
            chooser: TokenSampler::new(factory, write)?,
            speech: StopSequenceFilter::new(write.stops.clone()),
            most: usize::try_from(write.most).unwrap_or(usize::MAX),
        })
    }
}
