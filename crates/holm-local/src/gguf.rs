//! Reads the header of a GGUF file in safe code. A model file is untrusted and goes to a C++
//! library, so invalid files are refused here, with a clear error, before that library reads them.
//!
//! Values are read in `gguf/reader.rs`, and the sizes of number formats are in `gguf/kinds.rs`. The
//! weights themselves are not read here; the worker loads them (`worker/mod.rs`).

mod kinds;
mod reader;

use std::{
    fs::File,
    io::{BufReader, Read, Seek},
    path::{Path, PathBuf},
};

use kinds::bytes_of;
use reader::{GgufReader, GgufValue};
use thiserror::Error;

/// The largest number of key-value pairs in one file. Real files have some dozens.
const MAX_PAIRS: u64 = 4096;
/// The largest number of tensors in one file. The largest models have some thousands.
const MAX_TENSORS: u64 = 65_536;
/// Tensors begin at a multiple of this, unless the file says otherwise.
const ALIGNMENT: u64 = 32;

/// The header of a model or an adapter.
///
/// ```no_run
/// let head = holm_local::GgufHead::open("model.gguf".as_ref())?;
/// println!("{} ({}), {} tokens", head.name, head.architecture, head.context.unwrap_or(0));
/// # Ok::<(), holm_local::GgufError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GgufHead {
    /// The model's name; empty if the file does not give one.
    pub name: String,
    /// The model architecture, for example `llama`.
    pub architecture: String,
    /// The licence that the file claims; empty if it claims none.
    pub licence: String,
    /// Whether it is a model or an adapter.
    pub kind: GgufKind,
    /// The context length that the model was trained for, in tokens.
    pub context: Option<u64>,
    /// Whether the file contains a chat template.
    pub template: bool,
    /// The SHA-256 of the base model that one of Holm's adapters names.
    pub base: Option<String>,
    /// The number of parameters in all tensors.
    pub parameters: u64,
    /// The size of the file in bytes.
    pub size: u64,
    /// How many bytes one token of context takes in the cache, as far as the file says.
    pub cache_per_token: u64,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GgufKind {
    #[default]
    Model,
    /// An adapter that changes a model.
    Adapter,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GgufError {
    /// The file cannot be read.
    #[error("{} cannot be read: {why}", .path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The system's error message.
        why: String,
    },
    /// The file is not a GGUF file.
    #[error("not a GGUF file: it starts with other bytes")]
    NotGguf,
    /// This reader, and perhaps llama.cpp, does not support the version.
    #[error("GGUF version {0} is not supported; versions 2 and 3 are")]
    Version(u32),
    /// The file ends too early.
    #[error("the file is truncated: it has {has} bytes and needs at least {needs}; fetch it again")]
    Truncated {
        /// The size of the file in bytes.
        has: u64,
        /// The size that the header promises, as far as it could be read.
        needs: u64,
    },
    /// The file contains an impossible value.
    #[error("the file is damaged: {0}; fetch it again")]
    Damaged(&'static str),
    /// The number format of a tensor is unknown.
    #[error("tensors of type {0} are not supported; choose another quantisation of the model")]
    TensorType(u32),
    /// The file is of the other kind.
    #[error("this is {}, but {} is required", .found.words(), .wanted.words())]
    Kind {
        found: GgufKind,
        /// The kind that the caller expected.
        wanted: GgufKind,
    },
    /// The machine does not have enough memory.
    #[error("the model needs about {needs} MiB of memory and {has} MiB are free; choose a smaller one")]
    TooBig {
        /// The MiB needed for weights and context.
        needs: u64,
        /// The MiB that are free.
        has: u64,
    },
}

impl GgufKind {
    fn words(self) -> &'static str {
        match self {
            Self::Model => "a model",
            Self::Adapter => "an adapter",
        }
    }
}

