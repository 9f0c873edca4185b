//! Where the bytes of a file come from: the system's files where there are any, memory in tests.

/// Something that can be read from any place in it.
pub trait Source {
    /// The bytes from an offset on, at most `length` of them; none at the end.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn read(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, String>;
}

/// Bytes in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Source for Bytes {
    fn read(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, String> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let end = start.saturating_add(length).min(self.0.len());
        Ok(self.0.get(start..end).unwrap_or_default().to_vec())
    }
}

#[cfg(not(target_family = "wasm"))]
impl Source for std::fs::File {
    fn read(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, String> {
        use std::io::{Read, Seek, SeekFrom};
        let mut bytes = Vec::new();
        self.seek(SeekFrom::Start(offset)).map_err(|error| error.to_string())?;
        self.take(length as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
