use std::fs;

use holm_guards::json::Json;
use holm_tools::trust::ContentHash;

use super::{ListCacheEntry, ToolListCache};
use crate::ServerName;
use crate::client::{ServerInventory, ToolDefinition, ToolListing};

fn entry(number: u8) -> ContentHash {
    ContentHash::from_bytes([number; 32])
}

fn name(text: &str) -> ServerName {
    text.parse().unwrap()
}

fn reading() -> ServerInventory {
    let tool = ToolDefinition {
        name: "echo".into(),
        description: "Says it again.".into(),
        schema: Json::parse(r#"{"type":"object","maximum":1.50}"#).unwrap(),
        reads_only: true,
        idempotent: false,
        sha256: [7; 32],
    };
    ServerInventory {
        listing: ToolListing { tools: vec![tool], ..ToolListing::default() },
        resources: true,
        prompts: false,
    }
}

#[test]
fn what_a_server_said_is_remembered_for_its_entry_alone() {
    let folder = tempfile::tempdir().unwrap();
    let known = ToolListCache::new(folder.path().join("lists"));
    assert_eq!(known.find(&name("a"), &entry(1)), None);
    known.keep(&name("a"), &entry(1), &reading());
    assert_eq!(known.find(&name("a"), &entry(1)), Some(ListCacheEntry::Listed(reading())));
    assert_eq!(known.find(&name("a"), &entry(2)), None, "another entry is another server");
    assert_eq!(known.find(&name("b"), &entry(1)), None);
    known.silent(&name("a"), &entry(1));
    assert_eq!(known.find(&name("a"), &entry(1)), Some(ListCacheEntry::Silent));
}

#[test]
fn what_was_damaged_is_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let known = ToolListCache::new(folder.path());
    known.keep(&name("a"), &entry(1), &reading());
    let path = known.files.path(&name("a"), &entry(1));
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [("0707", "07zz"), ("\"{", "\"[{"), ("0101", "0201"), ("tools", "fools")] {
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        assert_eq!(known.find(&name("a"), &entry(1)), None, "{from} became {to}");
    }
    fs::write(&path, text).unwrap();
    assert!(known.find(&name("a"), &entry(1)).is_some());
}
