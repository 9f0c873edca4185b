//! The arguments with which bubblewrap builds an order's view of the system.
//!
//! It decides what the child sees of files; system calls are filtered in `launcher_side/filter.rs`,
//! protected and hidden paths are mounted in `launcher_side/protect.rs` where the kernel allows it,
//! and the steps before are in `launcher_side/child.rs`. Mounts are listed outer before inner, so
//! that each stands inside the other. Nothing is created in the user's folders. All memory that
//! belongs to no process is bounded. A granted or protected path that is a link is refused, or a
//! job could redirect the next one.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};

use super::child::ChildLaunchError;
use super::filter::{self, ConfinementKind};
use super::gate::GATE_ARGUMENT;
use super::protect::{ProtectionMethod, hidden, is_there, open_plain, pins};
use super::rules;
use crate::jail::JailNetwork;
use crate::order::{JailOrder, JailRoot, RootAccess, TEMPORARY, TemporaryFolder};
use crate::outcome::StartStage;
use crate::path_set::PathSet;

/// The size of the jail's root: names that mounts stand on, and copies of the system's small files.
const ROOT: &str = "16777216";
/// The largest of the system's files that is copied into the root. A mount for each would cost
/// more: bubblewrap reads the list of all mounts for every one that it makes.
const MOST_COPIED: u64 = 1 << 20;
/// The size of the folders around fixed files, which hold only names.
const HOUSING: &str = "4194304";
/// The most paths that bubblewrap mounts for us. It takes nine thousand arguments at most, and its
/// time grows with the square of their number.
const MOST_ENTRIES: usize = 2_000;

/// A fixed file: its place, and its bytes in a file without name.
struct FixedFile {
    path: PathBuf,
    bytes: OwnedFd,
}

/// Becomes bubblewrap, which becomes the program. Returns only what went wrong.
pub(super) fn exec(
    bubblewrap: &Path,
    order: &JailOrder,
    held: ProtectionMethod,
    report: &OwnedFd,
    gate: Option<&OwnedFd>,
) -> ChildLaunchError {
    if let Err(failure) = check(order, held) {
        return failure;
    }
    let filters = match filters(order.network) {
        Ok(filters) => filters,
        Err(failure) => return failure,
    };
    let fixed = match fixed(order) {
        Ok(fixed) => fixed,
        Err(failure) => return failure,
    };
    let copies = copies();
    let view = match view(order, held, &fixed, &copies) {
        Ok(view) => view,
        Err(failure) => return failure,
    };
    if fcntl_setfd(report, FdFlags::empty()).is_err() {
        return ChildLaunchError::new(StartStage::Fork, &std::io::Error::last_os_error());
    }
    let mut args: Vec<OsString> = ["--json-status-fd".into(), report.as_raw_fd().to_string().into()].into();
    for filter in &filters {
        args.extend(["--add-seccomp-fd".into(), filter.as_raw_fd().to_string().into()]);
    }
    args.extend(view);
    args.push("--".into());
    let mut command = Command::new(bubblewrap);
    command.env_clear();
    let _kept = match gate {
        None => {
            args.push(order.program.clone().into());
            args.extend(order.args.iter().cloned());
            command.envs(order.env.iter().cloned());
            None
        }
        // It gets arguments and environment from outside: a variable could make the loader run
        // something in it.
        Some(gate) => match gate_program(gate) {
            Ok((program, words)) => {
                args.extend(words);
                Some(program)
            }
            Err(error) => return ChildLaunchError::new(StartStage::Namespace, &error),
        },
    };
    let error = command.args(args).exec();
    ChildLaunchError::at(StartStage::Program, &error, bubblewrap)
}

