//! Encodes an image as bytes for the disk, and decodes it: numbers and lengths before bytes, and a
//! digest of all of it at the end. A file that was cut or changed is not read. The format is
//! binary, because an image is read and written around every command.
//!
//! It opens no file: `command_undo.rs` writes and reads the bytes. The image itself is in
//! `image.rs`. A new format needs another number in the first bytes.

use std::path::{Path, PathBuf};

use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use sha2::{Digest as _, Sha256};

use crate::{
    TreePath, UncoveredPath, UncoveredReason,
    image::{Entry, EntryKind, Image},
    path_state::LinkTarget,
    tree::Stamp,
};

/// The first bytes; another version has another number.
const MAGIC: &[u8; 8] = b"holmimg1";

/// An image, the folder that it is of, and the key of the call that it was taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredImage {
    pub(crate) root: PathBuf,
    pub(crate) key: String,
    pub(crate) image: Image,
}

pub(crate) fn encode(root: &Path, key: &str, image: &Image) -> Vec<u8> {
    let mut out = Vec::with_capacity(image.entries.len() * 160 + 256);
    out.extend(MAGIC);
    put(&mut out, root.as_os_str().as_bytes());
    put(&mut out, key.as_bytes());
    number(&mut out, image.entries.len() as u64);
    for Entry { path, stamp, kind } in &image.entries {
        put(&mut out, path.as_bytes());
        for part in [stamp.device, stamp.inode, stamp.size, stamp.links, u64::from(stamp.mode)] {
            number(&mut out, part);
        }
        out.extend(stamp.modified.to_le_bytes());
        out.extend(stamp.changed.to_le_bytes());
        match kind {
            EntryKind::File { digest, is_settled } => {
                out.push(if *is_settled { 1 } else { 0 });
                out.extend(digest);
            }
            EntryKind::Link(target) => {
                out.push(2);
                put(&mut out, &target.0);
            }
            EntryKind::Folder => out.push(3),
            EntryKind::Unkept(reason) => out.extend([4, code(*reason)]),
        }
    }
    number(&mut out, image.left_out.len() as u64);
    for UncoveredPath { path, reason } in &image.left_out {
        put(&mut out, path.as_bytes());
        out.push(code(*reason));
    }
    let digest = Sha256::digest(&out);
    out.extend(digest);
    out
}

/// `None` if it is not a whole image of this version.
pub(crate) fn decode(bytes: &[u8]) -> Option<StoredImage> {
    let (body, digest) = bytes.split_last_chunk::<32>()?;
    if Sha256::digest(body).as_slice() != digest {
        return None;
    }
    let mut reader = ImageReader(body);
    if reader.take(MAGIC.len())? != MAGIC {
        return None;
    }
    let root = PathBuf::from(std::ffi::OsString::from_vec(reader.bytes()?.to_vec()));
    let key = String::from_utf8(reader.bytes()?.to_vec()).ok()?;
    let mut image = Image::default();
    for _ in 0..reader.number()? {
        image.entries.push(reader.entry()?);
    }
    for _ in 0..reader.number()? {
        let path = TreePath::new(reader.bytes()?).ok()?;
        image.left_out.push(UncoveredPath { path, reason: reader.reason()? });
    }
    reader.0.is_empty().then_some(StoredImage { root, key, image })
}

fn number(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_le_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len() as u64);
    out.extend(bytes);
}

fn code(reason: UncoveredReason) -> u8 {
    let at = UncoveredReason::ALL.iter().position(|known| *known == reason);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

struct ImageReader<'a>(&'a [u8]);

impl<'a> ImageReader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    fn reason(&mut self) -> Option<UncoveredReason> {
        let [code] = self.array()?;
        UncoveredReason::ALL.get(usize::from(code)).copied()
    }

    fn entry(&mut self) -> Option<Entry> {
        let path = TreePath::new(self.bytes()?).ok()?;
        let (device, inode, size) = (self.number()?, self.number()?, self.number()?);
        let (links, mode) = (self.number()?, u32::try_from(self.number()?).ok()?);
        let (modified, changed) = (i64::from_le_bytes(self.array()?), i64::from_le_bytes(self.array()?));
        let stamp = Stamp { device, inode, size, modified, changed, mode, links };
        let kind = match self.array()? {
            [settled @ (0 | 1)] => EntryKind::File { is_settled: settled == 1, digest: self.array()? },
            [2] => EntryKind::Link(LinkTarget(self.bytes()?.to_vec())),
            [3] => EntryKind::Folder,
            [4] => EntryKind::Unkept(self.reason()?),
            _ => return None,
        };
        Some(Entry { path, stamp, kind })
    }
}
