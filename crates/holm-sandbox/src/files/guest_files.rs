//! Every file operation that a guest can ask for. The policy decides before the system is called.
//!
//! The order is fixed: normalise the path, ask the policy, then open exactly that path beneath the
//! handle. A link in the path is followed by hand, and the policy is asked about its target too.
//! Symbolic links are never made, and nothing but files and folders is opened. Renames and hard
//! links are in `files/moves.rs`, the opening itself in `files/open_beneath.rs`. The functions that
//! guests import are in `p1/` and `p2/files.rs` and must not open paths themselves.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use holm_grants::{AccessRequest, PolicyDecision};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Timestamps};
use rustix::io::Errno;

use super::access::{GuestAccess, RootDirectory};
use super::companion::{self, CompanionFile, DraftFiles};
use super::guest_path::{GuestPath, GuestPathError, pop, push};
use super::quota::WriteQuota;
use super::{kernel_filesystems, open_beneath, repository_parts};
use crate::access_denied::{DenialLog, DeniedAction, DeniedReason};
use crate::cancel::CallDeadline;
use crate::lease::{HandleLease, HandleLeases};

/// What denies a write in a git repository, for the text of the refusal.
const REPOSITORY: &str = "the rule about git repositories";

/// The files of one call.
#[derive(Debug, Clone)]
pub(crate) struct GuestFiles {
    pub(crate) access: GuestAccess,
    pub(crate) audit: DenialLog,
    pub(crate) quota: WriteQuota,
    pub(crate) leases: HandleLeases,
    pub(crate) term: CallDeadline,
    pub(crate) drafts: DraftFiles,
}

/// What an operation wants to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAccess {
    Read,
    Write,
    /// Either right is enough, because no content is read or changed.
    Either,
}

/// Whether an operation is about a link at the end of a path or about its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkFollowing {
    Yes,
    No,
}

/// The options for opening a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileOpenOptions {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) create: bool,
    pub(crate) exclusive: bool,
    pub(crate) truncate: bool,
    pub(crate) directory: bool,
    pub(crate) append: bool,
}

#[derive(Debug)]
pub(crate) struct OpenedNode {
    pub(crate) file: File,
    pub(crate) node: NodeKind,
    pub(crate) guest_path: GuestPath,
    pub(crate) lease: HandleLease,
    /// Its size in bytes.
    pub(crate) size: u64,
}

/// The type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    File,
    Directory,
    Link,
    Other,
}

/// The metadata of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileStat {
    pub(crate) node: NodeKind,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) links: u64,
    pub(crate) size: u64,
    /// Nanoseconds since 1970; earlier times read as 1970.
    pub(crate) accessed: u64,
    pub(crate) modified: u64,
    pub(crate) changed: u64,
}

/// The most links that a path may lead through before it counts as a loop.
const MAX_LINKS: u32 = 16;

impl GuestFiles {
    /// Resolves `path` from a directory that the guest holds.
    pub(crate) fn resolve(&self, from: &GuestPath, path: &str) -> Result<GuestPath, Errno> {
        from.join(path).map_err(|error| match error {
            GuestPathError::Malformed(errno) => errno,
            GuestPathError::Outside => self.outside(path),
        })
    }

    /// Opens a file or directory.
    pub(crate) fn open(
        &self,
        from: &GuestPath,
        path: &str,
        follow: LinkFollowing,
        options: FileOpenOptions,
    ) -> Result<OpenedNode, Errno> {
        let guest_path = self.resolve(from, path)?;
        let changes = options.write || options.create || options.truncate || options.append;
        let mut needs = Vec::with_capacity(2);
        if changes && !options.directory {
            needs.push(PathAccess::Write);
        }
        if options.read && !options.directory {
            needs.push(PathAccess::Read);
        }
        // A directory that the guest was given at the start may be opened again; the policy decides
        // about each entry.
        let given = guest_path.path().is_empty() && !changes;
        if given {
            needs.clear();
        } else if needs.is_empty() {
            needs.push(PathAccess::Either);
        }
        self.on(&guest_path, follow, &needs, |guest_path| self.open_at(guest_path, options))
    }

