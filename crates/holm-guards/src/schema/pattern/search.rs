//! Runs a program over a text: follows all states at once, and remembers each step.
//!
//! A step depends only on the set of states and the class of the next character, and texts take the
//! same steps again and again. So each step is computed once and then looked up. The table lasts
//! for one search; a pattern is shared and stores nothing.
//!
//! Time is linear in the text whatever the pattern is: there is no backtracking. The table is
//! bounded and starts again when it is full. It answers only whether there is a match, not where.
//!
//! Patterns are parsed in `schema/pattern/parse.rs` and compiled in `schema/pattern/program.rs`.

use alloc::vec::Vec;

use super::node::{PatternAssertion, WORD};
use super::program::{PatternInstruction, PatternProgram, contains};

/// Remembered steps of one search, in entries of four bytes.
const MAX_TABLE: usize = 64 * 1024;

/// Sets of states of one search; they are compared one by one when a new step is worked out.
const MAX_STATES: usize = 256;

/// An entry that was not computed, and one that is a match; the others are a state plus this.
const UNKNOWN: u32 = 0;
const MATCH: u32 = 1;
const FIRST_STATE: u32 = 2;

/// Whether the program matches somewhere in the text.
pub(super) fn is_match(program: &PatternProgram, text: &str) -> bool {
    let mut search = PatternSearch::new(program);
    let mut state = search.start();
    for c in text.chars() {
        match search.step(state, program.class_of(c)) {
            Some(next) => state = next,
            None => return true,
        }
    }
    search.ends(state)
}

/// The kind of character on one side of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharSide {
    Edge,
    Word,
    Other,
}

/// The set of instructions where the program may be, and the character before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SearchState {
    before: CharSide,
    /// A bit for each instruction.
    steps: Vec<u64>,
}

struct PatternSearch<'p> {
    program: &'p PatternProgram,
    states: Vec<SearchState>,
    /// For each state an entry for each class.
    table: Vec<u32>,
    /// Room for working out a step.
    reached: Vec<u64>,
    stack: Vec<u32>,
}

impl<'p> PatternSearch<'p> {
    fn new(program: &'p PatternProgram) -> Self {
        let words = program.steps.len().div_ceil(64);
        Self {
            program,
            states: Vec::new(),
            table: Vec::new(),
            reached: alloc::vec![0; words],
            stack: Vec::new(),
        }
    }

    fn start(&mut self) -> usize {
        let steps = self.fresh();
        self.keep(SearchState { before: CharSide::Edge, steps })
    }

    /// A match may begin everywhere, so the first instruction is in every set.
    fn fresh(&self) -> Vec<u64> {
        let mut steps = alloc::vec![0; self.reached.len()];
        mark(&mut steps, 0);
        steps
    }

    /// The state after a character of this class; nothing if the pattern has matched before it.
    fn step(&mut self, state: usize, class: usize) -> Option<usize> {
        let index = state * self.program.class_count() + class;
        match self.table.get(index).copied().unwrap_or(UNKNOWN) {
            MATCH => None,
            UNKNOWN => self.work_out(state, class, index),
            known => Some((known - FIRST_STATE) as usize),
        }
    }

    fn work_out(&mut self, state: usize, class: usize, index: usize) -> Option<usize> {
        let c = self.program.example(class);
        let after = if contains(WORD, c) { CharSide::Word } else { CharSide::Other };
        if self.reach(state, after) {
            self.remember(index, MATCH);
            return None;
        }
        let mut steps = self.fresh();
        for (at, step) in self.program.steps.iter().enumerate() {
            if let PatternInstruction::One(set) = step
                && is_marked(&self.reached, at)
                && self.program.has(*set, c)
            {
                mark(&mut steps, at + 1);
            }
        }
        // A pattern without word boundaries need not tell the sides apart.
        let before = if self.program.has_boundary { after } else { CharSide::Other };
        let next = SearchState { before, steps };
        if let Some(known) = self.states.iter().position(|state| *state == next) {
            self.remember(index, entry(known));
            return Some(known);
        }
        let fits = (self.states.len() + 1) * self.program.class_count() <= MAX_TABLE
            && self.states.len() < MAX_STATES;
        if !fits {
            self.states.clear();
            self.table.clear();
            return Some(self.keep(next));
        }
        let new = self.keep(next);
        self.remember(index, entry(new));
        Some(new)
    }

    /// Whether the pattern matches where the text ends.
    fn ends(&mut self, state: usize) -> bool {
        self.reach(state, CharSide::Edge)
    }

    fn keep(&mut self, state: SearchState) -> usize {
        self.states.push(state);
        self.table.resize(self.states.len() * self.program.class_count(), UNKNOWN);
        self.states.len() - 1
    }

    fn remember(&mut self, index: usize, entry: u32) {
        if let Some(known) = self.table.get_mut(index) {
            *known = entry;
        }
    }

    /// Marks every instruction that can be reached from a state without consuming a character.
    /// Returns whether the match is one.
    fn reach(&mut self, state: usize, after: CharSide) -> bool {
        self.reached.fill(0);
        let Some(SearchState { before, steps }) = self.states.get(state) else { return false };
        for (word, bits) in steps.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                self.stack.push(as_u32(word * 64) + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        let mut matched = false;
        while let Some(at) = self.stack.pop() {
            if is_marked(&self.reached, at as usize) {
                continue;
            }
            mark(&mut self.reached, at as usize);
            match self.program.steps.get(at as usize) {
                Some(PatternInstruction::Match) => matched = true,
                Some(PatternInstruction::Jump(to)) => self.stack.push(*to),
                Some(PatternInstruction::Split(to)) => self.stack.extend([*to, at + 1]),
                Some(PatternInstruction::Look(look)) if holds(*look, *before, after) => {
                    self.stack.push(at + 1);
                }
                Some(PatternInstruction::Look(_) | PatternInstruction::One(_)) | None => {}
            }
        }
        matched
    }
}

fn holds(look: PatternAssertion, before: CharSide, after: CharSide) -> bool {
    let boundary = (before == CharSide::Word) != (after == CharSide::Word);
    match look {
        PatternAssertion::Start => before == CharSide::Edge,
        PatternAssertion::End => after == CharSide::Edge,
        PatternAssertion::Boundary => boundary,
        PatternAssertion::NoBoundary => !boundary,
    }
}

fn mark(bits: &mut [u64], at: usize) {
    if let Some(word) = bits.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

fn is_marked(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
}

fn entry(state: usize) -> u32 {
    as_u32(state).saturating_add(FIRST_STATE)
}

fn as_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
