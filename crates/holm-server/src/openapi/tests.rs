use std::{env, fs, path::Path};

use super::unpacked;

#[test]
fn the_document_that_is_handed_out_is_the_one_of_the_types() {
    let made = serde_json::to_value(crate::document()).unwrap();
    if env::var_os("HOLM_WRITE_SCHEMA").is_some() {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
        // It is packed by the next build, which compares the two.
        fs::write(kept, serde_json::to_string_pretty(&made).unwrap() + "\n").unwrap();
        return;
    }
    let fits = unpacked().unwrap() == made;
    assert!(
        fits,
        "write it anew: HOLM_WRITE_SCHEMA=1 cargo test -p holm-server --lib openapi, then run this again"
    );
}
