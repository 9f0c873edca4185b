//! The messages between the host process and a launcher, as bytes on a socket between two processes
//! of one user.
//!
//! The reader trusts neither side: it is bounded, and bytes that are not exactly one order are
//! refused. It only encodes and decodes. An order is made in `jail.rs`, sent by `job.rs`, read by
//! `launcher_side/supervisor.rs`. The format has no version: host and launcher must come from the
//! same build. Paths must be absolute and without dots: their text alone must say which file is
//! meant.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::engine::JailEngine;
use crate::jail::JailNetwork;
use crate::outcome::{ProtectedName, ProtectedNameFate};

/// The largest order: arguments and environment are bounded by the kernel at two megabytes;
/// paths come on top.
pub(crate) const MAX_ORDER: usize = 16 << 20;
/// The most roots, protected and hidden paths of one job: each is a mount, of which a kernel
/// allows 100,000 by default.
pub(crate) const MAX_HELD: usize = 60_000;
/// The most entries of one list.
const MAX_LIST: usize = 65_536;

/// Everything that a child needs to confine itself and become the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JailOrder {
    pub(crate) engine: JailEngine,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    pub(crate) roots: Vec<JailRoot>,
    /// Files that show these bytes, in place of the files that lie there.
    pub(crate) fixed: Vec<(PathBuf, Vec<u8>)>,
    /// The folder that is `/tmp`; otherwise `/tmp` is a new folder in memory.
    pub(crate) temporary: Option<TemporaryFolder>,
    pub(crate) network: JailNetwork,
    pub(crate) bounds: KernelBounds,
}

/// A folder that a job has as its `/tmp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemporaryFolder {
    pub(crate) folder: PathBuf,
    /// The folders of `/tmp` that lead to roots. Each is a mount of its own, so that no job can move
    /// it or put a link in its place.
    pub(crate) ways: BTreeSet<PathBuf>,
}

impl TemporaryFolder {
    /// The mount of a way, and the folder beneath that mount.
    pub(crate) fn mounts(&self) -> impl Iterator<Item = (&Path, PathBuf)> {
        let beneath = |way: &Path| self.folder.join(way.file_name().unwrap_or_default());
        self.ways.iter().map(move |way| (way.as_path(), beneath(way)))
    }

    /// Whether a path of the jail can be mounted: it lies outside of `/tmp`, or in one of the ways.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let way = self.ways.iter().find(|way| path.starts_with(way));
        !path.starts_with(TEMPORARY) || way.is_some_and(|way| path != way || path.is_dir())
    }
}

/// Where a job finds its temporary files.
pub(crate) const TEMPORARY: &str = "/tmp";

/// One path and the access there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JailRoot {
    pub(crate) path: PathBuf,
    pub(crate) access: RootAccess,
    /// For a hidden path, the file that was found there: a different file by that name means
    /// that something was moved.
    pub(crate) file: Option<FileId>,
}

impl JailRoot {
    pub(crate) fn new(path: impl Into<PathBuf>, access: RootAccess) -> Self {
        Self { path: path.into(), access, file: None }
    }
}

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

impl FileId {
    pub(crate) fn of(data: &std::fs::Metadata) -> Self {
        Self { device: data.dev(), inode: data.ino() }
    }

    pub(crate) fn of_stat(data: &rustix::fs::Stat) -> Self {
        Self { device: data.st_dev, inode: data.st_ino }
    }
}

/// The access at a path and beneath, unless a deeper path says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RootAccess {
    Read,
    /// Read and start programs.
    Exec,
    Write,
    /// Read, write and start programs.
    Full,
    /// Read alone, inside a place that can be written.
    Protected,
    /// Nothing, inside a place that can be read: a file seems empty, a folder too.
    Hidden,
}

impl RootAccess {
    /// Whether files there can be changed.
    pub(crate) fn writes(self) -> bool {
        match self {
            Self::Write | Self::Full => true,
            Self::Read | Self::Exec | Self::Protected | Self::Hidden => false,
        }
    }

    /// Combines both. A protected or hidden path stays so.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exec, Self::Write) | (Self::Write, Self::Exec) => Self::Full,
            (one, other) => one.max(other),
        }
    }
}

/// The most that one folder in memory may hold, if the job's memory is not smaller still.
const MOST_IN_MEMORY: u64 = 64 << 20;
/// The part of a job's memory that one folder in memory may take.
const PART_IN_MEMORY: u64 = 8;

/// Numbers for the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelBounds {
    pub(crate) wall_ms: u64,
    pub(crate) cpu_s: u64,
    pub(crate) memory: u64,
    pub(crate) file_size: u64,
    pub(crate) files: u64,
    pub(crate) processes: u64,
}

impl KernelBounds {
    /// The sizes of a jail's `/tmp` and `/dev/shm`, each: they are memory that
    /// no process has resident.
    pub(crate) fn in_memory(&self) -> u64 {
        MOST_IN_MEMORY.min(self.memory / PART_IN_MEMORY)
    }

