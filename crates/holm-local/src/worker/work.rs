//! What is wanted of one prompt and how far it is: a reply that grows, or texts that are weighed one after the other.

use std::{collections::VecDeque, time::Instant};

use llguidance::ParserFactory;

use super::{
    choose::{Choice, Chooser, Words as _},
    say,
    scale::Scale,
    speech::{Speech, Spoken},
    tokens::Lexicon,
};
use crate::wire::{Begin, End, Fault, FromWorker, Tally, Task, Weigh, Write};

/// One prompt that was read, and what is to be made of it. It has no seat yet.
pub(super) struct Plan {
    pub(super) id: u64,
    pub(super) session: u64,
    /// Everything that is to be in the cache: the prompt, and the reply so far or the text to weigh.
    pub(super) goal: Vec<i32>,
    /// Tokens before the reply, or before the text to weigh.
    prompt: usize,
    doing: Doing,
    began: Instant,
}

/// One prompt at work.
pub(super) struct Work {
    pub(super) plan: Plan,
    pub(super) seat: usize,
    /// Tokens of it that were in the cache before.
    cached: usize,
    first: Option<Instant>,
    /// It lost its place and waits until somebody else is done.
    pub(super) paused: bool,
    /// Some of it is in the batch.
    pub(super) added: bool,
    /// Places of the goal after which the model's expectation is wanted, and where in the batch it is.
    pub(super) asked: Vec<(usize, i32)>,
}

/// What is made of it.
enum Doing {
    Writing(Box<Writing>),
    Weighing(Weighing),
}

/// A reply under way.
struct Writing {
    chooser: Chooser,
    speech: Speech,
    most: usize,
}

/// Texts on their way to the scale, all behind the same prompt.
struct Weighing {
    scale: Scale,
    /// Those that come after it.
    next: VecDeque<Text>,
    /// What those before it weigh.
    likely: Vec<f64>,
    /// What may follow each.
    closing: Vec<u32>,
    /// Tokens before all of them.
    before: usize,
}

/// A text to weigh, in tokens.
struct Text {
    /// With how the reply begins: read as one, as the model would write it.
    tokens: Vec<i32>,
    /// Tokens that the beginning has alone. One that reaches over the seam belongs to the text.
    opening: usize,
}

impl Plan {
    /// Reads what is wanted.
    pub(super) fn read(
        begin: &Begin,
        lexicon: &Lexicon<'_>,
        factory: &ParserFactory,
        window: usize,
    ) -> Result<Self, Fault> {
        let began = Instant::now();
        let mut goal = lexicon.prompt(&begin.said);
        let overflow = |tokens: usize| Fault::Overflow { tokens: tokens as u64, context: window as u64 };
        let (id, session) = (begin.id, begin.session);
        match &begin.task {
            // One place at least must be left for the reply.
            Task::Write(_) if goal.is_empty() || goal.len() >= window => Err(overflow(goal.len())),
            Task::Write(write) => {
                let doing = Doing::Writing(Box::new(Writing::new(write, factory)?));
                Ok(Self { id, session, prompt: goal.len(), goal, doing, began })
            }
            Task::Weigh(weigh) => {
                let before = goal.len();
                let mut next = texts(weigh, lexicon);
                let longest = before + next.iter().map(|text| text.tokens.len()).max().unwrap_or(0);
                if before == 0 || longest >= window {
                    return Err(overflow(longest));
                }
                let first =
                    next.pop_front().ok_or_else(|| Fault::Engine("there is nothing to weigh".into()))?;
                let closing = lexicon.quotes().to_vec();
                let scale = first.onto(&closing);
                let prompt = before + first.opening;
                goal.extend(first.tokens);
                let doing = Doing::Weighing(Weighing { scale, next, likely: Vec::new(), closing, before });
                Ok(Self { id, session, goal, prompt, doing, began })
            }
        }
    }

    /// Begins, on a seat that holds so many tokens of it.
    pub(super) fn seated(self, seat: usize, cached: usize) -> Work {
        Work { plan: self, seat, cached, first: None, paused: false, added: false, asked: Vec::new() }
    }

    /// The tokens before the reply, or before the text to weigh.
    pub(super) fn prompt(&self) -> &[i32] {
        self.goal.get(..self.prompt).unwrap_or_default()
    }

    /// Whether the model's expectation after this place of the goal is wanted.
    pub(super) fn wants(&self, place: usize) -> bool {
        match &self.doing {
            Doing::Writing(_) => place + 1 == self.goal.len(),
            Doing::Weighing(_) => place + 1 >= self.prompt,
        }
    }