/// This program as a gate: its open file, because its path does not exist
/// inside, and its arguments.
fn gate_program(gate: &OwnedFd) -> io::Result<(OwnedFd, Vec<OsString>)> {
    fcntl_setfd(gate, FdFlags::empty())?;
    let program = rustix::fs::open("/proc/self/exe", OFlags::PATH, Mode::empty())?;
    let path = format!("/proc/self/fd/{}", program.as_raw_fd());
    Ok((program, vec![path.into(), GATE_ARGUMENT.into(), gate.as_raw_fd().to_string().into()]))
}

/// Checks that each root can be opened without following a link. A protected path may be missing.
fn check(order: &JailOrder, held: ProtectionMethod) -> Result<(), ChildLaunchError> {
    for root in &order.roots {
        match open_plain(&root.path) {
            Ok(_) => {}
            // A hidden path was checked before, and may be gone again.
            Err(_) if root.access == RootAccess::Hidden && held != ProtectionMethod::ByRules => {}
            // A link can be covered by a mount alone.
            Err(_) if root.access == RootAccess::Hidden && root.path.is_symlink() => {}
            Err(error) if root.access == RootAccess::Hidden => {
                return Err(ChildLaunchError::at(StartStage::Changed, &error, &root.path));
            }
            Err(error) if root.access == RootAccess::Protected && error.kind() == io::ErrorKind::NotFound => {
                // Bubblewrap would make the file, in the user's folder.
                if order.fixed.iter().any(|(path, _)| *path == root.path) {
                    return Err(ChildLaunchError::at(StartStage::Protect, &error, &root.path));
                }
            }
            Err(error) => return Err(ChildLaunchError::at(StartStage::Root, &error, &root.path)),
        }
    }
    for (_, beneath) in order.temporary.iter().flat_map(TemporaryFolder::mounts) {
        open_plain(&beneath).map_err(|error| ChildLaunchError::at(StartStage::Root, &error, &beneath))?;
    }
    let most = if held == ProtectionMethod::ByRules { MOST_ENTRIES } else { usize::MAX };
    if order.roots.len() > most {
        return Err(crowded(&order.cwd));
    }
    Ok(())
}

fn crowded(path: &Path) -> ChildLaunchError {
    ChildLaunchError::at(StartStage::Crowded, &io::Error::from_raw_os_error(libc::E2BIG), path)
}

/// Whether bubblewrap itself mounts a root. It does not mount paths that are held by mounts
/// already, which come along with the folder around them.
fn is_mounted(order: &JailOrder, root: &JailRoot, held: ProtectionMethod) -> bool {
    let is_fixed = || order.fixed.iter().any(|(path, _)| *path == root.path);
    match root.access {
        RootAccess::Read | RootAccess::Exec | RootAccess::Write | RootAccess::Full => true,
        RootAccess::Hidden => false,
        RootAccess::Protected => is_fixed() || (held == ProtectionMethod::ByRules && is_there(&root.path)),
    }
}

