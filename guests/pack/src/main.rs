//! Packs the compiler's output into the files that Holm ships.
//!
//!     guest-pack module  IN OUT    a module as it is: a command of WASI 0.1, with exact exit
//!                                  statuses, or one of the world `holm:tool`; the fastest to start
//!     guest-pack command IN OUT    a command of WASI 0.2, for guests that import more than WASI 0.1 has
//!     guest-pack list    FOLDER TOOLCHAIN    writes FOLDER/manifest.txt: each file with its size
//!                                            and hash, and what built it

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
};
use wit_component::ComponentEncoder;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list", folder, toolchain] => list(Path::new(folder), toolchain),
        [form, input, output] => {
            let module = fs::read(input).with_context(|| format!("could not read {input}"))?;
            let packed = pack(form, &module).with_context(|| format!("could not pack {input}"))?;
            fs::write(output, packed).with_context(|| format!("could not write {output}"))
        }
        _ => bail!("usage: guest-pack module|command IN OUT, or guest-pack list FOLDER TOOLCHAIN"),
    }
}

fn pack(form: &str, module: &[u8]) -> Result<Vec<u8>> {
    Ok(match form {
        "module" => module.to_vec(),
        "command" => ComponentEncoder::default()
            .validate(true)
            .module(module)?
            .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER)?
            .encode()?,
        _ => bail!("there is no form '{form}'"),
    })
}

/// One line a file, sorted by name, so that two builds can be compared at a glance.
fn list(folder: &Path, toolchain: &str) -> Result<()> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("could not read {}", folder.display()))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "wasm"))
        .collect();
    names.sort();
    let mut text = format!("toolchain {toolchain}\n");
    for name in names {
        let bytes = fs::read(folder.join(&name))?;
        let hash = Sha256::digest(&bytes).iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let _ = writeln!(text, "{hash} {:>9} {name}", bytes.len());
    }
    fs::write(folder.join("manifest.txt"), text).context("could not write the manifest")
}
