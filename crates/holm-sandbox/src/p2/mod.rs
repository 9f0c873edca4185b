//! WASI 0.2 for components: wasmtime's implementation, with files, randomness, names and HTTP
//! replaced by ours, because theirs cannot ask a policy.
//!
//! An interface that is added to the linker here can be used by every component, so it must ask the
//! policy or give nothing away.
//!
//! Where things are:
//!
//! - `p2/files.rs`, `p2/streams.rs`: files.
//! - `p2/http.rs`: HTTP.
//! - `p2/name_lookup.rs`: names.
//! - `p2/sockets.rs`: sockets.
//! - `p2/randomness.rs`: random numbers.
//! - `p2/config_store.rs`: granted variables as configuration.
//! - `p2/non_blocking.rs`: the part that never waits, for fast guests.

mod config_store;
mod files;
mod http;
mod name_lookup;
mod non_blocking;
mod randomness;
mod sockets;
mod streams;

pub(crate) use files::OpenFileState;
pub(crate) use http::HttpHooks;
pub(crate) use non_blocking::link as link_prompt;

use wasmtime::component::Linker;
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::p2::bindings;
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView};

use crate::state::GuestState;

/// Adds everything that a component may import. The policy decides about each use.
pub(crate) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    use bindings::{cli, filesystem, random, sockets as theirs};

    wasmtime_wasi::p2::add_to_linker_proxy_interfaces_async(linker)?;
    // The line above brought randomness that no seed can fix.
    linker.allow_shadowing(true);
    random::random::add_to_linker::<GuestState, randomness::RandomHost>(linker, randomness::dice)?;
    linker.allow_shadowing(false);
    random::insecure::add_to_linker::<GuestState, randomness::RandomHost>(linker, randomness::dice)?;
    random::insecure_seed::add_to_linker::<GuestState, randomness::RandomHost>(linker, randomness::dice)?;

    cli::exit::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;
    cli::environment::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;
    cli::terminal_input::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;
    cli::terminal_output::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;
    cli::terminal_stdin::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;
    cli::terminal_stdout::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;
    cli::terminal_stderr::add_to_linker::<GuestState, WasiCli>(linker, GuestState::cli)?;

    filesystem::types::add_to_linker::<GuestState, files::FilesHost>(linker, files::view)?;
    filesystem::preopens::add_to_linker::<GuestState, files::FilesHost>(linker, files::view)?;

    theirs::tcp::add_to_linker::<GuestState, WasiSockets>(linker, GuestState::sockets)?;
    theirs::udp::add_to_linker::<GuestState, WasiSockets>(linker, GuestState::sockets)?;
    theirs::instance_network::add_to_linker::<GuestState, WasiSockets>(linker, GuestState::sockets)?;
    let network = theirs::network::LinkOptions::default();
    theirs::network::add_to_linker::<GuestState, WasiSockets>(linker, &network, GuestState::sockets)?;
    sockets::link(linker)?;
    name_lookup::link(linker)?;
    config_store::link(linker)?;

    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)
}
