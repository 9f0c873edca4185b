//! Packs the dashboard from `dashboard/dist` into the crate, if it was built. Without it the crate
//! builds the same and has no dashboard. `HOLM_DASHBOARD` names another folder.
//!
//! The OpenAPI document is packed too.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::{Compression, write::GzEncoder};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=HOLM_DASHBOARD");
    println!("cargo:rerun-if-changed=openapi.json");
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("openapi.json.gz"), pack(&fs::read(own.join("openapi.json"))?)?)?;
    let sources = own.join("../../dashboard");
    let dist = env::var_os("HOLM_DASHBOARD").map_or_else(|| sources.join("dist"), PathBuf::from);
    // Cargo cannot watch a folder that does not exist yet, and its parent holds thousands of files
    // of other tools. So it watches a source of the page instead, which `make dashboard` touches.
    for watched in [&dist, &sources.join("index.html")] {
        if watched.exists() {
            println!("cargo:rerun-if-changed={}", watched.display());
            break;
        }
    }
    let mut table = String::from("&[\n");
    for (number, name) in names(&dist).iter().enumerate() {
        let packed = out.join(format!("dashboard-{number}.gz"));
        fs::write(&packed, pack(&fs::read(dist.join(name))?)?)?;
        writeln!(table, "DashboardFile {{ name: {name:?}, packed: include_bytes!({packed:?}) }},")?;
    }
    table.push(']');
    fs::write(out.join("dashboard.rs"), table)?;
    Ok(())
}

/// The page and its assets, sorted, so that the same folder gives the same bytes.
fn names(dist: &Path) -> Vec<String> {
    let mut names: Vec<String> = listed(&dist.join("assets")).map(|name| format!("assets/{name}")).collect();
    if dist.join("index.html").is_file() {
        names.push("index.html".to_owned());
    }
    names.sort();
    names
}

fn listed(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
}

fn pack(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    Ok(packer.finish()?)
}
