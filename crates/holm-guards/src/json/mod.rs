//! JSON values whose bytes do not depend on the features of other crates in the build.
//!
//! Arguments, schemas and results are hashed, compared and replayed. A general JSON value may keep
//! numbers as floats or keep keys in insertion order, depending on which features another crate in
//! the build turned on. [`Json`] keeps the text of every number, sorts keys by their bytes and has
//! one writer. So equal values are equal bytes in every host. No float may enter here, and the
//! canonical text must not change: journals contain hashes of it. Reading JSON into Rust types is
//! not done here (`holm-read`).
//!
//! Where things are:
//!
//! - `json/value.rs`: the value.
//! - `json/object.rs`: the members of an object.
//! - `json/number.rs`: exact numbers.
//! - `json/parse.rs`: text to value.
//! - `json/error.rs`: why a text is not JSON.
//! - `json/write.rs`: value to canonical text.
//! - `json/codec.rs`: values inside serde types.

mod codec;
mod error;
mod number;
mod object;
mod parse;
mod value;
mod write;

pub use error::{JsonParseError, JsonParseErrorKind, TextPosition};
pub use number::{JsonNumber, JsonNumberError};
pub use object::{JsonObject, ObjectIter};
pub use parse::MAX_DEPTH;
pub use value::{Json, JsonKind};
pub use write::write_string;

#[cfg(test)]
pub(crate) mod tests;
