//! The source of a file's bytes: the system's files in a guest, memory in tests.

/// Something that can be read from any place in it.
pub trait ByteSource {
    /// The bytes from an offset on, at most `length` of them.
    ///
    /// # Errors
    ///
    /// The system's message.
    fn read(&mut self, offset: u64, length: usize) -> Result<FileChunk, String>;
}

/// The result of one read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChunk {
    /// The bytes; empty at the end of the file.
    pub bytes: Vec<u8>,
    pub rest: RemainingBytes,
}

/// The rest of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemainingBytes {
    /// That is only known by reading on.
    Unknown,
    /// Nothing is left, so no further read is needed.
    Nothing,
}

impl FileChunk {
    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.bytes.is_empty() || self.rest == RemainingBytes::Nothing
    }
}

impl From<Vec<u8>> for FileChunk {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, rest: RemainingBytes::Unknown }
    }
}

/// A byte source in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySource(pub Vec<u8>);

impl ByteSource for MemorySource {
    fn read(&mut self, offset: u64, length: usize) -> Result<FileChunk, String> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let end = start.saturating_add(length).min(self.0.len());
        let rest = if end == self.0.len() { RemainingBytes::Nothing } else { RemainingBytes::Unknown };
        Ok(FileChunk { bytes: self.0.get(start..end).unwrap_or_default().to_vec(), rest })
    }
}

#[cfg(not(target_family = "wasm"))]
impl ByteSource for std::fs::File {
    fn read(&mut self, offset: u64, length: usize) -> Result<FileChunk, String> {
        use std::io::{Read, Seek, SeekFrom};
        let mut bytes = Vec::new();
        self.seek(SeekFrom::Start(offset)).map_err(|error| error.to_string())?;
        self.take(length as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes.into())
    }
}
