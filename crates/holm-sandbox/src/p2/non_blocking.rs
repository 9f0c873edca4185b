//! The part of WASI 0.2 that waits for nothing but the disk, for guests that import nothing else.
//!
//! A guest that may wait runs on its own stack and under a runtime, so that waiting can be cut
//! short. Creating both takes longer than a small guest works. A guest that needs only this part,
//! such as one that reads a file, needs neither.

use wasmtime::component::{Linker, Resource, ResourceType};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, Filesize, HostDescriptor, OpenFlags, PathFlags,
};

use super::files::view;
use crate::state::GuestState;

/// Any version of WASI 0.2 that a guest names is this one to the linker.
const PREOPENS: &str = "wasi:filesystem/preopens@0.2.0";
const TYPES: &str = "wasi:filesystem/types@0.2.0";

type PromptDescriptor = Resource<Descriptor>;

/// Adds the imports of a guest that is called without its own stack.
pub(crate) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut types = linker.instance(TYPES)?;
    types.resource("descriptor", ResourceType::host::<Descriptor>(), |mut store, rep| {
        HostDescriptor::drop(&mut view(store.data_mut()), PromptDescriptor::new_own(rep))
    })?;
    types.func_wrap("[method]descriptor.open-at", |mut store, asked: OpenArguments| {
        let (handle, path_flags, path, open, flags) = asked;
        guest_result(view(store.data_mut()).open(&handle, path_flags, &path, open, flags))
    })?;
    types.func_wrap(
        "[method]descriptor.read",
        |mut store, asked: (PromptDescriptor, Filesize, Filesize)| {
            let (handle, len, offset) = asked;
            guest_result(view(store.data_mut()).read_at(&handle, len, offset))
        },
    )?;
    let mut preopens = linker.instance(PREOPENS)?;
    preopens
        .func_wrap("get-directories", |mut store, (): ()| Ok((view(store.data_mut()).get_directories()?,)))
}

/// The arguments of `open-at`.
type OpenArguments = (PromptDescriptor, PathFlags, String, OpenFlags, DescriptorFlags);

/// Returns errors that the guest may see as values; an error that ends the guest stays an error.
fn guest_result<T>(result: FsResult<T>) -> wasmtime::Result<(Result<T, ErrorCode>,)> {
    match result {
        Ok(value) => Ok((Ok(value),)),
        Err(error) => Ok((Err(error.downcast()?),)),
    }
}
