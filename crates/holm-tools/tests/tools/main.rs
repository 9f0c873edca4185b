//! Tools from outside, in one program because linking takes longer than most of this. What must be a process of its own is in `files`
//! and `processes`.

#[cfg(feature = "wasm")]
mod guests;
mod help;
mod round_trip;
mod shell;
#[cfg(feature = "wasm")]
mod wasm;