impl GgufHead {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// [`GgufError`] for every file that llama.cpp should not see.
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        let unreadable =
            |error: std::io::Error| GgufError::Unreadable { path: path.to_owned(), why: error.to_string() };
        let file = File::open(path).map_err(unreadable)?;
        let meta = file.metadata().map_err(unreadable)?;
        if !meta.is_file() {
            return Err(GgufError::Unreadable { path: path.to_owned(), why: "it is not a file".into() });
        }
        Self::read(BufReader::new(file), meta.len())
    }

    /// Reads the header of a file of `size` bytes.
    ///
    /// # Errors
    /// The same errors as for [`open`](Self::open).
    pub fn read(from: impl Read + Seek, size: u64) -> Result<Self, GgufError> {
        let mut from = GgufReader::new(from, size);
        if from.magic()? != *b"GGUF" {
            return Err(GgufError::NotGguf);
        }
        let version = from.u32()?;
        if !matches!(version, 2 | 3) {
            return Err(GgufError::Version(version));
        }
        let (tensors, pairs) = (from.u64()?, from.u64()?);
        if tensors > MAX_TENSORS || pairs > MAX_PAIRS {
            return Err(GgufError::Damaged("it declares more parts than any model has"));
        }
        let mut head = Self { size, ..Self::default() };
        let mut dimensions = GgufDimensions::default();
        for _ in 0..pairs {
            let key = from.key()?;
            dimensions.take(&mut head, &key, from.value()?)?;
        }
        if head.architecture.is_empty() {
            return Err(GgufError::Damaged("it does not name its architecture"));
        }
        head.context = dimensions.context.filter(|context| *context > 0);
        head.cache_per_token = dimensions.cache_per_token();
        let mut end = 0;
        for _ in 0..tensors {
            let tensor = from.tensor()?;
            let bytes = bytes_of(tensor.kind, tensor.numbers)?;
            head.parameters = head.parameters.saturating_add(tensor.numbers);
            let last = tensor
                .offset
                .checked_add(bytes)
                .ok_or(GgufError::Damaged("a tensor is larger than any file"))?;
            end = end.max(last);
        }
        let begin = from.position().next_multiple_of(dimensions.alignment.unwrap_or(ALIGNMENT));
        let needs = begin.saturating_add(end);
        if needs > size {
            return Err(GgufError::Truncated { has: size, needs });
        }
        Ok(head)
    }

    /// Checks that the file is of the expected kind.
    ///
    /// # Errors
    /// [`GgufError::Kind`] if it is of the other kind.
    pub fn expect(self, wanted: GgufKind) -> Result<Self, GgufError> {
        if self.kind == wanted { Ok(self) } else { Err(GgufError::Kind { found: self.kind, wanted }) }
    }

    /// The memory in bytes that a worker needs for this model and a context of this many tokens:
    /// weights, cache, and buffers.
    #[must_use]
    pub fn memory(&self, context: u64) -> u64 {
        /// Compute buffers, the vocabulary and its grammar tables.
        const ROOM: u64 = 384 << 20;
        self.size.saturating_add(self.cache_per_token.saturating_mul(context)).saturating_add(ROOM)
    }

    /// Checks that a worker fits into this many free bytes.
    ///
    /// # Errors
    /// [`GgufError::TooBig`] if it does not fit.
    pub fn fits(&self, context: u64, free: u64) -> Result<(), GgufError> {
        let needs = self.memory(context);
        if needs <= free { Ok(()) } else { Err(GgufError::TooBig { needs: needs >> 20, has: free >> 20 }) }
    }
}

/// Numbers whose meaning depends on other key-value pairs.
#[derive(Default)]
struct GgufDimensions {
    context: Option<u64>,
    alignment: Option<u64>,
    layers: u64,
    heads: u64,
    cache_heads: u64,
    width: u64,
}

impl GgufDimensions {
    fn take(&mut self, head: &mut GgufHead, key: &str, value: GgufValue) -> Result<(), GgufError> {
        match (key, value) {
            ("general.name", GgufValue::Text(text)) => head.name = text,
            ("general.architecture", GgufValue::Text(text)) => head.architecture = text,
            ("general.license", GgufValue::Text(text)) => head.licence = text,
            ("general.type", GgufValue::Text(text)) if text == "adapter" => head.kind = GgufKind::Adapter,
            ("tokenizer.chat_template", GgufValue::Text(_)) => head.template = true,
            ("holm.base.sha256", GgufValue::Text(text)) => head.base = Some(text),
            ("general.alignment", GgufValue::Number(number)) => {
                if !number.is_power_of_two() || number > 1 << 20 {
                    return Err(GgufError::Damaged("its alignment is invalid"));
                }
                self.alignment = Some(number);
            }
            (key, GgufValue::Number(number)) => match key.split_once('.').map_or("", |(_, rest)| rest) {
                "context_length" => self.context = Some(number),
                "block_count" => self.layers = number,
                "attention.head_count" => self.heads = number,
                "attention.head_count_kv" => self.cache_heads = number,
                "embedding_length" => self.width = number,
                _ => {}
            },
            (_, GgufValue::Text(_) | GgufValue::Other) => {}
        }
        Ok(())
    }

    /// The keys and values of all layers, as 16-bit numbers.
    fn cache_per_token(&self) -> u64 {
        let heads = self.heads.max(1);
        let cached = if self.cache_heads == 0 { heads } else { self.cache_heads };
        let width = (self.width / heads).saturating_mul(cached);
        width.saturating_mul(self.layers).saturating_mul(4)
    }
}

#[cfg(test)]
mod tests;