    /// The metadata at a path. A directory on the way to a granted file may be inspected too, but
    /// not listed: libraries inspect each part of a path before they open its end.
    pub(crate) fn stat(
        &self,
        from: &GuestPath,
        path: &str,
        follow: LinkFollowing,
    ) -> Result<FileStat, Errno> {
        let guest_path = self.resolve(from, path)?;
        self.on(&guest_path, follow, &[], |guest_path| {
            let is_given = guest_path.path().is_empty();
            let on_the_way =
                is_given || self.access.leads_to_granted(&guest_path.policy_path(self.root(guest_path)?)?);
            if !on_the_way {
                self.allow(PathAccess::Either, guest_path)?;
            }
            let (dir, name) = self.parent(guest_path)?;
            let stat = FileStat::from(&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?);
            if stat.node == NodeKind::Link && follow == LinkFollowing::Yes {
                return Err(Errno::LOOP);
            }
            if on_the_way && !is_given && stat.node != NodeKind::Directory {
                self.allow(PathAccess::Either, guest_path)?;
            }
            Ok(stat)
        })
    }

    /// Makes a directory: one that is granted, or that a granted file has to be in.
    pub(crate) fn create_directory(&self, from: &GuestPath, path: &str) -> Result<(), Errno> {
        let mode = Mode::from_raw_mode(0o777);
        let guest_path = self.resolve(from, path)?;
        self.on(&guest_path, LinkFollowing::No, &[], |guest_path| {
            let root = self.root(guest_path)?;
            let is_free = self.access.leads_to_written(&guest_path.policy_path(root)?)
                && !repository_parts::holds(root, guest_path);
            if !is_free {
                self.allow(PathAccess::Write, guest_path)?;
            }
            let (dir, name) = self.parent(guest_path)?;
            self.quota.take_entry().map_err(|_| Errno::NOSPC)?;
            rustix::fs::mkdirat(dir, name, mode)?;
            self.drafts.made(&self.root(guest_path)?.dir, guest_path);
            Ok(())
        })
    }

