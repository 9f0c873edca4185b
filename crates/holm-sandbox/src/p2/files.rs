//! Files for components. The call's own files decide about every path; operations without a path
//! are left to wasmtime's implementation.
//!
//! Opening and every other decision is in `files/guest_files.rs`; an operation that takes a path
//! must not be left to wasmtime, which knows no policy. A handle keeps the access that it was
//! opened with. Listings are read entry by entry, because a folder may have millions. Reading and
//! writing as streams is in `p2/streams.rs`, the same for modules in `p1/path.rs`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{FileType, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::io::Errno;
use wasmtime::component::{HasData, Resource};
use wasmtime_wasi::filesystem::{Descriptor, File, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, DirectoryEntryStream, ErrorCode,
    Filesize, Host, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags,
    PathFlags,
};
use wasmtime_wasi::p2::bindings::{clocks::wall_clock::Datetime, filesystem::preopens};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};
use wasmtime_wasi::{FsPerms, OpenMode, ResourceTable};

use super::streams::{FileReader, FileWriter, WritePosition, may_reach};
use crate::files::{FileOpenOptions, FileStat, GuestFiles, GuestPath, LinkFollowing, NodeKind, directory};
use crate::lease::HandleLease;
use crate::state::GuestState;

pub(super) struct FilesHost;

impl HasData for FilesHost {
    type Data<'a> = FilesView<'a>;
}

/// The files of a call, borrowed for one host call.
pub(super) struct FilesView<'a> {
    files: &'a GuestFiles,
    held: &'a mut HashMap<u32, OpenFileState>,
    table: &'a mut ResourceTable,
    ctx: &'a mut WasiFilesystemCtx,
}

pub(super) fn view(state: &mut GuestState) -> FilesView<'_> {
    FilesView {
        files: &state.files,
        held: &mut state.held,
        table: &mut state.table,
        ctx: &mut state.filesystem,
    }
}

type DescriptorHandle = Resource<Descriptor>;

/// Our own data about an open file or directory, in addition to wasmtime's.
#[derive(Debug, Clone)]
pub(crate) struct OpenFileState {
    guest_path: GuestPath,
    /// None for the directories that the call was given: those are open anyway.
    lease: Option<Arc<HandleLease>>,
    /// The size of the file when it was opened: how much room a read of all of it needs.
    size: u64,
}

/// A listing on its way: read entry by entry, because a folder may have millions.
struct DirectoryListing {
    entries: rustix::fs::Dir,
    guest_path: GuestPath,
    _lease: HandleLease,
}

/// The most that is read at once; the host has to hold it, and a guest that needs more asks again.
const MAX_READ: usize = 1 << 20;
/// The number of hidden entries between two checks whether the call is over.
const BETWEEN_LOOKS: usize = 64;

