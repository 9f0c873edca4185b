//! Control flow: how the end of one command affects the commands after it.

/// A jump out of the ordinary order of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellFlow {
    /// Out of this many loops.
    Break(u32),
    /// To the next round of the loop that is this many out.
    Continue(u32),
    /// Out of a function or a sourced file.
    Return(i32),
    /// Out of the shell.
    Exit(i32),
}

/// A status, or what leaves the order.
pub(crate) type CommandResult = Result<i32, ShellFlow>;

/// The status of a writer whose reader is gone, as shells show it.
pub(crate) const BROKEN_PIPE: i32 = 141;
