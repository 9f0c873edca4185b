use holm_kernel::{Block, Reply, Usage};

use super::{Written, both, chosen};
use crate::wire::{End, Tally};

fn written(text: &str, end: End, output: u64) -> Written {
    Written { text: text.into(), end, tally: Tally { output, ..Tally::default() } }
}

#[test]
fn a_call_that_is_stopped_while_it_is_written_again_took_what_both_took() {
    let first = Tally { input: 90, cached: 60, output: 20, ..Tally::default() };
    let usage = Usage { input: 90, cached: 89, output: 5, ..Usage::default() };
    let stopped = Reply { blocks: vec![Block::Text("{".into())], usage, ..Reply::default() };
    let reply = both(first, stopped.clone());
    assert_eq!(reply.usage, Usage { input: 90, cached: 60, output: 25, ..Usage::default() });
    assert_eq!(reply.blocks, stopped.blocks, "what had arrived stays");
}

#[test]
fn a_call_that_could_not_be_written_again_to_its_end_is_the_first_one() {
    for (end, expect) in [(End::Done, "again"), (End::Stopped, "again"), (End::Full, "first")] {
        let kept = chosen(written("first", End::Done, 20), written("again", end, 5));
        assert_eq!((kept.text.as_str(), kept.tally.output), (expect, 25), "both were written");
    }
}
