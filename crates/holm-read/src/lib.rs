//! Reads JSON text into types with little generated code. It writes no JSON, supports no other
//! format, and builds no values of unknown shape.
//!
//! General deserializers generate code for each type and each source of text. That code is fast to
//! run and slow to download: for Holm's own types it was a third of the WASM module. Here, a single
//! [`Reader`] reads the text for all types. A type mostly adds data, written by `#[derive(Read)]`:
//! the names of its fields, which of them are required, and where each goes.
//!
//! The JSON form is that of serde, and follows the same attributes. Unknown fields are ignored, a
//! repeated field is refused, and enums are externally tagged. One rule is stricter: an object is
//! never read from a list.
//!
//! ```
//! use holm_read::{Read, from_str};
//!
//! #[derive(Debug, PartialEq, Read)]
//! struct Order {
//!     item: String,
//!     #[serde(default)]
//!     count: u64,
//!     note: Option<String>,
//! }
//!
//! let order: Order = from_str(r#"{"item":"tea","unknown":[1,2]}"#)?;
//! assert_eq!(order, Order { item: "tea".into(), count: 0, note: None });
//!
//! let error = from_str::<Order>(r#"{"count":2}"#).unwrap_err();
//! assert_eq!(error.to_string(), "missing field `item` at line 1 column 12");
//! # Ok::<(), holm_read::ReadError>(())
//! ```
//!
//! Where things are: `reader.rs` (positions, lists and objects), `text.rs` (strings), `scan.rs`
//! (skipped values), `shape.rs` (fields and variants), `values.rs` (basic types), `error.rs`. The
//! derive is in the crate `holm-derive`.

#![no_std]

extern crate alloc;
// The derived code refers to this crate by name.
#[cfg(test)]
extern crate self as holm_read;

mod error;
mod reader;
mod scan;
mod shape;
mod text;
mod values;

#[cfg(test)]
mod tests;

pub use error::{ReadError, ReadErrorKind};
pub use holm_derive::Read;
pub use reader::{EachMember, MAX_DEPTH, Reader};
pub use shape::{FieldSlot, Shape, Tags, Wanted};
pub use values::{JsonText, MapKey};

/// A type that can be read from JSON.
pub trait Read<'a>: Sized {
    /// Reads one value at the reader's position.
    ///
    /// # Errors
    /// [`ReadError`] if there is no such value. The reader must not be used afterwards.
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError>;
}

/// Reads one value that spans the whole text.
///
/// # Errors
/// [`ReadError`] with the position at which the text stops being that value.
pub fn from_str<'a, T: Read<'a>>(text: &'a str) -> Result<T, ReadError> {
    whole(Reader::of_text(text))
}

/// Reads one value that spans all the bytes. Only the strings that the value uses must be UTF-8.
///
/// # Errors
/// The same errors as for [`from_str`].
pub fn from_slice<'a, T: Read<'a>>(bytes: &'a [u8]) -> Result<T, ReadError> {
    whole(Reader::of_bytes(bytes))
}

fn whole<'a, T: Read<'a>>(mut reader: Reader<'a>) -> Result<T, ReadError> {
    let value = T::read(&mut reader)?;
    reader.end()?;
    Ok(value)
}
