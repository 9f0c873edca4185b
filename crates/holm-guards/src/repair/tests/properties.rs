use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::{any, proptest};
use proptest::{prop_assert, prop_assert_eq};

use super::{ArgumentRepair, repair};
use crate::json::Json;
use crate::json::tests::properties::any_json;
use crate::schema::CompiledSchema;
use crate::schema::tests::properties::any_schema;

proptest! {
    #[test]
    fn valid_arguments_come_back_identical_and_without_fixes(source in any_schema(), value in any_json()) {
        let Ok(schema) = CompiledSchema::compile(&source) else { return Ok(()) };
        if schema.is_valid(&value) {
            let expected = ArgumentRepair::Valid { value: value.clone(), fixes: Vec::new() };
            prop_assert_eq!(repair(&schema, &value.canonical()), expected);
        }
    }

    #[test]
    fn what_is_called_valid_is_valid(source in any_schema(), value in any_json()) {
        let Ok(schema) = CompiledSchema::compile(&source) else { return Ok(()) };
        match repair(&schema, &value.canonical()) {
            ArgumentRepair::Valid { value: repaired, fixes } => {
                prop_assert!(schema.is_valid(&repaired));
                prop_assert_eq!(fixes.is_empty(), repaired == value, "{:?}", fixes);
                // Repairing again finds nothing to do.
                let again = repair(&schema, &repaired.canonical());
                prop_assert_eq!(again, ArgumentRepair::Valid { value: repaired, fixes: Vec::new() });
            }
            ArgumentRepair::Invalid { message } => {
                prop_assert!(!schema.is_valid(&value));
                prop_assert!(!message.is_empty());
            }
        }
    }

    #[test]
    fn no_text_makes_repair_panic(text in any::<String>(), source in any_schema()) {
        let Ok(schema) = CompiledSchema::compile(&source) else { return Ok(()) };
        let _ = repair(&schema, &text);
    }

    #[test]
    fn a_trailing_comma_more_changes_nothing_else(value in any_json()) {
        let schema = CompiledSchema::compile(&Json::Bool(true)).expect("a schema");
        let text = value.canonical();
        let Some(open) = text.strip_suffix(['}', ']']).filter(|open| open.len() > 1) else { return Ok(()) };
        let close = &text[open.len()..];
        let ArgumentRepair::Valid { value: read, fixes } = repair(&schema, &alloc::format!("{open},{close}")) else {
            return Err(proptest::test_runner::TestCaseError::fail("refused"));
        };
        prop_assert_eq!((read, fixes.len()), (value, 1));
    }
}
