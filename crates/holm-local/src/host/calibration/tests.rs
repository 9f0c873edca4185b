use holm_kernel::{Block, Reply, Usage};

use super::{LocalReply, both, chosen};
use crate::wire::{GenerationStats, ReplyEnd};

fn written(text: &str, end: ReplyEnd, output: u64) -> LocalReply {
    LocalReply { text: text.into(), end, tally: GenerationStats { output, ..GenerationStats::default() } }
}

#[test]
fn a_call_that_is_stopped_while_it_is_written_again_took_what_both_took() {
    let first = GenerationStats { input: 90, cached: 60, output: 20, ..GenerationStats::default() };
    let usage = Usage { input: 90, cached: 89, output: 5, ..Usage::default() };
    let stopped = Reply { blocks: vec![Block::Text("{".into())], usage, ..Reply::default() };
    let reply = both(first, stopped.clone());
    assert_eq!(reply.usage, Usage { input: 90, cached: 60, output: 25, ..Usage::default() });
    assert_eq!(reply.blocks, stopped.blocks, "what had arrived stays");
}

#[test]
fn a_call_that_could_not_be_written_again_to_its_end_is_the_first_one() {
    for (end, expect) in [(ReplyEnd::Done, "again"), (ReplyEnd::Stopped, "again"), (ReplyEnd::Full, "first")]
    {
        let kept = chosen(written("first", ReplyEnd::Done, 20), written("again", end, 5));
        assert_eq!((kept.text.as_str(), kept.tally.output), (expect, 25), "both were written");
    }
}
