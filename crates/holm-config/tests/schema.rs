//! Checks that the published schema agrees with the parser.

use std::{fs, path::PathBuf};

use holm_config::{ConfigFile, schema};
use holm_guards::{json::Json, schema::CompiledSchema};

fn published() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/holm.schema.json")
}

#[test]
fn the_published_schema_is_the_one_of_the_types() {
    if std::env::var_os("HOLM_WRITE_SCHEMA").is_some() {
        let made = serde_json::to_string_pretty(&schema()).unwrap();
        fs::write(published(), made + "\n").unwrap();
    }
    let found: serde_json::Value = serde_json::from_str(&fs::read_to_string(published()).unwrap()).unwrap();
    assert!(found == schema(), "write it anew: HOLM_WRITE_SCHEMA=1 cargo test -p holm-config --test schema");
}

#[test]
fn what_the_schema_refuses_the_reader_refuses_and_the_other_way_round() {
    let source = Json::parse(&schema().to_string()).unwrap();
    let compiled = CompiledSchema::compile(&source).unwrap();
    // The 64-bit number format is a hint for code generators.
    let gaps = compiled.unsupported();
    assert!(gaps.iter().all(|gap| gap.keyword == "format"), "{gaps:?}");
    let check = |text: &str, fits: bool| {
        let value: toml::Value = toml::from_str(text).unwrap();
        let json = Json::parse(&serde_json::to_string(&value).unwrap()).unwrap();
        assert_eq!(compiled.is_valid(&json), fits, "the schema on {text}: {:?}", compiled.validate(&json));
        assert_eq!(ConfigFile::parse(text, "holm.toml".as_ref()).is_ok(), fits, "the reader on {text}");
    };
    check("", true);
    check("model = \"a/b\"\ngrants = [\"read:src/**\"]\n[limits]\nturns = 3\nbudget = \"0.50usd\"", true);
    check("[ladder]\nstep_up = [\"a/b\"]\nkind = \"x\"\n[commands]\nallow = [\"ls\"]\ndeny = [\"rm\"]", true);
    check("[providers.x]\nbase_url = \"http://h\"\nkey_env = \"K\"\n[aliases.y]\ntemplate = \"t\"", true);
    check("tools = \"wasm\"", true);
    check("tools = \"both\"", false);
    check("modell = \"a/b\"", false);
    check("model = 1", false);
    check("grants = \"read:x\"", false);
    check("[limits]\nturns = 0", false);
    check("[limits]\nturns = \"3\"", false);
    check("[providers.x]\nkey = \"K\"", false);
    check("[aliases.y]\ntext = \"t\"", false);
}
