//! The configuration of a guest (`wasi:config/store`): the variables that its call was granted. It
//! is another way to read what the environment shows, and shows nothing else.

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Linker, Lower};

use crate::state::GuestState;

/// The interface with its version, which must be equal: it is a release candidate.
const STORE: &str = "wasi:config/store@0.2.0-rc.1";

/// Why a value cannot be read. The variables of a call are in memory, so none of these happens.
#[derive(ComponentType, Lift, Lower)]
#[component(variant)]
enum ConfigStoreError {
    #[component(name = "upstream")]
    Upstream(String),
    #[component(name = "io")]
    Io(String),
}

type StoredValue = (Result<Option<String>, ConfigStoreError>,);
type StoredPairs = (Result<Vec<(String, String)>, ConfigStoreError>,);

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut store = linker.instance(STORE)?;
    store.func_wrap("get", get)?;
    store.func_wrap("get-all", get_all)?;
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "the linker hands the store over")]
fn get(store: StoreContextMut<'_, GuestState>, (key,): (String,)) -> wasmtime::Result<StoredValue> {
    let found = store.data().env.iter().find(|(name, _)| *name == key);
    Ok((Ok(found.map(|(_, value)| value.clone())),))
}

#[expect(clippy::needless_pass_by_value, reason = "the linker hands the store over")]
fn get_all(store: StoreContextMut<'_, GuestState>, (): ()) -> wasmtime::Result<StoredPairs> {
    Ok((Ok(store.data().env.clone()),))
}
