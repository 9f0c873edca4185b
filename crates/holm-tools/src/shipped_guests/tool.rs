//! A guest of the program as a tool. It is declared from what the build wrote down, and unpacked at
//! its first call. How a guest is unpacked is in `guest.rs`, and how it runs in `wasm/tool.rs`.
//! Unpacking blocks, so it never runs on an async worker.

use std::fmt;
use std::sync::{Arc, OnceLock};

use holm_kernel::ToolOutput;
use holm_runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation};

use super::lazy_host::LazyWasmHost;
use super::{ShippedGuest, all};
use crate::registry::ToolOffer;
use crate::wasm::WasmTool;

/// A guest of the program as a tool. Its description is known from the start, and the guest is
/// unpacked at its first call.
pub struct ShippedTool {
    declaration: holm_kernel::ToolSpec,
    keywords: Vec<String>,
    inner: Arc<ShippedToolState>,
}

struct ShippedToolState {
    guest: &'static ShippedGuest,
    host: LazyWasmHost,
    opened: OnceLock<Result<WasmTool, String>>,
}

impl ShippedTool {
    /// The guest as a tool of this host; `None` if it was not prepared when the program was built.
    #[must_use]
    pub fn of(guest: &'static ShippedGuest, host: &LazyWasmHost) -> Option<Self> {
        let (declaration, keywords) = guest.declaration()?;
        let inner = ShippedToolState { guest, host: host.clone(), opened: OnceLock::new() };
        Some(Self { declaration, keywords, inner: Arc::new(inner) })
    }

    /// All that this program holds and that are prepared.
    pub fn all(host: &LazyWasmHost) -> impl Iterator<Item = Self> {
        all().iter().filter_map(|guest| Self::of(guest, host))
    }

    /// The offer for the registry.
    #[must_use]
    pub fn offer(self) -> ToolOffer {
        let keywords = self.keywords.clone();
        ToolOffer::new(Arc::new(self)).keywords(keywords)
    }
}

impl ShippedToolState {
    /// Blocks, the first time.
    fn open(&self) -> Result<&WasmTool, &str> {
        let open = || {
            let opened = self.guest.open(self.host.get()?, &mut |_| {});
            opened.map(|(tool, _)| tool).map_err(|error| error.to_string())
        };
        self.opened.get_or_init(open).as_ref().map_err(String::as_str)
    }
}

impl Tool for ShippedTool {
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        if let Some(Ok(tool)) = self.inner.opened.get() {
            return tool.run(job);
        }
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let opening = Arc::clone(&inner);
            // Taking it out computes for a while, which does not belong on an async worker.
            let opened = tokio::task::spawn_blocking(move || match opening.open() {
                Ok(_) => Ok(()),
                Err(why) => Err(why.to_owned()),
            });
            let opened = tokio::select! {
                biased;
                opened = opened => opened.unwrap_or_else(|error| Err(error.to_string())),
                () = job.stop.cancelled() => Err("it was stopped before it started".to_owned()),
            };
            match (opened, inner.opened.get()) {
                (Ok(()), Some(Ok(tool))) => tool.run(job).await,
                (Ok(()), _) => ToolOutput::failed("the guest could not be opened"),
                (Err(why), _) => ToolOutput::failed(why),
            }
        })
    }

    fn reveal(&self) -> SecretReveal {
        SecretReveal::OnTheWayOut
    }
}

impl fmt::Debug for ShippedTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ShippedTool").field("name", &self.declaration.name).finish_non_exhaustive()
    }
}
