//! A WASM host that is created when it is first needed. Most runs call no guest, and the engine
//! takes time and memory.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::wasm::WasmHost;

/// A [`WasmHost`] that is created at its first use. Clones share it.
#[derive(Clone)]
pub struct LazyWasmHost(Arc<LazyHostState>);

struct LazyHostState {
    make: Box<dyn Fn() -> Result<WasmHost, String> + Send + Sync>,
    made: OnceLock<Result<WasmHost, String>>,
}

impl LazyWasmHost {
    /// Says how it is made.
    pub fn new(make: impl Fn() -> Result<WasmHost, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(LazyHostState { make: Box::new(make), made: OnceLock::new() }))
    }

    /// The host; the first caller waits until it is created.
    ///
    /// # Errors
    ///
    /// Where it could not be made, each time for the same reason.
    pub fn get(&self) -> Result<&WasmHost, &str> {
        self.0.made.get_or_init(&self.0.make).as_ref().map_err(String::as_str)
    }
}

impl From<WasmHost> for LazyWasmHost {
    fn from(host: WasmHost) -> Self {
        Self::new(move || Ok(host.clone()))
    }
}

impl fmt::Debug for LazyWasmHost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LazyWasmHost").field("made", &self.0.made.get().is_some()).finish_non_exhaustive()
    }
}
