//! Packs the guests of `guests/dist` into the crate, where they were built. Without them the build is the same and holds none;
//! `shipped::all` then is empty. `HOLM_GUESTS` names another folder.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=HOLM_GUESTS");
    if env::var_os("CARGO_FEATURE_WASM").is_none() {
        return Ok(());
    }
    let sources = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../guests");
    let dist = env::var_os("HOLM_GUESTS").map_or_else(|| sources.join("dist"), PathBuf::from);
    // A folder that does not exist yet cannot be watched; the one that it will appear in can.
    for watched in [&dist, &sources] {
        if watched.exists() {
            println!("cargo:rerun-if-changed={}", watched.display());
            break;
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut table = String::from("&[\n");
    for name in names(&dist) {
        let bytes = fs::read(dist.join(format!("{name}.wasm")))?;
        let sidecar = fs::read_to_string(sources.join(&name).join("tool.toml")).unwrap_or_default();
        let packed = out.join(format!("{name}.deflate"));
        fs::write(&packed, pack(&bytes)?)?;
        let size = bytes.len();
        writeln!(
            table,
            "Shipped {{ name: {name:?}, size: {size}, sidecar: {sidecar:?}, packed: include_bytes!({packed:?}) }},"
        )?;
    }
    table.push(']');
    fs::write(out.join("shipped.rs"), table)?;
    Ok(())
}

/// The guests of a folder, sorted, so that the same folder gives the same bytes.
fn names(dist: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dist) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".wasm")?.to_owned()))
        .collect();
    names.sort();
    names
}

fn pack(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes)?;
    Ok(packer.finish()?)
}