    /// The memory that is left for the job's processes when the folders in memory are full.
    pub(crate) fn resident(&self) -> u64 {
        self.memory.saturating_sub(self.in_memory().saturating_mul(2))
    }
}

impl JailOrder {
    /// The innermost root that a path is or lies in. The roots are sorted.
    pub(crate) fn innermost(&self, path: &Path) -> Option<&JailRoot> {
        let find = |place: &Path| self.roots.binary_search_by(|root| root.path.as_path().cmp(place)).ok();
        path.ancestors().find_map(find).and_then(|at| self.roots.get(at))
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match &self.engine {
            JailEngine::Bubblewrap(program) => {
                out.push(b'b');
                put(&mut out, program.as_os_str().as_bytes());
            }
            JailEngine::Landlock => out.push(b'l'),
            JailEngine::Unconfined => out.push(b'u'),
        }
        put(&mut out, self.program.as_os_str().as_bytes());
        put_list(&mut out, self.args.iter(), |out, arg| put(out, arg.as_bytes()));
        put_list(&mut out, self.env.iter(), |out, (name, value)| {
            put(out, name.as_bytes());
            put(out, value.as_bytes());
        });
        put(&mut out, self.cwd.as_os_str().as_bytes());
        put_list(&mut out, self.roots.iter(), |out, root| {
            out.push(match root.access {
                RootAccess::Read => b'r',
                RootAccess::Exec => b'x',
                RootAccess::Write => b'w',
                RootAccess::Full => b'a',
                RootAccess::Protected => b'p',
                RootAccess::Hidden => b'h',
            });
            put(out, root.path.as_os_str().as_bytes());
            out.push(u8::from(root.file.is_some()));
            if let Some(FileId { device, inode }) = root.file {
                out.extend_from_slice(&device.to_le_bytes());
                out.extend_from_slice(&inode.to_le_bytes());
            }
        });
        put_list(&mut out, self.fixed.iter(), |out, (path, bytes)| {
            put(out, path.as_os_str().as_bytes());
            put(out, bytes);
        });
        out.push(u8::from(self.temporary.is_some()));
        if let Some(TemporaryFolder { folder, ways }) = &self.temporary {
            put(&mut out, folder.as_os_str().as_bytes());
            put_list(&mut out, ways.iter(), |out, way| put(out, way.as_os_str().as_bytes()));
        }
        out.push(match self.network {
            JailNetwork::None => b'n',
            JailNetwork::Proxied => b'p',
            JailNetwork::Open => b'o',
        });
        let KernelBounds { wall_ms, cpu_s, memory, file_size, files, processes } = self.bounds;
        for number in [wall_ms, cpu_s, memory, file_size, files, processes] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out
    }

    /// Reads an order; `None` if the bytes are not exactly one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = OrderReader(bytes);
        let engine = match from.byte()? {
            b'b' => JailEngine::Bubblewrap(from.path()?),
            b'l' => JailEngine::Landlock,
            b'u' => JailEngine::Unconfined,
            _ => return None,
        };
        let order = Self {
            engine,
            program: from.path()?,
            args: from.list(OrderReader::text)?,
            env: from.list(|from| Some((from.text()?, from.text()?)))?,
            cwd: from.path()?,
            roots: from.list(OrderReader::root)?,
            fixed: from.list(|from| Some((from.path()?, from.bytes()?.to_vec())))?,
            temporary: match from.byte()? {
                0 => None,
                1 => Some(TemporaryFolder {
                    folder: from.path()?,
                    ways: from.list(OrderReader::path)?.into_iter().collect(),
                }),
                _ => return None,
            },
            network: match from.byte()? {
                b'n' => JailNetwork::None,
                b'p' => JailNetwork::Proxied,
                b'o' => JailNetwork::Open,
                _ => return None,
            },
            bounds: KernelBounds {
                wall_ms: from.number()?,
                cpu_s: from.number()?,
                memory: from.number()?,
                file_size: from.number()?,
                files: from.number()?,
                processes: from.number()?,
            },
        };
        from.0.is_empty().then_some(order)
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn put_list<T>(out: &mut Vec<u8>, list: impl ExactSizeIterator<Item = T>, one: impl Fn(&mut Vec<u8>, T)) {
    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
    list.for_each(|item| one(out, item));
}

struct OrderReader<'a>(&'a [u8]);

