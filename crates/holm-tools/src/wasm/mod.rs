//! A WASM file as a tool: it describes itself, starts in microseconds, and can do nothing that was not granted.
//!
//! ```text
//!  x.wasm ──► Sandbox::load ──► describe, with no grants ──► Tool + CallPlan     (once, by WasmLoader)
//!  call ──► arguments → words ──► needs → policy ──► fresh instance ──► output    (each time, by WasmTool)
//! ```
//!
//! What a file says about itself it says by its help text (`-h`, `--help`), by a custom section `holm:tool`, or by the
//! interface `holm:tool/description`; a sidecar may correct it. None of them grants anything: what a tool asks for
//! becomes what its calls need, and the kernel decides about needs. A call then runs with exactly the needs that were
//! allowed, as the sandbox's policy.
//!
//! Secrets never enter a guest. Where a call was allowed to use one, the guest writes the reference `‹secret:name›` into a
//! header, and it is replaced on the way out, for the hosts that the grant names.

mod about;
mod calling;
mod describe;
mod floor;
mod host;
mod inspection;
mod loader;
mod outbound;
mod output;
mod policy;
mod tool;

pub use floor::least_level;
pub use host::{WasmHost, WasmSettings};
pub use inspection::{Inspection, SaidBy};
pub use loader::{OnProgress, WasmLoader};
pub use outbound::Network;
pub use tool::WasmTool;
