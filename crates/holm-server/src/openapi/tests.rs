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

#[test]
fn every_body_of_the_servers_own_denies_members_that_it_does_not_have() {
    let document = serde_json::to_value(crate::document()).unwrap();
    let mut bodies = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(name) = schema["$ref"].as_str().and_then(|whole| whole.rsplit('/').next()) else {
                continue;
            };
            let denies = &document["components"]["schemas"][name]["additionalProperties"];
            assert_eq!(denies.as_bool(), Some(false), "{method} {path}: {name}");
            bodies += 1;
        }
    }
    assert!(bodies > 15, "{bodies}");
}
