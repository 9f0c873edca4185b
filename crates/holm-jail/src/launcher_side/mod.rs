//! The code of the launcher and of the processes that it forks. None of it runs in the host
//! process.
//!
//! Three roles, one after the other: the *launcher* forks for each job ([`launcher`]), its child is
//! the *supervisor* ([`supervisor`]), and its child in turn confines itself and becomes the program
//! ([`child`]). Where bubblewrap would have to make very many mounts there is a step more
//! ([`gate`]). These processes have one thread: code here must not start another, because `fork`
//! relies on it.
//!
//! Where things are:
//!
//! - `launcher_side/launcher.rs`: one fork per message.
//! - `launcher_side/supervisor.rs`: watches one child.
//! - `launcher_side/sweep.rs`: kills descendants.
//! - `launcher_side/child.rs`: from the fork to the program.
//! - `launcher_side/gate.rs`: the step for many mounts.
//! - `launcher_side/bubblewrap.rs`: the engine bubblewrap.
//! - `launcher_side/rules.rs`: the engine Landlock.
//! - `launcher_side/filter.rs`: seccomp, for both.
//! - `launcher_side/protect.rs`: mounts that protect and hide.
//! - `launcher_side/missing_names.rs`: protected names that do not exist.
//! - `launcher_side/namespaces.rs`, `launcher_side/network.rs`: namespaces.
//! - `launcher_side/sys.rs`: system calls without a safe wrapper.

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
