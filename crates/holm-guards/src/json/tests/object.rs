use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::json::{Json, JsonObject};

/// One thing done to an object.
#[derive(Debug, Clone)]
enum Deed {
    Insert(String, u64),
    Remove(String),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        2 => ("[a-c]{0,2}", any::<u64>()).prop_map(|(name, value)| Deed::Insert(name, value)),
        1 => "[a-c]{0,2}".prop_map(Deed::Remove),
    ]
}

proptest! {
    /// A tree is the model: the same answers in the same order after any sequence of operations.
    #[test]
    fn an_object_behaves_like_a_tree(
        start in prop::collection::vec(("[a-c]{0,2}", any::<u64>()), 0..12),
        deeds in prop::collection::vec(deed(), 0..24),
    ) {
        let json = |(name, value): &(String, u64)| (name.clone(), Json::from(*value));
        let mut model: BTreeMap<String, Json> = start.iter().map(json).collect();
        let mut object: JsonObject = start.iter().map(json).collect();
        for deed in deeds {
            match deed {
                Deed::Insert(name, value) => {
                    prop_assert_eq!(object.insert(name.clone(), value.into()), model.insert(name, value.into()));
                }
                Deed::Remove(name) => prop_assert_eq!(object.remove(&name), model.remove(&name)),
            }
        }
        prop_assert_eq!(object.len(), model.len());
        prop_assert_eq!(object.is_empty(), model.is_empty());
        prop_assert!(object.iter().eq(model.iter()) && object.iter().rev().eq(model.iter().rev()));
        prop_assert!(object.keys().eq(model.keys()) && object.values().eq(model.values()));
        for name in ["", "a", "b", "ab", "cc", "d"] {
            prop_assert_eq!(object.get(name), model.get(name));
            prop_assert_eq!(object.get_mut(name), model.get_mut(name));
            prop_assert_eq!(object.contains_key(name), model.contains_key(name));
        }
        prop_assert_eq!(format!("{object:?}"), format!("{model:?}"));
        prop_assert!(object.into_iter().eq(model));
    }

    #[test]
    fn canonical_text_is_known_without_writing_it(value in super::properties::any_json(), cut in any::<usize>()) {
        let text = value.canonical();
        prop_assert!(value.is_canonical_text(&text));
        let longer = format!("{text} ");
        prop_assert!(!value.is_canonical_text(&longer));
        let shorter: String = text.chars().take(cut % text.chars().count()).collect();
        prop_assert!(!value.is_canonical_text(&shorter));
    }
}

#[test]
fn a_character_that_needs_an_escape_is_found_at_every_place() {
    for length in 0..70 {
        let plain = "é".repeat(length / 2) + &"x".repeat(length % 2);
        for special in ['"', '\\', '\n', '\u{1}'] {
            let text = format!("{plain}{special}{plain}");
            let written = Json::from(text.as_str()).canonical();
            assert_eq!(Json::parse(&written), Ok(Json::String(text)), "{written}");
            assert!(Json::parse(&format!("\"{plain}\n\"")).is_err(), "a raw control character");
        }
    }
}

#[test]
fn of_a_repeated_name_the_last_value_stays() {
    let check = |text: &str, canonical: &str| assert_eq!(Json::parse(text).unwrap().canonical(), canonical);
    check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
    check(r#"{"b":1,"a":1,"b":2,"a":2,"a":3}"#, r#"{"a":3,"b":2}"#);
    check(r#"{"":1,"":2,"":3}"#, r#"{"":3}"#);
}

#[test]
fn very_many_names_in_any_order_cost_no_more_than_sorting_them() {
    let count = 100_000_u64;
    let names = |order: &dyn Fn(u64) -> u64| {
        let members: Vec<String> = (0..count).map(|i| format!("\"{}\":0", order(i))).collect();
        format!("{{{}}}", members.join(","))
    };
    for text in [names(&|i| count - i), names(&|i| i * 7_919 % count), names(&|_| 0)] {
        let value = Json::parse(&text).unwrap();
        let members = value.as_object().unwrap();
        assert!(members.keys().is_sorted(), "in order");
        assert!(members.get(&0.to_string()).is_some() || members.get(&count.to_string()).is_some());
    }
}
