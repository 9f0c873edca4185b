//! Writes sessions out: the journal byte for byte, or Markdown. It also holds `blocking`, with
//! which the whole crate does work that may block.
//!
//! The text of the Markdown is made in `sessions/markdown.rs`; `sessions/import.rs` reads journals
//! back. Large results are not part of an export. A new file is for its owner alone and replaces
//! nothing. Damage is an error in Markdown, because a part that is left out would not be noticed.

use std::path::Path;

use holm_kernel::journal;

use super::markdown;
use crate::{Store, StoreError, error};

/// The format of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionFileFormat {
    /// The journal itself, byte for byte. It is enough to resume, replay and verify the run.
    JsonLines,
    /// Markdown text for people to read.
    Markdown,
}

impl Store {
    /// Writes a session out. Large results are not part of it; a journal refers to
    /// them by digest ([`BlobStore::get`](holm_runtime::BlobStore::get)).
    ///
    /// An export of an encrypted store is readable, on purpose.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Damaged`] for a damaged one in Markdown: what does
    /// not fit its journal is never left out without a word. A database keeps whole records or
    /// none, so an end that a crash tore does not come up here.
    pub async fn export(&self, run: &str, format: SessionFileFormat) -> Result<Vec<u8>, StoreError> {
        let row = self.find(run).await?;
        let (text, _) = self.text(&row).await?;
        match format {
            SessionFileFormat::JsonLines => Ok(text),
            SessionFileFormat::Markdown => {
                let session = self.session(run).await?;
                let run = run.to_owned();
                blocking(move || {
                    let records = journal::decode_strict(&text)
                        .map_err(|error| StoreError::Damaged { run, reason: error.to_string() })?;
                    Ok(markdown::write(&session, &records).into_bytes())
                })
                .await
            }
        }
    }

    /// As [`export`](Self::export), into a new file that only its owner can read.
    ///
    /// # Errors
    /// The same errors, and errors if the file exists already or cannot be written.
    pub async fn export_to(
        &self,
        run: &str,
        format: SessionFileFormat,
        path: impl AsRef<Path>,
    ) -> Result<(), StoreError> {
        let path = path.as_ref().to_owned();
        let bytes = self.export(run, format).await?;
        let target = path.clone();
        blocking(move || write_new(&target, &bytes)).await?;
        self.inner.exports.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(path);
        Ok(())
    }
}

/// Runs work that may block: on another thread if there is a runtime, otherwise on this one.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    // Boxed, so that the compiler generates one task for each result type, not one for each of the
    // many callers.
    let work: Box<dyn FnOnce() -> Result<T, StoreError> + Send> = Box::new(work);
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime
            .spawn_blocking(work)
            .await
            .map_err(|error| StoreError::System { reason: error.to_string() })?,
        Err(_) => work(),
    }
}

/// Writes a file that was not there, for its owner alone.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path).map_err(|error| error::at(path, &error))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| error::at(path, &error))
}
