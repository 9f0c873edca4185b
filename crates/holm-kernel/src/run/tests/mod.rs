//! The loop's rules, one test each; the names say what must hold.

mod play;
mod turns;