impl<'a> OrderReader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    /// A text without NUL, which no program could be given.
    fn text(&mut self) -> Option<OsString> {
        let bytes = self.bytes()?;
        (!bytes.contains(&0)).then(|| OsString::from_vec(bytes.to_vec()))
    }

    fn path(&mut self) -> Option<PathBuf> {
        let path = PathBuf::from(self.text()?);
        is_plain(&path).then_some(path)
    }

    fn root(&mut self) -> Option<JailRoot> {
        let access = match self.byte()? {
            b'r' => RootAccess::Read,
            b'x' => RootAccess::Exec,
            b'w' => RootAccess::Write,
            b'a' => RootAccess::Full,
            b'p' => RootAccess::Protected,
            b'h' => RootAccess::Hidden,
            _ => return None,
        };
        let path = self.path()?;
        let file = match self.byte()? {
            0 => None,
            1 => Some(FileId { device: self.number()?, inode: self.number()? }),
            _ => return None,
        };
        Some(JailRoot { path, access, file })
    }

    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = usize::try_from(self.number()?).ok().filter(|length| *length <= MAX_LIST)?;
        (0..length).map(|_| one(self)).collect()
    }
}

/// Whether a path is absolute and has no dot components, so that its text alone defines it.
pub(crate) fn is_plain(path: &Path) -> bool {
    use std::path::Component::{Normal, RootDir};
    let text = path.as_os_str().as_bytes();
    // The standard library drops `/./` and `//` silently; here the text itself must be the path.
    let tidy = text == b"/"
        || !text.split(|byte| *byte == b'/').skip(1).any(|name| matches!(name, b"" | b"." | b".."));
    tidy && path.is_absolute() && path.components().all(|part| matches!(part, RootDir | Normal(_)))
}

/// The messages of a supervisor. Each is a frame with its length in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SupervisorMessage {
    Started,
    /// It does not, at this stage, for this error number.
    Failed {
        stage: u8,
        errno: i32,
        path: PathBuf,
    },
    /// Something appeared under a protected name, and this became of it.
    Appeared(ProtectedName),
    /// It ran and is gone, with everything that it started.
    Ended {
        cause: EndCause,
        status: ProcessStatus,
    },
}

/// The cause of a job's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndCause {
    Itself,
    Clock,
    Asked,
    Memory,
    Protected,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessStatus {
    Exited(i32),
    Signalled(i32),
}

impl SupervisorMessage {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        match self {
            Self::Started => body.push(b's'),
            Self::Failed { stage, errno, path } => {
                body.extend([b'f', *stage]);
                body.extend(errno.to_le_bytes());
                body.extend_from_slice(path.as_os_str().as_bytes());
            }
            Self::Appeared(ProtectedName { path, fate }) => {
                let (kind, aside) = match fate {
                    ProtectedNameFate::Removed => (b'r', Path::new("")),
                    ProtectedNameFate::SetAside(aside) => (b'a', aside.as_path()),
                    ProtectedNameFate::Stays => (b's', Path::new("")),
                };
                body.extend([b'n', kind]);
                put(&mut body, path.as_os_str().as_bytes());
                body.extend_from_slice(aside.as_os_str().as_bytes());
            }
            Self::Ended { cause, status } => {
                body.extend([
                    b'e',
                    match cause {
                        EndCause::Itself => b'i',
                        EndCause::Clock => b'c',
                        EndCause::Asked => b'a',
                        EndCause::Memory => b'm',
                        EndCause::Protected => b'p',
                    },
                ]);
                let (kind, value) = match status {
                    ProcessStatus::Exited(value) => (b'x', value),
                    ProcessStatus::Signalled(value) => (b's', value),
                };
                body.push(kind);
                body.extend(value.to_le_bytes());
            }
        }
        let mut frame = u32::try_from(body.len()).unwrap_or_default().to_le_bytes().to_vec();
        frame.append(&mut body);
        frame
    }

    /// Reads the body of one frame.
    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        let mut from = OrderReader(body);
        match from.byte()? {
            b's' => Some(Self::Started),
            b'f' => {
                let stage = from.byte()?;
                let errno = i32::from_le_bytes(from.take(4)?.try_into().ok()?);
                Some(Self::Failed { stage, errno, path: OsString::from_vec(from.0.to_vec()).into() })
            }
            b'n' => {
                let kind = from.byte()?;
                let path = PathBuf::from(from.text()?);
                let fate = match kind {
                    b'r' => ProtectedNameFate::Removed,
                    b'a' => ProtectedNameFate::SetAside(OsString::from_vec(from.0.to_vec()).into()),
                    b's' => ProtectedNameFate::Stays,
                    _ => return None,
                };
                Some(Self::Appeared(ProtectedName { path, fate }))
            }
            b'e' => {
                let cause = match from.byte()? {
                    b'i' => EndCause::Itself,
                    b'c' => EndCause::Clock,
                    b'a' => EndCause::Asked,
                    b'm' => EndCause::Memory,
                    b'p' => EndCause::Protected,
                    _ => return None,
                };
                let kind = from.byte()?;
                let value = i32::from_le_bytes(from.take(4)?.try_into().ok()?);
                let status = match kind {
                    b'x' => ProcessStatus::Exited(value),
                    b's' => ProcessStatus::Signalled(value),
                    _ => return None,
                };
                Some(Self::Ended { cause, status })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
