//! The small utilities that scripts use, as far as scripts use them.

mod clock;
mod cutting;
mod files;
mod find;
mod grep;
mod kit;
mod listing;
mod paths;
mod regexes;
mod running;
mod sed;
mod sorting;
mod streams;
mod translate;

pub(crate) use kit::options;

use crate::builtin::BuiltinFunction;
use crate::io::LocalFuture;
use crate::shell::{ShellState, CommandResult};

macro_rules! utility {
    ($name:literal, $path:path) => {{
        fn call<'a>(shell: &'a mut ShellState, args: &'a [String]) -> LocalFuture<'a, CommandResult> {
            Box::pin(async move {
                let done = $path(shell, args).await;
                kit::settle(shell, $name, done).await
            })
        }
        call as BuiltinFunction
    }};
}

/// The function of a utility's name.
pub(crate) fn find(name: &str) -> Option<BuiltinFunction> {
    Some(match name {
        "basename" => utility!("basename", paths::basename),
        "cat" => utility!("cat", streams::cat),
        "cp" => utility!("cp", files::cp),
        "cut" => utility!("cut", cutting::cut),
        "date" => utility!("date", clock::date),
        "dirname" => utility!("dirname", paths::dirname),
        "egrep" => utility!("egrep", grep::egrep),
        "env" | "printenv" => utility!("env", running::env),
        "fgrep" => utility!("fgrep", grep::fgrep),
        "find" => utility!("find", find::find),
        "grep" => utility!("grep", grep::grep),
        "head" => utility!("head", streams::head),
        "ls" => utility!("ls", listing::ls),
        "mkdir" => utility!("mkdir", files::mkdir),
        "mv" => utility!("mv", files::mv),
        "realpath" | "readlink" => utility!("realpath", paths::realpath),
        "rev" => utility!("rev", streams::rev),
        "rm" => utility!("rm", files::rm),
        "rmdir" => utility!("rmdir", files::rmdir),
        "sed" => utility!("sed", sed::sed),
        "seq" => utility!("seq", running::seq),
        "sleep" => utility!("sleep", clock::sleep),
        "sort" => utility!("sort", sorting::sort),
        "tac" => utility!("tac", streams::tac),
        "tail" => utility!("tail", streams::tail),
        "tee" => utility!("tee", streams::tee),
        "touch" => utility!("touch", files::touch),
        "tr" => utility!("tr", translate::tr),
        "uniq" => utility!("uniq", sorting::uniq),
        "wc" => utility!("wc", streams::wc),
        "xargs" => utility!("xargs", running::xargs),
        "yes" => utility!("yes", running::yes),
        _ => return None,
    })
}
