//! The input and output of commands, and how commands take turns.

mod fds;
mod handle;
mod pipe;
mod turn;

pub(crate) use fds::Fds;
pub(crate) use handle::{Handle, Sink};
pub(crate) use pipe::pipe;
pub(crate) use turn::{Local, block_on, join};
