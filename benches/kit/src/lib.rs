//! What the benchmarks share: the script that every loop follows, the loops that Holm is compared with, clocks and
//! counters, and the way figures are told. It measures nothing by itself.

mod aims;
mod body;
mod clock;
mod heap;
pub mod holm;
mod instructions;
mod machine;
mod measure;
mod output;
pub mod peers;
mod report;
pub mod request;
pub mod script;
mod sponge;
mod system;

pub use aims::{Aim, at_least, at_most, judgement};
pub use body::{answer, call, open, result, user};
pub use clock::processor;
pub use heap::{Heap, watch};
pub use instructions::{count, totals};
pub use machine::{Machine, look};
pub use measure::{Figure, add_instructions, all, find, median, micros};
pub use output::{folder, single, write};
pub use report::{head, number, one_more_turn, row};
pub use sponge::Sponge;
pub use system::{Outcome, Session, System};
