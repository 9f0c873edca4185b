//! The state of a shell: variables, functions, options, handles and the current folder.

mod flow;
mod options;
pub(crate) mod paths;
mod state;
mod vars;

pub(crate) use flow::{BROKEN_PIPE, ShellFlow, CommandResult};
pub(crate) use options::{ShellOptions, OptionSwitch};
pub use state::ShellState;
pub(crate) use vars::VariableValue;
