//! Implements `Read` for basic types. Structs and enums get their implementation from
//! `holm-derive`. The JSON form must be that of serde, because other code writes and reads the same
//! text with serde.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{Read, ReadError, Reader};

impl<'a> Read<'a> for bool {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.boolean()
    }
}

macro_rules! unsigned {
    ($($number:ty),+) => {$(
        impl<'a> Read<'a> for $number {
            fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
                let value = reader.unsigned(u64::from(<$number>::MAX))?;
                Self::try_from(value).map_err(|error| reader.refused(&error))
            }
        }
    )+};
}

unsigned!(u8, u16, u32, u64);

impl<'a> Read<'a> for &'a str {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        match reader.string()? {
            Cow::Borrowed(text) => Ok(text),
            Cow::Owned(_) => Err(reader.expected("a string without escapes")),
        }
    }
}

/// The JSON text of a value of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonText<'a>(&'a str);

impl<'a> JsonText<'a> {
    #[must_use]
    pub const fn get(self) -> &'a str {
        self.0
    }
}

impl<'a> Read<'a> for JsonText<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.raw().map(Self)
    }
}

impl<'a> Read<'a> for String {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.string().map(Cow::into_owned)
    }
}

impl<'a> Read<'a> for Arc<str> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.string().map(|text| Self::from(&*text))
    }
}

impl<'a, T: Read<'a>> Read<'a> for Option<T> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        if reader.null()? { Ok(None) } else { T::read(reader).map(Some) }
    }
}

impl<'a, T: Read<'a>> Read<'a> for Box<T> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        T::read(reader).map(Self::new)
    }
}

impl<'a, T: Read<'a>> Read<'a> for Arc<T> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        T::read(reader).map(Self::new)
    }
}

impl<'a, T: Read<'a>> Read<'a> for Arc<[T]> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        Vec::read(reader).map(Self::from)
    }
}

impl<'a, T: Read<'a>> Read<'a> for Vec<T> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let mut all = Self::new();
        reader.items(&mut |reader| {
            all.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(all)
    }
}

impl<'a, T: Read<'a>> Read<'a> for VecDeque<T> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        Vec::read(reader).map(Self::from)
    }
}

impl<'a, T: Read<'a> + Ord> Read<'a> for BTreeSet<T> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let mut all = Self::new();
        reader.items(&mut |reader| {
            all.insert(T::read(reader)?);
            Ok(())
        })?;
        Ok(all)
    }
}

impl<'a, K: MapKey + Ord, V: Read<'a>> Read<'a> for BTreeMap<K, V> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let mut all = Self::new();
        reader.members(&mut |reader, name| {
            let key = K::of(&name).ok_or_else(|| reader.expected("another kind of name"))?;
            all.insert(key, V::read(reader)?);
            Ok(())
        })?;
        Ok(all)
    }
}

impl<'a, A: Read<'a>, B: Read<'a>> Read<'a> for (A, B) {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.enter(b'[', "a list of two")?;
        let first = A::read(reader)?;
        if !reader.comma(b']')? {
            return Err(reader.expected("a list of two"));
        }
        let second = B::read(reader)?;
        if reader.comma(b']')? {
            return Err(reader.expected("a list of two"));
        }
        reader.leave()?;
        Ok((first, second))
    }
}

/// A type that can be the key of a map.
pub trait MapKey: Sized {
    /// Converts a member's name into a key.
    fn of(name: &str) -> Option<Self>;
}

impl MapKey for String {
    fn of(name: &str) -> Option<Self> {
        Some(name.to_owned())
    }
}

impl MapKey for Arc<str> {
    fn of(name: &str) -> Option<Self> {
        Some(Self::from(name))
    }
}

impl MapKey for u64 {
    fn of(name: &str) -> Option<Self> {
        crate::from_str(name).ok()
    }
}
