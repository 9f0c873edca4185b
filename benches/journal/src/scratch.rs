//! A folder for journals, on the disk that the build output is on: in memory a sync would cost nothing.

use std::{fs, path::PathBuf, process};

use holm_bench_kit as kit;
use tokio::runtime::{Builder, Runtime};

/// An empty folder of that name; each process has its own.
pub fn folder(name: &str) -> PathBuf {
    let folder = all().join(name);
    fs::create_dir_all(&folder).expect("the build output can be written");
    folder
}

/// The cheapest runtime.
pub fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime can be made")
}

/// Removes everything; what is still open goes when the process ends.
pub fn clean() {
    // Nothing was written, or somebody has removed it already.
    let _ = fs::remove_dir_all(all());
}

fn all() -> PathBuf {
    kit::folder().join(format!("scratch.journal.{}", process::id()))
}
