//! Replays journals natively and says what every other host must find.
//!
//! ```text
//! cargo run -p holm-wasm --example replay -- FOLDER > expected.json
//! ```
//!
//! For each journal either the SHA-256 of all effects, one JSON text a line, or the fault.

use std::{collections::BTreeMap, env, error::Error, fs, io, io::Write};

use holm_kernel::journal::Sha256Hash;
use holm_wasm::{BindingError, replay_effects};
use serde::Serialize;

/// What replaying one journal came to.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Found {
    Effects { sha256: String, lines: u64 },
    Fault(BindingError),
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("usage: replay FOLDER")?;
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) =
            path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(".jsonl"))
        else {
            continue;
        };
        let result = match replay_effects(&fs::read(&path)?) {
            Ok(effects) => {
                let sha256 = Sha256Hash::of(effects.as_bytes()).to_string();
                Found::Effects { sha256, lines: effects.lines().count() as u64 }
            }
            Err(fault) => Found::Fault(fault),
        };
        found.insert(name.to_owned(), result);
    }
    writeln!(io::stdout(), "{}", serde_json::to_string(&found)?)?;
    Ok(())
}
