use std::{collections::BTreeSet, env, fs, path::Path};

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
            let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
            else {
                continue;
            };
            let denies = &document["components"]["schemas"][name]["additionalProperties"];
            assert_eq!(denies.as_bool(), Some(false), "{method} {path}: {name}");
            bodies += 1;
        }
    }
    assert!(bodies > 15, "{bodies}");
}

#[test]
fn every_operation_has_its_own_id_and_every_body_an_example() {
    let document = serde_json::to_value(crate::document()).unwrap();
    let mut ids = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{method} {path}: {id} is taken");
            for (status, response) in operation["responses"].as_object().unwrap() {
                assert_ne!(response["description"], "", "{method} {path} {status}");
            }
            for (kind, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
                assert!(!content["example"].is_null(), "{method} {path} {kind}");
            }
        }
    }
}

#[test]
fn every_variant_has_a_name_that_no_other_type_has() {
    let document = serde_json::to_value(crate::document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut titles: BTreeSet<&str> = schemas.keys().map(String::as_str).collect();
    for (name, schema) in schemas {
        assert!(!schema["description"].as_str().unwrap_or_default().contains("```"), "{name}");
        for variant in schema["oneOf"].as_array().into_iter().flatten() {
            let title = variant["title"].as_str().unwrap_or_else(|| panic!("{name}: {variant}"));
            assert!(titles.insert(title), "{title}");
        }
    }
}
