use holm::{grants::Level, store::Store};

use super::*;
use crate::{holm_paths::HolmPaths, protected_paths::ProtectedPaths};

#[tokio::test]
async fn every_tool_says_what_it_needs_or_can_do_nothing() {
    let (work, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open(data.path().join("holm.db")).await.unwrap();
    let places = HolmPaths::at(data.path(), work.path());
    let files = native(&places, &ProtectedPaths::default(), &store, None).unwrap();
    for tool in files.declarations() {
        assert!(tool.level == Level::None || !tool.needs.is_empty(), "{}", tool.name);
        assert!(!tool.description.is_empty(), "{}", tool.name);
        assert!(tool.level < Level::Execute, "{}", tool.name);
    }
}
