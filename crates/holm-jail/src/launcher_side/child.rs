//! The child between its fork and the program: which rights it gives up, and in which order.
//!
//! The order matters: each step gives up what the next ones do not need, and a later step must not
//! be able to undo an earlier one. A step that fails ends the child before the program runs. The
//! engines' own work is in `launcher_side/bubblewrap.rs`, `launcher_side/protect.rs`,
//! `launcher_side/rules.rs` and `launcher_side/filter.rs`. The process that waits for it is
//! `launcher_side/supervisor.rs`.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use super::filter::{self, ConfinementKind};
use super::protect::{self, ProtectionMethod};
use super::sys::close_on_exec;
use super::{bubblewrap, network, rules};
use crate::engine::JailEngine;
use crate::jail::JailNetwork;
use crate::order::{JailOrder, KernelBounds};
use crate::outcome::StartStage;

/// The exit status of a child that could not become the program; the report gives the reason.
pub(super) const UNBORN: i32 = 125;

/// Why a child could not become the program.
#[derive(Debug)]
pub(super) struct ChildLaunchError {
    pub(super) stage: StartStage,
    pub(super) errno: i32,
    pub(super) path: PathBuf,
}

impl ChildLaunchError {
    pub(super) fn new(stage: StartStage, error: &io::Error) -> Self {
        Self { stage, errno: error.raw_os_error().unwrap_or(libc::EINVAL), path: PathBuf::new() }
    }

    pub(super) fn at(stage: StartStage, error: &io::Error, path: &Path) -> Self {
        Self { path: path.to_owned(), ..Self::new(stage, error) }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![b'F', self.stage.number()];
        bytes.extend(self.errno.to_le_bytes());
        bytes.extend_from_slice(self.path.as_os_str().as_bytes());
        bytes
    }

    /// Reads a report; `None` if the child wrote none.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let [b'F', stage, rest @ ..] = bytes else { return None };
        let (errno, path) = rest.split_first_chunk::<4>()?;
        let path = std::ffi::OsString::from_vec(path.to_vec()).into();
        Some(Self { stage: StartStage::from_number(*stage)?, errno: i32::from_le_bytes(*errno), path })
    }
}

/// Becomes the program, or reports why not and leaves.
pub(super) fn become_program(
    order: &JailOrder,
    streams: &[OwnedFd; 3],
    report: &OwnedFd,
    line: Option<&OwnedFd>,
    gate: Option<&OwnedFd>,
) -> ! {
    let failure = attempt(order, streams, report, line, gate);
    let _ = rustix::io::write(report, &failure.encode());
    std::process::exit(UNBORN)
}

/// Each step gives up what the next ones do not need. Returns only on failure.
fn attempt(
    order: &JailOrder,
    [stdin, stdout, stderr]: &[OwnedFd; 3],
    report: &OwnedFd,
    line: Option<&OwnedFd>,
    gate: Option<&OwnedFd>,
) -> ChildLaunchError {
    // Set before anything that may wait: without the supervisor, no process would end the child.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // A session of its own has no terminal that could be typed into, and is one group to kill.
    let _ = setsid();
    let redirected = rustix::stdio::dup2_stdin(stdin)
        .and_then(|()| rustix::stdio::dup2_stdout(stdout))
        .and_then(|()| rustix::stdio::dup2_stderr(stderr));
    if let Err(error) = redirected.map_err(io::Error::from).and_then(|()| close_on_exec()) {
        return ChildLaunchError::new(StartStage::Fork, &error);
    }
    if let Err(error) = limit(&order.bounds) {
        return ChildLaunchError::new(StartStage::Limit, &error);
    }
    if order.network == JailNetwork::Proxied
        && order.engine != JailEngine::Unconfined
        && let Err(failure) = network::leave(line)
    {
        return failure;
    }
    match &order.engine {
        JailEngine::Bubblewrap(program) => match gate {
            Some(gate) => bubblewrap::exec(program, order, ProtectionMethod::FromOutside, report, Some(gate)),
            None => match protect::hold_for_bubblewrap(order) {
                Ok(held) => bubblewrap::exec(program, order, held, report, None),
                Err(failure) => failure,
            },
        },
        JailEngine::Landlock => match confine(order) {
            Ok(()) => exec(order),
            Err(failure) => failure,
        },
        JailEngine::Unconfined => exec(order),
    }
}

fn confine(order: &JailOrder) -> Result<(), ChildLaunchError> {
    let held = protect::hold(order)?;
    let seccomp = |error: &io::Error| ChildLaunchError::new(StartStage::Seccomp, error);
    set_no_new_privs(true).map_err(|error| seccomp(&error.into()))?;
    rules::confine(order, held)?;
    // Also the capabilities of a user namespace; with the bit above none come back at exec, even
    // for root.
    let nothing = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, nothing).map_err(|error| seccomp(&error.into()))?;
    let walls = match held {
        ProtectionMethod::ByMounts | ProtectionMethod::FromOutside => ConfinementKind::Mounts,
        ProtectionMethod::ByRules => ConfinementKind::Rules,
    };
    let invalid = || seccomp(&io::Error::from_raw_os_error(libc::EINVAL));
    for program in filter::programs(order.network, walls).ok_or_else(invalid)? {
        seccompiler::apply_filter(&program).map_err(|_| seccomp(&io::Error::last_os_error()))?;
    }
    Ok(())
}

/// The standard library also sets signals back to what programs expect.
pub(super) fn exec(order: &JailOrder) -> ChildLaunchError {
    if let Err(error) = std::env::set_current_dir(&order.cwd) {
        return ChildLaunchError::at(StartStage::Folder, &error, &order.cwd);
    }
    let error =
        Command::new(&order.program).args(&order.args).env_clear().envs(order.env.iter().cloned()).exec();
    ChildLaunchError::at(StartStage::Program, &error, &order.program)
}

fn limit(bounds: &KernelBounds) -> io::Result<()> {
    // The kernel counts all threads of the user, so the existing ones are added.
    let there = u64::from(rustix::system::sysinfo().procs);
    for (resource, most) in [
        (Resource::Cpu, bounds.cpu_s),
        (Resource::Data, bounds.memory),
        (Resource::Fsize, bounds.file_size),
        (Resource::Nofile, bounds.files),
        (Resource::Nproc, bounds.processes.saturating_add(there)),
        (Resource::Core, 0),
    ] {
        // A child may not have more than its parent.
        let most = getrlimit(resource).maximum.map_or(most, |maximum| most.min(maximum));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
