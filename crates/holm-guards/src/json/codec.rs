//! Serde through raw text.
//!
//! A value inside a record must be real JSON there and must come back with its numbers as written.
//! Serde's data model would turn numbers into floats, or into a private map if any crate enables
//! `arbitrary_precision`. Raw text passes through both unchanged. The price: only `serde_json` can
//! carry a [`Json`], which is the only format that Holm stores.

use alloc::boxed::Box;

use holm_read::{Read, ReadError, Reader};
use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Json;

/// The name by which `serde_json` knows raw text; a test compares it with the crate's own.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Does what a raw value does, without parsing the text again to check it: the writer here
        // has just made it.
        let mut raw = serializer.serialize_struct(RAW_VALUE, 1)?;
        raw.serialize_field(RAW_VALUE, &self.canonical())?;
        raw.end()
    }
}

impl<'a> Read<'a> for Json {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let raw = reader.raw()?;
        Self::parse(raw).map_err(|error| reader.refused(&error))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).map_err(D::Error::custom)
    }
}