fn view(
    order: &JailOrder,
    held: ProtectionMethod,
    fixed: &[FixedFile],
    copies: &[FixedFile],
) -> Result<Vec<OsString>, ChildLaunchError> {
    let mut args: Vec<OsString> =
        ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
            .iter()
            .chain(&["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "jail"])
            .map(OsString::from)
            .collect();
    // If the network is proxied, the job has a network of its own already.
    if order.network == JailNetwork::None {
        args.push("--unshare-net".into());
    }
    // Memory that no process has resident must be bounded everywhere.
    args.extend(["--size", ROOT, "--tmpfs", "/"].map(OsString::from));
    for path in rules::SYSTEM.iter().map(Path::new) {
        args.extend(system(path, copies));
    }
    args.extend(["--proc", "/proc", "--dev", "/dev"].map(OsString::from));
    let in_memory = |folder: &str| {
        let size = order.bounds.in_memory().to_string();
        ["--size".into(), size.into(), "--tmpfs".into(), folder.into()]
    };
    args.extend(in_memory("/dev/shm"));
    let mut furnished: Vec<&Path> = Vec::new();
    match &order.temporary {
        None => args.extend(in_memory(TEMPORARY)),
        Some(temporary) => {
            args.extend(["--bind".into(), temporary.folder.clone().into(), TEMPORARY.into()]);
            let is_root =
                |way: &Path| order.roots.iter().any(|root| root.path == way && is_mounted(order, root, held));
            for (way, _) in temporary.mounts().filter(|(way, _)| !is_root(way)) {
                args.extend(["--size".into(), ROOT.into(), "--tmpfs".into(), way.into()]);
                furnished.push(way);
            }
        }
    }
    args.extend(["--remount-ro", "/dev"].map(OsString::from));
    let seen = order.roots.iter().filter(|root| is_mounted(order, root, held));
    let mut binds: Vec<(&str, &Path)> = seen.map(|root| (bind(root.access), root.path.as_path())).collect();
    binds.push(("--ro-bind", &order.program));
    let pins = if held == ProtectionMethod::ByRules { pins(order) } else { PathSet::default() };
    binds.extend(pins.iter().filter(|pin| is_there(pin)).map(|pin| ("--bind", pin)));
    // Outer before inner, so that each stands inside the other; a protected path comes after a pin
    // of the same name.
    binds.sort_by_key(|(how, path)| (path.components().count(), *path == order.program, *how == "--ro-bind"));
    let writable = |path: &Path| order.innermost(path).is_some_and(|root| root.access.writes());
    for (how, path) in binds {
        // A root to read inside one to write is writable already; the program may lie in any of
        // them.
        if how == "--ro-bind" && !protects(order, path) && writable(path) {
            continue;
        }
        let held: Vec<&FixedFile> = fixed
            .iter()
            .filter(|file| {
                how == "--ro-bind" && order.innermost(&file.path).is_some_and(|root| root.path == path)
            })
            .collect();
        match held.as_slice() {
            [] => args.extend([how.into(), path.into(), path.into()]),
            [file] if file.path == path => args.extend(shown(file)),
            files => {
                args.extend(furnish(path, files)?);
                furnished.push(path);
            }
        }
    }
    for path in furnished {
        args.extend(["--remount-ro".into(), path.into()]);
    }
    // Last, so that nothing is bound over them.
    for path in hidden(order).filter(|path| held == ProtectionMethod::ByRules && !path.is_symlink()) {
        if path.is_dir() {
            args.extend(["--size".into(), "4096".into(), "--tmpfs".into(), path.into()]);
            args.extend(["--remount-ro".into(), path.into()]);
        } else {
            args.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]);
        }
    }
    args.extend(["--remount-ro", "/", "--chdir"].map(OsString::from));
    // Bubblewrap's own process stays in this folder, where the job can follow it: it must not be
    // beneath mounts that are made later. The gate goes to the job's folder itself.
    let folder = if held == ProtectionMethod::FromOutside { Path::new("/") } else { &order.cwd };
    args.push(folder.into());
    Ok(args)
}

/// One of the system's paths: the same link, a copy, or a mount.
fn system(path: &Path, copies: &[FixedFile]) -> Vec<OsString> {
    // Its target is in the jail too.
    if let Some(target) = link_into_system(path) {
        return vec!["--symlink".into(), target.into(), path.into()];
    }
    match copies.iter().find(|copy| copy.path == path) {
        Some(copy) => {
            let bytes = copy.bytes.as_raw_fd().to_string();
            vec!["--perms".into(), "0444".into(), "--file".into(), bytes.into(), path.into()]
        }
        None => vec!["--ro-bind-try".into(), path.into(), path.into()],
    }
}

/// The target of a system link, if it is below `/usr`.
fn link_into_system(path: &Path) -> Option<PathBuf> {
    let target = fs::read_link(path).ok()?;
    path.canonicalize().ok()?.starts_with("/usr").then_some(target)
}