impl FilesView<'_> {
    /// The engine's makers' own implementation, for what needs no path.
    fn theirs(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView { ctx: self.ctx, table: self.table }
    }

    /// The path of an open directory.
    fn dir(&self, handle: &DescriptorHandle) -> FsResult<GuestPath> {
        match self.table.get(handle)? {
            Descriptor::Dir(_) => {}
            Descriptor::File(_) => return Err(ErrorCode::NotDirectory.into()),
        }
        Ok(self.held(handle)?.guest_path)
    }

    fn held(&self, handle: &DescriptorHandle) -> FsResult<OpenFileState> {
        Ok(self.held.get(&handle.rep()).cloned().ok_or(ErrorCode::BadDescriptor)?)
    }

    fn file(&self, handle: &DescriptorHandle) -> FsResult<&File> {
        match self.table.get(handle)? {
            Descriptor::File(file) => Ok(file),
            Descriptor::Dir(_) => Err(ErrorCode::IsDirectory.into()),
        }
    }

    /// A file that was opened for reading. The policy decided only about the access that was asked
    /// for at the opening.
    fn readable(&self, handle: &DescriptorHandle) -> FsResult<&File> {
        let file = self.file(handle)?;
        if file.open_mode.contains(OpenMode::READ) { Ok(file) } else { Err(ErrorCode::BadDescriptor.into()) }
    }

    /// The lease of an open file.
    fn lease(&self, handle: &DescriptorHandle) -> FsResult<Arc<HandleLease>> {
        Ok(self.held(handle)?.lease.ok_or(ErrorCode::BadDescriptor)?)
    }

    /// An open file that may be changed.
    fn writable(&self, handle: &DescriptorHandle) -> FsResult<&File> {
        let file = self.file(handle)?;
        if file.perms == FsPerms::ReadOnly {
            return Err(ErrorCode::NotPermitted.into());
        }
        Ok(file)
    }

    fn push(&mut self, descriptor: Descriptor, held: OpenFileState) -> FsResult<DescriptorHandle> {
        let handle = self.table.push(descriptor)?;
        self.held.insert(handle.rep(), held);
        Ok(handle)
    }

    /// Opens a file or directory beneath an open directory.
    pub(super) fn open(
        &mut self,
        handle: &DescriptorHandle,
        path_flags: PathFlags,
        path: &str,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<DescriptorHandle> {
        let options = FileOpenOptions {
            read: flags.contains(DescriptorFlags::READ),
            write: flags.contains(DescriptorFlags::WRITE),
            create: open.contains(OpenFlags::CREATE),
            exclusive: open.contains(OpenFlags::EXCLUSIVE),
            truncate: open.contains(OpenFlags::TRUNCATE),
            directory: open.contains(OpenFlags::DIRECTORY),
            append: false,
        };
        let from = self.dir(handle)?;
        let opened = self.files.open(&from, path, follow(path_flags), options).map_err(error)?;
        let held = OpenFileState {
            guest_path: opened.guest_path,
            lease: Some(Arc::new(opened.lease)),
            size: opened.size,
        };
        let descriptor = match opened.node {
            NodeKind::Directory => Descriptor::Dir(directory(opened.file)),
            NodeKind::File | NodeKind::Link | NodeKind::Other => {
                let mut mode = OpenMode::empty();
                mode.set(OpenMode::READ, options.read);
                mode.set(OpenMode::WRITE, options.write);
                let perms = if options.write { FsPerms::ReadWrite } else { FsPerms::ReadOnly };
                Descriptor::File(File::new(opened.file, perms, mode, true))
            }
        };
        self.push(descriptor, held)
    }

    /// The bytes of a file from an offset on, and whether the file ends there. A short read is
    /// continued: not every file system returns everything at once.
    pub(super) fn read_at(
        &self,
        handle: &DescriptorHandle,
        len: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        let file = self.readable(handle)?;
        let wanted = usize::try_from(len).unwrap_or(usize::MAX).min(MAX_READ);
        // One byte more than there was, so that the end shows. A file that has grown since is read
        // on with more room.
        let size = self.held.get(&handle.rep()).map_or(0, |held| held.size);
        let expected = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX).saturating_add(1);
        let mut bytes = Vec::with_capacity(wanted.min(expected));
        while bytes.len() < wanted {
            if bytes.len() == bytes.capacity() {
                bytes.reserve(wanted - bytes.len());
            }
            let from = offset.saturating_add(bytes.len() as u64);
            match rustix::io::pread(&*file.file, rustix::buffer::spare_capacity(&mut bytes), from) {
                Ok(0) => return Ok((bytes, true)),
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(error(errno)),
            }
        }
        // There may have been more room than was asked for.
        bytes.truncate(wanted);
        // A read of zero bytes is complete.
        Ok((bytes, wanted == 0))
    }

    fn writer(
        &mut self,
        handle: &DescriptorHandle,
        position: WritePosition,
    ) -> FsResult<Resource<DynOutputStream>> {
        let file = Arc::clone(&self.writable(handle)?.file);
        let (quota, lease) = (self.files.quota.clone(), self.lease(handle)?);
        let writer: DynOutputStream = Box::new(FileWriter { file, _lease: lease, quota, position });
        Ok(self.table.push(writer)?)
    }
}

