//! JSON text into types, in little code. Nothing is written here, there is no format but JSON, and no value of unknown shape is built.
//!
//! General readers are made anew for each type and each source of text, which is fast to run and long to download: read that way, Holm's
//! own types were a third of its WASM module. Here one [`Reader`] walks through the text for all types. What a type adds is mostly data,
//! written by `#[derive(Read)]`: the names of its fields, which of them must come, and where each goes.
//!
//! The JSON form is that of serde, from the same attributes: unknown fields are ignored, a field that comes twice is refused, enums are tagged
//! from outside. One thing is narrower: an object is never read from a list.
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

#![no_std]

extern crate alloc;
// What the derive writes names this crate.
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
pub use shape::{Shape, Slot, Tags, Wanted};
pub use values::{Key, Raw};

/// What can be read from JSON.
pub trait Read<'a>: Sized {
    /// Reads one value from where the reader stands.
    ///
    /// # Errors
    /// [`ReadError`] if it is not there; the reader is of no use afterwards.
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError>;
}

/// Reads one value that fills the text.
///
/// # Errors
/// [`ReadError`] with the place at which the text stops being that value.
pub fn from_str<'a, T: Read<'a>>(text: &'a str) -> Result<T, ReadError> {
    whole(Reader::of_text(text))
}

/// Reads one value that fills the bytes. Only the strings that are wanted must be UTF-8.
///
/// # Errors
/// As [`from_str`].
pub fn from_slice<'a, T: Read<'a>>(bytes: &'a [u8]) -> Result<T, ReadError> {
    whole(Reader::of_bytes(bytes))
}

fn whole<'a, T: Read<'a>>(mut reader: Reader<'a>) -> Result<T, ReadError> {
    let value = T::read(&mut reader)?;
    reader.end()?;
    Ok(value)
}
