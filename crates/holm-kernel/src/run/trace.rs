//! Computes the digest of a record's effects.
//!
//! Each record carries a 64-bit digest over the effects of its handling, so that a replay which
//! decides differently is detected at the first record that differs. A serde serializer feeds the
//! digest directly: every field counts, in declaration order, without intermediate text. Requests
//! are the exception. Their shared content was hashed when it joined the transcript, so only its
//! identifiers are hashed again, and the cost of a turn stays flat.
//!
//! It only hashes; `journal/replay.rs` compares. Stored journals contain these digests, so the
//! order and the framing of what is hashed must not change. A type whose serde form changes changes
//! the digest too.
//!
//! The hash itself is in `digest.rs`. The chain of records is another hash (`journal/record.rs`).

use alloc::sync::Arc;
use core::fmt;

use serde::ser::{self, Serialize};

use crate::digest::StreamHasher;
use crate::{Effect, Messages, Request, ToolSpec};

/// Adds one effect to the digest.
pub(crate) fn effect(digest: &mut StreamHasher, effect: &Effect) {
    match effect {
        Effect::CallModel { call, request } => {
            digest.u64(u64::MAX);
            digest.u64(call.value());
            trace_request(digest, request);
        }
        Effect::Summarise { call, request } => {
            digest.u64(u64::MAX - 1);
            digest.u64(call.value());
            trace_request(digest, request);
        }
        Effect::RunTool { .. }
        | Effect::Spawn { .. }
        | Effect::Abort(_)
        | Effect::Judge(_)
        | Effect::Consult(_)
        | Effect::Check { .. }
        | Effect::Emit(_)
        | Effect::Finish(_)
        | Effect::Wait(_) => feed(digest, effect),
    }
}

/// The digest of the parts that all requests share.
pub(crate) fn fingerprint(system: &str, tools: &[Arc<ToolSpec>]) -> u64 {
    let mut digest = StreamHasher::new();
    digest.str(system);
    for tool in tools {
        feed(&mut digest, &**tool);
    }
    digest.finish()
}

fn trace_request(digest: &mut StreamHasher, request: &Request) {
    feed(digest, &request.purpose);
    digest.str(&request.model.name);
    digest.u64(request.tools.epoch);
    digest.u64(request.tools.tools.len() as u64);
    digest.u64(request.max_output.map_or(0, |cap| cap.saturating_add(1)));
    feed(digest, &request.format);
    match &request.messages {
        Messages::View { epoch, count } => {
            digest.u64(*epoch);
            digest.u64(*count);
        }
        Messages::Own(messages) => feed(digest, messages),
    }
}

fn feed(digest: &mut StreamHasher, value: &impl Serialize) {
    // The sink never fails, and no type of ours makes its own `Serialize` fail.
    let _ = value.serialize(&mut DigestSink(digest));
}

struct DigestSink<'a>(&'a mut StreamHasher);

/// One of our own names as a number. Its length and its first letters distinguish fields and
/// variants well enough for a digest.
fn tag(name: &'static str) -> u64 {
    let bytes = name.as_bytes();
    let (first, last) = (bytes.iter().take(4), bytes.iter().rev().take(3));
    first.chain(last).fold(bytes.len() as u64, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// The error type of [`DigestSink`], which cannot fail.
#[derive(Debug)]
pub(crate) struct NeverError;

impl fmt::Display for NeverError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a digest cannot fail")
    }
}

impl core::error::Error for NeverError {}

impl ser::Error for NeverError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! as_u64 {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<(), NeverError> {
            self.0.u64(value as u64);
            Ok(())
        })*
    };
}

#[expect(
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "the digest takes the bits; a sign becomes the top bit"
)]
impl ser::Serializer for &mut DigestSink<'_> {
    type Ok = ();
    type Error = NeverError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    as_u64! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_char: char,
    }

    fn serialize_f32(self, value: f32) -> Result<(), NeverError> {
        self.0.u64(u64::from(value.to_bits()));
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), NeverError> {
        self.0.u64(value.to_bits());
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), NeverError> {
        self.0.str(value);
        Ok(())
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), NeverError> {
        struct DigestWriter<'a>(&'a mut StreamHasher);
        impl fmt::Write for DigestWriter<'_> {
            fn write_str(&mut self, piece: &str) -> fmt::Result {
                self.0.bytes(piece.as_bytes());
                Ok(())
            }
        }
        let _ = fmt::write(&mut DigestWriter(self.0), format_args!("{value}"));
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), NeverError> {
        self.0.u64(value.len() as u64);
        self.0.bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), NeverError> {
        self.0.u64(0);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NeverError> {
        self.0.u64(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NeverError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NeverError> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), NeverError> {
        self.0.u64(tag(variant));
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NeverError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NeverError> {
        self.0.u64(tag(variant));
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, NeverError> {
        self.0.u64(length.map_or(u64::MAX, |length| length as u64));
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, NeverError> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, NeverError> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, NeverError> {
        self.0.u64(tag(variant));
        Ok(self)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, NeverError> {
        self.serialize_seq(length)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, NeverError> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, NeverError> {
        self.0.u64(tag(variant));
        Ok(self)
    }
}

macro_rules! elements {
    ($($trait:ident :: $method:ident),* $(,)?) => {
        $(impl ser::$trait for &mut DigestSink<'_> {
            type Ok = ();
            type Error = NeverError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NeverError> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), NeverError> {
                Ok(())
            }
        })*
    };
}

elements! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! fields {
    ($($trait:ident),* $(,)?) => {
        $(impl ser::$trait for &mut DigestSink<'_> {
            type Ok = ();
            type Error = NeverError;

            // The fields always come in the order of the type, so their names need not be hashed.
            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), NeverError> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), NeverError> {
                Ok(())
            }
        })*
    };
}

fields! { SerializeStruct, SerializeStructVariant }

impl ser::SerializeMap for &mut DigestSink<'_> {
    type Ok = ();
    type Error = NeverError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NeverError> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NeverError> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), NeverError> {
        Ok(())
    }
}