impl preopens::Host for FilesView<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(DescriptorHandle, String)>> {
        // The one handle of the call again, so that asking often takes none.
        let files = self.files;
        let given = files.access.given().enumerate();
        given
            .map(|(index, (dir, name))| {
                let held = OpenFileState { guest_path: GuestPath::root(index), lease: None, size: 0 };
                let handle = self.push(Descriptor::Dir(dir.clone()), held).map_err(wasmtime::Error::from)?;
                Ok((handle, name.to_owned()))
            })
            .collect()
    }
}

impl Host for FilesView<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        let error = self.table.get(&error)?;
        Ok(error.downcast_ref::<std::io::Error>().map(ErrorCode::from))
    }
}

impl HostDescriptor for FilesView<'_> {
    fn read_via_stream(
        &mut self,
        handle: DescriptorHandle,
        offset: Filesize,
    ) -> FsResult<Resource<DynInputStream>> {
        let file = Arc::clone(&self.readable(&handle)?.file);
        let reader: DynInputStream = Box::new(FileReader { file, _lease: self.lease(&handle)?, offset });
        Ok(self.table.push(reader)?)
    }

    fn write_via_stream(
        &mut self,
        handle: DescriptorHandle,
        offset: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.writer(&handle, WritePosition::At(offset))
    }

    fn append_via_stream(&mut self, handle: DescriptorHandle) -> FsResult<Resource<DynOutputStream>> {
        self.writer(&handle, WritePosition::End)
    }

    async fn advise(
        &mut self,
        handle: DescriptorHandle,
        _: Filesize,
        _: Filesize,
        _: Advice,
    ) -> FsResult<()> {
        // Advice may be ignored; it must only be about a file.
        self.file(&handle).map(|_| ())
    }

    async fn sync_data(&mut self, handle: DescriptorHandle) -> FsResult<()> {
        self.theirs().sync_data(handle).await
    }

    async fn get_flags(&mut self, handle: DescriptorHandle) -> FsResult<DescriptorFlags> {
        self.theirs().get_flags(handle).await
    }

    async fn get_type(&mut self, handle: DescriptorHandle) -> FsResult<DescriptorType> {
        self.theirs().get_type(handle).await
    }

    async fn set_size(&mut self, handle: DescriptorHandle, size: Filesize) -> FsResult<()> {
        may_reach(&self.files.quota, &self.writable(&handle)?.file, size)?;
        self.theirs().set_size(handle, size).await
    }

    async fn set_times(
        &mut self,
        handle: DescriptorHandle,
        atim: NewTimestamp,
        mtim: NewTimestamp,
    ) -> FsResult<()> {
        if let Descriptor::Dir(_) = self.table.get(&handle)? {
            let guest_path = self.dir(&handle)?;
            let times = timestamps(atim, mtim)?;
            return self.files.set_times(&guest_path, ".", &times).map_err(error);
        }
        self.theirs().set_times(handle, atim, mtim).await
    }

    async fn read(
        &mut self,
        handle: DescriptorHandle,
        len: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        self.read_at(&handle, len, offset)
    }

    async fn write(
        &mut self,
        handle: DescriptorHandle,
        bytes: Vec<u8>,
        offset: Filesize,
    ) -> FsResult<Filesize> {
        let end = offset.saturating_add(bytes.len() as u64);
        may_reach(&self.files.quota, &self.writable(&handle)?.file, end)?;
        self.files.quota.take(bytes.len()).map_err(FsError::trap)?;
        self.theirs().write(handle, bytes, offset).await
    }

    async fn read_directory(&mut self, handle: DescriptorHandle) -> FsResult<Resource<DirectoryEntryStream>> {
        let guest_path = self.dir(&handle)?;
        self.files.may_list(&guest_path).map_err(error)?;
        let Descriptor::Dir(dir) = self.table.get(&handle)? else {
            return Err(ErrorCode::NotDirectory.into());
        };
        let lease = self.files.leases.take().ok_or_else(|| error(Errno::MFILE))?;
        let entries = rustix::fs::Dir::read_from(&*dir.dir).map_err(error)?;
        let listing = self.table.push(DirectoryListing { entries, guest_path, _lease: lease })?;
        // The guest knows it by the name of wasmtime's own type, which would hold the whole folder.
        Ok(Resource::new_own(listing.rep()))
    }

    async fn sync(&mut self, handle: DescriptorHandle) -> FsResult<()> {
        self.theirs().sync(handle).await
    }

    async fn create_directory_at(&mut self, handle: DescriptorHandle, path: String) -> FsResult<()> {
        self.files.create_directory(&self.dir(&handle)?, &path).map_err(error)
    }

    async fn stat(&mut self, handle: DescriptorHandle) -> FsResult<DescriptorStat> {
        self.theirs().stat(handle).await
    }

    async fn stat_at(
        &mut self,
        handle: DescriptorHandle,
        flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        let stat = self.files.stat(&self.dir(&handle)?, &path, follow(flags)).map_err(error)?;
        Ok(DescriptorStat::from(&stat))
    }

    async fn set_times_at(
        &mut self,
        handle: DescriptorHandle,
        _flags: PathFlags,
        path: String,
        atim: NewTimestamp,
        mtim: NewTimestamp,
    ) -> FsResult<()> {
        let times = timestamps(atim, mtim)?;
        self.files.set_times(&self.dir(&handle)?, &path, &times).map_err(error)
    }

    async fn link_at(
        &mut self,
        handle: DescriptorHandle,
        _flags: PathFlags,
        path: String,
        new_handle: DescriptorHandle,
        new_path: String,
    ) -> FsResult<()> {
        self.files.link(&self.dir(&handle)?, &path, &self.dir(&new_handle)?, &new_path).map_err(error)
    }

    async fn open_at(
        &mut self,
        handle: DescriptorHandle,
        path_flags: PathFlags,
        path: String,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<DescriptorHandle> {
        self.open(&handle, path_flags, &path, open, flags)
    }

    async fn readlink_at(&mut self, handle: DescriptorHandle, path: String) -> FsResult<String> {
        self.files.read_link(&self.dir(&handle)?, &path).map_err(error)
    }

    async fn remove_directory_at(&mut self, handle: DescriptorHandle, path: String) -> FsResult<()> {
        self.files.remove_directory(&self.dir(&handle)?, &path).map_err(error)
    }

    async fn rename_at(
        &mut self,
        handle: DescriptorHandle,
        path: String,
        new_handle: DescriptorHandle,
        new_path: String,
    ) -> FsResult<()> {
        self.files.rename(&self.dir(&handle)?, &path, &self.dir(&new_handle)?, &new_path).map_err(error)
    }

    async fn symlink_at(&mut self, handle: DescriptorHandle, _target: String, path: String) -> FsResult<()> {
        Err(error(self.files.refuse_link(&self.dir(&handle)?, &path)))
    }

    async fn unlink_file_at(&mut self, handle: DescriptorHandle, path: String) -> FsResult<()> {
        self.files.unlink(&self.dir(&handle)?, &path).map_err(error)
    }

    async fn is_same_object(&mut self, a: DescriptorHandle, b: DescriptorHandle) -> wasmtime::Result<bool> {
        self.theirs().is_same_object(a, b).await
    }

    async fn metadata_hash(&mut self, handle: DescriptorHandle) -> FsResult<MetadataHashValue> {
        let file = match self.table.get(&handle)? {
            Descriptor::File(file) => &file.file,
            Descriptor::Dir(dir) => &dir.dir,
        };
        Ok(identity(&FileStat::of(&**file).map_err(error)?))
    }

    async fn metadata_hash_at(
        &mut self,
        handle: DescriptorHandle,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        let stat = self.files.stat(&self.dir(&handle)?, &path, follow(flags)).map_err(error)?;
        Ok(identity(&stat))
    }

    fn drop(&mut self, handle: DescriptorHandle) -> wasmtime::Result<()> {
        self.held.remove(&handle.rep());
        self.table.delete(handle)?;
        Ok(())
    }
}

