//! The code of the launcher and of the processes that it forks. None of it runs in the host
//! process.
//!
//! Three roles, one after the other: the *launcher* forks for each job ([`launcher`]), its child is
//! the *supervisor* ([`supervisor`]), and its child in turn confines itself and becomes the program
//! ([`child`]). Where bubblewrap would have to make very many mounts there is a step more
//! ([`gate`]).

mod bubblewrap;
mod child;
mod filter;
mod gate;
mod launcher;
mod missing_names;
mod namespaces;
mod network;
mod protect;
mod rules;
mod supervisor;
mod sweep;
mod sys;

pub(crate) use rules::SYSTEM;

/// The argument that makes an executable a launcher.
pub const LAUNCHER_ARGUMENT: &str = "--holm-jail-launcher";

/// Becomes a launcher and never returns, if this process was started as one. Call it first in
/// `main`, before any thread.
pub fn launch_if_asked() {
    gate::pass_if_asked();
    if std::env::args_os().nth(1).is_some_and(|argument| argument == LAUNCHER_ARGUMENT) {
        launcher_main();
    }
}

/// Serves one large process over the socket that is this process's standard
/// input, until that closes.
pub fn launcher_main() -> ! {
    gate::pass_if_asked();
    launcher::serve();
    std::process::exit(0)
}
