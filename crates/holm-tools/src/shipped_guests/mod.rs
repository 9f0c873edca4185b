//! The guests that come inside the binary, so that Holm works from one file.
//!
//! They are packed at build time from `guests/dist`, which `make guests` makes. There they are also
//! prepared: compiled for every processor of the family, and asked for their descriptions. So a
//! program offers them without starting the engine and runs them without a compiler. A build
//! without that folder holds no guests. If its guests are not prepared, a program compiles them
//! like any other file. If there is compiled code for the target machines, the build may keep only
//! the outline of a guest (`HOLM_GUESTS_OUTLINES=yes`). The distributed program is then smaller and
//! has less to unpack at the first call.
//!
//! Guests have much in common: the standard library, the Unicode tables, the regex parser. So a
//! guest may be compressed against a similar one, whose bytes are unpacked first. Guests that are
//! called at every turn depend on no other guest, or on a small one.
//!
//! Where things are:
//! - `guest.rs`: one guest, and how it is unpacked. `tool.rs`: the guest as a tool that is unpacked
//!   late.
//! - `lazy_host.rs`: the engine, made at its first use.
//! - `prepare.rs`: compiles and describes guests before a build.
//! - `pack.rs`, `outline.rs`, `calls.rs`, `compressed_bytes.rs`: the packed form.
//!
//! Running a guest is in `wasm/tool.rs` and the crate `holm-sandbox`.

mod calls;
mod compressed_bytes;
mod guest;
mod lazy_host;
#[cfg(test)]
mod outline;
#[cfg(test)]
mod pack;
mod prepare;
mod tool;

pub use guest::{ShippedGuest, ShippedGuestError, all};
pub use lazy_host::LazyWasmHost;
pub use prepare::{GuestPrepareError, prepare};
pub use tool::ShippedTool;

#[cfg(test)]
mod tests;
