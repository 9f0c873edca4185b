//! Moves results that are too large for the journal to the blob store. The journal keeps their
//! ends, their length and their digest.

use holm_kernel::{Spill, ToolOutput};

use crate::BlobStore;

/// Bytes of the beginning that stay in the journal: three quarters of a result that a
/// model sees by default.
const HEAD: usize = 24 * 1024;

/// Bytes of the end: as many, because for commands the model sees three quarters from there.
const TAIL: usize = 24 * 1024;

/// Moves an output's text to the blob store. If that fails, the ends stay as text, with a
/// note about the loss.
pub(crate) async fn spill(output: &mut ToolOutput, run: &str, blobs: &dyn BlobStore) {
    let text = std::mem::take(&mut output.text);
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or_default().to_owned();
    let tail =
        text.get(text.ceil_char_boundary(text.len().saturating_sub(TAIL))..).unwrap_or_default().to_owned();
    match blobs.put(run, text.as_bytes()).await {
        Ok(digest) => {
            let (bytes, reference) = (text.len() as u64, digest.clone());
            output.spill = Some(Box::new(Spill { head, tail, bytes, sha256: digest, reference }));
        }
        Err(failed) => {
            let lost = text.len().saturating_sub(head.len() + tail.len());
            output.text = format!("{head}\n[{lost} bytes are lost: {failed}]\n{tail}");
        }
    }
}