/// Copies of the system's small files.
fn copies() -> Vec<FixedFile> {
    let files = rules::SYSTEM.iter().map(Path::new).filter(|path| link_into_system(path).is_none());
    files
        .filter(|path| path.metadata().is_ok_and(|data| data.is_file() && data.len() <= MOST_COPIED))
        .filter_map(|path| {
            Some(FixedFile { path: path.to_owned(), bytes: nameless(&fs::read(path).ok()?).ok()? })
        })
        .collect()
}

/// Builds a new folder, with the fixed files in their places and everything else bound one by one.
///
/// A mount on a file would not do: it goes when another process puts a new file, or a new folder
/// around it, in its place. In a folder that only this jail sees, no other process can.
fn furnish(root: &Path, files: &[&FixedFile]) -> Result<Vec<OsString>, ChildLaunchError> {
    let around = files.iter().flat_map(|file| {
        file.path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)).map(Path::to_owned)
    });
    // Outer before inner, as paths are sorted.
    let ways: BTreeSet<PathBuf> = around.collect();
    let mut args: Vec<OsString> =
        ["--perms", "0755", "--size", HOUSING, "--tmpfs"].map(OsString::from).into();
    args.push(root.into());
    let mut count = 0;
    for folder in &ways {
        if folder != root {
            args.extend(["--perms".into(), "0755".into(), "--dir".into(), folder.into()]);
        }
        let entries =
            fs::read_dir(folder).map_err(|error| ChildLaunchError::at(StartStage::Root, &error, folder))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            count += 1;
            if count > MOST_ENTRIES {
                return Err(crowded(folder));
            }
            if ways.contains(&path) || files.iter().any(|file| file.path == path) {
                continue;
            }
            match fs::read_link(&path) {
                Ok(target) => args.extend(["--symlink".into(), target.into(), path.into()]),
                Err(_) => args.extend(["--ro-bind-try".into(), path.clone().into(), path.into()]),
            }
        }
    }
    args.extend(files.iter().flat_map(|file| shown(file)));
    Ok(args)
}

/// A fixed file in its place. It is executable; the caller that names it decides
/// whether it is started.
fn shown(file: &FixedFile) -> Vec<OsString> {
    let bytes = file.bytes.as_raw_fd().to_string();
    vec!["--perms".into(), "0555".into(), "--ro-bind-data".into(), bytes.into(), file.path.clone().into()]
}

fn bind(access: RootAccess) -> &'static str {
    match access {
        RootAccess::Read | RootAccess::Exec | RootAccess::Protected | RootAccess::Hidden => "--ro-bind",
        RootAccess::Write | RootAccess::Full => "--bind",
    }
}

fn protects(order: &JailOrder, path: &Path) -> bool {
    order.innermost(path).is_some_and(|root| root.access == RootAccess::Protected && root.path == path)
}

/// The seccomp filters in files without name, which bubblewrap reads and closes.
fn filters(network: JailNetwork) -> Result<Vec<OwnedFd>, ChildLaunchError> {
    let failed = |error: std::io::Error| ChildLaunchError::new(StartStage::Seccomp, &error);
    let programs = filter::programs(network, ConfinementKind::Namespaces)
        .ok_or_else(|| failed(std::io::Error::from_raw_os_error(libc::EINVAL)))?;
    programs.iter().map(|program| nameless(&filter::as_bytes(program)).map_err(failed)).collect()
}

/// The fixed files, which bubblewrap reads and closes too.
fn fixed(order: &JailOrder) -> Result<Vec<FixedFile>, ChildLaunchError> {
    let files = order.fixed.iter().map(|(path, bytes)| {
        let bytes =
            nameless(bytes).map_err(|error| ChildLaunchError::at(StartStage::Protect, &error, path))?;
        Ok(FixedFile { path: path.clone(), bytes })
    });
    files.collect()
}

/// A file in memory that bubblewrap inherits.
fn nameless(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let mut file = fs::File::from(memfd_create("holm", MemfdFlags::empty())?);
    file.write_all(bytes)?;
    std::io::Seek::rewind(&mut file)?;
    Ok(file.into())
}
