//! The Landlock rules of an order: which files the child may read, write and execute.
//!
//! Landlock knows no exceptions beneath a folder and does not see changes of modes or owners. So
//! mounts protect paths where possible (`launcher_side/protect.rs`), and otherwise everything
//! beside a protected path is opened one by one: less than was granted, never more. System calls
//! are filtered in `launcher_side/filter.rs`. The list of files that every program needs is here,
//! and nothing in it may be secret.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::{fs, io};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};
use rustix::fs::{FileType, OFlags, fstat};

use super::child::ChildLaunchError;
use super::protect::{ProtectionMethod, hidden, open_plain, protected};
use crate::jail::JailNetwork;
use crate::order::{JailOrder, JailRoot, RootAccess};
use crate::outcome::StartStage;
use crate::path_set::PathSet;

/// The least that must be enforced; see `JailEngine::landlock`.
const FLOOR: ABI = ABI::V3;
/// The most that is enforced, if the kernel can.
const WISH: ABI = ABI::V9;
/// The most entries of a folder that are opened one by one around a protected path.
const MAX_ENTRIES: usize = 10_000;

/// The files that every program needs to start: the system's shared files, none of them secret.
pub(crate) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// Harmless parts of the kernel's own folders. The child's own part of /proc is added; others
/// would show other processes.
const KERNEL: &[&str] = &[
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
    "/proc/version",
    "/sys/devices/system/cpu",
];

const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The loaders that map every dynamically linked program, and so must be executable themselves.
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

pub(super) fn confine(order: &JailOrder, held: ProtectionMethod) -> Result<(), ChildLaunchError> {
    let mut rules = LandlockRules::new(order)
        .map_err(|_| ChildLaunchError::new(StartStage::Landlock, &io::Error::last_os_error()))?;
    if held == ProtectionMethod::ByRules {
        check_protected(order)?;
    }
    let seen = |root: &&JailRoot| !matches!(root.access, RootAccess::Protected | RootAccess::Hidden);
    for root in order.roots.iter().filter(seen) {
        let rights = rights(root.access);
        let open = open_plain(&root.path)
            .map_err(|error| ChildLaunchError::at(StartStage::Root, &error, &root.path))?;
        let excepts = root.access.writes() || rules.hidden.reaches_into(&root.path);
        if excepts && held == ProtectionMethod::ByRules {
            rules.around(&root.path, rights)?;
        } else {
            rules.add(&open, rights)?;
        }
    }
    let read = rights(RootAccess::Read);
    let exec = rights(RootAccess::Exec);
    let device = read | AccessFs::WriteFile | AccessFs::Truncate;
    let own = order.program.to_str().into_iter();
    for (path, rights) in SYSTEM
        .iter()
        .chain(KERNEL)
        .map(|path| (*path, read))
        .chain(DEVICES.iter().map(|path| (*path, device)))
        .chain(LOADERS.iter().copied().chain(own).map(|path| (path, exec)))
    {
        // These are the system's, links included; a missing one is not needed.
        if let Ok(open) = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, rustix::fs::Mode::empty()) {
            rules.add(&open, rights)?;
        }
    }
    rules.apply()
}

/// Checks that each protected path can be opened without following a link, or is missing.
fn check_protected(order: &JailOrder) -> Result<(), ChildLaunchError> {
    for path in protected(order) {
        match open_plain(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(ChildLaunchError::at(StartStage::Protect, &error, path));
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// The rules as they are added. The kernel keeps what each is about, so no file stays open for it.
struct LandlockRules {
    ruleset: Option<RulesetCreated>,
    protected: PathSet,
    hidden: PathSet,
}

impl LandlockRules {
    fn new(order: &JailOrder) -> Result<Self, RulesetError> {
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(FLOOR))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(WISH))?
            .scope(Scope::from_all(WISH))?;
        if order.network == JailNetwork::None {
            // Seccomp refuses every socket already; this rule is for one that was passed in.
            ruleset = ruleset.handle_access(AccessNet::from_all(WISH))?;
        }
        Ok(Self {
            ruleset: Some(ruleset.create()?),
            protected: protected(order).collect(),
            // Only a mount can cover a link; its target has rules of its own.
            hidden: hidden(order).filter(|path| !path.is_symlink()).collect(),
        })
    }

    fn add(&mut self, place: &OwnedFd, rights: BitFlags<AccessFs>) -> Result<(), ChildLaunchError> {
        let failed = || ChildLaunchError::new(StartStage::Landlock, &io::Error::last_os_error());
        let folder =
            fstat(place).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        let rights = if folder { rights } else { rights & AccessFs::from_file(WISH) };
        let ruleset = self.ruleset.take().ok_or_else(failed)?;
        let added = ruleset.add_rule(PathBeneath::new(place.as_fd(), rights));
        self.ruleset = Some(added.map_err(|_| failed())?);
        Ok(())
    }

    fn apply(self) -> Result<(), ChildLaunchError> {
        let failed = || ChildLaunchError::new(StartStage::Landlock, &io::Error::last_os_error());
        let ruleset = self.ruleset.ok_or_else(failed)?;
        ruleset.restrict_self().map(drop).map_err(|_| failed())
    }

    /// Opens a folder except for the protected and hidden paths in it, if no
    /// mount can protect those.
    ///
    /// A right on a folder is a right on everything beneath, so the folders around a protected path
    /// can only be read, and everything beside it is opened one by one. Nothing new can then be
    /// made directly in those folders: less than was granted, never more.
    fn around(&mut self, folder: &Path, wanted: BitFlags<AccessFs>) -> Result<(), ChildLaunchError> {
        let open = |path: &Path| {
            open_plain(path).map_err(|error| ChildLaunchError::at(StartStage::Root, &error, path))
        };
        if self.hidden.covers(folder) {
            return Ok(());
        }
        let hides = self.hidden.reaches_into(folder);
        let guarded = self.protected.covers(folder);
        let wanted = if guarded { rights(RootAccess::Read) } else { wanted };
        if !hides && (guarded || !self.protected.reaches_into(folder)) {
            return self.add(&open(folder)?, wanted);
        }
        // Names can be listed around a hidden path; a right to read files would reach into it.
        let around_it = if hides { AccessFs::ReadDir.into() } else { rights(RootAccess::Read) };
        self.add(&open(folder)?, around_it & wanted)?;
        let entries =
            fs::read_dir(folder).map_err(|error| ChildLaunchError::at(StartStage::Root, &error, folder))?;
        let mut paths: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).take(MAX_ENTRIES + 1).collect();
        if paths.len() > MAX_ENTRIES {
            return Err(ChildLaunchError::at(
                StartStage::Crowded,
                &io::Error::from_raw_os_error(libc::E2BIG),
                folder,
            ));
        }
        paths.sort();
        for path in paths {
            // A link is not followed, so there is nothing to open.
            if open_plain(&path).is_err() {
                continue;
            }
            match self.around(&path, wanted) {
                // A path that vanished meanwhile needs no rule.
                Err(failure) if failure.errno == libc::ENOENT => {}
                done => done?,
            }
        }
        Ok(())
    }
}

/// The Landlock rights of an access. No access includes the right to create sockets and devices.
fn rights(access: RootAccess) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    match access {
        RootAccess::Read | RootAccess::Protected => read,
        RootAccess::Hidden => BitFlags::EMPTY,
        RootAccess::Exec => read | AccessFs::Execute,
        RootAccess::Full => rights(RootAccess::Write) | AccessFs::Execute,
        RootAccess::Write => {
            let unmade = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock;
            read | (AccessFs::from_write(FLOOR) & !unmade)
        }
    }
}