    /// Takes up the next text behind the same prompt, once one is weighed; whether there is one.
    pub(super) fn turn(&mut self) -> bool {
        let Doing::Weighing(weighing) = &mut self.doing else { return false };
        weighing.likely.push(weighing.scale.likely());
        let Some(text) = weighing.next.pop_front() else { return false };
        weighing.scale = text.onto(&weighing.closing);
        self.prompt = weighing.before + text.opening;
        self.goal.truncate(weighing.before);
        self.goal.extend(text.tokens);
        true
    }
}

/// The texts that are to be weighed, in tokens.
fn texts(Weigh { opening, texts }: &Weigh, lexicon: &Lexicon<'_>) -> VecDeque<Text> {
    let alone = lexicon.words(opening);
    let text = |text: &String| {
        let tokens = lexicon.words(&format!("{opening}{text}"));
        let opening = alone.iter().zip(&tokens).take_while(|(one, other)| one == other).count();
        Text { tokens, opening }
    };
    texts.iter().map(text).collect()
}

impl Text {
    /// Itself on a scale, nothing of it weighed yet.
    fn onto(&self, closing: &[u32]) -> Scale {
        let text = self.tokens.iter().skip(self.opening);
        let text = text.map(|token| u32::try_from(*token).unwrap_or(u32::MAX)).collect();
        Scale::new(text, closing.to_vec())
    }
}

impl Work {
    /// Takes in what the model expects after a place; says why it ended if it did.
    pub(super) fn advance(
        &mut self,
        place: usize,
        logits: &[f32],
        lexicon: &Lexicon<'_>,
        window: usize,
    ) -> Option<Result<End, Fault>> {
        let plan = &mut self.plan;
        let writing = match &mut plan.doing {
            Doing::Writing(writing) => writing,
            Doing::Weighing(Weighing { scale, .. }) => {
                scale.look((place + 1).saturating_sub(plan.prompt), logits);
                return scale.is_done().then_some(Ok(End::Done));
            }
        };
        self.first.get_or_insert_with(Instant::now);
        let token = match writing.chooser.choose(logits, lexicon) {
            Ok(Choice::Token(token)) => token,
            Ok(Choice::End) => return Some(Ok(End::Done)),
            Err(fault) => return Some(Err(fault)),
        };
        plan.goal.push(i32::try_from(token).unwrap_or_default());
        let (text, stopped) = match writing.speech.push(&lexicon.piece(token)) {
            Spoken::More(text) => (text, false),
            Spoken::Last(text) => (text, true),
        };
        if !text.is_empty() {
            say(&FromWorker::Text { id: plan.id, text });
        }
        if stopped {
            return Some(Ok(End::Stopped));
        }
        if writing.chooser.is_whole() {
            return Some(Ok(End::Done));
        }
        let full = plan.goal.len() - plan.prompt >= writing.most || plan.goal.len() >= window;
        full.then_some(Ok(End::Full))
    }

    /// Says the last of it.
    pub(super) fn close(mut self, end: End) {
        let (id, tally) = (self.plan.id, self.tally());
        match &mut self.plan.doing {
            Doing::Writing(writing) => {
                let text = writing.speech.rest();
                if end != End::Stopped && !text.is_empty() {
                    say(&FromWorker::Text { id, text });
                }
            }
            Doing::Weighing(weighing) if end == End::Done => {
                return say(&FromWorker::Weighed { id, likely: std::mem::take(&mut weighing.likely) });
            }
            // It was cancelled.
            Doing::Weighing(_) => {}
        }
        say(&FromWorker::Ended { id, end, tally });
    }

    fn tally(&self) -> Tally {
        let now = Instant::now();
        let first = self.first.unwrap_or(now);
        let micros = |from: Instant, to: Instant| u64::try_from((to - from).as_micros()).unwrap_or(u64::MAX);
        Tally {
            input: self.plan.prompt as u64,
            cached: self.cached as u64,
            output: (self.plan.goal.len() - self.plan.prompt) as u64,
            prompt_us: micros(self.plan.began, first),
            reply_us: micros(first, now),
        }
    }
}

impl Writing {
    fn new(write: &Write, factory: &ParserFactory) -> Result<Self, Fault> {
        Ok(Self {
            chooser: Chooser::new(factory, write)?,
            speech: Speech::new(write.stops.clone()),
            most: usize::try_from(write.most).unwrap_or(usize::MAX),
        })
    }
}
