use super::*;
use crate::json::Json;

#[test]
fn every_known_keyword_is_found() {
    assert!(keywords::known().is_sorted());
    assert!(Schema::compile(&Json::Bool(true)).unwrap().is_valid(&Json::Null));
}
