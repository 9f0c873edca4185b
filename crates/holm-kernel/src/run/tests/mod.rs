//! The loop's rules, one test each; the names say what must hold.

mod arguments;
mod background;
mod cancel;
mod children;
mod context;
mod events;
mod guards;
mod journal;
mod ladder;
mod limits;
mod loop_batches;
mod loop_ends;
mod loop_shape;
mod marks;
mod permissions;
mod plan;
mod plan_always;
mod play;
mod protocol;
mod repeats;
mod resume;
mod retry;
mod shares;
mod skills;
mod turns;
mod untrusted;
