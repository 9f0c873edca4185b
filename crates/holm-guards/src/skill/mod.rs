//! Contract skills.

mod source;

pub use source::{Reading, Source};