    pub(crate) fn unlink(&self, from: &GuestPath, path: &str) -> Result<(), Errno> {
        self.change(from, path, |dir, name| rustix::fs::unlinkat(dir, name, AtFlags::empty()))
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, from: &GuestPath, path: &str) -> Result<(), Errno> {
        self.change(from, path, |dir, name| rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR))?;
        self.drafts.gone(&self.resolve(from, path)?);
        Ok(())
    }

    /// Sets the times of a file; of a link itself, never of its target.
    pub(crate) fn set_times(&self, from: &GuestPath, path: &str, times: &Timestamps) -> Result<(), Errno> {
        self.change(from, path, |dir, name| {
            rustix::fs::utimensat(dir, name, times, AtFlags::SYMLINK_NOFOLLOW)
        })
    }

    /// The target of a link, as text.
    pub(crate) fn read_link(&self, from: &GuestPath, path: &str) -> Result<String, Errno> {
        let guest_path = self.resolve(from, path)?;
        self.on(&guest_path, LinkFollowing::No, &[PathAccess::Read], |guest_path| {
            let (dir, name) = self.parent(guest_path)?;
            let target = rustix::fs::readlinkat(dir, name, Vec::new())?;
            target.into_string().map_err(|_| Errno::ILSEQ)
        })
    }

    /// Refuses to make a link, with any grants: a link that stays inside today may lead
    /// outside after a rename.
    pub(crate) fn refuse_link(&self, from: &GuestPath, path: &str) -> Errno {
        let path = self
            .resolve(from, path)
            .map_or_else(|_| path.to_owned(), |guest_path| guest_path.path().to_owned());
        self.audit.refuse(DeniedAction::Link(path), DeniedReason::Never);
        Errno::PERM
    }

    /// Whether a directory that the guest holds may be listed.
    pub(crate) fn may_list(&self, dir: &GuestPath) -> Result<(), Errno> {
        // The opened directories themselves can always be listed; entries without a grant are left
        // out.
        if dir.path().is_empty() { Ok(()) } else { self.allow(PathAccess::Read, dir) }
    }

    /// Whether an entry of a directory is shown.
    pub(crate) fn shows(&self, dir: &GuestPath, name: &str) -> bool {
        dir.join(name).is_ok_and(|guest_path| {
            self.decide(PathAccess::Either, &guest_path).is_ok_and(|decision| decision.is_none())
        })
    }

    /// Asks the policy, and writes a refusal down.
    pub(super) fn allow(&self, need: PathAccess, guest_path: &GuestPath) -> Result<(), Errno> {
        match self.decide(need, guest_path)? {
            None => Ok(()),
            Some((request, reason)) => {
                self.audit.refuse(DeniedAction::Request(request), reason);
                Err(Errno::ACCESS)
            }
        }
    }

    /// Asks the policy. Returns `None` if it agrees, else the missing request and
    /// why it is refused.
    pub(super) fn decide(
        &self,
        need: PathAccess,
        guest_path: &GuestPath,
    ) -> Result<Option<(AccessRequest, DeniedReason)>, Errno> {
        let refused = self.decide_exactly(need, guest_path)?;
        // A denied path stays denied, even if it is a companion of an allowed file.
        let Some((_, DeniedReason::Missing)) = &refused else { return Ok(refused) };
        let granted = match companion::owner(guest_path) {
            None => false,
            Some((owner, CompanionFile::Draft)) => self.decide_exactly(need, &owner)?.is_none(),
            Some((owner, companion @ (CompanionFile::Journal | CompanionFile::Lock))) => {
                let is_it = match companion {
                    CompanionFile::Lock => companion::is_lock,
                    CompanionFile::Journal | CompanionFile::Draft => companion::is_journal,
                };
                self.decide_exactly(PathAccess::Read, &owner)?.is_none()
                    && self.decide_exactly(PathAccess::Write, &owner)?.is_none()
                    && is_it(&self.root(guest_path)?.dir, guest_path)
            }
        };
        Ok(if granted { None } else { refused })
    }

    fn decide_exactly(
        &self,
        need: PathAccess,
        guest_path: &GuestPath,
    ) -> Result<Option<(AccessRequest, DeniedReason)>, Errno> {
        let root = self.root(guest_path)?;
        let path = guest_path.policy_path(root)?;
        let ask = |request: AccessRequest| match self.access.decide(&request) {
            PolicyDecision::Granted(_)
                if matches!(request, AccessRequest::Write(_))
                    && repository_parts::holds(root, guest_path) =>
            {
                Some((request, DeniedReason::Denied(REPOSITORY.into())))
            }
            PolicyDecision::Granted(_) => None,
            PolicyDecision::Denied(denial) => Some((request, DeniedReason::Denied(denial.to_string()))),
            PolicyDecision::Missing => Some((request, DeniedReason::Missing)),
        };
        Ok(match need {
            PathAccess::Read => ask(AccessRequest::Read(path)),
            PathAccess::Write => ask(AccessRequest::Write(path)),
            PathAccess::Either => match ask(AccessRequest::Read(path.clone())) {
                None => None,
                Some(refused) => ask(AccessRequest::Write(path)).and(Some(refused)),
            },
        })
    }

    /// The handle of the directory that something is in, and its name there.
    pub(super) fn parent<'p>(&self, guest_path: &'p GuestPath) -> Result<(OwnedFd, &'p str), Errno> {
        let (parent, name) = guest_path.split();
        let root = self.root(guest_path)?;
        #[cfg(target_os = "linux")]
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        #[cfg(not(target_os = "linux"))]
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let dir = open_beneath::open(&root.dir, parent.os_path(), flags, Mode::empty())?;
        self.keep_out_of_the_kernel(&dir, guest_path)?;
        Ok((dir, name))
    }

    pub(super) fn root(&self, guest_path: &GuestPath) -> Result<&RootDirectory, Errno> {
        self.access.root(guest_path.root).ok_or(Errno::BADF)
    }

    /// Does an operation at a place. If the way leads through a link, the policy also
    /// decides about its target.
    pub(super) fn on<T>(
        &self,
        guest_path: &GuestPath,
        follow: LinkFollowing,
        needs: &[PathAccess],
        act: impl Fn(&GuestPath) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        needs.iter().try_for_each(|need| self.allow(*need, guest_path))?;
        match act(guest_path) {
            Err(Errno::LOOP) => {}
            done => return done,
        }
        let real = self.follow(guest_path, follow)?;
        if real == *guest_path {
            return Err(Errno::LOOP);
        }
        needs.iter().try_for_each(|need| self.allow(*need, &real))?;
        act(&real)
    }

    fn change(
        &self,
        from: &GuestPath,
        path: &str,
        act: impl Fn(OwnedFd, &str) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let guest_path = self.resolve(from, path)?;
        self.on(&guest_path, LinkFollowing::No, &[PathAccess::Write], |guest_path| {
            let (dir, name) = self.parent(guest_path)?;
            act(dir, name)
        })
    }

    fn open_at(&self, guest_path: &GuestPath, options: FileOpenOptions) -> Result<OpenedNode, Errno> {
        let lease = self.leases.take().ok_or(Errno::MFILE)?;
        let file = self.open_or_make(guest_path, options)?;
        self.keep_out_of_the_kernel(&file, guest_path)?;
        let stat = FileStat::of(&file)?;
        match stat.node {
            NodeKind::File | NodeKind::Directory => {}
            NodeKind::Link | NodeKind::Other => {
                self.audit.refuse(DeniedAction::Device(guest_path.path().to_owned()), DeniedReason::Never);
                return Err(Errno::ACCESS);
            }
        }
        // Only now, when it is known to be a file.
        let empties = options.truncate && stat.node == NodeKind::File;
        if empties {
            rustix::fs::ftruncate(&file, 0)?;
        }
        let size = if empties { 0 } else { stat.size };
        Ok(OpenedNode { file, node: stat.node, guest_path: guest_path.clone(), lease, size })
    }

    /// Opens an existing file, or creates it and counts it.
    fn open_or_make(&self, guest_path: &GuestPath, options: FileOpenOptions) -> Result<File, Errno> {
        let root = self.root(guest_path)?;
        let open = |options: FileOpenOptions, mode: Mode| {
            open_beneath::open(&root.dir, guest_path.os_path(), options.flags(), mode).map(File::from)
        };
        // The kernel accepts no mode if nothing is created.
        if !options.create || options.directory {
            return open(options, Mode::empty());
        }
        if !options.exclusive {
            match open(FileOpenOptions { create: false, ..options }, Mode::empty()) {
                Err(Errno::NOENT) => {}
                done => return done,
            }
        }
        self.quota.take_entry().map_err(|_| Errno::NOSPC)?;
        let made = open(options, CREATED)?;
        self.drafts.made(&root.dir, guest_path);
        Ok(made)
    }

    /// Refuses entries that only look like files: file systems through which the kernel reports
    /// about itself and every process, and takes commands. A guest that could write its own memory
    /// there would be outside the sandbox.
    fn keep_out_of_the_kernel(&self, handle: impl AsFd, guest_path: &GuestPath) -> Result<(), Errno> {
        if !kernel_filesystems::shows(handle)? {
            return Ok(());
        }
        self.audit.refuse(DeniedAction::Device(guest_path.path().to_owned()), DeniedReason::Never);
        Err(Errno::ACCESS)
    }

    /// The end of a path when its links are followed by hand, one by one, each
    /// beneath the same directory.
    fn follow(&self, guest_path: &GuestPath, follow: LinkFollowing) -> Result<GuestPath, Errno> {
        let mut rest: Vec<String> = guest_path.components().map(str::to_owned).collect();
        rest.reverse();
        let mut done = String::new();
        let mut links = 0;
        while let Some(name) = rest.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    pop(&mut done).map_err(|_| self.outside(guest_path.path()))?;
                    continue;
                }
                _ => {}
            }
            let mut here = done.clone();
            push(&mut here, &name);
            let here = GuestPath::at(guest_path.root, here);
            let target =
                if rest.is_empty() && follow == LinkFollowing::No { None } else { self.target(&here)? };
            match target {
                None => done = here.path().to_owned(),
                Some(target) if target.starts_with('/') => return Err(self.outside(guest_path.path())),
                Some(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(Errno::LOOP);
                    }
                    rest.extend(target.split('/').rev().map(str::to_owned));
                }
            }
        }
        Ok(GuestPath::at(guest_path.root, done))
    }

    /// The target of the link at a place; `None` if there is no link.
    pub(super) fn target(&self, guest_path: &GuestPath) -> Result<Option<String>, Errno> {
        let (dir, name) = self.parent(guest_path)?;
        match rustix::fs::readlinkat(dir, name, Vec::new()) {
            Ok(target) => target.into_string().map(Some).map_err(|_| Errno::ILSEQ),
            // No link, or nothing there yet.
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn outside(&self, path: &str) -> Errno {
        self.audit.refuse(DeniedAction::Outside(path.to_owned()), DeniedReason::Never);
        Errno::PERM
    }
}

/// The mode of a new file, before the process's own mask.
const CREATED: Mode = Mode::from_raw_mode(0o666);

impl FileOpenOptions {
    fn flags(self) -> OFlags {
        // Without waiting: a pipe that another program left here must not hang the call.
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        if self.directory {
            return flags | OFlags::RDONLY | OFlags::DIRECTORY;
        }
        flags |= match (self.read, self.write || self.append || self.truncate) {
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
            (_, false) => OFlags::RDONLY,
        };
        if self.create {
            flags |= OFlags::CREATE;
        }
        if self.exclusive {
            flags |= OFlags::EXCL;
        }
        if self.append {
            flags |= OFlags::APPEND;
        }
        flags
    }
}

impl FileStat {
    /// The metadata of an open file.
    pub(crate) fn of(file: impl AsFd) -> Result<Self, Errno> {
        Ok(Self::from(&rustix::fs::fstat(file)?))
    }
}

impl From<&rustix::fs::Stat> for FileStat {
    fn from(stat: &rustix::fs::Stat) -> Self {
        let node = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => NodeKind::File,
            FileType::Directory => NodeKind::Directory,
            FileType::Symlink => NodeKind::Link,
            _ => NodeKind::Other,
        };
        Self {
            node,
            device: stat.st_dev,
            inode: stat.st_ino,
            links: stat.st_nlink,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            accessed: nanoseconds(stat.st_atime, stat.st_atime_nsec),
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

/// The rest of a second has one type or another, depending on how rustix was built.
fn nanoseconds(seconds: i64, rest: impl TryInto<u64>) -> u64 {
    let rest = rest.try_into().unwrap_or(0);
    u64::try_from(seconds).unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(rest)
}

#[cfg(test)]
impl GuestFiles {
    /// Files of a call that never ends, with this many bytes left to write.
    pub(crate) fn for_tests(access: GuestAccess, written: u64) -> Self {
        let never = std::time::Instant::now() + std::time::Duration::from_hours(1);
        Self {
            access,
            audit: DenialLog::default(),
            quota: WriteQuota::new(written),
            leases: HandleLeases::new(64),
            term: CallDeadline::new(crate::cancel::CancelSwitch::new(), never),
            drafts: DraftFiles::default(),
        }
    }
}

/// The handles that a guest starts with.
impl GuestFiles {
    pub(crate) fn preopened(&self, index: usize) -> Option<(Arc<File>, GuestPath)> {
        Some((Arc::clone(self.access.dir(index)?), GuestPath::root(index)))
    }
}
