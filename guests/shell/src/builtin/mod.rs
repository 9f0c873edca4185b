//! Built-ins that change the shell itself, and the table of all commands.

mod control;
mod declare;
mod print;
mod read;
mod settings;

pub(crate) use declare::{declare, declares};

use crate::io::LocalFuture;
use crate::shell::{ShellState, CommandResult};
use crate::util;

/// The function of a command; it gets the words after the command's name.
pub(crate) type BuiltinFunction = for<'a> fn(&'a mut ShellState, &'a [String]) -> LocalFuture<'a, CommandResult>;

macro_rules! own {
    ($path:path) => {{
        fn call<'a>(shell: &'a mut ShellState, args: &'a [String]) -> LocalFuture<'a, CommandResult> {
            Box::pin($path(shell, args))
        }
        call as BuiltinFunction
    }};
}

/// The function of a built-in name, unless a shell function has it.
pub(crate) fn find(name: &str) -> Option<BuiltinFunction> {
    Some(match name {
        ":" | "true" => own!(control::succeed),
        "false" => own!(control::fail),
        "exit" => own!(control::exit),
        "return" => own!(control::return_),
        "break" => own!(control::break_),
        "continue" => own!(control::continue_),
        "eval" => own!(control::eval),
        "source" | "." => own!(control::source),
        "exec" | "command" | "builtin" | "nohup" | "time" => own!(control::command),
        "type" | "which" => own!(control::type_),
        "test" => own!(control::test),
        "[" => own!(control::bracket),
        "let" => own!(control::let_),
        "wait" | "umask" | "hash" | "ulimit" | "jobs" | "disown" => own!(control::succeed),
        "cd" => own!(settings::cd),
        "pwd" => own!(settings::pwd),
        "set" => own!(settings::set),
        "shopt" => own!(settings::shopt),
        "shift" => own!(settings::shift),
        "trap" => own!(settings::trap),
        "unset" => own!(settings::unset),
        "getopts" => own!(settings::getopts),
        "read" => own!(read::read),
        "mapfile" | "readarray" => own!(read::mapfile),
        "echo" => own!(print::echo),
        "printf" => own!(print::printf),
        // Reached if another command runs a declaring one, such as `command export`.
        "export" | "readonly" | "local" | "declare" | "typeset" => own!(declare::words),
        other => return util::find(other),
    })
}
