//! The entry point of this module: text in, valid arguments or an explanation out.
//!
//! The order is fixed: read the text (`repair/text.rs`), validate, change what has one meaning
//! (`repair/fixer.rs`), validate again. Valid arguments are never changed, and nothing is returned
//! as valid that the schema (`schema/`) does not allow. The explanation is for the model and ends
//! with the expected shape.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::ArgumentFix;
use super::fixer::ArgumentFixer;
use super::text;
use crate::guard_switches::{GuardSwitch, off};
use crate::json::Json;
use crate::schema::CompiledSchema;

/// The result of repairing a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentRepair {
    /// They fit the schema.
    Valid {
        value: Json,
        /// The changes; empty if the arguments were valid as sent.
        fixes: Vec<ArgumentFix>,
    },
    /// They do not, and no change with only one possible result makes them fit.
    Invalid {
        /// What is wrong and what to send instead, for the model.
        message: String,
    },
}

/// Reads, repairs and validates a call's arguments.
///
/// Made where the value is invalid without it, in this order: no text is `{}`; a code fence around
/// the text and commas before closing brackets are removed; then, guided by the schema,
/// - `null` in an optional property that cannot be `null` is left out;
/// - `"50"`, `"true"` and `"null"` lose their quotes where a string is not allowed, and numbers and
///   booleans gain them where only a string is;
/// - a string that holds an object or an array is unfolded where one is expected;
/// - a single value becomes an array of one where an array is expected;
/// - in a union of objects that differ in a fixed property (say `kind`), `{"circle": {…}}`
///   and `{"kind": "circle", "value": {…}}` become `{"kind": "circle", …}`, and `null`s that belong
///   to other variants are left out.
///
/// Nothing is changed if two readings are possible.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_guards::repair::{ArgumentFixKind, ArgumentRepair, repair};
/// use holm_guards::schema::CompiledSchema;
///
/// let schema = CompiledSchema::compile(&Json::parse(
///     r#"{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}"#,
/// )?)?;
/// let ArgumentRepair::Valid { value, fixes } = repair(&schema, r#"{"count":"50"}"#) else { panic!() };
/// assert_eq!(value.canonical(), r#"{"count":50}"#);
/// assert_eq!(fixes[0].kind, ArgumentFixKind::Unquoted);
///
/// let ArgumentRepair::Invalid { message } = repair(&schema, "{}") else { panic!() };
/// assert_eq!(
///     message,
///     "the arguments do not fit the schema:\n- `count` is missing; add it (integer)\nexpected: {count: integer}"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn repair(schema: &CompiledSchema, arguments: &str) -> ArgumentRepair {
    let (value, mut fixes) = match text::read(arguments) {
        Ok(read) => read,
        Err(problem) => {
            return ArgumentRepair::Invalid { message: format!("{problem}\nexpected: {}", schema.shape()) };
        }
    };
    if schema.is_valid(&value) {
        return ArgumentRepair::Valid { value, fixes };
    }
    let mut fixer = ArgumentFixer::new(schema);
    let value = if off(GuardSwitch::Repair) { value } else { fixer.fix_root(value) };
    match schema.validate(&value) {
        Ok(()) => {
            fixes.extend(fixer.into_fixes());
            ArgumentRepair::Valid { value, fixes }
        }
        Err(violations) => {
            let mut message = String::from("the arguments do not fit the schema:");
            for violation in violations {
                message.push_str("\n- ");
                message.push_str(&violation.message);
            }
            message.push_str("\nexpected: ");
            message.push_str(&schema.shape());
            ArgumentRepair::Invalid { message }
        }
    }
}
