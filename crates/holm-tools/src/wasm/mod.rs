//! A WASM file as a tool: it describes itself, starts in microseconds, and can do nothing
//! that was not granted.
//!
//! ```text
//!  x.wasm ──► Sandbox::load ──► describe, with no grants ──► CatalogueTool + CallPlan  (once, WasmLoader)
//!  call ──► arguments → words ──► needs → policy ──► fresh instance ──► output  (each time, WasmTool)
//! ```
//!
//! A file describes itself by its help text (`-h`, `--help`), by a custom section `holm:tool`, or
//! by the interface `holm:tool/description`; a sidecar may correct it. None of them grants
//! anything: what a tool asks for becomes a need of its calls, and the kernel decides about needs.
//! A call then runs with exactly the allowed needs as the sandbox's policy.
//!
//! Secrets never enter a guest. If a call was allowed to use a secret, the guest writes the
//! reference `‹secret:name›` into a header. It is replaced on the way out, for the hosts
//! that the grant names.
//!
//! Where things are:
//! - `loader.rs`: files of a folder. `tool.rs`: one tool, and its calls. `host.rs`: what all share.
//! - `describe.rs`, `manifest.rs`, `inspection.rs`: what a guest says about itself.
//! - `calling_convention.rs`: how it gets its arguments. `output.rs`, `debug_form.rs`: what the model
//!   reads.
//! - `policy.rs`, `minimum_level.rs`: what a call may do. `guest_network.rs`: the network.

mod calling_convention;
mod debug_form;
mod describe;
mod guest_network;
mod host;
mod inspection;
mod loader;
mod manifest;
mod minimum_level;
mod output;
mod policy;
mod tool;

pub use guest_network::GuestNetwork;
pub use host::{WasmHost, WasmSettings};
pub use inspection::{DescriptionSource, GuestInspection, NeedsSource};
pub use loader::{CompileProgressCallback, WasmLoader};
pub use manifest::declared_asks;
pub use minimum_level::least_level;
pub use tool::WasmTool;
