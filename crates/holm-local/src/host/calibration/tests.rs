use holm_kernel::{Block, Reply, Usage};

use super::both;
use crate::wire::Tally;

#[test]
fn a_call_that_is_stopped_while_it_is_written_again_took_what_both_took() {
    let first = Tally { input: 90, cached: 60, output: 20, ..Tally::default() };
    let usage = Usage { input: 90, cached: 89, output: 5, ..Usage::default() };
    let stopped = Reply { blocks: vec![Block::Text("{".into())], usage, ..Reply::default() };
    let reply = both(first, stopped.clone());
    assert_eq!(reply.usage, Usage { input: 90, cached: 60, output: 25, ..Usage::default() });
    assert_eq!(reply.blocks, stopped.blocks, "what had arrived stays");
}
