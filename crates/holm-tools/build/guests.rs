//! Packs each guest, using a similar guest as the dictionary, and writes the table that lists them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

#[path = "../src/shipped_guests/calls.rs"]
mod calls;
#[path = "../src/shipped_guests/outline.rs"]
mod outline;
#[path = "../src/shipped_guests/pack.rs"]
mod pack;

type BuildScriptError = Box<dyn std::error::Error>;

/// Guests, and what each is like: a guest that is like none. To take one out, both are taken out,
/// so small ones that are called at every turn are like small ones.
const LIKE: [(&str, &str); 7] = [
    ("base64", "read"),
    ("edit", "write"),
    ("fetch", "write"),
    ("glob", "grep"),
    ("js", "grep"),
    ("shell", "grep"),
    ("sqlite", "grep"),
];

/// The smallest result at a few megabytes a second, for distributed programs; a fast
/// level for daily builds.
const SMALL: i32 = 19;
const QUICK: i32 = 3;

/// A guest that was found in the folder.
struct BundledGuest {
    name: String,
    /// The guest, or its outline where its code is enough.
    wasm: Vec<u8>,
    /// Its description, and its compiled code.
    prepared: Option<(String, Vec<u8>)>,
}

pub(super) fn pack() -> Result<(), BuildScriptError> {
    println!("cargo:rerun-if-changed=build/guests.rs");
    println!("cargo:rerun-if-changed=src/shipped_guests/calls.rs");
    println!("cargo:rerun-if-changed=src/shipped_guests/outline.rs");
    println!("cargo:rerun-if-changed=src/shipped_guests/pack.rs");
    println!("cargo:rerun-if-env-changed=HOLM_GUESTS");
    println!("cargo:rerun-if-env-changed=HOLM_GUESTS_OUTLINES");
    let sources = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../guests");
    let dist = env::var_os("HOLM_GUESTS").map_or_else(|| sources.join("dist"), PathBuf::from);
    // A folder that does not exist yet cannot be watched; the one that it will appear in can.
    for watched in [&dist, &sources] {
        if watched.exists() {
            println!("cargo:rerun-if-changed={}", watched.display());
            break;
        }
    }
    let guests: Vec<BundledGuest> = names(&dist)
        .into_iter()
        .map(|name| BundledGuest::read(&dist, name))
        .collect::<Result<_, BuildScriptError>>()?;
    if guests.is_empty() {
        println!("cargo:warning=built without the WASM tools that Holm ships; `make guests` makes them");
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let level = if env::var("PROFILE")? == "release" { SMALL } else { QUICK };
    let mut table = String::from("&[\n");
    for guest in &guests {
        let beside = sources.join(&guest.name).join("tool.toml");
        let sidecar = fs::read_to_string(&beside).unwrap_or_default();
        // One that is not there would count as changed each time.
        if beside.exists() {
            println!("cargo:rerun-if-changed={}", beside.display());
        }
        writeln!(table, "{},", guest.shipped(guest.like(&guests), &sidecar, &out, level)?)?;
    }
    table.push(']');
    fs::write(out.join("shipped.rs"), table)?;
    Ok(())
}

impl BundledGuest {
    fn read(dist: &Path, name: String) -> Result<Self, BuildScriptError> {
        let wasm = fs::read(dist.join(format!("{name}.wasm")))?;
        let prepared = prepared(dist, &name, &wasm)?;
        if prepared.is_some()
            && outlines_do()?
            && let Some(outline) = outline::outline(&wasm, &Sha256::digest(&wasm))
        {
            return Ok(Self { name, wasm: outline, prepared });
        }
        Ok(Self { name, wasm, prepared })
    }

    /// The similar guest to compress against, if it was built.
    fn like<'a>(&self, guests: &'a [Self]) -> Option<&'a Self> {
        let (_, like) = LIKE.iter().find(|(name, _)| *name == self.name)?;
        guests.iter().find(|guest| guest.name == *like)
    }

    /// A `ShippedGuest` as an expression; its bytes go into files that it names.
    fn shipped(
        &self,
        like: Option<&Self>,
        sidecar: &str,
        out: &Path,
        level: i32,
    ) -> Result<String, BuildScriptError> {
        let known = like.map(|like| like.wasm.as_slice()).unwrap_or_default();
        let wasm = packed(&self.wasm, known, &out.join(format!("{}.wasm.zst", self.name)), level)?;
        let prepared = match &self.prepared {
            Some((about, code)) => {
                let known = like.and_then(|like| like.prepared.as_ref()).map(|(_, code)| code.as_slice());
                let known = [known.unwrap_or_default(), &self.wasm].concat();
                let mut code = code.clone();
                if env::var("CARGO_CFG_TARGET_ARCH")? == "x86_64" {
                    calls::turn(&mut code, true);
                }
                let code = packed(&code, &known, &out.join(format!("{}.ready.zst", self.name)), level)?;
                format!("Some(PrecompiledGuest {{ about: {about:?}, code: {code} }})")
            }
            None => "None".to_owned(),
        };
        let (name, like) = (&self.name, like.map(|like| &like.name));
        Ok(format!(
            "ShippedGuest {{ name: {name:?}, sidecar: {sidecar:?}, like: {like:?}, wasm: {wasm}, prepared: {prepared} }}"
        ))
    }
}

/// A `CompressedBytes` as an expression.
fn packed(bytes: &[u8], known: &[u8], file: &Path, level: i32) -> Result<String, BuildScriptError> {
    fs::write(file, pack::pack(bytes, known, level)?)?;
    Ok(format!("CompressedBytes {{ size: {}, bytes: include_bytes!({file:?}) }}", bytes.len()))
}

/// The prepared parts of a guest. Notes about other bytes are ignored, because the guest
/// was built again since.
fn prepared(dist: &Path, name: &str, wasm: &[u8]) -> Result<Option<(String, Vec<u8>)>, BuildScriptError> {
    let (notes, code) = (dist.join(format!("{name}.json")), dist.join(format!("{name}.ready")));
    let Ok(about) = fs::read_to_string(&notes) else { return Ok(None) };
    if code.is_file() && about.contains(&format!("\"wasm_sha256\":\"{}\"", hash(wasm))) {
        let code = fs::read(&code)?;
        if about.contains(&format!("\"code_sha256\":\"{}\"", hash(&code))) {
            return Ok(Some((about, code)));
        }
    }
    println!("cargo:warning=guests/dist/{name} was built but not prepared; `make guests` does both");
    Ok(None)
}

/// Whether an outline is enough where there is compiled code. It is if the build asked for
/// outlines and the target is a machine like the build machine. The code then fits, so the program
/// never compiles the guests.
fn outlines_do() -> Result<bool, BuildScriptError> {
    let (host, arch, os) =
        (env::var("HOST")?, env::var("CARGO_CFG_TARGET_ARCH")?, env::var("CARGO_CFG_TARGET_OS")?);
    let asked = env::var("HOLM_GUESTS_OUTLINES").is_ok_and(|asked| asked == "yes");
    Ok(asked && host.starts_with(&format!("{arch}-")) && host.contains(&format!("-{os}")))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
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
