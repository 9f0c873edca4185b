//! Packs the guests of `guests/dist` into the crate, where they were built. Without them the build is the same and holds none;
//! `shipped::all` then is empty. What `shipped::prepare` made of a guest goes with it, if it is of that very guest.
//! `HOLM_GUESTS` names another folder.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

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
    let names = names(&dist);
    if names.is_empty() {
        println!("cargo:warning=built without the WASM tools that Holm ships; `make guests` makes them");
    }
    let mut table = String::from("&[\n");
    for name in names {
        let bytes = fs::read(dist.join(format!("{name}.wasm")))?;
        let sidecar = fs::read_to_string(sources.join(&name).join("tool.toml")).unwrap_or_default();
        let packed = out.join(format!("{name}.deflate"));
        fs::write(&packed, pack(&bytes)?)?;
        let (size, prepared) = (bytes.len(), prepared(&dist, &name, &bytes)?);
        writeln!(
            table,
            "Shipped {{ name: {name:?}, sidecar: {sidecar:?}, wasm: Packed {{ size: {size}, bytes: include_bytes!({packed:?}) }}, \
             prepared: {prepared} }},"
        )?;
    }
    table.push(']');
    fs::write(out.join("shipped.rs"), table)?;
    Ok(())
}

/// What was prepared of a guest, as an expression. Notes of other bytes are left lying: the guest was built again since.
fn prepared(dist: &Path, name: &str, bytes: &[u8]) -> Result<String, Failure> {
    let (notes, code) = (dist.join(format!("{name}.json")), dist.join(format!("{name}.ready")));
    let Ok(about) = fs::read_to_string(&notes) else { return Ok("None".to_owned()) };
    let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if !code.is_file() || !about.contains(&format!("\"wasm_sha256\":\"{hash}\"")) {
        println!("cargo:warning=guests/dist/{name} was built but not prepared; `make guests` does both");
        return Ok("None".to_owned());
    }
    Ok(format!("Some(Prepared {{ about: {about:?}, code: include_bytes!({code:?}) }})"))
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
