//! However its bytes are cut, an official SDK reads in a stream what Holm reads in it.
//!
//!     cargo test -p holm-models --test sdk
//!     HOLM_SDK_DECODES=10000 cargo test -p holm-models --test sdk -- --nocapture
//!
//! `tests/python/sdk_oracle.py` reads and compares; `sdk_differences.py` beside it lists what differs on purpose.

use std::{fs, path::Path};

use serde::Serialize;

use crate::{
    corpus::{Sample, samples},
    python::script,
};

/// The default number of decodes by the SDKs.
const DECODES: usize = 1_500;

/// What the script is to do.
#[derive(Serialize)]
struct Task {
    decodes: usize,
    streams: Vec<Sample>,
}

#[test]
fn official_sdks_read_what_holm_reads_however_it_is_cut() {
    let decodes = std::env::var("HOLM_SDK_DECODES").map_or(DECODES, |text| text.parse().unwrap());
    let task = Task { decodes, streams: samples() };
    // It stays there, so that the script can be run again by hand.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk-streams.json");
    fs::write(&path, serde_json::to_vec(&task).unwrap()).unwrap();
    let output = script("sdk_oracle.py").arg(&path).output().expect("Python starts");
    let result = String::from_utf8_lossy(&output.stdout);
    println!("{}", result.trim_end());
    assert!(output.status.success(), "{result}{}", String::from_utf8_lossy(&output.stderr));
    assert!(result.contains(" differences=0 "), "the script came to its end: {result}");
}
