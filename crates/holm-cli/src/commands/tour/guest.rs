//! The WASM tools of the tour. Their sources are beside them as text; a test checks that the bytes
//! match. They run in the same sandbox as every WASM tool (`tool_sources.rs`), with little fuel and
//! without the user's keys.

use std::path::Path;

use holm::{grants::Allowance, runtime::SecretRedactor};
use holm_tools::{
    registry::{PinStatus, ToolSidecar},
    wasm::WasmTool,
};

use crate::{holm_paths::HolmPaths, tool_sources};

/// A harmless tool that lists the folder.
pub(super) const LOOK: (&str, &[u8]) = ("look", include_bytes!("guests/look.wasm"));
/// Goes for a key.
pub(super) const KEY: (&str, &[u8]) = ("weather", include_bytes!("guests/key.wasm"));
/// A hostile tool that tries to send data away.
pub(super) const CONNECT: (&str, &[u8]) = ("translate", include_bytes!("guests/connect.wasm"));
/// A hostile tool that never ends.
pub(super) const LOOP: (&str, &[u8]) = ("think", include_bytes!("guests/loop.wasm"));

/// Steps that a tool of the tour may take: a tenth of a second for one that does nothing else.
const FUEL: &str = "fuel:2e8";

/// Makes a tool of a guest, for a folder.
pub(super) async fn open(
    places: &HolmPaths,
    folder: &Path,
    (name, bytes): (&'static str, &'static [u8]),
) -> anyhow::Result<WasmTool> {
    let places = HolmPaths { work: folder.to_owned(), ..places.clone() };
    // Keys of the environment are none of a tour's business.
    let settings =
        holm_tools::wasm::WasmSettings { secrets: SecretRedactor::new(), ..tool_sources::settings(&places)? };
    let host = tool_sources::host(&places, settings)?;
    let mut sidecar = ToolSidecar::default();
    sidecar.limits.set(FUEL.parse::<Allowance>()?);
    let opened = tokio::task::spawn_blocking(move || {
        WasmTool::open(&host, name, bytes, Some(&sidecar), PinStatus::Confirmed, &mut |_| {})
    });
    let (tool, _) = opened.await??;
    Ok(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_their_sources() {
        for ((name, bytes), source) in [
            (LOOK, include_str!("guests/look.wat")),
            (KEY, include_str!("guests/key.wat")),
            (CONNECT, include_str!("guests/connect.wat")),
            (LOOP, include_str!("guests/loop.wat")),
        ] {
            assert!(
                wat::parse_str(source).unwrap() == bytes,
                "{name}: its source was changed; make its bytes anew"
            );
        }
    }
}
