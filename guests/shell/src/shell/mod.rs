//! The state of a shell: variables, functions, options, handles and the current folder.

mod flow;
mod options;
pub(crate) mod paths;
mod state;
mod vars;

pub(crate) use flow::{BROKEN_PIPE, Flow, Step};
pub(crate) use options::{Options, Switch};
pub use state::Shell;
pub(crate) use vars::Value;