impl HostDirectoryEntryStream for FilesView<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        let listing = self.table.get_mut(&Resource::<DirectoryListing>::new_borrow(stream.rep()))?;
        for passed in 1_usize.. {
            let Some(entry) = listing.entries.read() else { break };
            let entry = entry.map_err(error)?;
            if passed.is_multiple_of(BETWEEN_LOOKS) {
                self.files.term.check().map_err(FsError::trap)?;
            }
            // An entry whose name is not UTF-8 does not exist for a guest.
            let Ok(name) = entry.file_name().to_str() else { continue };
            if !matches!(name, "." | "..") && self.files.shows(&listing.guest_path, name) {
                let type_ = kind(self.files, &listing.guest_path, name, entry.file_type());
                return Ok(Some(DirectoryEntry { type_, name: name.to_owned() }));
            }
        }
        Ok(None)
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.table.delete(Resource::<DirectoryListing>::new_own(stream.rep()))?;
        Ok(())
    }
}

/// The type of an entry. Some file systems do not report it in a listing.
fn kind(files: &GuestFiles, dir: &GuestPath, name: &str, file_type: FileType) -> DescriptorType {
    match file_type {
        FileType::RegularFile => DescriptorType::RegularFile,
        FileType::Directory => DescriptorType::Directory,
        FileType::Symlink => DescriptorType::SymbolicLink,
        FileType::Unknown => files
            .stat(dir, name, LinkFollowing::No)
            .map_or(DescriptorType::Unknown, |stat| DescriptorStat::from(&stat).type_),
        _ => DescriptorType::Unknown,
    }
}

