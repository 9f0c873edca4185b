//! The input and output of commands, and how commands take turns.

mod fds;
mod handle;
mod pipe;
mod turn;

pub(crate) use fds::FdTable;
pub(crate) use handle::{IoHandle, SharedWriter};
pub(crate) use pipe::pipe;
pub(crate) use turn::{LocalFuture, block_on, join};
