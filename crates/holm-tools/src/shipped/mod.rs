//! The guests that come inside the binary, so that Holm works from one file.
//!
//! They are packed at build time from `guests/dist`, which `make guests` makes. There they are also prepared: compiled for
//! every processor of the family, and asked what they are, so that a program offers them without starting the engine and runs
//! them without a compiler. A build without that folder holds none; one whose guests are not prepared compiles them like any
//! other file. Where code is there for whoever will run the program, the build may leave the rest of a guest out, but for its outline
//! (`HOLM_GUESTS_OUTLINES=yes`): what is handed out is smaller then, and has less to take out at the first call.
//!
//! Much of one guest is in the next: the standard library, the tables of Unicode, what reads patterns. So a guest may be packed
//! after another that it is like, whose bytes are taken out first. Those that are called at every turn are like none, or a small one.

mod calls;
mod guest;
mod late;
#[cfg(test)]
mod outline;
#[cfg(test)]
mod pack;
mod packed;
mod prepare;
mod tool;

pub use guest::{Shipped, ShippedError, all};
pub use late::LateHost;
pub use prepare::{PrepareError, prepare};
pub use tool::ShippedTool;

#[cfg(test)]
mod tests;
