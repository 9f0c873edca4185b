//! A folder for databases, on the disk that the build output is on: in memory a sync would cost nothing.

use std::{fs, path::PathBuf, process, sync::OnceLock};

use holm_bench_kit as kit;
use holm_store::Store;
use tokio::runtime::{Builder, Runtime};

/// The store that all timed sessions share, as the sessions of one program do.
static STORE: OnceLock<Store> = OnceLock::new();

/// Where a database of that name goes; each process has its own.
pub fn database(name: &str) -> PathBuf {
    let folder = folder();
    fs::create_dir_all(&folder).expect("the build output can be written");
    folder.join(format!("{name}.db"))
}

/// The shared store.
pub fn store() -> Store {
    STORE.get_or_init(|| open("turns")).clone()
}

/// A store of its own.
pub fn open(name: &str) -> Store {
    small_runtime().block_on(Store::open(database(name))).expect("a store can be made")
}

/// The cheapest runtime.
pub fn small_runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime can be made")
}

/// Two threads, as on a small machine.
pub fn wide_runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime can be made")
}

/// Removes everything; what is still open goes when the process ends.
pub fn clean() {
    // Nothing was written, or somebody has removed it already.
    let _ = fs::remove_dir_all(folder());
}

fn folder() -> PathBuf {
    kit::folder().join(format!("scratch.{}", process::id()))
}
