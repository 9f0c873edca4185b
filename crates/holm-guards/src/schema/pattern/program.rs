//! A pattern as a list of instructions, and the classes of characters that it distinguishes.
//!
//! It compiles the tree of `schema/pattern/node.rs`; `schema/pattern/search.rs` runs it. The number
//! of instructions is bounded: counted repetitions are written out, and a short pattern could
//! otherwise become very long.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::node::{CharRange, CharSet, PatternAssertion, PatternNode, PatternTree, WORD};

/// Instructions of one pattern: generous for real ones, small enough that a set of
/// states is a kilobyte.
const MAX_STEPS: usize = 8 * 1024;

/// A compiled pattern. The first instruction is the start, the last one the match.
#[derive(Debug)]
pub(super) struct PatternProgram {
    pub(super) steps: Vec<PatternInstruction>,
    ranges: Vec<CharRange>,
    /// The first characters of classes: no set tells the characters between two of them apart.
    classes: Vec<u32>,
    /// The classes of the first characters, which are most of all text.
    ascii: [u16; 128],
    /// Whether any instruction asks for word boundaries.
    pub(super) has_boundary: bool,
}

/// One instruction. It continues with the next one unless it names another.
#[derive(Debug, Clone, Copy)]
pub(super) enum PatternInstruction {
    /// Takes one character of a set.
    One(CharSet),
    Look(PatternAssertion),
    /// Continues with the next instruction and with this one.
    Split(u32),
    Jump(u32),
    /// The pattern has matched.
    Match,
}

impl PatternProgram {
    /// Compiles a tree; nothing if it would be too large.
    pub(super) fn of(tree: &PatternTree) -> Option<Self> {
        let mut writer = ProgramWriter { steps: Vec::new(), has_boundary: false };
        writer.write(&tree.root)?;
        writer.push(PatternInstruction::Match)?;
        let mut starts = BTreeSet::new();
        starts.insert(0_u64);
        let words = if writer.has_boundary { WORD } else { &[] };
        for (first, last) in tree.ranges.iter().chain(words) {
            starts.insert(u64::from(*first));
            starts.insert(u64::from(*last) + 1);
        }
        let classes: Vec<u32> = starts.into_iter().filter_map(|start| u32::try_from(start).ok()).collect();
        let mut ascii = [0; 128];
        for (c, class) in (0_u32..).zip(&mut ascii) {
            *class = u16::try_from(class_among(&classes, c)).ok()?;
        }
        let ProgramWriter { steps, has_boundary } = writer;
        Some(Self { steps, ranges: tree.ranges.clone(), classes, ascii, has_boundary })
    }

    /// The number of character classes.
    pub(super) fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The class of a character.
    pub(super) fn class_of(&self, c: char) -> usize {
        match self.ascii.get(c as usize) {
            Some(class) => usize::from(*class),
            None => class_among(&self.classes, u32::from(c)),
        }
    }

    /// A character that represents its class.
    pub(super) fn example(&self, class: usize) -> u32 {
        self.classes.get(class).copied().unwrap_or_default()
    }

    /// Whether a set has a character.
    pub(super) fn has(&self, set: CharSet, c: u32) -> bool {
        contains(self.ranges.get(set.from..set.to).unwrap_or_default(), c)
    }
}

/// Whether some range has a character.
pub(super) fn contains(ranges: &[CharRange], c: u32) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

fn class_among(classes: &[u32], c: u32) -> usize {
    classes.partition_point(|start| *start <= c).saturating_sub(1)
}

struct ProgramWriter {
    steps: Vec<PatternInstruction>,
    has_boundary: bool,
}

impl ProgramWriter {
    fn push(&mut self, step: PatternInstruction) -> Option<usize> {
        if self.steps.len() >= MAX_STEPS {
            return None;
        }
        self.steps.push(step);
        Some(self.steps.len() - 1)
    }

    fn here(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    fn point(&mut self, at: usize, step: PatternInstruction) {
        if let Some(slot) = self.steps.get_mut(at) {
            *slot = step;
        }
    }

    fn write(&mut self, node: &PatternNode) -> Option<()> {
        match node {
            PatternNode::One(set) => {
                self.push(PatternInstruction::One(*set))?;
            }
            PatternNode::Look(look) => {
                self.has_boundary |=
                    matches!(look, PatternAssertion::Boundary | PatternAssertion::NoBoundary);
                self.push(PatternInstruction::Look(*look))?;
            }
            PatternNode::Row(row) => row.iter().try_for_each(|node| self.write(node))?,
            PatternNode::Choice(branches) => self.choice(branches)?,
            PatternNode::Repeat { node, min, max } => self.repeat(node, *min, *max)?,
        }
        Some(())
    }

    fn choice(&mut self, branches: &[PatternNode]) -> Option<()> {
        let mut jumps = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.write(branch)?;
                break;
            }
            let split = self.push(PatternInstruction::Split(0))?;
            self.write(branch)?;
            jumps.push(self.push(PatternInstruction::Jump(0))?);
            let next = self.here();
            self.point(split, PatternInstruction::Split(next));
        }
        let end = self.here();
        for jump in jumps {
            self.point(jump, PatternInstruction::Jump(end));
        }
        Some(())
    }

    fn repeat(&mut self, node: &PatternNode, min: u32, max: Option<u32>) -> Option<()> {
        for _ in 0..min {
            let before = self.here();
            self.write(node)?;
            if self.here() == before {
                // Nothing, however often.
                return Some(());
            }
        }
        let Some(max) = max else {
            let split = self.push(PatternInstruction::Split(0))?;
            let before = self.here();
            self.write(node)?;
            self.push(PatternInstruction::Jump(before - 1))?;
            let end = self.here();
            self.point(split, PatternInstruction::Split(end));
            return Some(());
        };
        let mut splits = Vec::new();
        for _ in min..max {
            let split = self.push(PatternInstruction::Split(0))?;
            splits.push(split);
            self.write(node)?;
            if self.steps.len() == split + 1 {
                break;
            }
        }
        let end = self.here();
        for split in splits {
            self.point(split, PatternInstruction::Split(end));
        }
        Some(())
    }
}
