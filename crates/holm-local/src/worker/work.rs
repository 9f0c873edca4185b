//! What is wanted of one prompt and how far it is: a reply that grows, or a text that is weighed.

use std::time::Instant;

use llguidance::ParserFactory;

use super::{
    choose::{Choice, Chooser, Words as _},
    say,
    scale::Scale,
    speech::{Speech, Spoken},
    tokens::Lexicon,
};
use crate::wire::{Begin, End, Fault, FromWorker, Tally, Task, Weigh, Write};

/// One prompt at work.
pub(super) struct Work {
    pub(super) id: u64,
    pub(super) seat: usize,
    /// Everything that is to be in the cache: the prompt, and the reply so far or the text to weigh.
    pub(super) goal: Vec<i32>,
    prompt: usize,
    pub(super) cached: usize,
    doing: Doing,
    began: Instant,
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
    Weighing(Scale),
}

/// A reply under way.
struct Writing {
    chooser: Chooser,
    speech: Speech,
    most: usize,
}

impl Work {
    /// Reads what is wanted. It has no seat yet.
    pub(super) fn new(
        begin: &Begin,
        lexicon: &Lexicon<'_>,
        factory: &ParserFactory,
        window: usize,
    ) -> Result<Self, Fault> {
        let began = Instant::now();
        let mut goal = lexicon.prompt(&begin.said);
        let mut prompt = goal.len();
        if let Task::Weigh(Weigh { opening, text }) = &begin.task {
            // Read as one, as the model would write it. A token that reaches over the seam belongs to the text.
            let (opening, whole) = (lexicon.words(opening), lexicon.words(&format!("{opening}{text}")));
            prompt += opening.iter().zip(&whole).take_while(|(one, other)| one == other).count();
            goal.extend(whole);
        }
        // One place at least must be left for the reply.
        if prompt == 0 || goal.len() >= window {
            return Err(Fault::Overflow { tokens: goal.len() as u64, context: window as u64 });
        }
        let doing = match &begin.task {
            Task::Write(write) => Doing::Writing(Box::new(Writing::new(write, factory)?)),
            Task::Weigh(_) => {
                let text = goal.iter().skip(prompt).map(|token| u32::try_from(*token).unwrap_or(u32::MAX));
                Doing::Weighing(Scale::new(text.collect(), lexicon.quotes().to_vec()))
            }
        };
        Ok(Self {
            id: begin.id,
            seat: 0,
            goal,
            prompt,
            cached: 0,
            doing,
            began,
            first: None,
            paused: false,
            added: false,
            asked: Vec::new(),
        })
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

    /// Takes in what the model expects after a place; says why it ended if it did.
    pub(super) fn advance(
        &mut self,
        place: usize,
        logits: &[f32],
        lexicon: &Lexicon<'_>,
        window: usize,
    ) -> Option<Result<End, Fault>> {
        let writing = match &mut self.doing {
            Doing::Writing(writing) => writing,
            Doing::Weighing(scale) => {
                scale.look((place + 1).saturating_sub(self.prompt), logits);
                return scale.is_done().then_some(Ok(End::Done));
            }
        };
        self.first.get_or_insert_with(Instant::now);
        let token = match writing.chooser.choose(logits, lexicon) {
            Ok(Choice::Token(token)) => token,
            Ok(Choice::End) => return Some(Ok(End::Done)),
            Err(fault) => return Some(Err(fault)),
        };
        self.goal.push(i32::try_from(token).unwrap_or_default());
        let (text, stopped) = match writing.speech.push(&lexicon.piece(token)) {
            Spoken::More(text) => (text, false),
            Spoken::Last(text) => (text, true),
        };
        if !text.is_empty() {
            say(&FromWorker::Text { id: self.id, text });
        }
        if stopped {
            return Some(Ok(End::Stopped));
        }
        if writing.chooser.is_whole() {
            return Some(Ok(End::Done));
        }
        let full = self.goal.len() - self.prompt >= writing.most || self.goal.len() >= window;
        full.then_some(Ok(End::Full))
    }

    /// Says the last of it.
    pub(super) fn close(mut self, end: End) {
        let (id, tally) = (self.id, self.tally());
        match &mut self.doing {
            Doing::Writing(writing) => {
                let text = writing.speech.rest();
                if end != End::Stopped && !text.is_empty() {
                    say(&FromWorker::Text { id, text });
                }
            }
            Doing::Weighing(scale) if scale.is_done() => {
                return say(&FromWorker::Weighed { id, likely: scale.likely() });
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
            input: self.prompt as u64,
            cached: self.cached as u64,
            output: (self.goal.len() - self.prompt) as u64,
            prompt_us: micros(self.began, first),
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