/// The identity of a file, the same by handle and by path: guests' libraries compare the two.
fn identity(stat: &FileStat) -> MetadataHashValue {
    MetadataHashValue { lower: stat.inode, upper: stat.device }
}

fn follow(flags: PathFlags) -> LinkFollowing {
    if flags.contains(PathFlags::SYMLINK_FOLLOW) { LinkFollowing::Yes } else { LinkFollowing::No }
}

fn error(errno: Errno) -> FsError {
    ErrorCode::from(std::io::Error::from(errno)).into()
}

impl From<&FileStat> for DescriptorStat {
    fn from(stat: &FileStat) -> Self {
        let type_ = match stat.node {
            NodeKind::File => DescriptorType::RegularFile,
            NodeKind::Directory => DescriptorType::Directory,
            NodeKind::Link => DescriptorType::SymbolicLink,
            NodeKind::Other => DescriptorType::Unknown,
        };
        Self {
            type_,
            link_count: stat.links,
            size: stat.size,
            data_access_timestamp: Some(datetime(stat.accessed)),
            data_modification_timestamp: Some(datetime(stat.modified)),
            status_change_timestamp: Some(datetime(stat.changed)),
        }
    }
}

fn datetime(nanoseconds: u64) -> Datetime {
    let time = Duration::from_nanos(nanoseconds);
    Datetime { seconds: time.as_secs(), nanoseconds: time.subsec_nanos() }
}

fn timestamps(access: NewTimestamp, modification: NewTimestamp) -> FsResult<Timestamps> {
    Ok(Timestamps { last_access: timespec(access)?, last_modification: timespec(modification)? })
}

fn timespec(time: NewTimestamp) -> FsResult<Timespec> {
    Ok(match time {
        NewTimestamp::NoChange => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        NewTimestamp::Now => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        NewTimestamp::Timestamp(time) => {
            let seconds = i64::try_from(time.seconds).map_err(|_| ErrorCode::Overflow)?;
            // The system would read huge fractions as commands.
            if time.nanoseconds >= 1_000_000_000 {
                return Err(ErrorCode::Invalid.into());
            }
            Timespec { tv_sec: seconds, tv_nsec: time.nanoseconds.into() }
        }
    })
}

#[cfg(test)]
mod tests;
