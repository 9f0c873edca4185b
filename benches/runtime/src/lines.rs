//! Lines of a real journal, so that what is appended has the size and the shape of what a run writes.

use std::sync::Arc;

use holm_bench_kit::script;
use holm_runtime::{Journals as _, MemoryJournals};

use crate::{
    scratch,
    systems::{Scripted, agent},
};

/// Records of one turn: the reply, the dispatch, the result.
const PER_TURN: u64 = 3;

/// The first `count` lines of a run of the script, each with its end.
pub fn lines(count: usize) -> Vec<String> {
    let journals = MemoryJournals::new();
    let agent = agent(Scripted::new(count as u64 / PER_TURN + 1), &Arc::default(), journals.clone());
    let text = scratch::small_runtime().block_on(async {
        let mut session = agent.start_as("lines").await.expect("a run can be started");
        session.prompt(script::PROMPT).await.expect("it is journaled");
        journals.read("lines").await.expect("it is there")
    });
    let text = String::from_utf8(text).expect("a journal is text");
    text.split_inclusive('\n').take(count).map(str::to_owned).collect()
}
