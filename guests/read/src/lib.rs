//! Reads text files page by page, with numbered lines. A guest of the world `holm:tool`: of WASI it
//! imports files alone.

mod page;
mod source;
mod tool;

pub use page::{PageRange, page};
pub use source::{MemorySource, FileChunk, RemainingBytes, ByteSource};
pub use tool::{TOOL, work};

#[cfg(target_family = "wasm")]
mod export;
#[cfg(target_family = "wasm")]
mod wasi;

#[cfg(test)]
mod tests;
