//! Serde through raw text.
//!
//! A value inside a record must be real JSON there and must come back with its numbers as written. Going through
//! serde's data model would turn numbers into floats, or into a private map when somebody enables
//! `arbitrary_precision`; raw text passes through both unchanged. The price: only `serde_json` can carry a
//! [`Json`], which is the only format that Holm stores.

use alloc::boxed::Box;

use holm_read::{Read, ReadError, Reader};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Json;

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.canonical()).map_err(S::Error::custom)?.serialize(serializer)
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
