//! The loop's rules, one test each; the names say what must hold.

mod arguments;
mod cancel;
mod limits;
mod loop_batches;
mod loop_ends;
mod loop_shape;
mod play;
mod protocol;
mod repeats;
mod retry;
mod turns;
