//! Reads header values within the bounds of the file. Every length is compared with the remaining
//! bytes before it is used.
//!
//! What the values mean is decided in `gguf.rs`. Nothing is allocated by a length that was not
//! compared before.
//!
//! The sizes of number formats are in `gguf/kinds.rs`.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use super::GgufError;

/// The longest name of a pair or a tensor.
const MAX_KEY: u64 = 4096;
/// The longest text that is kept. In real files, chat templates are the longest.
const MAX_TEXT: u64 = 1 << 20;
/// The deepest nesting of lists. No real file nests deeper.
const MAX_DEPTH: u32 = 4;
/// The largest number of items in a list: several times the largest vocabulary.
const MAX_LIST: u64 = 8 << 20;
/// The largest number of dimensions of a tensor, as in llama.cpp.
const MAX_DIMENSIONS: u32 = 4;

/// A value, as far as it matters here.
pub(super) enum GgufValue {
    Text(String),
    /// A whole number that is not negative.
    Number(u64),
    Other,
}

pub(super) struct TensorInfo {
    pub(super) kind: u32,
    pub(super) numbers: u64,
    pub(super) offset: u64,
}

/// Reads little-endian values and tracks its position.
pub(super) struct GgufReader<R> {
    from: R,
    at: u64,
    size: u64,
}

impl<R: Read + Seek> GgufReader<R> {
    pub(super) fn new(from: R, size: u64) -> Self {
        Self { from, at: 0, size }
    }

    /// The number of bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    pub(super) fn magic(&mut self) -> Result<[u8; 4], GgufError> {
        // A file of three bytes is reported as not a GGUF file, rather than as truncated.
        if self.size < 4 { Err(GgufError::NotGguf) } else { self.array() }
    }

    pub(super) fn u32(&mut self) -> Result<u32, GgufError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, GgufError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn key(&mut self) -> Result<String, GgufError> {
        let bytes = self.bytes(MAX_KEY)?.ok_or(GgufError::Damaged("a name is too long"))?;
        String::from_utf8(bytes).map_err(|_| GgufError::Damaged("a name is not valid UTF-8"))
    }

    pub(super) fn value(&mut self) -> Result<GgufValue, GgufError> {
        let kind = self.u32()?;
        self.value_of(kind, 0)
    }

    pub(super) fn tensor(&mut self) -> Result<TensorInfo, GgufError> {
        self.key()?;
        let dimensions = self.u32()?;
        if dimensions > MAX_DIMENSIONS {
            return Err(GgufError::Damaged("a tensor has too many dimensions"));
        }
        let mut numbers: u64 = 1;
        for _ in 0..dimensions {
            let length = self.u64()?;
            numbers =
                numbers.checked_mul(length).ok_or(GgufError::Damaged("a tensor is larger than any file"))?;
        }
        Ok(TensorInfo { kind: self.u32()?, numbers, offset: self.u64()? })
    }

    fn value_of(&mut self, kind: u32, depth: u32) -> Result<GgufValue, GgufError> {
        match kind {
            0 | 7 => self.array::<1>().map(|[byte]| GgufValue::Number(u64::from(byte))),
            1 => self.array::<1>().map(|_| GgufValue::Other),
            2 => self.array().map(|bytes| GgufValue::Number(u64::from(u16::from_le_bytes(bytes)))),
            3 => self.array::<2>().map(|_| GgufValue::Other),
            4 => self.u32().map(|number| GgufValue::Number(u64::from(number))),
            5 => self.array().map(|bytes| signed(i64::from(i32::from_le_bytes(bytes)))),
            6 => self.array::<4>().map(|_| GgufValue::Other),
            8 => self.text(),
            9 => self.list(depth),
            10 => self.u64().map(GgufValue::Number),
            11 => self.array().map(|bytes| signed(i64::from_le_bytes(bytes))),
            12 => self.array::<8>().map(|_| GgufValue::Other),
            _ => Err(GgufError::Damaged("a value has an unknown type")),
        }
    }

    fn text(&mut self) -> Result<GgufValue, GgufError> {
        let Some(bytes) = self.bytes(MAX_TEXT)? else { return Ok(GgufValue::Other) };
        Ok(String::from_utf8(bytes).map_or(GgufValue::Other, GgufValue::Text))
    }

    fn list(&mut self, depth: u32) -> Result<GgufValue, GgufError> {
        let (kind, length) = (self.u32()?, self.u64()?);
        if depth >= MAX_DEPTH || length > MAX_LIST {
            return Err(GgufError::Damaged("a list is too long"));
        }
        let fixed = match kind {
            0 | 1 | 7 => Some(1),
            2 | 3 => Some(2),
            4..=6 => Some(4),
            10..=12 => Some(8),
            _ => None,
        };
        if let Some(width) = fixed {
            self.skip(length.saturating_mul(width))?;
            return Ok(GgufValue::Other);
        }
        for _ in 0..length {
            if kind == 8 {
                let length = self.u64()?;
                self.skip(length)?;
            } else {
                self.value_of(kind, depth + 1)?;
            }
        }
        Ok(GgufValue::Other)
    }

    /// Reads bytes with a length prefix. If there are more than `most`, skips
    /// them and returns `None`.
    fn bytes(&mut self, most: u64) -> Result<Option<Vec<u8>>, GgufError> {
        let length = self.u64()?;
        if length > most {
            self.skip(length)?;
            return Ok(None);
        }
        self.check_remaining(length)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.fill(&mut bytes)?;
        Ok(Some(bytes))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), GgufError> {
        let length = bytes.len() as u64;
        self.check_remaining(length)?;
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                GgufError::Truncated { has: self.at, needs: self.at.saturating_add(length) }
            }
            _ => GgufError::Damaged("it cannot be read to the end"),
        })?;
        self.at += length;
        Ok(())
    }

    fn skip(&mut self, length: u64) -> Result<(), GgufError> {
        self.check_remaining(length)?;
        let wide = i64::try_from(length).map_err(|_| GgufError::Damaged("a length is invalid"))?;
        let sought = self.from.seek(SeekFrom::Current(wide));
        sought.map_err(|_| GgufError::Damaged("it cannot be read to the end"))?;
        self.at += length;
        Ok(())
    }

    fn check_remaining(&self, length: u64) -> Result<(), GgufError> {
        let needs = self.at.saturating_add(length);
        if needs > self.size { Err(GgufError::Truncated { has: self.size, needs }) } else { Ok(()) }
    }
}

fn signed(number: i64) -> GgufValue {
    u64::try_from(number).map_or(GgufValue::Other, GgufValue::Number)
}
