//! The arguments with which bubblewrap builds an order's view of the system.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};

use super::child::Failure;
use super::filter::{self, Metadata};
use super::protect::{hidden, open_plain, pins};
use super::rules;
use crate::jail::Network;
use crate::order::{Access, Order};
use crate::outcome::Stage;

/// How much the folder for temporary files may hold: it is memory.
const TEMPORARY: &str = "67108864";

/// Becomes bubblewrap, which becomes the program. Returns only what went wrong.
pub(super) fn exec(bubblewrap: &Path, order: &Order, report: &OwnedFd) -> Failure {
    for root in &order.roots {
        if let Err(error) = open_plain(&root.path) {
            return Failure::at(Stage::Root, &error, &root.path);
        }
    }
    let filters = match filters(order.network) {
        Ok(filters) => filters,
        Err(failure) => return failure,
    };
    if fcntl_setfd(report, FdFlags::empty()).is_err() {
        return Failure::new(Stage::Fork, &std::io::Error::last_os_error());
    }
    let mut args: Vec<OsString> = ["--json-status-fd".into(), report.as_raw_fd().to_string().into()].into();
    for filter in &filters {
        args.extend(["--add-seccomp-fd".into(), filter.as_raw_fd().to_string().into()]);
    }
    args.extend(view(order));
    args.extend(["--".into(), order.program.clone().into()]);
    args.extend(order.args.iter().cloned());
    let error = Command::new(bubblewrap).args(args).env_clear().envs(order.env.iter().cloned()).exec();
    Failure::at(Stage::Program, &error, bubblewrap)
}

fn view(order: &Order) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
            .iter()
            .chain(&["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "jail"])
            .map(OsString::from)
            .collect();
    // A network of its own was made already where there is a way out of it.
    if order.network == Network::None {
        args.push("--unshare-net".into());
    }
    for path in rules::SYSTEM {
        args.extend(["--ro-bind-try", path, path].map(OsString::from));
    }
    args.extend(
        ["--proc", "/proc", "--dev", "/dev", "--size", TEMPORARY, "--tmpfs", "/tmp"].map(OsString::from),
    );
    let seen = order.roots.iter().filter(|root| root.access != Access::Hidden);
    let mut binds: Vec<(&str, &Path)> = seen.map(|root| (bind(root.access), root.path.as_path())).collect();
    binds.push(("--ro-bind", &order.program));
    let pins = pins(order);
    binds.extend(pins.iter().map(|pin| ("--bind", pin.as_path())));
    // Outer before inner, so that each stands inside the other; a protected path comes after a pin of the same name.
    binds.sort_by_key(|(how, path)| (path.components().count(), *path == order.program, *how == "--ro-bind"));
    let writable = |path: &Path| {
        let holding = order.roots.iter().filter(|root| path.starts_with(&root.path));
        holding.max_by_key(|root| root.path.as_os_str().len()).is_some_and(|root| root.access.writes())
    };
    for (how, path) in binds {
        // A root to read inside one to write is writable already; the program may lie in any of them.
        let covered = how == "--ro-bind" && !protects(order, path) && writable(path);
        if !covered {
            args.extend([how.into(), path.into(), path.into()]);
        }
    }
    // Last, so that nothing is bound over them.
    for path in hidden(order) {
        if path.is_dir() {
            args.extend(["--size".into(), "4096".into(), "--tmpfs".into(), path.into()]);
            args.extend(["--remount-ro".into(), path.into()]);
        } else {
            args.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]);
        }
    }
    args.extend(["--chdir".into(), order.cwd.clone().into()]);
    args
}

fn bind(access: Access) -> &'static str {
    match access {
        Access::Read | Access::Exec | Access::Protected | Access::Hidden => "--ro-bind",
        Access::Write | Access::Full => "--bind",
    }
}

fn protects(order: &Order, path: &Path) -> bool {
    order.roots.iter().any(|root| root.access == Access::Protected && root.path == path)
}

/// The seccomp filters in files without name, which bubblewrap reads and closes.
fn filters(network: Network) -> Result<Vec<OwnedFd>, Failure> {
    let failed = |error: std::io::Error| Failure::new(Stage::Seccomp, &error);
    let programs = filter::programs(network, Metadata::Free)
        .ok_or_else(|| failed(std::io::Error::from_raw_os_error(libc::EINVAL)))?;
    let mut files = Vec::new();
    for program in programs {
        let mut file = std::fs::File::from(
            memfd_create("filter", MemfdFlags::empty()).map_err(|error| failed(error.into()))?,
        );
        file.write_all(&filter::as_bytes(&program)).map_err(failed)?;
        std::io::Seek::rewind(&mut file).map_err(failed)?;
        files.push(file.into());
    }
    Ok(files)
}
